"""WordPiece of uncased BERT: a text to the ids of its pieces.

`crates/faber-core/src/meaning/` does the same in Rust; `fixture.py` writes test cases for it.
"""

import unicodedata
from functools import lru_cache

SPACE, DROP, ALONE, PART = range(4)
"""Kinds of characters: separators, ignored ones, words, and parts of words."""

LONGEST_WORD = 100
"""Longer words have no pieces, in characters."""

IDEOGRAPHS = [
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
]
"""Chinese characters, each of which is a word."""


def kind(char: str) -> int:
    """The kind of `char` without accents; unassigned code points are parts of words."""
    code = ord(char)
    if char in " \t\n\r":
        return SPACE
    if code == 0xFFFD:
        return DROP
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:
        return ALONE
    if any(first <= code <= last for first, last in IDEOGRAPHS):
        return ALONE
    category = unicodedata.category(char)
    if category in ("Zs", "Zl", "Zp"):
        return SPACE
    if category in ("Cc", "Cf", "Co", "Cs", "Mn"):
        return DROP
    return ALONE if category.startswith("P") else PART


@lru_cache(maxsize=None)
def folded(char: str) -> tuple[tuple[str, int], ...]:
    """Decomposes a character, drops marks, and lowers case; with the kind of each part."""
    if kind(char) == DROP:
        return ()
    result = []
    for part in unicodedata.normalize("NFD", char):
        if kind(part) == DROP:
            continue
        result.extend((small, kind(small)) for small in part.lower() if kind(small) != DROP)
    return tuple(result)


def words(text: str) -> list[str]:
    """The words of `text` in lower case without accents."""
    found, word = [], []
    for char in text:
        for small, what in folded(char):
            if what == PART:
                word.append(small)
                continue
            if word:
                found.append("".join(word))
                word = []
            if what == ALONE:
                found.append(small)
    if word:
        found.append("".join(word))
    return found


class Pieces:
    """Cuts words by a vocabulary."""

    def __init__(self, vocabulary: list[str]):
        self.ids = {piece: index for index, piece in enumerate(vocabulary)}
        self.longest = max(map(len, vocabulary), default=0)
        self.cache: dict[str, tuple[int, ...]] = {}

    def of_word(self, word: str) -> tuple[int, ...]:
        """The piece ids of `word`; empty if it cannot be cut completely."""
        known = self.cache.get(word)
        if known is None:
            known = self.cache[word] = self._cut(word)
        return known

    def _cut(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return ()
        result, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self.longest), start, -1):
                index = self.ids.get(prefix + word[start:end])
                if index is not None:
                    result.append(index)
                    start = end
                    break
            else:
                return ()
        return tuple(result)

    def of_text(self, text: str) -> list[int]:
        """The piece ids of `text` in order, without unknown words."""
        return [index for word in words(text) for index in self.of_word(word)]
