# SPDX-License-Identifier: GPL-2.0
"""A Sphinx extension: a literal block ("::") is highlighted as what it looks like: a session
with prompts, commands for a shell, or a configuration file. All other blocks stay plain.
".. code-block:: LANGUAGE" goes first.
"""
import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

PROMPT = re.compile(r"[#$] (?=\S)")
SECTION = re.compile(r"\[[\w.-]+\]$")
ASSIGNED = re.compile(r"#?[\w.-]+ ?=")
# The beginnings of the commands in these pages.
COMMANDS = re.compile(
    r"(?:[A-Z_]+=\S+ )*(?:sudo |\./|(?:selftests|tools|qemu|debian|Documentation)/)?"
    r"(?:make|git|apt-get|dpkg|dpkg-buildpackage|cd|cp|cat|echo|printf|for|while|if|modprobe|insmod|"
    r"rmmod|depmod|mkswap|swapon|swapoff|sysctl|mount|umount|dmesg|install|patch|journalctl|"
    r"systemctl|ubi\w+|flash_\w+|mtdcomprctl|latd|latdctl|proswapd|proswapctl|rectifyd|rectifyctl|"
    r"marvind|marvinctl|swap|guest|[\w/.-]+\.sh|[\w/.-]+\.py|gcc|dkms|sed|awk|grep|dd|perl|python3)"
    r"(?: |$)")


def language(text):
    lines = [line for line in text.splitlines() if line.strip()]
    bare = [line for line in lines if not line.startswith(("# ", "\t", " "))]
    if bare and all(COMMANDS.match(line) for line in bare):
        return "sh"
    if any(PROMPT.match(line) and COMMANDS.match(line[2:]) for line in lines):
        return "console"
    if any(SECTION.match(line) for line in lines) and \
            all(SECTION.match(line) or ASSIGNED.match(line) or line.startswith("#")
                for line in lines):
        return "ini"
    return "none"


class Highlight(SphinxTransform):
    # Before Sphinx gives all blocks the language of conf.py (400).
    default_priority = 300

    def apply(self, **kwargs):
        for node in self.document.findall(nodes.literal_block):
            if "language" not in node and len(node.children) == 1:
                node["language"] = language(node.astext())


def setup(app):
    app.add_transform(Highlight)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
