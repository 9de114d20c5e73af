#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make tables of measure.py's results: Markdown on standard output, and CSV.

usage: report.py RESULTS.jsonl OUTPUT.csv
"""
import csv
import sys

# Nothing is written beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(1, f"{sys.path[0]}/../report")
from tables import at_most, markdown, of_kind, read_results  # noqa: E402

PAGE = 4096
# Targets: upper limits of the figures.
MEDIA, METADATA, WRITE, READ = 1.02, 24, 1.5, 2.5
PASSES = {"w": "write, in order", "r": "read, in order",
          "W": "write, random", "R": "read, random"}
# MTDCOMPR's compressors, each with zram's peer. zram of Linux 6.1 lacks deflate; its best
# compressor is zstd.
PEERS = (("lz4", "lz4"), ("zlib", "zstd"), ("zstd", "zstd"))
# The same algorithm behind the block device of its own: at most zram's instructions,
# and less memory.
OWN_COMPS = ("lz4", "lzo", "zstd")
OWN, OWN_MEMORY = 1.0, 0.95
KINDS = {"mtdc-random": "incompressible pages", "mtdc-filled": "pages of one word"}


class Device:
    """The results of one device, over all its passes."""

    def __init__(self, kind, result):
        self.kind = kind
        self.comp = result.get("comp", "")
        self.alloc = result.get("alloc", "")
        # "" for the set of pages of programs.
        self.pages_of = KINDS.get(result.get("pages_of", "").rpartition("/")[2], "")
        self.times = {}
        self.steps = []
        self.again = False

    def add(self, result):
        self.steps.append(result)
        for times in result["times"]:
            self.times[times["pass"]] = times

    def mean(self, pass_):
        return self.times[pass_]["mean"] / 1000

    def compressed(self, step=-1):
        stats = self.steps[step]["stats"]
        return stats.get("compr", stats.get("compressed_bytes"))

    def used(self, step=-1):
        stats = self.steps[step]["stats"]
        return stats.get("used", stats.get("media_used_bytes"))

    def metadata(self):
        """Bytes a stored page."""
        step = self.steps[-1]
        if self.kind == "zram":
            pages = step["stats"]["orig"] // PAGE
            return sum(n or 0 for n in step["memory"].values()) / pages
        return step["stats"]["metadata_bytes"] / step["stats"]["pages_stored"]

    def memory(self):
        """Media or pool, and metadata: bytes a page of the set."""
        return self.used() / self.times["w"]["pages"] + self.metadata()

    def name(self):
        again = (f", {self.pages_of}" if self.pages_of else "") + \
            (", again" if self.again else "")
        if self.kind == "raw":
            return "mtdblock on the media themselves" + again
        if self.kind == "zram":
            return f"zram, {self.comp}{again}"
        way = ", own block device" if self.kind == "own" else ""
        return f"MTDCOMPR, {self.comp}, {self.alloc}{way}{again}"


def load(path):
    devices = []
    results = read_results(path)
    for result in results:
        kind = result["kind"]
        if kind not in ("raw", "zram", "ours", "own"):
            continue
        if result["step"][0] == "w":
            device = Device(kind, result)
            device.again = any(device.name() == other.name() for other in devices)
            devices.append(device)
        devices[-1].add(result)
    return of_kind(results, "set")[-1]["programs"], devices


def find(devices, kind, comp, alloc="", nr=0, pages_of=""):
    same = [device for device in devices if device.kind == kind
            and device.comp == comp and device.alloc == alloc
            and device.pages_of == pages_of]
    return same[nr] if nr < len(same) else None


def print_programs(programs):
    total, filled = 0, 0
    rows = []
    for program in programs:
        total += int(program["taken"])
        filled += int(program["filled"])
        rows.append((program["program"], program["anonymous_pages"],
                     program["taken"], program["filled"]))
    rows.append(("together", "", str(total), str(filled)))
    print("## The pages\n")
    print("Private anonymous pages of running programs, taken in the guest; "
          "filled: one word over and over.\n")
    print(markdown(("program", "has", "taken", "filled"), rows))


def verdict(name, target, figure, digits=2):
    return name, f"at most {target}", f"{figure:.{digits}f}", at_most(target, figure)


def print_targets(devices):
    rows = []

    def speed(what, ours, zram, write, read):
        for pass_, title in PASSES.items():
            rows.append(verdict(f"{what}: {title}, MTDCOMPR / zram",
                                write if pass_ in "wW" else read,
                                ours.mean(pass_) / zram.mean(pass_), 3))

    for comp, peer in PEERS:
        ours = find(devices, "ours", comp, "rotate")
        zram = find(devices, "zram", peer)
        if not ours or not zram:
            continue
        rows.append(verdict(f"{comp}: media used / compressed bytes", MEDIA,
                            ours.used() / ours.compressed(), 4))
        rows.append(verdict(f"{comp}: metadata, bytes a stored page", METADATA,
                            ours.metadata(), 1))
        speed(f"{comp} : {peer}", ours, zram, WRITE, READ)
    for comp in OWN_COMPS:
        ours = find(devices, "own", comp, "rotate")
        zram = find(devices, "zram", comp)
        if not ours or not zram:
            continue
        what = f"{comp}, own block device"
        speed(what, ours, zram, OWN, OWN)
        rows.append(verdict(f"{what}: memory, MTDCOMPR / zram", OWN_MEMORY,
                            ours.memory() / zram.memory(), 3))
    for kind in KINDS.values():
        ours = find(devices, "own", "lz4", "rotate", pages_of=kind)
        zram = find(devices, "zram", "lz4", pages_of=kind)
        speed(f"lz4, own block device, {kind}", ours, zram, OWN, OWN)
    print("## Figures to reach\n")
    print(markdown(("figure", "target", "now", ""), rows))


def print_times(devices):
    print("## Microseconds a page, direct I/O of 4 KiB requests\n")
    print(markdown(("device", *PASSES.values()),
                   [(device.name(), *(f"{device.mean(pass_):.1f}" if pass_ in device.times else ""
                                      for pass_ in PASSES)) for device in devices]))


def print_space(devices):
    rows = []
    for device in devices:
        if device.kind == "raw" or device.pages_of:
            continue
        pages = device.times["w"]["pages"]
        stats = device.steps[-1]["stats"]
        rows.append((device.name(),
                     f"{device.compressed() / pages:.0f}",
                     f"{device.used(0) / device.compressed(0):.4f}",
                     f"{device.used() / device.compressed():.4f}",
                     f"{device.metadata():.1f}",
                     f"{device.used() / pages + device.metadata():.0f}",
                     str(stats["huge"] if device.kind == "zram"
                         else stats["pages_raw"]),
                     "" if device.kind == "zram" else
                     f"{stats['fragments'] / (pages - stats['pages_filled']):.3f}"))
    print("## Bytes\n")
    print("Used / compressed: on the media or in zram's pool, when the set has "
          "been written (fresh) and when each page has been overwritten by "
          "another one in random order (aged). Metadata: zram's table (measured: "
          "vmallocinfo), handles and page descriptors (slabinfo). All: aged, with "
          "metadata.\n")
    print(markdown(("device", "compressed, a page", "used / compressed, fresh", "aged",
                    "metadata, a page", "all, a page", "raw pages", "fragments a page"), rows))


def print_spread(devices):
    """Do the same measurements in the same boot agree?"""
    worst, where = 0, "there is only one"
    for kind, alloc in (("zram", ""), ("ours", "rotate")):
        one = find(devices, kind, "lz4", alloc)
        two = find(devices, kind, "lz4", alloc, 1)
        if not one or not two:
            continue
        for pass_, title in PASSES.items():
            difference = abs(two.mean(pass_) / one.mean(pass_) - 1)
            if difference >= worst:
                worst, where = difference, f"{one.name()}, {title}"
    print("The measurements of lz4 were made twice; the largest difference of "
          f"two means is {100 * worst:.2f} % ({where}).\n")


def write_csv(path, devices):
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(("kind", "of", "comp", "alloc", "pass", "pages", "mean_ns",
                      "mean_stored_ns", "mean_filled_ns", "min_ns",
                      "median_ns", "p99_ns", "max_ns", "compressed_bytes",
                      "used_bytes", "metadata_bytes_a_page"))
        for device in devices:
            for step in device.steps:
                space = ("", "", "")
                if device.kind != "raw":
                    at = device.steps.index(step)
                    space = (device.compressed(at), device.used(at),
                             f"{device.metadata():.2f}")
                for times in step["times"]:
                    out.writerow((device.kind, device.pages_of or "programs",
                                  device.comp, device.alloc,
                                  *times.values(), *space))


def main():
    programs, devices = load(sys.argv[1])
    pages = devices[0].times["w"]["pages"]
    print_targets(devices)
    print(f"{pages} pages; one boot; the guest's time is a count of "
          "instructions, 2 ns each. The media have what the set needs and 12 % "
          "more, so that the set fills MTDCOMPR's device as it fills zram's.\n")
    print_spread(devices)
    print_times(devices)
    print_space(devices)
    print_programs(programs)
    write_csv(sys.argv[2], devices)


if __name__ == "__main__":
    main()
