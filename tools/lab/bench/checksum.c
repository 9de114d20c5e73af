// SPDX-License-Identifier: GPL-2.0
/*
 * Times the checksums that could protect a fragment: the kernel's own code, which checksum.sh
 * compiles.
 *
 * usage: checksum time | count
 *
 * "time" prints CSV: function, bytes, and the median nanoseconds of a call with its data in the
 * cache, and with data in random places of a buffer that no cache holds. The functions take turns.
 * The data begin at odd addresses, and each call takes the result of the last one as its seed, so
 * that calls do not overlap. "count" makes one call of each between two marks for
 * checksum-count.c, which counts instructions.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "checksum.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Four times the largest cache of the machines that this ran on, and the distance of fragments. */
#define COLD_BYTES	(128UL << 20)
#define SLOT		4352UL
#define SLOTS		(COLD_BYTES / SLOT)
/* A batch takes some 0.1 ms, so the scheduler disturbs few of them. */
#define BATCH		128U
#define ROUNDS		101U
#define VARIANTS_MAX	12U
/* No system call of any machine. checksum-count.c has the same numbers. */
#define MARK_BEGIN	19796
#define MARK_END	19797

static const size_t lengths[] = { 600, 1300, 2500, 4096 };

static uint32_t none(uint32_t seed, const void *p, size_t bytes)
{
	(void)p;
	(void)bytes;
	return seed;
}

/* Reads all, with as little else as possible: the bound for data that are in no cache. */
static uint32_t sum(uint32_t seed, const void *p, size_t bytes)
{
	unsigned long total = seed, word;
	size_t at;

	for (at = 0; at + sizeof(word) <= bytes; at += sizeof(word)) {
		memcpy(&word, (const uint8_t *)p + at, sizeof(word));
		total += word;
	}
	return total;
}

static uint32_t xxhash64(uint32_t seed, const void *p, size_t bytes)
{
	return xxh64(p, bytes, seed);
}

/* All lines are asked for at once, so that their misses overlap. */
static uint32_t xxhash64_ahead(uint32_t seed, const void *p, size_t bytes)
{
	size_t at;

	for (at = 0; at < bytes; at += 64)
		__builtin_prefetch((const uint8_t *)p + at);
	return xxh64(p, bytes, seed);
}

static uint32_t xxhash32(uint32_t seed, const void *p, size_t bytes)
{
	return xxh32(p, bytes, seed);
}

static bool always(void)
{
	return true;
}

#ifdef __x86_64__
#define VECTORS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
	"xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory"

static bool has_crc32(void)
{
	return __builtin_cpu_supports("sse4.2");
}

static bool has_pclmul(void)
{
	return has_crc32() && __builtin_cpu_supports("pclmul");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("vpclmulqdq");
}
#endif

static const struct function {
	const char *name;
	uint32_t (*call)(uint32_t seed, const void *p, size_t bytes);
	bool (*usable)(void);
	bool is_crc;
} functions[] = {
	{ "none", none, always, false }, /* the cost of a call, which checksum.sh subtracts */
	{ "sum", sum, always, false },
	{ "xxh64", xxhash64, always, false },
	{ "xxh64, prefetched", xxhash64_ahead, always, false },
	{ "xxh32", xxhash32, always, false },
	{ "crc32c, slices", crc32c_slices, always, true },
	{ "crc32c, bytes", crc32c_bytes, always, true },
#if defined(__x86_64__)
	{ "crc32c, 1 stream", crc32c_one, has_crc32, true },
	{ "crc32c, 3 streams", crc32c_streams, has_pclmul, true },
	{ "crc32c, AVX-512", crc32c_avx512, has_avx512, true },
#elif defined(__aarch64__)
	{ "crc32c, 1 stream", crc32c_one, always, true },
	{ "crc32c, 4 streams", crc32c_streams, always, true },
#endif
};

static uint8_t *memory;
static uint32_t order[SLOTS];
static uint32_t result;

static const uint8_t *slot(uint32_t i)
{
	return memory + i * SLOT + 1;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static uint32_t crc_by_bits(uint32_t crc, const uint8_t *p, size_t bytes)
{
	int bit;

	while (bytes--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0);
	}
	return crc;
}

/* A wrong function gets no time. */
static void verify(void)
{
	size_t i, bytes;

	if (xxh64("", 0, 0) != 0xef46db3751d8e999ULL || xxh32("", 0, 0) != 0x02cc5d05U)
		errx(3, "xxHash is wrong");
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!functions[i].is_crc || !functions[i].usable())
			continue;
		for (bytes = 0; bytes <= 4096; bytes += bytes < 100 ? 1 : 333)
			if (functions[i].call(7, slot(bytes % 8), bytes) !=
			    crc_by_bits(7, slot(bytes % 8), bytes))
				errx(3, "%s is wrong for %zu bytes", functions[i].name, bytes);
	}
}

/* Fills all slots that are used, and shuffles their order. */
static void prepare(size_t nslots)
{
	uint32_t random = 1, other, swap;
	size_t i;

	memory = mmap(NULL, (nslots + 1) * SLOT, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "memory");
	for (i = 0; i < nslots * SLOT; i++) {
		random = random * 1664525U + 1013904223U;
		memory[i] = random >> 24;
	}
	for (i = 0; i < nslots; i++)
		order[i] = i;
	for (i = nslots - 1; i; i--) {
		random = random * 1664525U + 1013904223U;
		other = (uint64_t)random * i >> 32;
		swap = order[i];
		order[i] = order[other];
		order[other] = swap;
	}
}

/* Nanoseconds of a call. */
static double batch(const struct function *function, size_t bytes, bool cold)
{
	static uint32_t next;
	uint64_t start;
	unsigned int i;

	/* Four slots stay in the first cache, which has 32 KiB or more. */
	if (!cold)
		for (i = 0; i < 4; i++)
			result = sum(result, slot(i), bytes);
	start = now();
	for (i = 0; i < BATCH; i++) {
		uint32_t at = i % 4;

		if (cold) {
			next = next + 1 < SLOTS ? next + 1 : 0;
			at = order[next];
		}
		result = function->call(result, slot(at), bytes);
	}
	return (double)(now() - start) / BATCH;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times)
{
	qsort(times, ROUNDS, sizeof(*times), ascending);
	return times[ROUNDS / 2];
}

static void time_all(size_t bytes)
{
	static double hot[VARIANTS_MAX][ROUNDS], cold[VARIANTS_MAX][ROUNDS];
	unsigned int round;
	size_t i;

	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < ARRAY_SIZE(functions); i++)
			if (functions[i].usable()) {
				hot[i][round] = batch(&functions[i], bytes, false);
				cold[i][round] = batch(&functions[i], bytes, true);
			}
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i].usable())
			printf("\"%s\",%zu,%.1f,%.1f\n", functions[i].name, bytes,
			       median(hot[i]), median(cold[i]));
}

static void count_all(size_t bytes)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (functions[i].call != sum && functions[i].usable()) {
			/* The plugin ends the line. */
			printf("\"%s\",%zu,", functions[i].name, bytes);
			fflush(stdout);
			syscall(MARK_BEGIN);
			result = functions[i].call(result, slot(0), bytes);
			syscall(MARK_END);
		}
}

#ifdef __x86_64__
/*
 * After a task's return to user space, the first kernel_fpu_begin() saves the task's registers, and
 * the next return loads them. The kernel's XSAVES and XRSTORS are privileged; XSAVEC and XRSTOR
 * save and load the same registers.
 */
static void time_fpu(const char *name, bool vectors)
{
	static uint8_t area[16384] __attribute__((aligned(64)));
	static double times[ROUNDS];
	unsigned int round, i;
	uint64_t start;

	for (round = 0; round < ROUNDS; round++) {
		/* All registers as they are at a program's start, with its MXCSR. */
		memset(area, 0, sizeof(area));
		memcpy(area + 24, &(uint32_t){ 0x1f80 }, 4);
		asm volatile("xrstor64 %0" : : "m" (area), "a" (-1), "d" (-1) : VECTORS);
		if (vectors)
			asm volatile("vpternlogd $0xff, %%zmm17, %%zmm17, %%zmm17\n"
				     "vpternlogd $0xff, %%zmm1, %%zmm1, %%zmm1" : : : VECTORS);
		start = now();
		for (i = 0; i < BATCH; i++)
			asm volatile("xsavec64 %0\nxrstor64 %0"
				     : "+m" (area) : "a" (-1), "d" (-1) : "memory");
		times[round] = (double)(now() - start) / BATCH;
	}
	asm volatile("vzeroall" : : : VECTORS);
	printf("\"%s\",0,%.1f,\n", name, median(times));
}

static void time_sections(void)
{
	if (has_avx512()) {
		time_fpu("xsave and xrstor, no vector register in use", false);
		time_fpu("xsave and xrstor, AVX-512 in use", true);
	}
}
#else
static void time_sections(void)
{
}
#endif

int main(int argc, char **argv)
{
	bool count = argc == 2 && !strcmp(argv[1], "count");
	size_t i;

	if (!count && (argc != 2 || strcmp(argv[1], "time")))
		errx(2, "usage: checksum time | count");
	prepare(count ? 8 : SLOTS);
	verify();
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		if (count)
			count_all(lengths[i]);
		else
			time_all(lengths[i]);
	if (!count)
		time_sections();
	return 0;
}
