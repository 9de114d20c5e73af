# SPDX-License-Identifier: GPL-2.0
#
# For describe.sh: awk -F '\t' -v name=NAME -v kind=KIND -f describe.awk KEYS FILE. KEYS is the
# output of describe.c; KIND is the kind of FILE: conf, bash-completion or conf.5. Prints the new
# contents of FILE.

# wrap() - print text in lines of at most 98 characters, each with @before at its beginning
function wrap(text, before,    words, n, i, line)
{
	n = split(text, words, " ")
	line = before words[1]
	for (i = 2; i <= n; i++) {
		if (length(line) + length(words[i]) >= 98) {
			print line
			line = before words[i]
		} else {
			line = line " " words[i]
		}
	}
	print line
}

# spoken() - "a, b or c" of "a | b | c"
function spoken(text)
{
	if (match(text, / \| [^|]*$/))
		text = substr(text, 1, RSTART - 1) " or " substr(text, RSTART + 3)
	gsub(/ \| /, ", ", text)
	return text
}

# sample() - print the whole sample
function sample(    i, takes)
{
	print "# SPDX-License-Identifier: GPL-2.0\n#"
	printf "# /etc/%s.conf: configuration of %s. %s.conf(5) explains each key.\n", name, name, name
	print "# All keys are here, with their defaults."
	printf "# \"%s --check -c /etc/%s.conf\" names the first error.\n", name, name
	print "# Lists have blanks between the words; a key that is there again adds words."
	for (i = 1; i <= n; i++) {
		if (section[i] != section[i - 1])
			printf "\n[%s]\n", section[i]
		takes = spoken(range[i])
		if (type[i] != "size")
			sub(/^[0-9.]+ to [0-9.]+/, "& " unit[i], takes)
		sub(/ *$/, "", takes)
		wrap(help[i] (takes == "" ? "" : ": " takes), "# ")
		print "#" key[i] " =" (type[i] == "list" || preset[i] == "" ? "" : " " preset[i])
	}
}

# completion() - print the completion: all keys, and the completion of their values. completion.bash
# completes the values of keys that all daemons have.
function completion(    i, action, line)
{
	printf "_%s_keys=\"", name
	for (i = 1; i <= n; i++)
		line = line " " section[i] "." key[i]
	wrap(line, "")
	printf "\"\n\n# _%s_value() - the value of a key: KEY WORD\n", name
	printf "_%s_value()\n{\n\tcase $1 in\n", name
	for (i = 1; i <= n; i++) {
		if (type[i] == "choice" && key[i] != "log")
			action = "_policy_words \"" choices[i] "\""
		else if (unit[i] == "file" || unit[i] == "group")
			action = "_policy_" unit[i] "s"
		else
			continue
		printf "\t%s.%s)\t%s \"$2\" ;;\n", section[i], key[i], action
	}
	print "\tesac\n}"
}

# page() - print the keys of a section for the man page; a key's prose, written by hand, is kept
function page(of,    i, value, list)
{
	for (i = 1; i <= n; i++) {
		if (section[i] != of)
			continue
		value = unit[i] == "" ? "" : "\\fI" unit[i] "\\fR"
		value = value (value != "" && range[i] != "" ? ", " : "") range[i]
		list = type[i] == "list" && preset[i] != ""
		printf ".\\\" %s\n.TP\n.BR %s \" = %s (%s)\"\n", key[i], key[i], value,
			list ? "see below" : preset[i] == "" ? "empty" : preset[i]
		value = help[i]
		gsub(/ -/, " \\-", value)
		wrap(value ".", "")
		if (list) {
			value = preset[i]
			gsub(/ /, ", ", value)
			wrap("These are built in, and cannot be taken away: " value ".", "")
			print "They take " length(preset[i]) " of the " room[i] " characters of the list."
		}
		if (prose[of, key[i]] != "")
			printf ".\\\" more\n%s", prose[of, key[i]]
		delete prose[of, key[i]]
	}
}

# The first file has the keys.
FNR == NR {
	n++
	section[n] = $1
	key[n] = $2
	type[n] = $3
	preset[n] = $4
	help[n] = $5
	unit[n] = $6 != "" ? $6 : $3 ~ /percent|amount/ ? "percent" : $3 ~ /size|list/ ? $3 : ""
	choices[n] = $10
	room[n] = $9 - 1
	if ($3 == "number")
		range[n] = $7 " to " $8
	else if (unit[n] == "percent")
		range[n] = $7 / 10 " to " $8 / 10 ($3 == "amount" ? ", or a size" : "")
	else if ($3 == "size")
		range[n] = $7 / 1048576 "M to " $8 / 1073741824 "G, or auto"
	else {
		range[n] = $10
		gsub(/ /, " | ", range[n])
	}
	next
}

kind == "conf" {
	exit
}

# Generated parts are between two marks; the first mark in a man page has the section.
/^# Made by .*describe/ {
	print
	completion()
	made = 1
}

/^[.]\\" \[[a-z]*\] is made by .*describe/ {
	print
	made = substr($0, 6, index($0, "]") - 6)
	more = ""
	next
}

made && /^(#|[.]\\") End of the generated part/ {
	if (kind == "conf.5")
		page(made)
	is_made[made] = 1
	made = ""
}

# The prose of a key, in a generated part.
made && /^[.]\\" / {
	if ($0 == ".\\\" more")
		more = last
	else {
		last = substr($0, 5)
		more = ""
	}
	next
}

made {
	if (more != "")
		prose[made, more] = prose[made, more] $0 "\n"
	next
}

{
	print
}

END {
	if (kind == "conf")
		sample()
	for (i = 1; i <= n && kind != "conf"; i++) {
		if (!((kind == "conf.5" ? section[i] : 1) in is_made)) {
			print "no mark for " section[i] "." key[i] " in " name "." kind > "/dev/stderr"
			exit 1
		}
	}
	for (at in prose) {
		if (prose[at] == "")
			continue
		sub(SUBSEP, ".", at)
		print "prose of a key that is not in the table: " at > "/dev/stderr"
		exit 1
	}
}
