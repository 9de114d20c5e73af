# SPDX-License-Identifier: GPL-2.0
"""A Sphinx extension: if the text names a page by its file, Documentation/explanation/figures.rst
or figures.rst, the site shows the title of the page as a link to it. So the pages read well as
files, too. A link to a file, `text <figures.rst>`_, keeps its text.
"""
import posixpath
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging
from sphinx.transforms import SphinxTransform

PAGE = re.compile(r"(?<![\w/.-])(?:Documentation/)?([\w-]+(?:/[\w-]+)*)\.rst\b")


class PageLinks(SphinxTransform):
    """Links in literals that are a name and nothing else, of links, and in plain text."""

    default_priority = 200

    def apply(self, **kwargs):
        for node in list(self.document.findall(nodes.literal)):
            match = PAGE.fullmatch(node.astext())
            page = match and self.page(match.group(1))
            if page:
                node.replace_self(self.link(page, match.group(1) + ".rst"))
        for node in list(self.document.findall(nodes.reference)):
            match = PAGE.fullmatch(node.get("refuri", ""))
            page = match and self.page(match.group(1))
            if page:
                node.replace_self(self.link(page, node.astext(), explicit=True))
        for node in list(self.document.findall(nodes.Text)):
            if not self.is_linked(node):
                self.split(node)

    @staticmethod
    def is_linked(node):
        """Is it within what is a link, a title or verbatim already?"""
        kinds = (nodes.reference, addnodes.pending_xref, nodes.literal, nodes.literal_block,
                 nodes.comment, nodes.title, nodes.raw)
        while node.parent:
            node = node.parent
            if isinstance(node, kinds):
                return True
        return False

    def page(self, name):
        """The page of that name: from the top, beside this one, or alone of its name."""
        beside = posixpath.join(posixpath.dirname(self.env.docname), name)
        found = [page for page in (name, beside) if page in self.env.found_docs]
        found += [page for page in self.env.found_docs if page.endswith("/" + name)]
        return found[0] if found and found[0] != self.env.docname else None

    @staticmethod
    def link(page, text, explicit=False):
        """A link with this text if it is @explicit, or else with the title of the page"""
        return addnodes.pending_xref("", nodes.inline(text=text, classes=["doc"]),
                                     refdomain="std", reftype="doc", reftarget="/" + page,
                                     refexplicit=explicit, refwarn=True)

    def split(self, node):
        """Replace the text by what is before, between and after the names in it."""
        text, parts, done = node.astext(), [], 0
        for match in PAGE.finditer(text):
            page = self.page(match.group(1))
            if not page and not self.env.docname.endswith(match.group(1)):
                logging.getLogger(__name__).warning("no page %s", match.group(), location=node)
            if page:
                parts.append(nodes.Text(text[done:match.start()]))
                parts.append(self.link(page, match.group(1) + ".rst"))
                done = match.end()
        if parts:
            node.parent.replace(node, parts + [nodes.Text(text[done:])])


def setup(app):
    app.add_transform(PageLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
