/* SPDX-License-Identifier: GPL-2.0 */
/* The options that Kbuild sets for the module. */
#ifndef SHIM_LINUX_KCONFIG_H
#define SHIM_LINUX_KCONFIG_H

#define IS_ENABLED(option)	(option)
#ifndef CONFIG_MTD_UBI
#define CONFIG_MTD_UBI		1
#endif
#ifndef CONFIG_MTDCOMPR_CRYPT
#define CONFIG_MTDCOMPR_CRYPT	1
#endif
#define CONFIG_MTDCOMPR_LZ4	1
#define CONFIG_MTDCOMPR_LZO	1
#define CONFIG_MTDCOMPR_ZLIB	1
#define CONFIG_MTDCOMPR_ZSTD	1

#endif
