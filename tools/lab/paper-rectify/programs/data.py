#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""data.py DIRECTORY: the data of the six programs but the pictures and the PDF itself.

All are made of texts that are there: those of this project, manual pages, and what packages have
in /usr/share/doc. Their number and sizes are always the same, whatever there is.
"""
import glob
import gzip
import html
import itertools
import json
import os
import re
import sqlite3
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../../.."))
SOURCES = [os.path.join(TOP, "Documentation/**/*.rst"), os.path.join(TOP, "**/*.[1-8]"),
           "/usr/share/man/man[1-8]/*.gz", "/usr/share/doc/*/copyright",
           "/usr/share/doc/*/changelog*.gz"]
REQUEST = re.compile(r"^[.'][A-Za-z]*\s*|\\f[A-Z]|\\[-&|]|\\f\(..", re.MULTILINE)

TEXTS = 320                     # for the notes
TEXT_SIZE = 24 << 10
DOCUMENTS = 5000                # for the store and the database
DOCUMENT_SIZE = 600
SECTIONS = 8
ATTACHMENT = 400                # documents
PAGES = {"begin1": 600 << 10, "begin2": 600 << 10, "begin3": 600 << 10,
         "visit1": 24 << 10, "visit2": 24 << 10}
BOOK_SIZE = 600 << 10           # of HTML, for the PDF


def read(path):
    """A text without what formats it."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        text = file.read().decode("ascii", "ignore")
    return REQUEST.sub("", text) if "/man" in path or path[-2] == "." else text


def texts():
    """All texts of some length, without end."""
    paths = []
    for pattern in SOURCES:
        paths += sorted(path for path in glob.glob(pattern, recursive=True)
                        if os.path.isfile(path) and "/build/" not in path)
    for again in itertools.count():
        for path in paths:
            text = read(path)
            if len(text) > 2048:
                yield f"{os.path.basename(path)} {again}", text


def pieces(size):
    """Texts of the same size, each of several ones."""
    left = ""
    for title, text in texts():
        left += text
        while len(left) >= size:
            yield title, left[:size]
            left = left[size:]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def documents(first, n):
    source = itertools.islice(pieces(DOCUMENT_SIZE), first, first + n)
    for number, (title, body) in enumerate(source):
        words = re.findall("[a-z]{4,}", body.lower())
        yield {"id": number, "title": title, "section": number % SECTIONS, "body": body,
               "words": len(words),
               "tags": sorted(set(words), key=lambda word: (-len(word), word))[:6]}


def database(path):
    if os.path.exists(path):
        os.remove(path)
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, title, section, body)")
        base.execute("CREATE VIRTUAL TABLE found USING "
                     "fts5(body, content='notes', content_rowid='id')")
        base.executemany("INSERT INTO notes VALUES (?, ?, ?, ?)", (
            (one["id"], one["title"], one["section"], one["body"])
            for one in documents(DOCUMENTS, 3 * DOCUMENTS)))
        base.execute("INSERT INTO found(found) VALUES ('rebuild')")
    base.close()


def page(name, size, source):
    """HTML of some texts."""
    parts, length = [], 0
    while length < size:
        title, text = next(source)
        body = "".join(f"<p>{html.escape(one.strip())}</p>\n"
                       for one in re.split(r"\n\s*\n", text) if one.strip())
        parts.append(f"<h2>{html.escape(title)}</h2>\n{body}")
        length += len(parts[-1])
    return f"<html><head><title>{name}</title></head><body>\n" + "".join(parts) + "</body></html>\n"


def main():
    directory = sys.argv[1]

    def path(name):
        return os.path.join(directory, name)

    for number, (_, text) in enumerate(itertools.islice(pieces(TEXT_SIZE), TEXTS)):
        write(path(f"texts/{number:03}.txt"), text)
    write(path("store.json"), "".join(json.dumps(one) + "\n" for one in documents(0, DOCUMENTS)))
    write(path("attachment.json"), json.dumps(list(documents(4 * DOCUMENTS, ATTACHMENT))))
    database(path("notes.db"))
    source = pieces(8 << 10)
    for name, size in PAGES.items():
        write(path(f"pages/{name}.html"), page(name, size, source))
    write(path("book.html"), page("Texts", BOOK_SIZE, source))


main()
