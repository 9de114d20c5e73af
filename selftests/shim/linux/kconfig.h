/* SPDX-License-Identifier: GPL-2.0 */
/* What Kbuild would set. */
#ifndef SHIM_LINUX_KCONFIG_H
#define SHIM_LINUX_KCONFIG_H

#define IS_ENABLED(option)	(option)
#define CONFIG_MTD_UBI		1

#endif
