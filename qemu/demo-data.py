#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""demo-data.py OUT BYTES: real input for the demo.

Writes BYTES (or a little more) of Python's own library into one source file,
which the interpreter then compiles at once: with about 50 bytes of memory for
each byte of source. What not every Debian has installed is left out, so that
the file, and the memory needed, are the same everywhere.
"""
import pathlib
import sys
import sysconfig

OPTIONAL = {"distutils", "dist-packages", "ensurepip", "idlelib", "lib2to3",
            "site-packages", "test", "tests", "tkinter", "turtledemo"}


def usable(path, library):
    """Tell whether the text of this file makes sense in the middle of another."""
    if OPTIONAL & set(path.relative_to(library).parts):
        return False
    text = path.read_bytes()
    return text.isascii() and b"__future__" not in text


def main():
    """Concatenate files in the order of their names until there is enough."""
    out, wanted = sys.argv[1], int(sys.argv[2])
    library = pathlib.Path(sysconfig.get_paths()["stdlib"])
    done = 0
    with open(out, "wb") as stream:
        for path in sorted(library.rglob("*.py")):
            if not usable(path, library):
                continue
            done += stream.write(path.read_bytes() + b"\n")
            if done >= wanted:
                return
    sys.exit(f"demo-data.py: only {done} bytes of source in {library}")


main()
