# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Variables of kernel.sh and lib.sh:
# shellcheck disable=SC2154
#
# Sourced by the files of kernels that are built from Debian's source: configures, compiles and
# installs a kernel, and keeps the result in the cache. The file of the kernel sets
#
#   kwhat      "the board's kernel", for messages
#   kfiles     about how many files are compiled, for the progress
#   fragment   its config; all of its options must take effect
#   karch      the directory below arch/
#   kvars      (array) variables of kbuild: ARCH=..., CC=...
#   kimages    (array) files of the object tree, to be kept beside it; QEMU boots the first
#   kkeep      (array) more file names that building a module needs
#
# may define a base_config of its own, and calls provide_kernel. After that, dir is the kernel's
# directory:
#
#   build/                  object tree, to build modules against
#   lib/modules/$krel/      its modules
#   the files of kimages
#
# The directory's name has the hash of its inputs: the source's version, the config, the compiler,
# and the code that is executed.

# find_source: sets ksrc, unless the caller has set MTDC_KERNEL with a source.
find_source()
{
	ksrc=$(field KSRC "${MTDC_KERNEL:-}")
	if [ -z "$ksrc" ]; then
		ksrc=$("$top/qemu/kernel.sh" --source) || exit 1
		ksrc=$(field KSRC "$ksrc")
	fi
	[ -s "$ksrc/arch/$karch/Makefile" ] ||
		die "no kernel source in \"$ksrc\""
}

# kbuild ARGUMENT...: with fixed names and times in the image, which would make each build differ.
# With ccache, another config of the same source only compiles the differences.
kbuild()
{
	CCACHE_DIR="$cache/ccache" CCACHE_MAXSIZE=2G CCACHE_BASEDIR="$cache" \
	CCACHE_NOHASHDIR=1 \
	KBUILD_BUILD_USER=mtdcompr KBUILD_BUILD_HOST="$name" \
		KBUILD_BUILD_TIMESTAMP='2024-01-01 00:00 UTC' \
		make -C "$ksrc" O="$new/build" "${kvars[@]}" CC="ccache $compiler" "$@"
}

# base_config FILE: the base below the fragment. Here only the fragment itself.
base_config()
{
	kbuild -s KCONFIG_ALLCONFIG="$fragment" allnoconfig
}

# configure: check that all options of the fragment took effect: kbuild silently drops unknown
# options and those without their dependencies.
configure()
{
	local line option lost=

	base_config "$new/build/.config" > "$new/config.log" 2>&1 || {
		cat "$new/config.log" >&2
		return 1
	}
	while read -r line; do
		option=${line#\# }
		option=${option%%[ =]*}
		case $line in
		CONFIG_*)
			grep -qxF "$line" "$new/build/.config" ;;
		'# CONFIG_'*' is not set')
			! grep -q "^$option=" "$new/build/.config" ;;
		esac || lost="$lost $option"
	done < "$fragment"
	[ -z "$lost" ] || die "these options of the config did not take:$lost"
}

# progress: kbuild prints a line for each file.
progress()
{
	awk -v files="$kfiles" '
		/^  (CC|AS|LD|AR)/ && ++n % 100 == 0 {
			printf "   %d of about %d files\n", n, files
			fflush()
		}
		/[Ee]rror:|[Ww]arning:/ { print; fflush() }' >&2
}

# compile TARGET...
compile()
{
	local jobs
	jobs=$(nproc)

	say "building $kwhat, some minutes"
	# pipefail: the status of make counts.
	kbuild -j "$jobs" "$@" 2>&1 | tee "$new/build.log" | progress || {
		tail -n 30 "$new/build.log" >&2
		return 1
	}
	kbuild -s INSTALL_MOD_PATH="$new" INSTALL_MOD_STRIP=1 modules_install \
		> "$new/install.log" 2>&1 || {
		cat "$new/install.log" >&2
		return 1
	}
}

# prune: keep only the files of the object tree that building a module needs.
prune()
{
	local image name keep=()

	for image in "${kimages[@]}"; do
		cp "$new/build/$image" "$new/" || return 1
	done
	for name in .config Makefile Module.symvers auto.conf \
		${kkeep[@]+"${kkeep[@]}"}; do
		keep+=(! -name "$name")
	done
	find "$new/build" \( -path "$new/build/scripts" -o \
		-path "$new/build/include" -o \
		-path "$new/build/arch/*/include" \) -prune -o -type f \
		"${keep[@]}" -exec rm -f {} +
	find "$new/build" -depth -type d -empty -delete
	rm -f "$new"/lib/modules/*/build "$new"/lib/modules/*/source
	rm -f "$new"/*.log
}

# key_sizes: sizes of the most important files.
key_sizes()
{
	stat -c '%s %n' "${kimages[@]##*/}" build/.config build/Module.symvers \
		build/scripts/mod/modpost build/include/generated/autoconf.h \
		lib/modules/*/modules.dep
}

intact()
{
	[ -s "$dir/.sizes" ] &&
	[ "$(cd "$dir" && key_sizes 2>/dev/null)" = "$(cat "$dir/.sizes")" ]
}

build_kernel()
{
	rm -rf "$cache/$name"-*.new
	mkdir -p "$new/build"
	configure && compile "$@" && prune || return 1
	# The newest kernels' object tree says where it is.
	sed -i "s|^\(export KBUILD_OUTPUT = \).*|\1$dir/build|" "$new/build/Makefile" || return 1
	( cd "$new" && key_sizes ) > "$new/.sizes" || return 1
	# Rename last, so that a directory with the final name is complete.
	rm -rf "$dir"
	mv "$new" "$dir"
}

# provide_kernel COMPILER TARGET...: sets dir and krel, and prints the lines of kernel.sh.
provide_kernel()
{
	local compiler=$1 hash
	shift

	find_source
	# Hash only the executed code, so that a new comment does not cost minutes.
	hash=$({
		echo "${ksrc##*/}" "${kvars[*]}" "${kimages[*]}" "$*"
		grep -v '^$\|^#\( \|$\)' "$fragment"
		grep '^# CONFIG' "$fragment"
		declare -f base_config kbuild configure compile prune
		"$compiler" --version
	} | sha256sum | cut -c 1-16)
	dir=$cache/$name-$hash
	new=$dir.new

	set -o pipefail
	# Several tests may start on an empty cache, so take a lock.
	mkdir -p "$cache"
	exec 9>"$cache/.$name.lock"
	flock 9
	intact || build_kernel "$@" || die "could not build $kwhat"
	intact || die "$kwhat does not look as expected: $dir"
	exec 9>&-
	krel=$(cat "$dir/build/include/config/kernel.release")
	cat <<-END
		KREL=$krel
		KVER=${ksrc##*/source-}
		KDIR=$dir/build
		KMAKE=${kvars[*]}
		IMAGE=$dir/${kimages[0]##*/}
		MODROOT=$dir
		KSRC=$ksrc
	END
}
