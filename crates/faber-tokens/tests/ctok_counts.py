"""Counts by ctok: for each line of standard input, a text as JSON, the tokens of a message by family."""

import json
import sys

from ctok import token_count

VERSIONS = ["3.0", "4.7", "4.8"]

for line in sys.stdin:
    text = json.loads(line)
    print(*(token_count(text, version) for version in VERSIONS), flush=True)
