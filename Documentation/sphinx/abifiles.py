# SPDX-License-Identifier: GPL-2.0
"""A Sphinx extension: ".. abi:: FILE" shows a file of Documentation/ABI, which has the form
that the kernel's README in that directory describes: a "What:" for each interface.

With ":group: NAME" it shows one group of the description: a paragraph "NAME: text" and the table
below it. If pages show some groups of a file, all others have to be shown, too; so a new group
cannot be forgotten.
"""
import pathlib
import re
import textwrap

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from docutils.statemachine import StringList
from sphinx.util import logging

# Fields of an interface that the site shows, beside its description.
SHOWN = ("Users",)
# A paragraph that begins with a name and a colon, and the simple table below it.
GROUP = re.compile(r"^(\w[\w ]*): ((?:.+\n)+?)\n(=+  =+\n(?:.*\n)*?=+  =+\n)", re.M)


def interfaces(text):
    """Of each interface a dictionary: the field, and its text without the indent."""
    found, field = [], None
    for line in text.expandtabs(8).splitlines():
        if line[:1].strip() and ":" in line:
            field, rest = line.split(":", 1)
            if field == "What":
                found.append({})
            found[-1][field] = rest.strip()
        elif found:
            found[-1][field] += "\n" + line
    for interface in found:
        for field, value in interface.items():
            first, _, rest = value.partition("\n")
            interface[field] = (first + "\n" + textwrap.dedent(rest)).strip("\n")
    return found


def groups(interface):
    """{name: (its paragraph, its table)}"""
    return {name: (text, table)
            for name, text, table in GROUP.findall(interface["Description"] + "\n")}


def rows(table):
    """[[word, meaning]] of a simple table with two columns"""
    border, *lines = table.splitlines()
    at, found = border.index("  ") + 2, []
    for line in lines[:-1]:
        if line[:1].strip():
            found.append([line[:at].strip(), line[at:].strip()])
        else:
            found[-1][1] += " " + line.strip()
    return found


def group_as_rst(text, table):
    """A group: its paragraph, and its table with the words as literals"""
    text = text[:1].upper() + text[1:]
    lines = text.splitlines() + ["", ".. list-table::", "   :widths: 36 64", ""]
    for word, meaning in rows(table):
        lines += [f"   * - ``{word}``", "     - " + re.sub(r"(?<!`)\*", r"\\*", meaning)]
    return lines + [""]


def as_rst(interface):
    lines = ["**" + interface["What"] + "**", ""]
    lines += interface["Description"].splitlines() + [""]
    lines += [f":{field}: {interface[field]}" for field in SHOWN if field in interface]
    return lines + [""]


class Abi(Directive):
    required_arguments = 1
    option_spec = {"group": directives.unchanged_required}

    def run(self):
        env = self.state.document.settings.env
        _, path = env.relfn2path(self.arguments[0])
        env.note_dependency(path)
        found = interfaces(pathlib.Path(path).read_text(encoding="utf-8"))
        content = StringList()
        for line in self.group(env, path, found) if "group" in self.options else \
                [line for interface in found for line in as_rst(interface)]:
            content.append(line, path)
        parent = nodes.container()
        self.state.nested_parse(content, 0, parent)
        return parent.children

    def group(self, env, path, found):
        name, there = self.options["group"], {}
        for interface in found:
            there.update(groups(interface))
        if name not in there:
            raise self.error(f"{self.arguments[0]} has no group {name}; there are: " +
                             ", ".join(there))
        if not hasattr(env, "abi_groups"):
            env.abi_groups = {}
        env.abi_groups.setdefault(path, set(there)).discard(name)
        return group_as_rst(*there[name])


def check(_app, env):
    """Has a group been left out?"""
    for path, left in getattr(env, "abi_groups", {}).items():
        if left:
            logging.getLogger(__name__).warning(
                "no page shows these groups of %s: %s", path, ", ".join(sorted(left)))


def setup(app):
    app.add_directive("abi", Abi)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
