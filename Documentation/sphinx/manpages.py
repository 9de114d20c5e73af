# SPDX-License-Identifier: GPL-2.0
"""A Sphinx extension: the man pages of the programs as pages of the site.

".. manpages::" lists all man pages below tools/, each with its line of NAME. mandoc makes the
pages; without mandoc the list says so, and there are no links. A man page that a text names,
as in latd.conf(5), becomes a link.
"""
import html
import pathlib
import re
import shutil
import subprocess

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.transforms.post_transforms import SphinxPostTransform

DIRECTORY = "reference/man"
NAME = re.compile(r"^\.SH \"?NAME\"?\n(.+)$", re.M)
NAMED = re.compile(r"\b([a-z][\w.-]*)\((\d)\)")


def sources(env):
    """{"latd.8": its file}"""
    top = pathlib.Path(env.srcdir).parent
    return {path.name: path for path in sorted(top.glob("tools/**/*.[1-8]"))
            if NAME.search(path.read_text(encoding="utf-8"))}


def purpose(path):
    """What the line of NAME says that the page is about"""
    line = NAME.search(path.read_text(encoding="utf-8")).group(1)
    return re.sub(r"\\[-&]", "-", line.split(r" \- ", 1)[-1]).strip()


def link(app, page, target, text):
    where = app.builder.get_relative_uri(page, f"{DIRECTORY}/{target}")
    return nodes.reference("", text, refuri=where, internal=True)


class ManPages(Directive):
    option_spec = {}

    def run(self):
        env = self.state.document.settings.env
        entries = nodes.bullet_list()
        for name, path in sources(env).items():
            env.note_dependency(str(path))
            stem, section = name.rsplit(".", 1)
            text = nodes.paragraph("", f"{stem}({section}): {purpose(path)}")
            entries += nodes.list_item("", text)
        if shutil.which("mandoc"):
            return [entries]
        note = "mandoc was not installed when this site was made, so the pages are not here."
        return [nodes.paragraph("", note), entries]


class ManLinks(SphinxPostTransform):
    """Links in plain text and in literals that are a name and nothing else."""

    default_priority = 700

    def run(self, **kwargs):
        if self.app.builder.format != "html" or not shutil.which("mandoc"):
            return
        there, page = sources(self.env), self.env.docname
        for node in list(self.document.findall(nodes.Text)):
            if isinstance(node.parent, (nodes.reference, nodes.title, nodes.literal_block)):
                continue
            parts, done, text = [], 0, node.astext()
            for match in NAMED.finditer(text):
                name = ".".join(match.groups())
                if name in there:
                    parts += [nodes.Text(text[done:match.start()]),
                              link(self.app, page, name, match.group(0))]
                    done = match.end()
            if parts:
                node.parent.replace(node, parts + [nodes.Text(text[done:])])


def body_of(name, path, there):
    """The man page as a part of a page"""
    made = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", str(path)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    # The title of the page is the first heading; the head and foot of a printed page go.
    made = re.sub(r"(?s)<table class=\"(?:head|foot)\">.*?</table>", "", made)
    made = re.sub(r"<(/?)h([12])\b", lambda match: f"<{match.group(1)}h{int(match.group(2)) + 1}",
                  made)

    def named(match):
        target = f"{match.group(1)}.{match.group(2)}"
        if target not in there or target == name:
            return match.group(0)
        return f'<a href="{target}.html">{match.group(0)}</a>'
    made = re.sub(r"<b>([\w.-]+)</b>\((\d)\)", named, made)
    stem, section = name.rsplit(".", 1)
    return f"<h1>{html.escape(stem)}({section})</h1>\n{made}"


def collect(app):
    """(page, context, template) of each man page"""
    if app.builder.format != "html" or not shutil.which("mandoc"):
        return
    there = sources(app.env)
    for name, path in there.items():
        stem, section = name.rsplit(".", 1)
        up = {"link": "../man.html", "title": "Man pages"}
        yield (f"{DIRECTORY}/{name}", {"title": f"{stem}({section})", "parents": [up],
                                       "body": body_of(name, path, there)}, "page.html")


def setup(app):
    app.add_directive("manpages", ManPages)
    app.add_post_transform(ManLinks)
    app.connect("html-collect-pages", collect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
