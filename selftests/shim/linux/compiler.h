/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#define likely(cond)		__builtin_expect(!!(cond), 1)
#define READ_ONCE(n)		__atomic_load_n(&(n), __ATOMIC_RELAXED)
#define data_race(expr)		(expr)	/* nothing looks for races here */
#define WRITE_ONCE(n, v)	__atomic_store_n(&(n), v, __ATOMIC_RELAXED)

#endif
