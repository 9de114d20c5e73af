# SPDX-License-Identifier: GPL-2.0
"""How Sphinx makes the site of these pages: `make html`.

Debian 12 has all that it needs: python3-sphinx and python3-sphinx-rtd-theme, whose menu
folds away on a phone.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.abspath("sphinx"))

project = "MTDCOMPR"
author = "The MTDCOMPR developers"
copyright = "The MTDCOMPR developers, GPL-2.0"  # noqa: A001 the name that Sphinx wants

TOP = pathlib.Path(__file__).resolve().parents[1]


def newest():
    """The version that CHANGES names first, as in "## 0.9 - 2026-11-30"; "" without one"""
    changes = (TOP / "CHANGES").read_text(encoding="utf-8")
    found = re.search(r"^## \[?v?(\d+\.[\d.]*\d)", changes, re.M)
    return found.group(1) if found else ""


def described():
    """The commit that the pages are of; "" outside of git"""
    said = subprocess.run(["git", "-C", str(TOP), "describe", "--always", "--dirty"],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return said.stdout.strip()


# The theme shows the version above the menu, and the commit below each page.
commit = described()
release = version = " ".join(filter(None, (newest(), commit and f"({commit})")))
html_context = {"commit": commit}

# pagelinks: a page that the text names is a link with the page's title. highlight: commands and
# configuration files. abifiles: Documentation/ABI. conffiles: the keys of a configuration file.
# manpages: the man pages below tools.
extensions = ["sphinx.ext.autosectionlabel", "pagelinks", "highlight", "abifiles", "conffiles",
              "manpages"]
exclude_patterns = ["sphinx"]
root_doc = "index"
default_role = None
highlight_language = "none"
smartquotes = False
nitpicky = True

# A section is named by page and title, "choose:Size". A title that a page has twice cannot be
# named.
autosectionlabel_prefix_document = True
suppress_warnings = ["autosectionlabel.*"]

html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 2, "prev_next_buttons_location": "bottom"}
html_static_path = ["sphinx/site.css"]
html_css_files = ["site.css"]
html_title = "MTDCOMPR"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# The same sources make the same pages.
html_last_updated_fmt = None
