#!/bin/zsh -f
# SPDX-License-Identifier: GPL-2.0
#
# completion.zsh DIR PROGRAM TREE: type words and a tab in a zsh that uses _mtdcomprctl of DIR.
# Status 0 if all are completed; else it prints those that are not.
zmodload zsh/zpty
dir=$1 program=$2 tree=$3
bad=0

# said UNTIL: the output of the other shell up to UNTIL
said()
{
	local part all= tries=100

	while [[ $all != *$1* ]] && ((tries--)); do
		if zpty -rt shell part; then
			all+=$part
		else
			sleep 0.05
		fi
	done
	print -r -- $all
}

# completes LINE WANTED: type the line and a tab, expect WANTED
completes()
{
	local got

	zpty -w -n shell "$1"$'\t'
	zpty -w -n shell $'\x01print -r -- "<\x05>"\n'
	got=$(said '>'$'\r')
	# The echo of the typed line contains it, too, so expect it on a line of its own.
	if [[ $got != *$'\n'"<$2>"* ]]; then
		print -r -- "$1: no \"$2\" in: $got"
		bad=1
	fi
}

zpty shell env TERM=dumb zsh -f -i
zpty -w shell "PS1= PROMPT_EOL_MARK=; unsetopt zle_bracketed_paste; bindkey -e"
zpty -w shell "mtdcomprctl() { ${(q)program} --sysroot ${(q)tree} \"\$@\" }"
zpty -w shell "fpath=(${(q)dir} \$fpath); autoload -U compinit; compinit -u -D; print rea''dy"
said ready > /dev/null
completes 'mtdcomprctl sugg' 'mtdcomprctl suggest'
completes 'mtdcomprctl swap of' 'mtdcomprctl swap off'
completes 'mtdcomprctl attach --rat' 'mtdcomprctl attach --ratio'
completes 'mtdcomprctl attach -a zst' 'mtdcomprctl attach -a zstd'
completes 'mtdcomprctl attach -O cry' 'mtdcomprctl attach -O crypt='
completes 'mtdcomprctl attach -O store=log,crypt=of' 'mtdcomprctl attach -O store=log,crypt=off'
completes 'mtdcomprctl list -o MEDIA-S' 'mtdcomprctl list -o MEDIA-SIZE'
completes 'mtdcomprctl stats /dev/mtdcompr1' 'mtdcomprctl stats /dev/mtdcompr1'
completes 'mtdcomprctl suggest --prefer ba' 'mtdcomprctl suggest --prefer balance'
completes 'mtdcomprctl swap on --page-cluster ke' 'mtdcomprctl swap on --page-cluster keep'
zpty -d shell
exit $bad
