/* SPDX-License-Identifier: GPL-2.0 */
/*
 * checksum.sh includes this in front of the kernel's own files. It has all that they take from the
 * kernel's headers, and checksum.sh makes empty files of these.
 */
#ifndef CHECKSUM_KERNEL_H
#define CHECKSUM_KERNEL_H

#ifdef __ASSEMBLER__

#define SYM_FUNC_START(name)	.globl name; .type name, %function; name:
#define SYM_FUNC_END(name)	.size name, .-name
#define RET			ret
#define ANNOTATE_NOENDBR

#ifdef __aarch64__
	.macro adr_l, dst, sym
	adrp \dst, \sym
	add \dst, \dst, :lo12:\sym
	.endm
#endif

#else

typedef __UINT8_TYPE__ u8, uint8_t;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32, uint32_t, __le32, __be32;
typedef __UINT64_TYPE__ u64, uint64_t;
typedef __SIZE_TYPE__ size_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef _Bool bool;

#define NULL			((void *)0)
#define true			1
#define false			0
#define EINVAL			22
#define __LITTLE_ENDIAN		1234
#define memcpy			__builtin_memcpy
#define memset			__builtin_memset

#define __init
#define __exit
#define __force
#define __always_inline		inline __attribute__((always_inline))
#define __maybe_unused		__attribute__((unused))
#define __pure			__attribute__((pure))
#define __weak			__attribute__((weak))
#define __alias(name)		__attribute__((alias(#name)))
#define __attribute_const__	__attribute__((const))
#define __packed		__attribute__((packed))
#define __ro_after_init
#define ____cacheline_aligned	__attribute__((aligned(64)))
#define asmlinkage
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define round_down(x, to)	((x) & ~((to) - 1))
#define ASM_INPUT_RM		"rm"

#define EXPORT_SYMBOL(name)
#define MODULE_AUTHOR(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)
#define module_exit(function)
#define subsys_initcall(function) \
	static void __attribute__((constructor)) checksum_init(void) { function(); }

#define __cpu_to_le32(x)	(x)
#define __le32_to_cpu(x)	(x)
#define cpu_to_le32(x)		(x)
#define __cpu_to_be32(x)	__builtin_bswap32(x)
#define __be32_to_cpu(x)	__builtin_bswap32(x)
#define cpu_to_be32(x)		__builtin_bswap32(x)

/* As the kernel does it on every machine: the compiler knows which loads are possible. */
struct checksum_u32 { u32 x; } __packed;
struct checksum_u64 { u64 x; } __packed;

static inline u32 get_unaligned_le32(const void *p)
{
	return ((const struct checksum_u32 *)p)->x;
}

static inline u64 get_unaligned_le64(const void *p)
{
	return ((const struct checksum_u64 *)p)->x;
}

/* Keys that are variables: a load and a branch more a call. */
#define DEFINE_STATIC_KEY_FALSE(name)	bool name
#define static_branch_likely(key)	likely(*(key))
#define static_branch_enable(key)	(*(key) = true)
#define static_key_enabled(key)		(*(key))
#define DEFINE_STATIC_CALL(name, f)	static __typeof__(f) *name = (f)
#define static_call_update(name, f)	(name = (f))
#define static_call(name)		name

/* checksum.sh gives each X86_FEATURE_ that the files ask for as 0 or 1, and PMULL. */
#define boot_cpu_has(feature)		(feature)
#define cpu_has_xfeatures(mask, name)	true
#define alternative_has_cap_likely(cap)	true
#define cpu_have_named_feature(name)	(name)

/* checksum.c measures apart how long a section with vector registers takes. */
#define irq_fpu_usable()		true
#define may_use_simd()			true
#define kernel_fpu_begin()		((void)0)
#define kernel_fpu_end()		((void)0)
#define scoped_ksimd()

#define CRC32_LE_OPTIMIZATION		1
#define CRC32_BE_OPTIMIZATION		2
#define CRC32C_OPTIMIZATION		4
#define CRC32_POLY_LE			0xedb88320
#define CRC32C_POLY_LE			0x82f63b78
#define CRC32_POLY_BE			0x04c11db7

#endif

#endif /* CHECKSUM_KERNEL_H */
