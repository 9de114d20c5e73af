/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MATH_H
#define SHIM_LINUX_MATH_H

#define round_down(n, to) ((n) & ~((__typeof__(n))(to) - 1))
#define round_up(n, to) ((((n) - 1) | ((__typeof__(n))(to) - 1)) + 1)
#define roundup(n, to) ({ __typeof__(to) _to = (to); ((n) + _to - 1) / _to * _to; })

#endif
