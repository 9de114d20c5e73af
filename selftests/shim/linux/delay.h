/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_DELAY_H
#define SHIM_LINUX_DELAY_H

#define msleep(ms)	((void)(ms))

#endif
