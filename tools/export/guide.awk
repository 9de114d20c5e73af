# SPDX-License-Identifier: GPL-2.0
#
# For intree.sh: awk -f guide.awk ABI PAGE...: print the pages as parts of one page, below its
# title. A part's title becomes a section, a link to another part a link within the page, and
# "abi" with "group" the paragraph and the table of this group in the file ABI. Links to other
# pages become their names.

# title() - the title of a page of reference, as written in it
function title(file,    line, found)
{
	while (found == "" && (getline line < file) > 0)
		if (line ~ /^=+$/ && (getline line < file) > 0)
			found = line
	close(file)
	return found
}

BEGIN {
	for (i = 2; i < ARGC; i++) {
		page = ARGV[i]
		sub(/.*\//, "", page)
		part[page] = title(ARGV[i])
	}
}

# The ABI: group[NAME] has the lines of a group without their indent.
FNR == NR {
	sub(/^\t\t/, "")
	if (match($0, /^[A-Z][a-z]*: /)) {
		name = substr($0, 1, RLENGTH - 2)
		$0 = toupper(substr($0, RLENGTH + 1, 1)) substr($0, RLENGTH + 2)
		borders = 0
	}
	if (name != "")
		group[name] = group[name] $0 "\n"
	if (/^=+  =+$/ && ++borders == 2)
		name = ""
	next
}

FNR == 1 {
	titles = 0
	print ""
}

/^\.\. SPDX/ || /^\.\. abi::/ {
	next
}

# The contents of a part: those of the page have them.
/^\.\. contents::/ {
	skip = 1
	next
}

skip && /^   :/ {
	next
}

/^   :group: / {
	if (!($2 in group)) {
		print FILENAME ": the ABI has no group " $2 > "/dev/stderr"
		exit 1
	}
	printf "%s", group[$2]
	next
}

# The lines over and under the title of the page: it is a section of the whole.
/^=+$/ && titles < 2 && (titles || FNR < 6) {
	if (++titles == 2) {
		gsub(/=/, "*")
		print
	}
	next
}

{
	skip = 0
	while (match($0, /:ref:`[^`]*`/)) {
		link = substr($0, RSTART + 6, RLENGTH - 7)
		text = ""
		if (link ~ / <.*>$/) {
			text = substr(link, 1, index(link, " <") - 1)
			link = substr(link, index(link, " <") + 2)
			sub(/>$/, "", link)
		}
		page = section = link
		sub(/:.*/, "", page)
		sub(/.*\//, "", page)
		sub(/^[^:]*:/, "", section)
		if ((page ".rst") in part)
			link = "`" section "`_"
		else
			link = "\"" section "\" in " page ".rst"
		$0 = substr($0, 1, RSTART - 1) (text == "" ? "" : text ", ") link \
			substr($0, RSTART + RLENGTH)
	}
	for (page in part) {
		name = page
		sub(/\./, "\\.", name)
		gsub("(^|[ (])" name, "&\001")
		while (match($0, name "\001"))
			$0 = substr($0, 1, RSTART - 1) "`" part[page] "`_" \
				substr($0, RSTART + RLENGTH)
	}
	print
}
