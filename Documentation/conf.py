# SPDX-License-Identifier: GPL-2.0
"""How Sphinx makes the site of these pages: `make html`.

Debian 12 has all that it needs: python3-sphinx and python3-sphinx-rtd-theme, whose menu
folds away on a phone.
"""
import os
import sys

sys.path.insert(0, os.path.abspath("sphinx"))

project = "MTDCOMPR"
author = "The MTDCOMPR developers"
copyright = "The MTDCOMPR developers, GPL-2.0"  # noqa: A001 the name that Sphinx wants

# pagelinks: a page that is named in the text is a link. abifiles: Documentation/ABI. conffiles:
# the keys of a configuration file.
extensions = ["sphinx.ext.autosectionlabel", "pagelinks", "abifiles", "conffiles"]
exclude_patterns = ["sphinx"]
root_doc = "index"
default_role = None
highlight_language = "none"
smartquotes = False
nitpicky = True

# A section is named by page and title, "choose:Size". Titles that a page has twice are
# named by nobody.
autosectionlabel_prefix_document = True
suppress_warnings = ["autosectionlabel.*"]

html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 3, "prev_next_buttons_location": "bottom"}
html_static_path = ["sphinx/site.css"]
html_css_files = ["site.css"]
html_title = "MTDCOMPR"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# The same sources make the same pages.
html_last_updated_fmt = None
