"""Judges a table alone.

    judge.py TABLE [--work WORK] [--collection FOLDER]

With `--work`: the first third of a passage is to find its second half among 1 500, all of passages that nothing was learned from.
Prints the mean of 1 / rank. With `--collection`: `FOLDER` holds `docs.jsonl.gz`, `queries.jsonl` and `qrels.jsonl`. Prints nDCG@10.
Nothing is tuned for collections.
"""

import argparse
import gzip
import json
import struct
from itertools import islice
from pathlib import Path

import numpy as np

from pieces import Pieces

NEVER_ENCODED = 100_352
"""Earlier passages may be in the training sample."""

HALVES = 1500


def read_table(path: Path) -> tuple[list[str], np.ndarray, float]:
    """Pieces (continuations with `##`), their rows, and the step of these."""
    data = path.read_bytes()
    rows, dimensions, initials, size, step = struct.unpack_from("<IIIIf", data, 8)
    offsets = np.frombuffer(data, "<u4", rows + 1, 28)
    start = 28 + 4 * (rows + 1)
    text = data[start : start + size]
    values = np.frombuffer(data, np.int8, rows * dimensions, start + size).reshape(rows, dimensions)
    names = [text[a:b].decode() for a, b in zip(offsets, offsets[1:])]
    names = names[:initials] + ["##" + name for name in names[initials:]]
    return names, values, step


def embed(cutter: Pieces, rows: np.ndarray, text: str) -> np.ndarray:
    """The unit vector of a text; zero without known words."""
    total = rows[cutter.of_text(text)].sum(axis=0, dtype=np.float32)
    return total / max(np.linalg.norm(total), 1e-9)


def gain(ranking: list[str], relevant: dict[str, float]) -> float:
    """nDCG@10 of one ranking."""
    discount = 1 / np.log2(np.arange(2, 12))
    got = np.array([relevant.get(document, 0) for document in ranking[:10]])
    best = np.sort(np.array(list(relevant.values())))[::-1][:10]
    return float((got * discount[: len(got)]).sum() / (best * discount[: len(best)]).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--collection", type=Path)
    arguments = parser.parse_args()
    names, rows, _ = read_table(arguments.table)
    if arguments.work:
        print(f"halves, mean 1 / rank {halves(Pieces(names), rows, arguments.work):.4f}")
    if arguments.collection:
        print(f"nDCG@10 {judge(Pieces(names), rows, arguments.collection):.4f}")


def halves(cutter: Pieces, rows: np.ndarray, work: Path) -> float:
    """The mean of 1 / rank with which the first third of a passage finds its second half."""
    with open(work / "passages.jsonl") as file:
        texts = [text for text in map(json.loads, islice(file, NEVER_ENCODED, None)) if len(text) > 300][:HALVES]
    asked = np.stack([embed(cutter, rows, text[: len(text) // 3]) for text in texts])
    found = np.stack([embed(cutter, rows, text[len(text) // 2 :]) for text in texts])
    scores = asked @ found.T
    ranks = 1 + (scores > np.diag(scores)[:, None]).sum(axis=1)
    return float((1 / ranks).mean())


def lines(path: Path) -> list[dict]:
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as file:
        return [json.loads(line) for line in file]


def judge(cutter: Pieces, rows: np.ndarray, folder: Path) -> float:
    """The mean nDCG@10 over questions with an answer."""
    documents = lines(folder / "docs.jsonl.gz")
    vectors = np.stack([embed(cutter, rows, f"{one.get('title', '')} {one.get('text', '')}") for one in documents])
    names = [one["id"] for one in documents]
    relevant: dict[str, dict[str, float]] = {}
    for one in lines(folder / "qrels.jsonl"):
        if one["score"] > 0:
            relevant.setdefault(one["query_id"], {})[one["doc_id"]] = one["score"]
    gains = []
    for one in lines(folder / "queries.jsonl"):
        if one["id"] in relevant:
            scores = vectors @ embed(cutter, rows, one["text"])
            gains.append(gain([names[index] for index in np.argsort(-scores, kind="stable")[:10]], relevant[one["id"]]))
    return float(np.mean(gains))


if __name__ == "__main__":
    main()
