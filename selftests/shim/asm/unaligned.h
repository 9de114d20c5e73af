/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_UNALIGNED_H
#define SHIM_ASM_UNALIGNED_H

#include <string.h>

#include <asm/byteorder.h>
#include <linux/types.h>

#define get_unaligned(p) \
	({ __typeof__(*(p)) _v; memcpy(&_v, (p), sizeof(_v)); _v; })
#define put_unaligned(v, p) \
	({ __typeof__(*(p)) _v = (v); memcpy((p), &_v, sizeof(_v)); })

static inline u16 get_unaligned_le16(const void *p)
{
	return le16toh(get_unaligned((const u16 *)p));
}

static inline u32 get_unaligned_le32(const void *p)
{
	return le32toh(get_unaligned((const u32 *)p));
}

static inline u64 get_unaligned_le64(const void *p)
{
	return le64toh(get_unaligned((const u64 *)p));
}

static inline u32 get_unaligned_be32(const void *p)
{
	return be32toh(get_unaligned((const u32 *)p));
}

static inline u64 get_unaligned_be64(const void *p)
{
	return be64toh(get_unaligned((const u64 *)p));
}

static inline void put_unaligned_le16(u16 v, void *p)
{
	put_unaligned(htole16(v), (u16 *)p);
}

static inline void put_unaligned_le32(u32 v, void *p)
{
	put_unaligned(htole32(v), (u32 *)p);
}

static inline void put_unaligned_le64(u64 v, void *p)
{
	put_unaligned(htole64(v), (u64 *)p);
}

static inline void put_unaligned_be32(u32 v, void *p)
{
	put_unaligned(htobe32(v), (u32 *)p);
}

static inline void put_unaligned_be64(u64 v, void *p)
{
	put_unaligned(htobe64(v), (u64 *)p);
}

#endif
