"""Writes the texts by which the Rust side is compared with this one.

    fixture.py TABLE --out crates/faber-core/src/meaning/fixture.json
"""

import argparse
import json
from pathlib import Path

import numpy as np

from judge import read_table
from pieces import Pieces

TEXTS = [
    "", " \t\r\n ", "the", "The quick brown fox jumps over the lazy dog.",
    "How do I roll back a deployment that failed?", "Restart the payment service after changing its configuration.",
    "# Runbook: disk is full\n\n1. Find the largest folders.\n2. Rotate the logs.\n3. Tell whoever is on call.",
    "Rotate secrets every 90 days, and revoke what nobody uses.", "A retry without a limit is an outage with extra steps.",
    "When the queue grows, look at the consumers first: are they slow, or are there too few?",
    "fn main() { println!(\"{}\", 6 * 7); }", "let total: f64 = rows.iter().map(|row| row.price * 1.19).sum();",
    "SELECT name, count(*) FROM orders GROUP BY name HAVING count(*) > 10;", "kubectl get pods -n kube-system --watch",
    "git rebase --onto main feature~3 feature", "#include <vector>\nstd::vector<int> v{1, 2, 3};",
    "def mean(values):\n    return sum(values) / len(values)\n", "<a href=\"/docs?id=7&lang=en\">docs</a>",
    "{\"name\": \"faber\", \"version\": \"0.1.0\", \"tags\": [\"a\", \"b\"]}", "key: value\nlist:\n  - one\n  - two\n",
    "RateLimitError", "rate_limit_error", "rateLimitError", "RATE_LIMIT_ERROR", "parseHTTPResponse2XX", "__init__", "x86_64-unknown-linux-gnu",
    "sha256:9f86d081884c7d659a2feaa0c55ad015", "user@example.org", "https://example.org/a/b?c=d#e", "C:\\Program Files\\faber\\faber.exe", "v1.2.3-rc.4+build.5",
    "1234567890", "3.14159", "0xDEADBEEF", "100%", "$5.00 or €4,50 or £3", "a+b=c", "~/.config/faber.toml", "!?!?...", "[CLS] [MASK] [unused1] ##ing",
    "Café au lait, naïve façade, Ærøskøbing", "Zürich, Łódź, Århus, Niño, Crème brûlée", "İstanbul ve Iğdır", "Straße, ẞ, ﬁle, ①②③",
    "e\u0301tude and étude", "Ελλάδα είναι εδώ ΣΟΦΟΣ", "Привет, мир! Съешь же ещё этих мягких булок", "שלום עולם", "مرحبا بالعالم", "नमस्ते दुनिया",
    "中文分词是一个一个字", "日本語のテキスト、カタカナ。", "한국어 문장입니다", "混合 mixed 文字 text", "豈 and 﨎",
    "Ship it 🚀🚀", "👩‍💻 writes code", "a🦀b", "🙂", "soft\u00ADhyphen, zero\u200Bwidth, nul\u0000byte, \uFEFFmark, \uFFFDlost",
    "non\u00A0breaking\u2003spaces\u3000here", "“quotes” ‘single’ «guillemets» – — … • †", "line\u2028separator and next\u0085line", "→ ← ≤ ≥ ∞ √ π × ÷ ± ° ™ © ®",
    "x" * 100, "x" * 101, "é" * 100 + " " + "é" * 101, "antidisestablishmentarianism floccinaucinihilipilification",
    "word " * 300, "Deploy. " * 3 + "中" * 5 + "\n\n```sh\nmake all\n```\n",
]


def scaled(sums: np.ndarray, length: float) -> np.ndarray:
    """The same steps as `Pool::finish`."""
    sums, factor = sums.astype(np.float32), np.float32(127 / length)
    first = np.rint(sums * factor)
    second = np.rint(sums * (factor * np.float32(127 / np.linalg.norm(first))))
    off = lambda values: abs(np.linalg.norm(values) - 127)  # noqa: E731
    return (second if off(second) < off(first) else first).astype(int)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    names, rows, step = read_table(arguments.table)
    cutter = Pieces(names)
    cases = []
    for text in TEXTS:
        pieces = cutter.of_text(text)
        sums = rows[pieces].sum(axis=0, dtype=np.int64)
        length = float(np.sqrt((sums.astype(np.float64) ** 2).sum()))
        vector = scaled(sums, length).tolist() if length else []
        cases.append({"text": text, "pieces": pieces, "length": round(length * step, 4), "vector": vector})
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    arguments.out.write_text(f"[\n{lines}\n]\n")
    print(len(cases), "cases")


if __name__ == "__main__":
    main()
