/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#include <linux/types.h>

#define likely(cond)		__builtin_expect(!!(cond), 1)
#define unlikely(cond)		__builtin_expect(!!(cond), 0)
#define READ_ONCE(n)		(*(const volatile __typeof__(n) *)&(n))
#define WRITE_ONCE(n, v)	(*(volatile __typeof__(n) *)&(n) = (v))
#define __aligned(n)		__attribute__((aligned(n)))
#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif
#define noinline		__attribute__((noinline))
#define __maybe_unused		__attribute__((unused))
#define fallthrough		__attribute__((__fallthrough__))
/* There is one thread. */
#define data_race(expr)		(expr)
#define smp_mb()		do { } while (0)

#endif
