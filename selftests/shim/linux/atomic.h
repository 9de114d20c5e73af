/* SPDX-License-Identifier: GPL-2.0 */
/* There is one thread. */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long long counter;
} atomic64_t;

#define atomic64_set(v, n)	((void)((v)->counter = (n)))
#define atomic64_read(v)	((v)->counter)
#define atomic64_inc_return(v)	(++(v)->counter)

#define atomic_set(v, n)	((void)((v)->counter = (n)))
#define atomic_read(v)		((v)->counter)
#define atomic_inc(v)		((void)(v)->counter++)
#define atomic_inc_return(v)	(++(v)->counter)
#define smp_mb__after_atomic()	do { } while (0)
#define atomic_dec(v)		((void)(v)->counter--)

#endif
