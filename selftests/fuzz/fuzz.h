/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared code of the fuzz targets: they take decisions from the bytes of the input, and end the run
 * on a finding.
 *
 * Behind its end, an input continues with zeros. So any prefix of an input is an input, too.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/types.h>

/* A single run of a target. libFuzzer expects this name. */
int fuzz_one(const u8 *data, size_t bytes) __asm__("LLVMFuzzerTestOneInput");

struct input {
	const u8 *at;
	size_t left;
};

static inline u8 take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static inline u32 take_bytes(struct input *in, unsigned int n)
{
	u32 value = 0;

	while (n--)
		value = value << 8 | take(in);
	return value;
}

/* A number below @n, from as few bytes as possible. */
static inline u32 take_below(struct input *in, u32 n)
{
	if (n <= 1)
		return 0;
	return take_bytes(in, n <= 0x100 ? 1 : n <= 0x10000 ? 2 : 4) % n;
}

static inline u64 hash_bytes(const u8 *data, size_t bytes)
{
	u64 hash = 0xcbf29ce484222325ULL;

	while (bytes--)
		hash = (hash ^ *data++) * 0x100000001b3ULL;
	hash ^= hash >> 29;
	return hash * 0xbf58476d1ce4e5b9ULL;
}

/*
 * A nonce that depends on the input, but in a way that the fuzzer can't steer: otherwise it could
 * see the expected checksum and construct a collision. FUZZ_SALT= changes the nonces, so an
 * accidental collision does not occur again.
 */
static inline u32 input_nonce(const u8 *data, size_t bytes)
{
	const char *salt = getenv("FUZZ_SALT");

	return (hash_bytes(data, bytes) ^ (salt ? strtoull(salt, NULL, 0) : 0)) >> 16;
}

/* A copy in memory of exactly its size, so that ASan sees an access to the first byte past it. */
static inline u8 *exact_copy(const void *data, size_t bytes)
{
	u8 *copy = malloc(bytes ? bytes : 1);

	if (!copy)
		abort();
	memcpy(copy, data, bytes);
	return copy;
}

/* With FUZZ_VERBOSE= in the environment: print the operations of the input. */
#define fuzz_say(format, ...) do {					\
	if (getenv("FUZZ_VERBOSE"))					\
		fprintf(stderr, format "\n", ##__VA_ARGS__);		\
} while (0)

#define fuzz_die(format, ...) do {					\
	fprintf(stderr, "%s:%d: " format "\n", __FILE__, __LINE__, ##__VA_ARGS__); \
	abort();							\
} while (0)

#define must_be(cond) do { if (!(cond)) fuzz_die("not so: %s", #cond); } while (0)

#endif /* FUZZ_H */
