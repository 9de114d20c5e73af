# SPDX-License-Identifier: GPL-2.0
SUMMARY = "Compressing MTD on top of an MTD, to be used as swap"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://COPYING;md5=b234ee4d69f5fce4486a80fdaf4a4263"

inherit module

require recipes-support/mtdcompr/mtdcompr-source.inc

do_compile() {
    unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS
    oe_runmake -C ${STAGING_KERNEL_DIR} M=${S} O=${STAGING_KERNEL_BUILDDIR} \
        CC="${KERNEL_CC}" LD="${KERNEL_LD}" AR="${KERNEL_AR}" modules
}

do_install() {
    oe_runmake -C ${STAGING_KERNEL_DIR} M=${S} O=${STAGING_KERNEL_BUILDDIR} \
        DEPMOD=echo INSTALL_MOD_PATH="${D}${root_prefix}" modules_install
}

RPROVIDES:${PN} += "kernel-module-mtdcompr"
