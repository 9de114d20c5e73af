/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MINMAX_H
#define SHIM_LINUX_MINMAX_H

#define min(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); \
		     (void)(&_a == &_b); _a < _b ? _a : _b; })
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); \
		     (void)(&_a == &_b); _a > _b ? _a : _b; })
#define min3(a, b, c) ({ __typeof__(a) _m = min(a, b); min(_m, c); })
#define clamp(n, low, high) ({ __typeof__(n) _c = max(n, low); min(_c, high); })
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define swap(a, b) do { __typeof__(a) _t = (a); (a) = (b); (b) = _t; } while (0)

#endif
