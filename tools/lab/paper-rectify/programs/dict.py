#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""dict.py: a large dictionary. For each line that it reads it looks at other keys than before."""
import sys

KEYS = 130000
LOOKS = 3000


def main():
    values = {f"key {number}": (number, str(number)) for number in range(KEYS)}
    place = 1
    for _ in sys.stdin:
        right = 0
        for _ in range(LOOKS):
            place = (place * 1103515245 + 12345) % (1 << 31)
            number = (place >> 8) % KEYS
            right += values[f"key {number}"][0] == number
        print(f"{len(values)} keys, right {right}", flush=True)


main()
