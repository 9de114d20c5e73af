# SPDX-License-Identifier: GPL-2.0
################################################################################
#
# mtdcompr
#
################################################################################

MTDCOMPR_VERSION = 0.9
# The checkout that contains this directory, without its build results.
MTDCOMPR_SITE = $(realpath $(BR2_EXTERNAL_MTDCOMPR_PATH)/../../..)
MTDCOMPR_SITE_METHOD = local
MTDCOMPR_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude /build
MTDCOMPR_LICENSE = GPL-2.0
MTDCOMPR_LICENSE_FILES = COPYING

# Out of tree the module has only the compressors of the kernel's libraries, and encrypts only with
# its ChaCha20-Poly1305. Where that has no prompt, CONFIG_WIREGUARD selects it.
define MTDCOMPR_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_MODULES)
	$(call KCONFIG_ENABLE_OPT,CONFIG_SWAP)
	$(call KCONFIG_ENABLE_OPT,CONFIG_PROC_FS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_BLOCK)
	$(call KCONFIG_ENABLE_OPT,CONFIG_MTD)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_LZ4)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_LZO)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_DEFLATE)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_XXHASH)
	$(call KCONFIG_ENABLE_OPT,CONFIG_CRYPTO_LIB_CHACHA20POLY1305)
endef

$(eval $(kernel-module))
$(eval $(generic-package))
