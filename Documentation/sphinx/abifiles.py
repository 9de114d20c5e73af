# SPDX-License-Identifier: GPL-2.0
"""A Sphinx extension: ".. abi:: FILE" shows a file of Documentation/ABI, which has the form
that the kernel's README in that directory describes: a "What:" for each interface.
"""
import pathlib
import textwrap

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

# What a reader of the site wants to see of an interface.
SHOWN = ("Users",)


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


def as_rst(interface):
    lines = ["**" + interface["What"] + "**", ""]
    lines += interface["Description"].splitlines() + [""]
    lines += [f":{field}: {interface[field]}" for field in SHOWN if field in interface]
    return lines + [""]


class Abi(Directive):
    required_arguments = 1
    option_spec = {}

    def run(self):
        env = self.state.document.settings.env
        _, path = env.relfn2path(self.arguments[0])
        env.note_dependency(path)
        content = StringList()
        for interface in interfaces(pathlib.Path(path).read_text(encoding="utf-8")):
            for line in as_rst(interface):
                content.append(line, path)
        parent = nodes.container()
        self.state.nested_parse(content, 0, parent)
        return parent.children


def setup(app):
    app.add_directive("abi", Abi)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
