/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_CAPABILITY_H
#define SHIM_LINUX_CAPABILITY_H

#define CAP_SYS_ADMIN	21
#define capable(what)	((void)(what), true)

#endif
