/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BUG_H
#define SHIM_LINUX_BUG_H

#define BUILD_BUG_ON(cond) _Static_assert(!(cond), #cond)

#endif
