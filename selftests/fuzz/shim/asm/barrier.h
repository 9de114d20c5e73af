/* SPDX-License-Identifier: GPL-2.0 */
/* There is one thread. */
#ifndef SHIM_ASM_BARRIER_H
#define SHIM_ASM_BARRIER_H

#define smp_load_acquire(p)		(*(p))
#define smp_store_release(p, value)	((void)(*(p) = (value)))

#endif /* SHIM_ASM_BARRIER_H */
