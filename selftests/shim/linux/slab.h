/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SLAB_H
#define SHIM_LINUX_SLAB_H

#include <linux/mm.h>

#define kmalloc		kvmalloc
#define kzalloc		kvzalloc
#define kfree		kvfree

#endif
