/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#include <asm/barrier.h>
#include <linux/types.h>

#define likely(cond)		__builtin_expect(!!(cond), 1)
#define unlikely(cond)		__builtin_expect(!!(cond), 0)
#define READ_ONCE(n)		__atomic_load_n(&(n), __ATOMIC_RELAXED)
#define data_race(expr)		(expr)	/* nothing looks for races here */
#define WRITE_ONCE(n, v)	__atomic_store_n(&(n), v, __ATOMIC_RELAXED)
#define __aligned(n)		__attribute__((aligned(n)))
#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif
#define noinline		__attribute__((noinline))
#define __maybe_unused		__attribute__((unused))
#define fallthrough		__attribute__((__fallthrough__))

#endif
