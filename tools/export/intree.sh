#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# intree.sh KERNEL OUT: make the patch that puts the driver into the kernel tree KERNEL, for
# "patch -p1" or "git apply" there. KERNEL, 5.10 or newer, is only read.
#
# The driver goes to drivers/mtd/mtdcompr, with a Makefile in the kernel's style. The code for
# other kernels (include/compat) is resolved for the version of KERNEL; only the remaining headers
# go into the patch. Kconfig, Makefile, MAINTAINERS and the index of the documentation get their
# lines.
#
# HOSTCC     the compiler for the kernel's unifdef (cc)
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd -P)
here=$top/tools/export
driver=drivers/mtd/mtdcompr

die()
{
	echo "intree.sh: $*" >&2
	exit 1
}

[ "$#${1:+1}${2:+1}" = 211 ] ||
	die "say which tree, and where to: make export-intree KERNEL=DIR OUT=FILE"
for file in Makefile MAINTAINERS drivers/mtd/Kconfig drivers/mtd/Makefile scripts/unifdef.c \
	Documentation/admin-guide/index.rst; do
	[ -s "$1/$file" ] || die "\"$1\" is no source of Linux: it has no $file"
done
[ ! -e "$1/$driver" ] || die "\"$1\" has $driver already"
kernel=$(cd "$1" && pwd -P)
out=$2

# number NAME: print a number of the kernel's Makefile
number()
{
	sed -n "s/^$1 = \([0-9]*\)$/\1/p" "$kernel/Makefile"
}

version=$(number VERSION) level=$(number PATCHLEVEL) sub=$(number SUBLEVEL)
[ "${version:+1}${level:+1}${sub:+1}" = 111 ] || die "no version in $kernel/Makefile"
code=$((version * 65536 + level * 256 + (sub < 255 ? sub : 255)))
[ $code -ge $((5 * 65536 + 10 * 256)) ] || die "Linux $version.$level is older than 5.10"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/a" "$work/b"
"${HOSTCC:-cc}" -O1 -w -o "$work/unifdef" "$kernel/scripts/unifdef.c" ||
	die "cannot compile scripts/unifdef.c of the kernel; is there a compiler?"

# change FILE COMMAND...: change a file of the kernel with a filter
change()
{
	local file=$1
	shift

	mkdir -p "$(dirname "$work/a/$file")" "$(dirname "$work/b/$file")"
	cp "$kernel/$file" "$work/a/$file"
	"$@" < "$work/a/$file" > "$work/b/$file"
	if [ ! -s "$work/b/$file" ] || cmp -s "$work/a/$file" "$work/b/$file"; then
		die "found no place for our lines in $file"
	fi
}

# add TO FILE...: add new files
add()
{
	local to=$work/b/$1
	shift

	mkdir -p "$to"
	install -m 644 "$@" "$to/"
}

# The same test as in Kbuild.
usecount=-UCOMPAT_MTD_USECOUNT
! grep -q 'int usecount;' "$kernel/include/linux/mtd/mtd.h" || usecount=-DCOMPAT_MTD_USECOUNT

# Lines without code: comments, include guards and the like.
nothing='/\*.*\*/|/\*| \*.*|#include(_next)? .*|#(ifndef|endif).*|#define MTDC_COMPAT_[A-Z_]*|'

# compat FILE: resolve a header; drop it if only the include of the kernel's header remains
compat()
{
	local to=$work/b/$driver/compat/$1 status=0

	mkdir -p "${to%/*}"
	awk -f "$here/resolve.awk" "$top/include/compat/$1" > "$work/in"
	"$work/unifdef" -DLINUX_VERSION_CODE=${code} $usecount "$work/in" > "$work/out" || status=$?
	[ $status -le 1 ] || die "unifdef failed on include/compat/$1"
	# cat -s: a removed block leaves two empty lines.
	awk -v back=1 -f "$here/resolve.awk" "$work/out" | cat -s > "$to"
	# Drop version.h if no condition on the version is left.
	grep -q 'LINUX_VERSION_CODE' "$to" || sed -i '/^#include <linux\/version.h>$/d' "$to"
	# Remove a header that has only comments left.
	if ! grep -vE "^($nothing)\$" "$to" | grep -q .; then
		rm "$to"
	fi
}

makefile()
{
	cat <<-'END'
		# SPDX-License-Identifier: GPL-2.0

		# For trace.h to be found by define_trace.h.
	END
	# Since 6.10 $(src) is the whole path.
	# shellcheck disable=SC2016 # make's
	if [ $code -ge $((6 * 65536 + 10 * 256)) ]; then src='$(src)'; else src='$(srctree)/$(src)'; fi
	echo "ccflags-y += -I$src"
	if [ -d "$work/b/$driver/compat" ]; then
		printf '%s\n' '' '# Compatibility headers, searched before the kernel headers.' \
			"NOSTDINC_FLAGS += -I$src/compat"
	fi
	cat <<-'END'

		# Consistency checks of the tables, for tests only.
		ccflags-$(CONFIG_MTDCOMPR_KUNIT_TEST) += -DMTDC_CHECKS

	END
	grep -E '^(obj-|mtdcompr-)' "$top/$driver/Kbuild"
}

put_kconfig()
{
	sed 's|^endif # MTD$|source "drivers/mtd/mtdcompr/Kconfig"\n\n&|'
}

put_makefile()
{
	# shellcheck disable=SC2016 # make's
	printf 'obj-$(CONFIG_MTDCOMPR)\t\t+= mtdcompr/\n' > "$work/line"
	sed "/^obj-.(CONFIG_MTD_UBI)/r $work/line"
}

# The toctree is roughly sorted: insert the line before the first name that sorts after it.
put_index()
{
	awk '!done && /^   [a-z]/ && $1 > "mtdcompr" && last <= "mtdcompr" && last >= "m" {
			print "   mtdcompr"
			done = 1
		}
		/^   [a-zA-Z]/ { last = $1 }
		{ print }'
}

# Take our entry for the driver, with the files that exist in the kernel; entries are sorted by
# title.
put_maintainers()
{
	awk '/^MTDCOMPR DRIVER$/ { on = 1 }
		on && /^$/ { exit }
		on { sub(/Documentation\/reference\/options\.rst/, "Documentation/admin-guide/mtdcompr.rst") }
		on && /^F:/ && !/drivers\/|admin-guide|ABI|uapi/ { next }
		on' "$top/MAINTAINERS" > "$work/entry"
	[ -s "$work/entry" ] || die "MAINTAINERS has no MTDCOMPR DRIVER"
	# Some entries are out of order, so insert ours after an entry with the same first letter.
	awk -v entry="$work/entry" -v title=MTDCOMPR '
		empty && /^[A-Z0-9]/ {
			if (!done && last ~ /^M/ && last < title && $0 > title) {
				while ((getline line < entry) > 0)
					print line
				print ""
				done = 1
			}
			last = $0
		}
		{ empty = /^$/; print }'
}

# The driver's pages of reference make one page.
guide()
{
	local pages=$top/Documentation/reference

	cat <<-'END'
		.. SPDX-License-Identifier: GPL-2.0

		================================================
		mtdcompr: a compressing MTD, to be used as swap
		================================================

		The other pages that this one names are in the tree of the project, which the driver
		comes from.

		.. contents::
		   :local:
		   :depth: 1
	END
	awk -f "$here/guide.awk" "$top/Documentation/ABI/testing/procfs-mtdcompr" \
		"$pages/options.rst" "$pages/statistics.rst" "$pages/limits.rst"
}

# pages FILE...: name the pages of the project as the kernel has them: the reference is one page,
# and the others are not there
pages()
{
	sed -i -E 's#Documentation/reference/[a-z-]+\.rst#Documentation/admin-guide/mtdcompr.rst#g
		s#Documentation/(start|guides|explanation|develop|papers)/([a-z-]+\.rst)#\2#g' "$@"
}

add $driver "$top/$driver"/*.[ch] "$top/$driver/Kconfig"
rm -f "$work/b/$driver"/*.mod.c
sed -i '2,/^$/{/^#/d}' "$work/b/$driver/Kconfig"
while read -r file; do
	compat "$file"
done < <(cd "$top/include/compat" && find . -name '*.h' | sed 's|^\./||' | LC_ALL=C sort)
find "$work/b" -type d -empty -delete
makefile > "$work/b/$driver/Makefile"
add include/uapi/linux "$top/include/uapi/linux/mtdcompr.h"
add Documentation/ABI/testing "$top"/Documentation/ABI/testing/*
mkdir -p "$work/b/Documentation/admin-guide"
guide > "$work/b/Documentation/admin-guide/mtdcompr.rst"
pages "$work/b/$driver"/*.[ch] "$work/b/$driver/Kconfig" "$work/b/Documentation/ABI/testing"/* \
	"$work/b/Documentation/admin-guide/mtdcompr.rst"
change drivers/mtd/Kconfig put_kconfig
change drivers/mtd/Makefile put_makefile
LC_ALL=C change Documentation/admin-guide/index.rst put_index
LC_ALL=C change MAINTAINERS put_maintainers

mkdir -p "$(dirname "$out")"
{
	cat <<-END
		Subject: [PATCH] mtd: mtdcompr: a compressing MTD on top of an MTD, for swap

		For Linux $version.$level.$sub. It is used as Documentation/admin-guide/mtdcompr.rst says.
		---
	END
	# Remove the times of files; write /dev/null as the old name of a new file.
	(cd "$work" && LC_ALL=C diff -Nru a b) | sed -E 's/^((---|\+\+\+) [^\t]*)\t.*/\1/' |
		awk '/^--- a\// {
			old = $0
			getline new
			getline hunk
			print hunk ~ /^@@ -0,0 / ? "--- /dev/null" : old
			print new
			print hunk
			next
		}
		{ print }'
} > "$work/patch"
cp "$work/patch" "$out"
echo "$out: for Linux $version.$level.$sub," \
	"$(grep -c '^diff ' "$out") files, $(grep -c '^+[^+]' "$out") lines"
