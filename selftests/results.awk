# SPDX-License-Identifier: GPL-2.0
#
# Reads the TAP of a job's scripts, each between "# BEGIN NAME" and "# END NAME status N
# after S s" (guest/batch.sh), and prints for each script that was to run a line
#
#   NAME PASSED FAILED SKIPPED SECONDS
#
# A script that never began, that planned more than it did, or that ended badly has failed.
#
#   names     the scripts that were to run
#   failures  file for what has failed, and why
#   skips     file for what was skipped, and why

function close_script(status, seconds)
{
	if (name == "")
		return
	if (plan < 0) {
		print name ": no plan" >> failures
		# It says why itself, if it can.
		for (i = said > 20 ? said - 20 : 0; i < said; i++)
			print "   " what[i] >> failures
		fail++
	} else if (seen != plan) {
		print name ": " plan " planned, " seen " seen; the rest counts as failed" >> failures
		fail += seen < plan ? plan - seen : 1
	} else if (status != 0) {
		print name ": ended with status " status >> failures
		fail++
	}
	print name, pass + 0, fail + 0, skip + 0, seconds + 0
	name = ""
}

/^# BEGIN / {
	close_script(0)
	name = $3
	begun[name] = 1
	plan = -1
	seen = said = pass = fail = skip = 0
	next
}
/^# END / { close_script($5, $7); next }
name == "" { next }
plan < 0 { what[said++] = $0 }
/^1\.\.[0-9]+$/ { plan = substr($0, 4) + 0; next }
/^Bail out!/ { print name ": " $0 >> failures; next }
/^(not )?ok / {
	number = $1 == "ok" ? $2 : $3
	if (number != seen + 1)
		print name ": result " number " after " seen >> failures
	seen++
	if ($1 == "not") {
		fail++
		print name ": " $0 >> failures
	} else if (match($0, /# SKIP/)) {
		skip++
		print name ": " $0 >> skips
	} else {
		pass++
	}
}
END {
	close_script(0)
	n = split(names, list, " ")
	for (i = 1; i <= n; i++) {
		if (!(list[i] in begun)) {
			print list[i] ": never began" >> failures
			print list[i], 0, 1, 0, 0
		}
	}
}
