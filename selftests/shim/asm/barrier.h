/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_BARRIER_H
#define SHIM_ASM_BARRIER_H

#define smp_mb()			__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, value)	__atomic_store_n(p, value, __ATOMIC_RELEASE)

#endif
