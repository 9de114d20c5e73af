# SPDX-License-Identifier: GPL-2.0
"""A Sphinx extension: ".. conf:: PATH [SECTION...]" shows the keys of a configuration file of the
repository, with a table for each section: key, default, meaning. PATH is relative to the top of
the repository; without a SECTION, all sections are shown. The file has the keys with their
defaults, "#key = default"; the comment above a key is its description. tools/common/describe
writes these files from the daemons' key tables.
"""
import pathlib
import re

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

SECTION = re.compile(r"\[([^]]+)\]$")
KEY = re.compile(r"#?([\w-]+) =(.*)$")


def keys(text):
    """{section: [(key, default, description)]} of a configuration file"""
    found, comment, section = {}, [], None
    for line in text.splitlines():
        if match := SECTION.match(line):
            section = found.setdefault(match.group(1), [])
        elif section is not None and (match := KEY.match(line)):
            section.append((match.group(1), match.group(2).strip(), " ".join(comment)))
        elif line.startswith("# "):
            comment.append(line[2:].strip())
            continue
        comment = []
    return found


def as_rst(section, entries):
    lines = [f"``[{section}]``", "", ".. list-table::", "   :header-rows: 1",
             "   :widths: 22 18 60", "", "   * - Key", "     - Default", "     - Meaning"]
    for key, default, description in entries:
        description = re.sub(r"([\\*`|_])", r"\\\1", description)
        lines += [f"   * - ``{key}``", "     - " + (f"``{default}``" if default else "empty"),
                  "     - " + description]
    return lines + [""]


class Conf(Directive):
    required_arguments = 1
    optional_arguments = 99
    option_spec = {}

    def run(self):
        env = self.state.document.settings.env
        path = pathlib.Path(env.srcdir).parent / self.arguments[0]
        env.note_dependency(str(path))
        found = keys(path.read_text(encoding="utf-8"))
        content = StringList()
        for section in self.arguments[1:] or found:
            if not found.get(section):
                raise self.error(f"{self.arguments[0]} has no key in [{section}]")
            for line in as_rst(section, found[section]):
                content.append(line, str(path))
        parent = nodes.container()
        self.state.nested_parse(content, 0, parent)
        return parent.children


def setup(app):
    app.add_directive("conf", Conf)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
