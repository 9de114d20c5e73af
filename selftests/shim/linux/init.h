/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_INIT_H
#define SHIM_LINUX_INIT_H

#define __init
#define __exit
/* So that it can be as new again, see shim_init_reset(). */
#define __initdata	__attribute__((section("shim_initdata")))

#endif
