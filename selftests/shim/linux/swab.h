/* SPDX-License-Identifier: GPL-2.0 */
#define swab32(n)	__builtin_bswap32(n)
#define swab64(n)	__builtin_bswap64(n)
