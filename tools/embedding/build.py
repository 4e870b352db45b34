"""Makes the table of rows from what was encoded.

    build.py --wheel FILE --work WORK --out crates/faber-core/src/meaning/table.bin

prints what it measures on passages that it did not learn from: the mean cosine between the vector of the
table and that of the encoder.
"""

import argparse
import json
import struct
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from encode import MOST_PIECES
from encoder import read_model
from pieces import Pieces

DIMENSIONS = 256
SMOOTHING = 3e-4
"""The `a` of the smooth inverse frequency a / (a + p)."""

ANCHOR = 0.3
"""Weight that holds a row to its start vector, in passages of that piece alone."""

FAINT = 0.1
"""Rows shorter than this fraction of the median length become zero, which saves additions."""

STEP = 1 / 127
"""The value of 1 in a quantized row."""

WITHIN = 0.9999
"""Rows are scaled so that this fraction of values is within ±1; others are clipped."""

ROUNDS = 30
"""Maximum steps of conjugate gradients."""

EVERY = 25
"""One of this many passages is held out for measuring."""

MAGIC = b"faber\0m1"


@dataclass
class Sample:
    """Piece counts of passages, and their centred encoder vectors."""

    counts: csr_matrix
    vectors: np.ndarray


def read_sample(work: Path, cutter: Pieces, rows: int) -> Sample:
    vectors = np.concatenate([np.load(path) for path in sorted((work / "vectors").glob("*.npy"))]).astype(np.float32)
    # The mean distinguishes no texts and would dominate.
    vectors -= vectors.mean(axis=0)
    columns, starts = [], [0]
    with open(work / "passages.jsonl") as file:
        for _, line in zip(range(len(vectors)), file):
            columns += cutter.of_text(json.loads(line))[:MOST_PIECES]
            starts.append(len(columns))
    counts = csr_matrix((np.ones(len(columns), np.float32), columns, starts), shape=(len(vectors), rows))
    counts.sum_duplicates()
    return Sample(counts, vectors)


def split(sample: Sample) -> tuple[Sample, Sample]:
    """Training and held-out samples."""
    known = np.asarray(sample.counts.sum(axis=1)).ravel() > 0
    held = np.arange(len(known)) % EVERY == 0
    parts = (known & ~held, known & held)
    return tuple(Sample(sample.counts[part], sample.vectors[part]) for part in parts)


def rarity(counts: csr_matrix, smoothing: float) -> np.ndarray:
    """The smooth inverse frequency of every piece."""
    seen = np.asarray(counts.sum(axis=0)).ravel()
    share = (seen + 1) / (seen.sum() + len(seen))
    return (smoothing / (smoothing + share)).astype(np.float32)


def centred(encoded: np.ndarray, counts: csr_matrix, weights: np.ndarray) -> np.ndarray:
    """Vectors of pieces less their weighted mean over passages."""
    mass = np.asarray(counts.sum(axis=0)).ravel() * weights
    return encoded - (mass @ encoded) / mass.sum()


def weighted(counts: csr_matrix, weights: np.ndarray) -> csr_matrix:
    """Each passage as a weighted mean of rows."""
    bags = counts.multiply(weights[None, :]).tocsr()
    sums = np.asarray(bags.sum(axis=1)).ravel()
    return bags.multiply(1 / np.maximum(sums, 1e-9)[:, None]).tocsr().astype(np.float32)


def principal(vectors: np.ndarray, dimensions: int) -> np.ndarray:
    """The principal directions of `vectors`, uncentred, as columns."""
    _, directions = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    return directions[:, ::-1][:, :dimensions].astype(np.float32)


def solve(bags: csr_matrix, targets: np.ndarray, start: np.ndarray, anchor: float) -> np.ndarray:
    """Rows W that minimize |bags W - targets|² + anchor |W - start|², by conjugate gradients per column."""
    back = bags.T.tocsr()
    change = np.zeros_like(start)
    rest = back @ (targets - bags @ start)
    way = rest.copy()
    size = np.einsum("ij,ij->j", rest, rest)
    first = size.sum()
    for _ in range(ROUNDS):
        onward = back @ (bags @ way) + np.float32(anchor) * way
        step = size / np.maximum(np.einsum("ij,ij->j", way, onward), 1e-20)
        change += way * step
        rest -= onward * step
        fresh = np.einsum("ij,ij->j", rest, rest)
        way = rest + way * (fresh / np.maximum(size, 1e-20))
        size = fresh
        if size.sum() < 1e-6 * first:
            break
    return start + change


def quantized(rows: np.ndarray) -> tuple[np.float32, np.ndarray]:
    """A step, and rows as integer multiples of it. A common step makes sums exact."""
    step = np.float32(STEP)
    return step, np.clip(np.rint(rows / step), -127, 127).astype(np.int8)


def agreement(rows: np.ndarray, sample: Sample, directions: np.ndarray) -> float:
    """The mean cosine between sums of rows and centred encoder vectors."""
    sums = sample.counts @ rows
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    lengths = np.linalg.norm(sample.vectors, axis=1)
    return float((np.einsum("ij,ij->i", sums @ directions.T, sample.vectors) / lengths).mean())


def learned(sample: Sample, start: np.ndarray, directions: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rows whose weighted means approximate vectors of passages, anchored to `start`."""
    bags, targets = weighted(sample.counts, weights), sample.vectors @ directions
    mean = bags @ start
    start = start * np.float32((mean * targets).sum() / (mean * mean).sum())
    return solve(bags, targets, start, ANCHOR)


def silenced(rows: np.ndarray, vocabulary: list[str], counts: csr_matrix) -> np.ndarray:
    """Sets rows of punctuation and faint pieces to zero."""
    lengths = np.linalg.norm(rows, axis=1)
    usual = np.median(lengths[np.asarray(counts.sum(axis=0)).ravel() > 0])
    quiet = lengths < FAINT * usual
    quiet |= np.array([len(piece) == 1 and unicodedata.category(piece)[0] in "PS" for piece in vocabulary])
    share = counts[:, quiet].sum() / counts.sum()
    print(f"{quiet.sum()} silent rows, {share:.0%} of all pieces")
    return np.where(quiet[:, None], np.float32(0), rows)


def write(path: Path, vocabulary: list[str], rows: np.ndarray) -> None:
    """Writes the format of `crates/faber-core/src/meaning/table.rs`."""
    kept = [index for index, piece in enumerate(vocabulary) if not (piece.startswith("[") and len(piece) > 1)]
    # Word beginnings before continuations, each sorted by bytes.
    key = lambda index: (vocabulary[index].startswith("##") and len(vocabulary[index]) > 2, vocabulary[index].encode())  # noqa: E731
    kept.sort(key=key)
    continues = [key(index)[0] for index in kept]
    names = [vocabulary[index][2:] if more else vocabulary[index] for index, more in zip(kept, continues)]
    step, values = quantized(rows[kept])
    text = "".join(names).encode()
    offsets = np.cumsum([0] + [len(name.encode()) for name in names]).astype("<u4")
    head = MAGIC + struct.pack("<IIIIf", len(kept), rows.shape[1], continues.count(False), len(text), step)
    data = head + offsets.tobytes() + text + values.tobytes()
    path.write_bytes(data)
    print(f"{path}: {len(kept)} rows, {len(data)} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dimensions", type=int, default=DIMENSIONS)
    parser.add_argument("--plain", action="store_true", help="without learning from passages")
    arguments = parser.parse_args()
    vocabulary, _ = read_model(arguments.wheel)
    encoded = np.load(arguments.work / "vocabulary.npy")
    fit, held = split(read_sample(arguments.work, Pieces(vocabulary), len(vocabulary)))
    print(f"{len(fit.vectors)} passages to learn from, {len(held.vectors)} to measure on")
    directions = principal(fit.vectors, arguments.dimensions)
    weights = rarity(fit.counts, SMOOTHING)
    start = centred(encoded, fit.counts, weights) @ directions
    rows = start * weights[:, None]
    print(f"cosine of the plain table: {agreement(rows, held, directions):.4f}")
    if not arguments.plain:
        rows = learned(fit, start, directions, weights) * weights[:, None]
        print(f"cosine of the learned table: {agreement(rows, held, directions):.4f}")
    rows = silenced(rows, vocabulary, fit.counts)
    rows /= np.quantile(np.abs(rows[rows.any(axis=1)]), WITHIN)
    step, values = quantized(rows)
    print(f"cosine in bytes: {agreement(values * step, held, directions):.4f}")
    write(arguments.out, vocabulary, rows)


if __name__ == "__main__":
    main()
