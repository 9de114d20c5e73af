#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""messages.py: does a page explain each message on which a user has to act? For the driver,
guides/fix.rst and fix-encryption.rst have the texts of pr_err, pr_warn and pr_notice, and the
reasons of a refused attach. guides/fix-programs.rst has what the daemons log as an error or a warning, and the
warnings of mtdcomprctl. Not checked: what a daemon logs for information, and messages about a
wrong command line or configuration, which say what to give. Prints the messages that are
missing, as FILE:LINE: TEXT, and fails then.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
STRING = r'"((?:[^"\\]|\\.)*)"'
# The calls by which the driver prints a text.
SAID = re.compile(r"pr_(?:err|warn|notice)(?:_ratelimited|_once)?\(\s*" + STRING)
REASON = re.compile(r"(?:fail\([^;\"]*?|parse_u32\([^;\"]*?|\breason =[^;\"]*?|^\s*return )" +
                    STRING + r"(?:\s*[:,]\s*" + STRING + ")?", re.M)
FORMAT = re.compile(r"%[-#*0-9.]*(?:ll|l|z)?[a-zA-Z](?:E)?|\\n|\\\"|\"|\.\.\.|[<>]")
LOGGED = re.compile(r"log_(?:error|warn)\(\s*" + STRING)
WARNED = re.compile(r"\bwarnx?\(\s*" + STRING)
DRIVER = ("guides/fix.rst", "guides/fix-encryption.rst")
PROGRAMS = ("guides/fix-programs.rst",)
# Where, how a message looks there, and the pages that may explain it.
SOURCES = (
    ("drivers/mtd/mtdcompr/*.c", (SAID, REASON), DRIVER),
    ("tools/common/*.c", (LOGGED,), PROGRAMS),
    ("tools/latd/*.c", (LOGGED,), PROGRAMS),
    ("tools/proswapd/*.c", (LOGGED,), PROGRAMS),
    ("tools/rectifyd/*.c", (LOGGED,), PROGRAMS),
    ("tools/marvin/marvind/*.c", (LOGGED,), PROGRAMS),
    # The command line is read by main.c and options.c.
    ("tools/mtdcomprctl/[!mo]*.c", (WARNED,), PROGRAMS),
    ("tools/mtdcomprctl/me*.c", (WARNED,), PROGRAMS),
)
# A reason is at least two words.
REASON_MIN = 8


def words(text):
    return " ".join(text.split())


def pieces(text):
    """What of a text is the same each time that it is said."""
    for piece in FORMAT.split(text):
        piece = words(piece).strip(" :")
        if len(piece) > 3:
            yield piece


def messages(text, patterns):
    """(line, text) of all that a file says."""
    for pattern in patterns:
        for match in pattern.finditer(text):
            for group in range(1, pattern.groups + 1):
                said = match.group(group)
                if said and (pattern is not REASON or (len(said) >= REASON_MIN and " " in said)):
                    yield text.count("\n", 0, match.start(group)) + 1, said


def explained(pages):
    """All that stands in ``literals`` on these pages, where messages are."""
    text = " ".join((TOP / "Documentation" / page).read_text(encoding="utf-8") for page in pages)
    return [words(literal) for literal in re.findall(r"``(.+?)``", text, re.S)]


def is_among(text, literals):
    """Is there one with all that is the same of the text, in its order?"""
    pattern = re.compile(".*".join(map(re.escape, pieces(text))))
    return any(pattern.search(literal) for literal in literals)


def main():
    missing = 0
    for files, patterns, pages in SOURCES:
        literals, count = explained(pages), 0
        for source in sorted(TOP.glob(files)):
            for line, text in messages(source.read_text(encoding="utf-8"), patterns):
                count += 1
                if not is_among(text, literals):
                    missing += 1
                    print(f"{source.relative_to(TOP)}:{line}: not in Documentation/"
                          f"{pages[-1]}: {text}")
        if not count:
            sys.exit(f"Documentation/sphinx/messages.py: found no message in {files}")
    return missing > 0


sys.exit(main())
