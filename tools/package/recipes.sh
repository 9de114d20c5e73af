#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# recipes.sh OUT: check the recipes for Buildroot, Yocto and OpenWrt without these build systems,
# which Debian does not package. Prints one TAP stream. make reads the Makefiles with stand-ins for
# the build systems' definitions and prints its commands; the files that the recipes name have to
# exist. This does not show that the build systems accept the recipes, except for Buildroot: if
# BUILDROOT names its tree, its own parsers read them.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
out=${1:-$top/build/package}/recipes
mkdir -p "$out"
details=$out/log
version=$(sed -n 's/^#define VERSION "\(.*\)"$/\1/p' "$top/tools/common/version.h")

# says WHAT PATTERN: does a line of the log match?
says()
{
	result "$(grep -qE -- "$2" "$details"; echo $?)" "$1"
}

# Stand-ins for the parts of Buildroot that the packages use; they print the package's variables.
buildroot_stub()
{
	cat > "$out/buildroot.mk" <<'END'
BR2_EXTERNAL_MTDCOMPR_PATH := $(HERE)/buildroot
BR2_PACKAGE_MTDCOMPR_TOOLS_LATD := y
TARGET_CONFIGURE_OPTS := CC=arm-cc
TARGET_DIR := /target
INSTALL := install
pkgname = $(lastword $(subst /, ,$(dir $(lastword $(MAKEFILE_LIST)))))
kernel-module = # $(pkgname)
generic-package = # $(pkgname)
include $(BR2_EXTERNAL_MTDCOMPR_PATH)/external.mk
all:
	@echo site $(MTDCOMPR_SITE) $(MTDCOMPR_TOOLS_SITE)
	@echo version $(MTDCOMPR_VERSION) $(MTDCOMPR_TOOLS_VERSION)
	$(MTDCOMPR_TOOLS_BUILD_CMDS)
	$(MTDCOMPR_TOOLS_INSTALL_TARGET_CMDS)
	$(MTDCOMPR_TOOLS_INSTALL_INIT_SYSV)
END
}

buildroot()
{
	local status=0

	buildroot_stub
	make -n -f "$out/buildroot.mk" HERE="$here" > "$details" 2>&1 || status=$?
	result $status "buildroot: make reads the packages"
	says "buildroot: the source is the checkout" "site $top $top\$"
	says "buildroot: the version is the tree's" "version $version $version\$"
	says "buildroot: it builds what is chosen" '-C .*tools/latd .* all$'
	says "buildroot: and installs it" '-C .*tools/mtdcomprctl .*DESTDIR=/target install$'
	says "buildroot: and its start at boot" 'tools/boot/mtdcompr.init /target/etc/init.d/S02mtdcompr$'
	result "$(grep -c proswapd "$details")" "buildroot: and nothing that is not"
	[ -n "${BUILDROOT:-}" ] || {
		result 0 "buildroot: its own parsers # SKIP set BUILDROOT to its tree"
		return
	}
	real_buildroot
}

real_buildroot()
{
	local status=0 make

	make=(make -s -C "$BUILDROOT" "O=$out/br" "BR2_EXTERNAL=$here/buildroot")
	printf '%s\n' BR2_arm=y BR2_cortex_a7=y BR2_TOOLCHAIN_EXTERNAL=y BR2_LINUX_KERNEL=y \
		'BR2_LINUX_KERNEL_DEFCONFIG="multi_v7"' BR2_PACKAGE_MTDCOMPR=y \
		BR2_PACKAGE_MTDCOMPR_TOOLS=y BR2_PACKAGE_MTDCOMPR_TOOLS_LATD=y > "$out/br.config"
	rm -rf "$out/br"
	"${make[@]}" defconfig BR2_DEFCONFIG="$out/br.config" > "$details" 2>&1 || status=$?
	[ "$(grep -c '^BR2_PACKAGE_MTDCOMPR.*=y' "$out/br/.config")" = 3 ] || status=1
	result $status "buildroot: its Kconfig takes them"
	status=0
	"${make[@]}" mtdcompr-show-info mtdcompr-tools-show-info > "$details" 2>&1 || status=$?
	result $status "buildroot: its make takes them"
	says "buildroot: the module is built after the kernel" '"mtdcompr":.*"dependencies": [^]]*"linux"'
}

# Stand-ins that print the definitions which OpenWrt would evaluate.
openwrt_stub()
{
	mkdir -p "$out/openwrt/include"
	: > "$out/openwrt/include/kernel.mk"
	cat > "$out/openwrt/rules.mk" <<'END'
INCLUDE_DIR := $(TOPDIR)/include
PKG_BUILD_DIR := /build
CP := cp -fpR
INSTALL_DIR := install -d
INSTALL_BIN := install -m 755
INSTALL_CONF := install -m 600
KERNEL_MAKE := make -C /linux
all:
END
	cat > "$out/openwrt/include/package.mk" <<'END'
define BuildPackage
all: package-$(1)
package-$(1):
	@echo package $(1) $(PKG_VERSION)
	$$(Build/Prepare)
	$$(Build/Compile)
	$$(call Package/$(1)/install,/root)
endef
KernelPackage = all: ; @echo kmod-$(1) $$(wildcard $(MTDCOMPR_SOURCE)/Kbuild)
END
}

openwrt()
{
	local status=0

	openwrt_stub
	ln -sfn "$here/openwrt" "$out/feed"
	make -n -C "$out/feed/mtdcompr" TOPDIR="$out/openwrt" > "$details" 2>&1 || status=$?
	result $status "openwrt: make reads the package"
	says "openwrt: its source is found through the feed's link" "kmod-mtdcompr $top/Kbuild\$"
	says "openwrt: the version is the tree's" "package mtdcomprctl $version\$"
	says "openwrt: the module is built" 'make -C /linux M="?/build"? modules'
	says "openwrt: mtdcomprctl is installed" 'install -m 755 /build/out/mtdcomprctl /root/usr/sbin/'
	says "openwrt: and its start at boot" 'install -m 755 /build/tools/boot/mtdcompr.procd /root/etc/'
}

# For each recipe check the licence's checksum, the named files and the Makefiles of the tools.
yocto()
{
	local recipe name sum bad=0

	sum=$(md5sum < "$top/COPYING")
	for recipe in "$here"/yocto/recipes-*/*/*.bb; do
		grep -q "md5=${sum%% *}" "$recipe" || bad=1
		case $recipe in
		*"_$version.bb")	;;
		*)			bad=1 ;;
		esac
		# shellcheck disable=SC2016 # bitbake's
		for name in $(sed -n 's|.*file://${MTDCOMPR_SOURCE}/\([^ "]*\).*|\1|p' "$recipe") \
			$(sed -n 's|^TOOLS = "\(.*\)"|\1|p' "$recipe" | xargs -r -n 1 |
				sed 's|.*|tools/&/Makefile|'); do
			[ -e "$top/$name" ] || {
				echo "$recipe: $name is not there" > "$details"
				bad=1
			}
		done
	done
	result $bad "yocto: licence, version and files of the recipes are the tree's"
}

buildroot
openwrt
yocto
end_results
