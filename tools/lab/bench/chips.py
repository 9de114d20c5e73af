# SPDX-License-Identifier: GPL-2.0
"""The simulated NAND of the measurements in the guest, and what it has counted.

Each chip counts for itself: what a driver says of its own work is not asked. This
module knows how that is read; it does not know who uses the chip, or what is good.
"""
import glob
import os
import re

from measure import PAGE, RESERVE, mtd_number, read, run, write

NAND_PAGE = 2048
BLOCK = 128 << 10


def is_good(line):
    """Is a line of mtdsim's "wear" that of a good block?"""
    return "bad" not in line and "broken" not in line


class Mtdsim:
    """NAND of the profile mt29f4g, in memory outside the kernel's."""

    name = "mtdsim"
    debugfs = "/sys/kernel/debug/mtdsim/sim"

    def __init__(self, size, *options):
        self.size, self.options = size, options

    def __enter__(self):
        run("modprobe", "mtdsim", "dev=" + ",".join((
            "name=sim,type=nand", f"size={self.size},base={RESERVE:#x}",
            *self.options)))
        self.number = mtd_number("sim")
        return self

    def __exit__(self, *exc):
        run("rmmod", "mtdsim")

    @classmethod
    def counters(cls):
        pairs = (line.split(": ")
                 for line in read(f"{cls.debugfs}/counters").splitlines())
        return {key: int(value) for key, value in pairs if value.isdigit()}

    def counts(self):
        """Pages programmed; out-of-band bytes alone do not count. Blocks erased."""
        counters = self.counters()
        if counters["violations"]:
            raise RuntimeError(f"{counters['violations']} violations")
        return {"programs": counters["bytes_programmed"] // NAND_PAGE,
                "erases": counters["erases"]}

    def wear(self):
        """Erases of each good block."""
        return [int(line.split()[1])
                for line in read(f"{self.debugfs}/wear").splitlines()
                if is_good(line)]

    def delay(self, mode):
        write(f"{self.debugfs}/delay", mode)


class Nandsim:
    """The kernel's simulator of a NAND chip of 128 MiB.

    It has no counter that can be read where a kernel does not register whole chips
    beside their parts (MTD_PARTITIONED_MASTER), as Debian's does not. So what the
    chip is told to do is counted by probes in it.
    """

    name = "nandsim"
    chip_id = "0xec,0xa1,0x00,0x15"
    events = "/sys/kernel/tracing/events/mtdc"
    probes = "/sys/kernel/tracing/kprobe_events"
    # Bits of an action in nandsim.c.
    action_mask, program, erase = 0x700000, 0x200000, 0x300000

    def __init__(self, size):
        self.log2 = (size // BLOCK).bit_length() - 1

    def __enter__(self):
        run("modprobe", "nandsim", f"id_bytes={self.chip_id}",
            f"overridesize={self.log2}")
        line = next(line for line in read("/proc/mtd").splitlines()
                    if "NAND simulator" in line)
        self.number = int(line[3:line.index(":")])
        write(self.probes, "p:mtdc/action nandsim:ns_do_state_action state=%si:u32\n"
                           "p:mtdc/oob nand:nand_write_oob_std page=%dx:u32\n")
        write(f"{self.events}/action/trigger", "hist:keys=state")
        write(f"{self.events}/oob/enable", "1")
        return self

    def __exit__(self, *exc):
        write(f"{self.events}/oob/enable", "0")
        write(f"{self.events}/action/trigger", "!hist:keys=state")
        write(self.probes, "")
        run("rmmod", "nandsim")

    def actions(self, which):
        hist = re.findall(r"\{ state: +(\d+) \} hitcount: +(\d+)",
                          read(f"{self.events}/action/hist"))
        return sum(int(count) for state, count in hist
                   if int(state) & self.action_mask == which)

    def counts(self):
        """Like Mtdsim.counts()."""
        profile = read("/sys/kernel/tracing/kprobe_profile")
        oob = int(re.search(r"\boob +(\d+)", profile).group(1))
        return {"programs": self.actions(self.program) - oob,
                "erases": self.actions(self.erase)}


class Mtdswap:
    """mtdswap, the kernel's driver for swap on flash: its device and number of pages."""

    def __init__(self, lower):
        self.lower = lower

    def __enter__(self):
        run("modprobe", "mtdswap", f"partitions={self.lower}")
        self.device = glob.glob("/dev/mtdswap*")[0]
        self.disk = os.path.basename(self.device)
        sectors = int(read(f"/sys/block/{self.disk}/size"))
        self.pages = sectors * 512 // PAGE
        return self

    def __exit__(self, *exc):
        run("rmmod", "mtdswap")

    def erases(self):
        """Largest and mean erase count by the driver's own counters."""
        path = glob.glob("/sys/kernel/debug/mtd/*/mtdswap_stats")[0]
        text = read(path)
        most = [int(n) for n in re.findall(
            r"max (\d+) times|all erased (\d+) times|erased (\d+) times", text)
                for n in n if n]
        total = int(re.search(r"total erasures: (\d+)", text).group(1))
        return max(most), total
