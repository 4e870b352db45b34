"""Writes the classes of characters beyond ASCII that `crates/faber-core/src/meaning/` cuts words by.

    classes.py --out crates/faber-core/src/meaning/classes.rs
"""

import argparse
import unicodedata
from pathlib import Path

from pieces import ALONE, DROP, PART, SPACE, kind

NAMES = {SPACE: "Space", DROP: "Drop", ALONE: "Alone"}

HEAD = '''//! What characters beyond ASCII are to a text, by the general categories of Unicode {version}.
//!
//! Written by `tools/embedding/classes.py`; what is not listed is part of a word.

use super::words::Kind::{{self, Alone, Drop, Space}};

/// Ranges of code points, first and last, in their order.
#[rustfmt::skip]
pub(super) const RANGES: [(u32, u32, Kind); {count}] = [
{rows}
];
'''


def ranges() -> list[tuple[int, int, int]]:
    """Runs of code points of one kind, without parts of words."""
    found: list[list[int]] = []
    for code in range(0x80, 0x110000):
        if 0xD800 <= code <= 0xDFFF:
            continue
        what = kind(chr(code))
        if what == PART:
            continue
        if found and found[-1][1] == code - 1 and found[-1][2] == what:
            found[-1][1] = code
        else:
            found.append([code, code, what])
    return [tuple(row) for row in found]


def written(code: int) -> str:
    """A code point as Rust code writes it, with a separator where it is long."""
    return f"0x{code:X}" if code < 0x100000 else f"0x{code >> 16:04X}_{code & 0xFFFF:04X}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    rows = [f"({written(first)}, {written(last)}, {NAMES[what]})," for first, last, what in ranges()]
    text = "\n".join("    " + " ".join(rows[start : start + 4]) for start in range(0, len(rows), 4))
    parser.parse_args().out.write_text(HEAD.format(version=unicodedata.unidata_version, count=len(rows), rows=text))


if __name__ == "__main__":
    main()
