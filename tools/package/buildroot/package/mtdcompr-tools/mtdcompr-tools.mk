# SPDX-License-Identifier: GPL-2.0
################################################################################
#
# mtdcompr-tools
#
################################################################################

MTDCOMPR_TOOLS_VERSION = 0.9
MTDCOMPR_TOOLS_SITE = $(realpath $(BR2_EXTERNAL_MTDCOMPR_PATH)/../../..)
MTDCOMPR_TOOLS_SITE_METHOD = local
MTDCOMPR_TOOLS_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude /build
MTDCOMPR_TOOLS_LICENSE = GPL-2.0
MTDCOMPR_TOOLS_LICENSE_FILES = COPYING
MTDCOMPR_TOOLS_DEPENDENCIES = host-pkgconf

MTDCOMPR_TOOLS_DIRS = \
	tools/mtdcomprctl \
	$(if $(BR2_INIT_SYSTEMD),tools/boot) \
	$(if $(BR2_PACKAGE_MTDCOMPR_TOOLS_LATD),tools/latd) \
	$(if $(BR2_PACKAGE_MTDCOMPR_TOOLS_PROSWAPD),tools/proswapd) \
	$(if $(BR2_PACKAGE_MTDCOMPR_TOOLS_RECTIFYD),tools/rectifyd) \
	$(if $(BR2_PACKAGE_MTDCOMPR_TOOLS_MARVIND),tools/marvin/marvind)

# Without libbpf, because compiling BPF programs needs clang.
MTDCOMPR_TOOLS_OPTS = $(TARGET_CONFIGURE_OPTS) PREFIX=/usr O=$(@D)/out \
	WITHOUT=libbpf

define MTDCOMPR_TOOLS_BUILD_CMDS
	$(foreach d,$(MTDCOMPR_TOOLS_DIRS), \
		$(TARGET_MAKE_ENV) $(MAKE) -C $(@D)/$(d) $(MTDCOMPR_TOOLS_OPTS) all
	)
endef

define MTDCOMPR_TOOLS_INSTALL_TARGET_CMDS
	$(foreach d,$(MTDCOMPR_TOOLS_DIRS), \
		$(TARGET_MAKE_ENV) $(MAKE) -C $(@D)/$(d) $(MTDCOMPR_TOOLS_OPTS) \
			DESTDIR=$(TARGET_DIR) install
	)
endef

# Swap at boot, configured in /etc/default/mtdcompr. With systemd the generator does this.
define MTDCOMPR_TOOLS_INSTALL_INIT_SYSV
	$(INSTALL) -D -m 0755 $(@D)/tools/boot/mtdcompr.init $(TARGET_DIR)/etc/init.d/S02mtdcompr
	$(INSTALL) -D -m 0644 $(@D)/tools/boot/mtdcompr.default $(TARGET_DIR)/etc/default/mtdcompr
endef

$(eval $(generic-package))
