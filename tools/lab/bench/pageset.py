#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Take a set of real memory pages from running programs, in the guest.

Each program below is started, does some real work on files that every Debian
system has, and is stopped in the middle of it with all its data in memory. Then
its private anonymous pages, which are what a kernel would swap out, are copied
to a file, zero pages and all. No program gives more than a fixed number of
pages, spread evenly over all that it has, so that none of them dominates.

usage: pageset.py OUTPUT [LIMIT]: prints the mix as CSV.
"""
import fcntl
import glob
import mmap
import os
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import time

PAGE = mmap.PAGESIZE
LIMIT = 1000
TMP = "/run/mtdc-pageset"
BUILD = os.environ.get("MTDC_BUILD", "build")

PYTHON_TREES = """
import ast, glob, os, sys
files = sorted(glob.glob(os.path.dirname(os.__file__) + "/[a-h]*.py"))[:40]
trees = [ast.parse(open(f).read()) for f in files]
print("ready", flush=True)
sys.stdin.read()
"""

PYTHON_RECORDS = """
import argparse, asyncio, csv, decimal, email.parser, http.server, json, sys
import logging, sqlite3, tarfile, unittest, urllib.request, xml.dom.minidom
parser = email.parser.Parser()
text = open("/var/lib/dpkg/status").read()
records = [dict(parser.parsestr(r)) for r in text.split("\\n\\n")[:250]]
index = {r.get("Package"): r.get("Depends", "").split(", ") for r in records}
dump = json.dumps(records, indent=1)
print("ready", flush=True)
sys.stdin.read()
"""

PERL = """
use POSIX; use Encode; use Data::Dumper; use File::Find; use Storable;
use Text::Wrap; use Time::Local; use Math::BigInt; use Getopt::Long;
use Unicode::UCD; use Pod::Text; use IO::Socket; use Test::More;
my %owner;
my @lists = sort(glob("/var/lib/dpkg/info/*.list"));
for my $list (@lists[0 .. 59]) {
    open(my $f, "<", $list) or next;
    while (<$f>) { chomp; push @{$owner{$_}}, $list; }
}
my @words = map { [split m{/}] } sort keys %owner;
$| = 1;
print "ready\\n";
<STDIN>;
"""

NODE = """
const fs = require("fs"), http = require("http"), tls = require("tls");
const zlib = require("zlib"), crypto = require("crypto"), vm = require("vm");
const text = fs.readFileSync("/var/lib/dpkg/status", "utf8");
const records = text.split("\\n\\n").slice(0, 300).map(r =>
    Object.fromEntries(r.split("\\n").map(l => l.split(": ", 2))));
const byName = new Map(records.map(r => [r.Package, r]));
const json = JSON.parse(JSON.stringify(records));
const hashes = records.map(r => crypto.createHash("sha256")
    .update(JSON.stringify(r)).digest("hex"));
console.log("ready");
process.stdin.resume();
"""

SQLITE = """
create table files(path text);
.mode list
.import '|cat /var/lib/dpkg/info/[a-g]*.list' files
create table names as
    select rowid as id, replace(path, '/usr/share/', '') as name from files;
create index by_name on names(name);
create index by_path on files(path);
select 'ready';
"""

BASH = """
declare -A owner
declare -a lines
for list in /var/lib/dpkg/info/*.list; do
    [ ${#lines[@]} -lt 25000 ] || break
    mapfile -t one < "$list"
    lines+=("${one[@]}")
    for file in "${one[@]:0:60}"; do owner[${file:-/}]=${list##*/}; done
done
echo ready
read -r _
"""

AWK = """
{ n = split($0, part, "/"); count[part[n]]++; first[$0] = FILENAME }
END { print "ready"; fflush(); getline line < "-" }
"""


class Failed(Exception):
    """A program did not do what it was started for."""


def cpu_and_state(pid):
    with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12]), fields[0]


def wait_until_blocked(proc):
    """The program waits for somebody to read its output: it no longer runs."""
    quiet, before = 0, None
    while quiet < 10:
        if proc.poll() is not None:
            raise Failed("ended")
        now = cpu_and_state(proc.pid)
        quiet = quiet + 1 if now == before and now[1] == "S" else 0
        before = now
        time.sleep(0.05)


def start(argv, text=None, pipe_full=False, **kwargs):
    """Start a program and return when it has its data in memory.

    It says so ("ready"), or, if it only knows to do its work and exit, it is
    caught in the middle by a pipe that nobody reads.
    """
    proc = subprocess.Popen(argv, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, **kwargs)
    if pipe_full:
        fcntl.fcntl(proc.stdout, fcntl.F_SETPIPE_SZ, PAGE)
        wait_until_blocked(proc)
        return proc
    if text is not None:
        proc.stdin.write(text.encode())
        proc.stdin.flush()
    for line in proc.stdout:
        if line.strip() == b"ready":
            # Let it go to sleep.
            time.sleep(0.2)
            return proc
    raise Failed("ended")


def anonymous_pages(pid):
    """Addresses of the pages that only this process has and no file has."""
    exclusive, present = 1 << 56, 1 << 63
    anon, zero_page = 1 << 12, 1 << 24
    pages = []
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, \
            open(f"/proc/{pid}/pagemap", "rb") as pagemap, \
            open("/proc/kpageflags", "rb") as kpageflags:
        for line in maps:
            span, access = line.split()[:2]
            if access[3] != "p":
                continue
            low, high = (int(x, 16) // PAGE for x in span.split("-"))
            pagemap.seek(low * 8)
            try:
                data = pagemap.read((high - low) * 8)
            except OSError:
                continue        # [vsyscall]
            for page, (entry,) in enumerate(struct.iter_unpack("<Q", data),
                                            low):
                if not entry & present or not entry & exclusive:
                    continue
                kpageflags.seek((entry & ((1 << 55) - 1)) * 8)
                flags, = struct.unpack("<Q", kpageflags.read(8))
                if flags & anon and not flags & zero_page:
                    pages.append(page)
    return pages


def copy_pages(pid, pages, out):
    """Append pages to the file; returns how many are one word over and over."""
    filled = 0
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        for page in pages:
            mem.seek(page * PAGE)
            data = mem.read(PAGE)
            if len(data) != PAGE:
                raise Failed("a page could not be read")
            filled += data == data[:8] * (PAGE // 8)
            out.write(data)
    return filled


def take(name, out, limit, starter):
    proc = starter()
    try:
        proc.send_signal(signal.SIGSTOP)
        pages = anonymous_pages(proc.pid)
        n = min(limit, len(pages))
        chosen = [pages[i * len(pages) // n] for i in range(n)]
        filled = copy_pages(proc.pid, chosen, out)
    finally:
        proc.kill()
        proc.wait()
    print(f"{name},{len(pages)},{n},{filled}", flush=True)
    return n


def cc1():
    """gcc's compiler proper, at work on a file of ours with debug info."""
    args = subprocess.run(["gcc-12", "-print-prog-name=cc1"], check=True,
                          stdout=subprocess.PIPE).stdout.decode().strip()
    pattern = f"{BUILD}/module-*/drivers/mtd/mtdcompr/.store.o.cmd"
    with open(sorted(glob.glob(pattern))[-1], encoding="utf-8") as file:
        line = file.readline().split(" := ", 1)[1]
    command = shlex.split(line.partition(";")[0].replace("\\#", "#"))
    options = [word for word in command[1:]
               if not word.startswith("-Wp,") and word != "-c"]
    at = options.index("-o")
    del options[at:at + 2]
    source = options.pop()
    headers = os.environ["MTDC_KDIR"]
    subprocess.run([command[0], *options, "-E", "-o", f"{TMP}/cc1.i", source],
                   cwd=headers, check=True)
    return start([args, "-quiet", "-O2", "-g", "-mcmodel=kernel", "-fno-pie",
                  "-fpreprocessed", f"{TMP}/cc1.i", "-o", "-"],
                 pipe_full=True, stderr=subprocess.DEVNULL)


def git():
    """git, showing the differences between two states of a source tree."""
    tree = f"{TMP}/tree"
    shutil.copytree(os.path.dirname(os.__file__) + "/asyncio", tree,
                    ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(os.path.dirname(os.__file__) + "/email", tree + "/email",
                    ignore=shutil.ignore_patterns("__pycache__"))
    base = ["git", "-C", tree, "-c", "user.name=x", "-c", "user.email=x@y",
            "-c", "core.pager=cat", "-c", "gc.auto=0"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run(base + command, check=True)
    for path in glob.glob(tree + "/**/*.py", recursive=True):
        with open(path, "r+", encoding="utf-8") as file:
            text = file.read().replace("self", "this").replace("    ", "\t")
            file.seek(0)
            file.write(text)
            file.truncate()
    subprocess.run(base + ["commit", "-qam", "two"], check=True)
    return start(base + ["log", "-p", "--stat", "-M", "--patience"],
                 pipe_full=True)


def sort():
    """sort, with all lines in memory."""
    with open(f"{TMP}/lines", "wb") as out:
        for path in sorted(glob.glob("/var/lib/dpkg/info/*.list"))[:250]:
            with open(path, "rb") as file:
                out.write(file.read())
    return start(["sort", "-S", "16M", "-t/", "-k4", f"{TMP}/lines"],
                 pipe_full=True)


def gdb():
    modules = glob.glob(f"{BUILD}/module-*/drivers/mtd/mtdcompr/mtdcompr.ko")
    return start(["gdb", "-q", "-nx", "-batch", "-ex", "set pagination off",
                  "-ex", "info types mtdc", "-ex", "info functions alloc",
                  "-ex", "ptype struct mtd_info", "-ex", "info line mtdc_map_set",
                  "-ex", "echo ready\\n", "-ex", "shell sleep 100000",
                  sorted(modules)[-1]], stderr=subprocess.DEVNULL)


def awk():
    lists = sorted(glob.glob("/var/lib/dpkg/info/*.list"))[:200]
    return start(["awk", AWK, *lists])


PROGRAMS = (
    ("python3 (syntax trees)", lambda: start(["python3", "-c", PYTHON_TREES])),
    ("python3 (records)", lambda: start(["python3", "-c", PYTHON_RECORDS])),
    ("perl", lambda: start(["perl", "-e", PERL])),
    ("node", lambda: start(["node", "-e", NODE])),
    ("sqlite3", lambda: start(["sqlite3", ":memory:"], SQLITE)),
    ("gdb", gdb),
    ("cc1", cc1),
    ("git", git),
    ("bash", lambda: start(["bash", "-c", BASH])),
    ("awk", awk),
    ("sort", sort),
)


def main():
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else LIMIT
    shutil.rmtree(TMP, ignore_errors=True)
    os.makedirs(TMP)
    # Nobody's configuration, and as little chance as possible.
    os.environ.update(HOME=TMP, PYTHONHASHSEED="0", PERL_HASH_SEED="0",
                      GIT_CONFIG_NOSYSTEM="1")
    print("program,anonymous_pages,taken,filled")
    with open(sys.argv[1], "wb") as out:
        for name, starter in PROGRAMS:
            try:
                take(name, out, limit, starter)
            except (Failed, OSError, IndexError, KeyError,
                    subprocess.CalledProcessError) as err:
                sys.exit(f"pageset: {name}: {err!r}")
    shutil.rmtree(TMP)


if __name__ == "__main__":
    main()
