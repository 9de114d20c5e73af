# SPDX-License-Identifier: GPL-2.0
SUMMARY = "Sets up compressed MTDs and swap on them, and the daemons for swap"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://COPYING;md5=b234ee4d69f5fce4486a80fdaf4a4263"

inherit pkgconfig update-rc.d

# Swap at boot: by the generator with systemd, else by the init script.
INITSCRIPT_PACKAGES = "mtdcompr-boot"
INITSCRIPT_NAME = "mtdcompr"
INITSCRIPT_PARAMS = "start 02 S . stop 80 0 1 6 ."

require recipes-support/mtdcompr/mtdcompr-source.inc

B = "${WORKDIR}/build"

TOOLS = "mtdcomprctl boot latd proswapd rectifyd marvin/marvind"
EXTRA_OEMAKE = "O=${B} PREFIX=${prefix} PKG_CONFIG=pkg-config \
    WITHOUT=libbpf"

do_compile() {
    for tool in ${TOOLS}; do
        oe_runmake -C ${S}/tools/$tool all
    done
}

do_install() {
    for tool in ${TOOLS}; do
        oe_runmake -C ${S}/tools/$tool install DESTDIR=${D}
    done
    install -D -m 755 ${S}/tools/boot/mtdcompr.init ${D}${sysconfdir}/init.d/mtdcompr
    install -D -m 644 ${S}/tools/boot/mtdcompr.default ${D}${sysconfdir}/default/mtdcompr
}

PACKAGES =+ "mtdcomprctl mtdcompr-boot latd proswapd rectifyd marvind"
FILES:mtdcomprctl = "${sbindir}/mtdcomprctl ${datadir}/zsh"
FILES:mtdcompr-boot = "${sysconfdir} ${nonarch_libdir}/systemd"
CONFFILES:mtdcompr-boot = "${sysconfdir}/default/mtdcompr"
RDEPENDS:mtdcompr-boot = "mtdcomprctl"
FILES:latd = "${sbindir}/latd ${bindir}/latdctl ${datadir}/latd"
FILES:proswapd = "${sbindir}/proswapd ${bindir}/proswapctl ${datadir}/proswapd"
FILES:rectifyd = "${sbindir}/rectifyd ${bindir}/rectifyctl ${datadir}/rectifyd"
FILES:marvind = "${sbindir}/marvind ${bindir}/marvinctl ${datadir}/marvind"
FILES:${PN} += "${datadir}/bash-completion"
