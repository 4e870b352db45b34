"""Collects passages of text from the documentation that packages carry under permissive licences.

    collect.py --crates FOLDER --packages FOLDER --rust-docs FOLDER --out WORK

writes `WORK/passages.jsonl` and `WORK/sources.tsv`, in an order that is the same on every run and looks random, so that any
first part of it is a fair sample.
"""

import argparse
import hashlib
import html
import io
import json
import re
import tarfile
import tomllib
from pathlib import Path

PERMISSIVE = {
    "MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSD", "ISC", "Zlib", "Unlicense", "CC0-1.0",
    "0BSD", "MIT-0", "Unicode-3.0", "BSL-1.0", "BSD 3-Clause", "BSD License", "Apache License, Version 2.0",
    "Apache 2.0", "MIT License", "Apache Software License", "Apache-2.0 WITH LLVM-exception", "3-Clause BSD License",
}
"""Permissive licences, of which a package must offer one."""

MOST_OF_ONE = {"crate": 400}
"""Maximum passages per package, so that none dominates; otherwise `MOST_OF_OTHERS`."""

MOST_OF_OTHERS = 6000

FEWEST, MOST = 40, 420
"""Characters of a passage; only about 94 word pieces are used anyway."""

TEXT = (".md", ".mdx", ".rst", ".txt")
SKIP = re.compile(r"(changelog|changes|history|releases?|licen[cs]e|copying|authors|contributors|notice|/news)", re.I)


def permissive(licence: str) -> bool:
    """Whether an SPDX expression or name offers a permissive licence."""
    if licence in PERMISSIVE:
        return True
    if " AND " in licence:
        return all(permissive(part.strip(" ()")) for part in licence.split(" AND "))
    return any(part.strip(" ()") in PERMISSIVE for part in re.split(r" OR |/", licence))


def passages(text: str) -> list[str]:
    """Paragraphs of a document, each after its heading, with small ones joined.

    Inline markup stays, because the table has to learn how little it means.
    """
    lines, heading, paragraph, found = text.splitlines(), "", [], []

    def close() -> None:
        body = " ".join(" ".join(paragraph).split())
        paragraph.clear()
        if found and len(body) + len(found[-1][1]) < MOST * 3 // 4 and found[-1][0] == heading:
            found[-1][1] += " " + body
        elif body:
            found.append([heading, body])

    for index, line in enumerate(lines):
        below = lines[index + 1].strip() if index + 1 < len(lines) else ""
        stripped = line.strip()
        if stripped.startswith("#") and stripped.lstrip("#").startswith(" "):
            close()
            heading = stripped.lstrip("# ")
        elif stripped and len(below) >= 3 and re.fullmatch(r"=+|-+|~+|\^+", below) and not paragraph:
            heading = stripped
        elif re.fullmatch(r"[=~^*+-]{3,}|[`~]{3,}.*|\.\. [a-z-]+::.*|:[a-z-]+:.*|\|?[-|: ]+\|?", stripped) or not stripped:
            close()
        else:
            paragraph.append(stripped)
    close()
    result = []
    for number, (heading, body) in enumerate(found):
        for at in range(0, len(body), MOST):
            piece = body[at : at + MOST]
            if len(piece) < FEWEST or sum(c.isalpha() or c == " " for c in piece) < 0.6 * len(piece):
                continue
            # Some passages are as short as questions: a heading or one sentence.
            if number % 8 == 0:
                piece = re.split(r"(?<=[.!?]) ", piece)[0]
            elif number % 8 == 1 and len(heading) > 12:
                piece = heading
            elif heading:
                piece = f"{heading}. {piece}"
            result.append(piece)
    return result


def doc_comments(source: str) -> str:
    """The doc comments of a Rust file, separated by blank lines."""
    lines = []
    for line in source.splitlines():
        match = re.match(r"\s*//[/!](?!/) ?(.*)", line)
        lines.append(match.group(1) if match else "")
    return re.sub(r"```.*?```", "\n", "\n".join(lines), flags=re.S)


def of_html(page: str) -> str:
    """The text of a Rust book page, as Markdown."""
    main = page[page.find("<main") :].split("</main>")[0]
    main = re.sub(r"<(script|style|nav|pre)\b.*?</\1>", "\n\n", main, flags=re.S)
    main = re.sub(r"<h\d[^>]*>(.*?)</h\d>", lambda m: "\n\n# " + " ".join(m.group(1).split()) + "\n\n", main, flags=re.S)
    main = re.sub(r"</?(p|li|tr|div|section|blockquote|table|ul|ol|dd|dt)\b[^>]*>", "\n\n", main)
    return html.unescape(re.sub(r"<[^>]+>", "", main))


def members(path: Path):
    """Names and contents of text files in an archive."""
    with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as archive:
        for member in archive:
            if member.isfile() and member.size < 2_000_000 and member.name.endswith((*TEXT, ".rs", ".toml", "package.json", "PKG-INFO")):
                yield member.name, archive.extractfile(member).read().decode("utf-8", "replace")


def about(files: dict[str, str]) -> tuple[str, str, str]:
    """Name, version and licence of a package."""
    for name, text in files.items():
        if name.count("/") != 1:
            continue
        if name.endswith("/Cargo.toml"):
            package = tomllib.loads(text)["package"]
            return package["name"], package["version"], package.get("license", "")
        if name.endswith("/package.json"):
            package = json.loads(text)
            return package["name"], package["version"], str(package.get("license", ""))
        if name.endswith("/PKG-INFO"):
            fields = dict(re.findall(r"^(Name|Version|License-Expression|License): (.*)$", text, re.M))
            classifier = re.findall(r"^Classifier: License :: OSI Approved :: (.*)$", text, re.M)
            licence = fields.get("License-Expression") or (classifier or [fields.get("License", "")])[0]
            return fields["Name"], fields["Version"], licence
    return "", "", ""


def of_package(path: Path) -> tuple[tuple[str, str, str], list[str]]:
    """Name, version and licence of a package, and its passages."""
    files = dict(members(path))
    stated = about(files)
    found = []
    for name, text in sorted(files.items()):
        if SKIP.search(name) or re.search(r"/(tests?|testing|fixtures?|locale|node_modules)/", name):
            continue
        if name.endswith(".rs"):
            found += passages(doc_comments(text))
        elif name.endswith(TEXT) and not name.endswith("requirements.txt"):
            found += passages(text)
    return stated, found


def order(text: str) -> bytes:
    """A pseudorandom sort key."""
    return hashlib.sha256(text.encode()).digest()


def newest(paths: list[Path]) -> list[Path]:
    """The last version of each crate, by name."""
    best: dict[str, Path] = {}
    for path in sorted(paths):
        best[re.sub(r"-\d.*$", "", path.name)] = path
    return sorted(best.values())


def collect(arguments: argparse.Namespace) -> tuple[list[str], list[tuple]]:
    """All passages and the lines of `sources.tsv`."""
    kept, sources = set(), []

    def take(row: tuple, texts: list[str]) -> None:
        fresh = sorted(set(texts) - kept, key=order)[: MOST_OF_ONE.get(row[0], MOST_OF_OTHERS)]
        if fresh:
            kept.update(fresh)
            sources.append((*row, len(fresh)))

    archives = newest(list(arguments.crates.glob("*.crate")))
    archives += sorted(path for path in arguments.packages.rglob("*") if path.name.endswith((".tgz", ".tar.gz")))
    for path in archives:
        (name, version, licence), texts = of_package(path)
        kind = {".crate": "crate", ".tgz": "npm"}.get(path.suffix, "PyPI")
        if permissive(licence):
            take((kind, name, version, licence, hashlib.sha256(path.read_bytes()).hexdigest()), texts)
        elif texts:
            print("left out:", path.name, licence or "no licence stated")
    books = ["book", "cargo", "clippy", "edition-guide", "embedded-book", "error_codes", "nomicon", "reference", "rust-by-example", "rustc", "rustdoc", "style-guide", "unstable-book", "std"]
    for book in books:
        digest, texts = hashlib.sha256(), []
        for page in sorted((arguments.rust_docs / book).rglob("*.html")):
            data = page.read_bytes()
            digest.update(hashlib.sha256(data).digest())
            if page.name not in ("print.html", "toc.html", "all.html"):
                texts += passages(of_html(data.decode("utf-8", "replace")))
        take(("rust-docs", book, arguments.rust_version, "MIT OR Apache-2.0", digest.hexdigest()), texts)
    return sorted(kept, key=order), sources


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crates", type=Path, required=True, help="folder of .crate files")
    parser.add_argument("--packages", type=Path, required=True, help="folder of .tgz (npm) and .tar.gz (PyPI) files")
    parser.add_argument("--rust-docs", type=Path, required=True, help="share/doc/rust/html of a toolchain")
    parser.add_argument("--rust-version", required=True, help="of that toolchain")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    texts, sources = collect(arguments)
    with open(arguments.out / "passages.jsonl", "w") as file:
        file.writelines(json.dumps(text, ensure_ascii=False) + "\n" for text in texts)
    with open(arguments.out / "sources.tsv", "w") as file:
        file.write("kind\tname\tversion\tlicence\tsha256\tpassages\n")
        file.writelines("\t".join(map(str, row)) + "\n" for row in sources)
    print(len(texts), "passages from", len(sources), "sources")


if __name__ == "__main__":
    main()
