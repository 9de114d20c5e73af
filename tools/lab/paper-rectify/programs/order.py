#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""order.py SEED APPS SWITCHES: an order for "memload apps --sequence", with the time in each app.

Which app comes next follows Zipf's law; ranks drift: now and then an app gets another rank. The user
stays from half a second to 15 s, short visits being more frequent. An app may come twice in a row
only if there is one alone.
"""
import random
import sys

DRIFT = 0.15                    # of the switches, after which an app gets another rank
SHORTEST, LONGEST = 500, 15000  # ms


def main():
    seed, apps, switches = (int(word) for word in sys.argv[1:4])
    chance = random.Random(seed)
    ranks = list(range(apps))
    chance.shuffle(ranks)
    front = None
    for _ in range(switches):
        weights = [0 if app == front else 1 / (rank + 1) for rank, app in enumerate(ranks)]
        front = chance.choices(ranks, weights)[0] if apps > 1 else 0
        print(front, round(SHORTEST * (LONGEST / SHORTEST) ** chance.random()))
        if chance.random() < DRIFT:
            ranks.insert(chance.randrange(apps), ranks.pop(chance.randrange(apps)))


main()
