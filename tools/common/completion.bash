# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the bash completions of latd, proswapd and rectifyd share: NAME/NAME.bash-completion reads it
# when the first word is completed. There _NAME_value KEY WORD completes values that only NAME has.

# _policy_words() - complete the present word from a list. Others choose the names of programs and
# groups: a $(...) in one must not come to a command line, and compgen -W would even run it.
_policy_words()
{
	local words word

	read -r -d '' -a words <<< "$1"
	COMPREPLY=()
	for word in "${words[@]}"; do
		[[ $word != "$2"* || $word == *[^[:alnum:]._:/@+-]* ]] || COMPREPLY+=("$word")
	done
}

_policy_files()
{
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# _policy_programs() - programs that run, by the names that the daemons know them by
_policy_programs()
{
	cat /proc/[0-9]*/comm 2>/dev/null | sort -u
}

# _policy_groups() - control groups of version 2, without the directory where they are mounted
_policy_groups()
{
	local mount

	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	[[ -n $mount ]] || return
	compopt -o nospace
	_policy_words "$(compgen -d -- "$mount${1:-/}" | cut -c $((${#mount} + 1))-)" "$1"
}

# _policy_value() - the value of a key: NAME KEY WORD
_policy_value()
{
	case $2 in
	"$1.log")	_policy_words "error warning info debug" "$3" ;;
	*_name | *.name) _policy_words "$(_policy_programs)" "$3" ;;
	*_user | *.user) mapfile -t COMPREPLY < <(compgen -u -- "$3") ;;
	*_cgroup | *.cgroup) _policy_groups "$3" ;;
	*)		"_$1_value" "$2" "$3" ;;
	esac
}

# _policy_option() - SECTION.KEY=VALUE: NAME WORD KEYS
_policy_option()
{
	if [[ $2 == *=* ]]; then
		_policy_value "$1" "${2%%=*}" "${2#*=}"
		return
	fi
	_policy_words "$3" "$2"
	COMPREPLY=("${COMPREPLY[@]/%/=}")
	compopt -o nospace
}

# _policy_daemon() - the options of a daemon: NAME, the key of -p, the long options of -p, all keys
_policy_daemon()
{
	local word=${COMP_WORDS[COMP_CWORD]} n=$COMP_CWORD option

	COMPREPLY=()
	# bash takes a = for a word of its own.
	while ((n > 1)) && [[ ${COMP_WORDS[n]} == "=" || ${COMP_WORDS[n - 1]} == "=" ]]; do
		n=$((n - 1))
		word=${COMP_WORDS[n]}$word
	done
	option=${COMP_WORDS[n - 1]}
	# --mode=MODE, too.
	if [[ $word == --*=* ]]; then
		option=${word%%=*}
		word=${word#*=}
	fi
	case $option in
	-m | --mode)	_policy_value "$1" "$1.mode" "$word" ;;
	-p | --program | --protect)
			_policy_value "$1" "$2" "$word" ;;
	-o | --option)	_policy_option "$1" "$word" "$4" ;;
	-c | --config | -s | -S)
			_policy_files "$word" ;;
	*)
		_policy_words "-c --config -m --mode -p $3 -o --option -f --foreground
			-s -S --check --once --dry-run -h --help -V --version" "$word"
		;;
	esac
}
