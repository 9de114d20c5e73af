/* SPDX-License-Identifier: GPL-2.0 */
/*
 * crypt-simd.sh includes this in front of the kernel's own files. They find include/crypto of the
 * kernel as it is. This file has all that they take from other headers, and crypt-simd.sh makes
 * empty files of these.
 */
#ifndef CRYPT_KERNEL_H
#define CRYPT_KERNEL_H

#ifdef __ASSEMBLER__

#define SYM_FUNC_START(name)	.globl name; .type name, %function; name:
#define SYM_FUNC_START_LOCAL(name) .type name, %function; name:
#define SYM_FUNC_END(name)	.size name, .-name
#define RET			ret
#define FRAME_BEGIN
#define FRAME_END

#else

typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32, __le32;
typedef __UINT64_TYPE__ u64, __le64;
typedef unsigned __int128 u128;
typedef __SIZE_TYPE__ size_t;
typedef _Bool bool;

#define NULL			((void *)0)
#define true			1
#define false			0
#define SZ_4K			4096U
#define memcpy			__builtin_memcpy
#define memset			__builtin_memset

#define __init
#define __exit
#define __ro_after_init
#define __aligned(bytes)	__attribute__((aligned(bytes)))
#define __maybe_unused		__attribute__((unused))
#define __must_check
#define asmlinkage
#define at_least		static
#define noinline		__attribute__((noinline))
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define BUILD_BUG_ON(x)		_Static_assert(!(x), #x)
#define WARN_ON_ONCE(x)		((void)(x))
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define min(a, b)		((a) < (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define round_down(x, to)	((x) & ~((__typeof__(x))(to) - 1))
#define round_up(x, to)		((((x) - 1) | ((__typeof__(x))(to) - 1)) + 1)
#define rol32(x, bits)		((x) << (bits) | (x) >> (32 - (bits)))
#define container_of(p, type, member) \
	((type *)((u8 *)(p) - __builtin_offsetof(type, member)))

#define OPTIMIZER_HIDE_VAR(x)	asm("" : "+r" (x))

/* Options of an x86-64 kernel. */
#define IS_ENABLED(option)	(option)
#define CONFIG_64BIT		1
#define CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS 1
#define __ffs(x)		__builtin_ctzl(x)

#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)
#define MODULE_AUTHOR(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_LICENSE(text)
#define module_init(function)
#define module_exit(function)
#define subsys_initcall(function) \
	static void __attribute__((constructor)) crypt_init(void) { function(); }

struct scatterlist;
static const u8 zero_page[SZ_4K];
#define ZERO_PAGE(address)	zero_page
#define page_address(page)	(page)

#define cpu_to_le64(x)		(x)
#define get_unaligned(p)	(((const struct { __typeof__(*(p)) x; } \
				   __attribute__((packed)) *)(p))->x)
#define put_unaligned(v, p)	(((struct { __typeof__(*(p)) x; } \
				   __attribute__((packed)) *)(p))->x = (v))
#define get_unaligned_le32(p)	get_unaligned((const u32 *)(p))
#define get_unaligned_le64(p)	get_unaligned((const u64 *)(p))
#define put_unaligned_le32(v, p) put_unaligned(v, (u32 *)(p))
#define put_unaligned_le64(v, p) put_unaligned(v, (u64 *)(p))

static inline void memzero_explicit(void *memory, size_t bytes)
{
	memset(memory, 0, bytes);
	asm volatile("" : : "r" (memory) : "memory");
}

/* Keys that are variables: a load and a branch more a call. */
#define DEFINE_STATIC_KEY_FALSE(name)	bool name
#define static_branch_likely(key)	likely(*(key))
#define static_branch_enable(key)	(*(key) = true)

/* This processor's. */
#define X86_FEATURE_SSSE3	"ssse3"
#define X86_FEATURE_AVX		"avx"
#define X86_FEATURE_AVX2	"avx2"
#define X86_FEATURE_AVX512F	"avx512f"
#define X86_FEATURE_AVX512BW	"avx512bw"
#define X86_FEATURE_AVX512VL	"avx512vl"
#define boot_cpu_has(feature)		(__builtin_cpu_init(), __builtin_cpu_supports(feature))
#define cpu_has_xfeatures(mask, name)	true
/* Of no processor: it asks for the one whose clock AVX-512 slows down. */
#define boot_cpu_data			((struct { int x86_vfm; }) { 0 })
#define INTEL_SKYLAKE_X			1

/* The kernel saves a program's registers here, once a system call. */
#define irq_fpu_usable()		true
#define kernel_fpu_begin()		((void)0)
#define kernel_fpu_end()		((void)0)

#endif

#endif /* CRYPT_KERNEL_H */
