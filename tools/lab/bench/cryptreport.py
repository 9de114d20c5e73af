#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make tables of what crypt.sh has measured: Markdown on standard output.

usage: cryptreport.py RESULTS...    .jsonl of crypt.py and crypt-board.sh, .csv of native.c and
                                    crypt-simd.c
"""
import collections
import statistics
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
from tables import at_most, markdown, of_kind, read_results  # noqa: E402

# Of the same with crypt=off.
SWAP_GOAL, SPACE_GOAL = 1.03, 1.01
PASSES = {"w": "write", "r": "read"}
MACHINES = {"pc": "guest, x86-64 with SSSE3", "board": "the paper's board"}


def read_native(path):
    """{(comp, pass): {device: [ns a page]}}, {comp: bytes a page on the media}, and of swap
    {crypt: [ns of a load]}"""
    times, sizes, swap, comp, pages = {}, {}, {"off": [], "on": []}, None, 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            field = line.strip().split(",")
            if field[0] == "crypt":
                comp = field[1]
            elif field[0] == "used":
                sizes[comp] = int(field[1]) / pages
            elif field[0] == "swap":
                swap[field[1]].append(int(field[2]))
            elif field[0].isdigit():
                pages = int(field[3])
                times.setdefault((comp, field[2]), collections.defaultdict(list))[
                    field[1]].append(int(field[4]) / int(field[3]))
    return times, sizes, swap


def show_native(path):
    rows = []
    times, sizes, swap = read_native(path)
    for (comp, letter), devices in times.items():
        pairs = [on / off for off, on in zip(devices["off"], devices["on"])]
        off, on = (statistics.median(devices[crypt]) for crypt in ("off", "on"))
        more = statistics.median(on - off for off, on in zip(devices["off"], devices["on"]))
        rows.append((f"{PASSES[letter]}, {comp}", f"{off:.0f}", f"{on:.0f}", f"{more:.0f}",
                     f"{statistics.median(pairs):.3f}", f"{min(pairs):.2f} to {max(pairs):.2f}"))
    print(f"Nanoseconds a page on memory, at the processor's own speed, by the C code of the "
          f"cipher; medians of {len(devices['off'])} rounds, in which both take turns; "
          f"more and ratio are medians of the pairs. A page takes " +
          " and ".join(f"{size:.0f} bytes with {comp}" for comp, size in sizes.items()) + ":\n")
    print(markdown(("pass", "crypt=off", "crypt=on", "more", "ratio", "least to most"), rows))


    pairs = [on / off for off, on in zip(swap["off"], swap["on"])]
    ratio = statistics.median(pairs)
    print("Seconds of a program with swap on NAND there, lz4, medians; the ratio is the median of "
          f"{len(pairs)} pairs:\n")
    print(markdown(("crypt=off", "crypt=on", "ratio", "least to most", "goal", ""), [(
        *(f"{statistics.median(swap[crypt]) / 1e9:.2f}" for crypt in ("off", "on")),
        f"{ratio:.3f}", f"{min(pairs):.2f} to {max(pairs):.2f}", f"{SWAP_GOAL:.2f}",
        at_most(SWAP_GOAL, ratio))], left=0, remark=True))


def show_simd(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.strip().split(",") for line in file][1:]
    print("Nanoseconds of the cipher alone, in user space, by the kernel's C code and by the code "
          "with SIMD that a kernel takes on this processor:\n")
    print(markdown(("bytes", "C, encrypt", "C, decrypt", "SIMD, encrypt", "SIMD, decrypt"), rows,
                   left=0))


def show_pages(results):
    kinds = {}
    for result in of_kind(results, "page"):
        kinds.setdefault((result["machine"], result["comp"], result["pass"]), {})[
            result["crypt"]] = result["mean_stored"] / 1000
    rows = [(f"{PASSES[letter]}, {comp}, {MACHINES[machine]}", f"{both['off']:.1f}",
             f"{both['on']:.1f}", f"{both['on'] - both['off']:.1f}",
             f"{both['on'] / both['off']:.3f}")
            for (machine, comp, letter), both in kinds.items()]
    print("Microseconds of a page that is not one word over and over, on memory; 500 million "
          "instructions a second:\n")
    print(markdown(("pass", "crypt=off", "crypt=on", "more", "ratio"), rows))


def show_space(results):
    kinds = {}
    for result in of_kind(results, "space"):
        kinds.setdefault((result["store"], result["comp"]), {})[result["crypt"]] = result["used"]
    if not kinds:
        return
    rows = [(f"{store}, {comp}", str(both["off"]), str(both["on"]),
             f"{both['on'] / both['off']:.4f}", f"{SPACE_GOAL:.2f}",
             at_most(SPACE_GOAL, both["on"] / both["off"]))
            for (store, comp), both in kinds.items()]
    print("Bytes of the media that the pages take:\n")
    print(markdown(("store", "crypt=off", "crypt=on", "ratio", "goal", ""), rows, remark=True))


def seconds(loads, key=lambda load: load["ns"]):
    return [key(load) / 1e9 for load in loads]


def show_swap(results):
    kinds = {}
    for result in of_kind(results, "swap"):
        kinds.setdefault(result["machine"], {"off": [], "on": []})[result["crypt"]].append(result)
    rows = []
    for machine, both in kinds.items():
        chip = [("the chip's part", lambda load: load["chip"]["ns"], None)]
        for what, key, goal in (
                ("all of the time", lambda load: load["ns"], SWAP_GOAL),
                ("the processor's part", lambda load: load["ns"] - load["idle"], None),
                *(chip if "chip" in both["on"][0] else []),
                ("1000 pages out and in", lambda load: (load["out"] + load["in"]) * 1e6, None)):
            off, on = (seconds(both[crypt], key) for crypt in ("off", "on"))
            ratio = statistics.median(on) / statistics.median(off)
            rows.append((f"{what}, {MACHINES[machine]}", *(
                f"{statistics.median(each):.1f} ({min(each):.1f} to {max(each):.1f})"
                for each in (off, on)), f"{ratio:.3f}", f"{goal:.2f}" if goal else "",
                         at_most(goal, ratio) if goal else ""))
    print("A program with more memory than the machine, swap on NAND with the times of the "
          "datasheet, lz4; seconds, medians (least to most):\n")
    print(markdown(("", "crypt=off", "crypt=on", "ratio", "goal", ""), rows, remark=True))


def main():
    results = []
    print("## Encryption\n")
    for path in sys.argv[1:]:
        if path.endswith(".jsonl"):
            results += read_results(path)
    if results:
        show_pages(results)
        show_space(results)
        show_swap(results)
    for path in sys.argv[1:]:
        if path.endswith("simd.csv"):
            show_simd(path)
        elif path.endswith(".csv"):
            show_native(path)


if __name__ == "__main__":
    main()
