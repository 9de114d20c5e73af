/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel's header, for the PURE units only. */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int32_t s32;
typedef long long s64;
typedef u16 __le16;
typedef u32 __le32;
typedef u64 __le64;

#define U32_MAX		UINT32_MAX
#define U64_MAX		(~0ULL)
#define __force
#define __must_check	__attribute__((warn_unused_result))
#define __packed	__attribute__((packed))

#endif
