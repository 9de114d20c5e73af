/* SPDX-License-Identifier: GPL-2.0 */
/* Who is looked up is there, until the suite counts that he has been put again. */
#ifndef SHIM_LINUX_MODULE_H
#define SHIM_LINUX_MODULE_H

extern int shim_symbols;

#define symbol_get(name)	(shim_symbols++, &(name))
#define symbol_put(name)	((void)&(name), (void)shim_symbols--)

#endif
