# SPDX-License-Identifier: GPL-2.0
#
# Makes one TAP stream of a job's scripts, each between "# BEGIN NAME" and "# END NAME status N
# after S s" (guest/batch.sh). A script that never began, has no plan, or did not do what it planned
# has failed; the rest of what a guest's console says is left out.
#
#   names     the scripts that were to run
#   alone     1: the results get no "NAME: " before them

# say GOOD TEXT: TAP::Parser takes "# TODO" as an excuse for a failure, so of all "#" only "# SKIP"
# of a good result stays one
function say(good, text,	skip)
{
	if (good && match(text, /# SKIP/)) {
		skip = substr(text, RSTART)
		text = substr(text, 1, RSTART - 1)
	}
	gsub(/[\\#]/, "\\\\&", text)
	printf "%sok %d - %s%s%s\n", good ? "" : "not ", ++number, alone ? "" : name ": ", text, skip
	bad += !good
}

function close_script(status,	i)
{
	if (name == "")
		return
	if (plan < 0) {
		say(0, "no plan: it ended early, with status " status)
		# It says why itself, if it can.
		for (i = said > 20 ? said - 20 : 0; i < said; i++)
			print "# " what[i]
	} else if (seen != plan || (plan == 0 && !whole)) {
		say(0, plan " planned, " seen " seen")
	} else if (status != 0 && !bad) {
		say(0, "ended with status " status)
	}
	name = ""
}

/^# BEGIN / {
	close_script("?")
	name = $3
	begun[name] = 1
	plan = -1
	seen = said = bad = whole = 0
	next
}
/^# END / { close_script($5); next }
name == "" { next }
!/^ok / { what[said++] = $0 }
/^1\.\.[0-9]+/ {
	plan = substr($1, 4) + 0
	if (sub(/^1\.\.0 *# SKIP/, "# SKIP")) {
		whole = 1
		say(1, "all of it " $0)
	}
	next
}
/^Bail out!/ { say(0, $0); next }
/^(not )?ok / {
	good = $1 == "ok"
	seen++
	if ((good ? $2 : $3) != seen)
		say(0, "result " (good ? $2 : $3) " after " seen - 1)
	sub(/^(not )?ok [0-9]+ (- )?/, "")
	say(good, $0)
	next
}
/^# / { print }
END {
	close_script("?")
	n = split(names, list, " ")
	for (i = 1; i <= n; i++) {
		name = list[i]
		if (!(name in begun))
			say(0, "never began")
	}
	print number + 0 > count
}
