/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page contents that follow from (seed, page, generation), so a checker needs no copy of the
 * written data. The kinds are mixed because zeros alone do not test a compressor.
 */
#ifndef MTDC_TEST_PATTERN_H
#define MTDC_TEST_PATTERN_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The page size of the machine, which is also the device's. */
#define PAT_PAGE pat_page_bytes()
#define PAT_PAGE_MAX 65536

static inline size_t pat_page_bytes(void)
{
	static size_t bytes;

	if (!bytes)
		bytes = (size_t)sysconf(_SC_PAGESIZE);
	if (bytes > PAT_PAGE_MAX)
		abort();
	return bytes;
}

enum pat_kind {
	PAT_MIX,	/* one of the kinds below, chosen by a hash of the page */
	PAT_RANDOM,	/* incompressible */
	PAT_TEXT,	/* words, as in a text buffer */
	PAT_STRUCT,	/* pointers and small counters, as in a heap */
	PAT_FILL,	/* one word repeated */
	PAT_ZERO,
	PAT_HALF,	/* half text, half incompressible */
	PAT_SPARSE,	/* zeros with a few words */
};

static inline uint64_t pat_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static inline uint64_t pat_hash(uint64_t seed, uint64_t page, uint64_t gen)
{
	uint64_t s = seed;

	s = pat_next(&s) ^ page;
	s = pat_next(&s) ^ (gen << 1);
	return pat_next(&s);
}

static inline void pat_random(uint8_t *buf, size_t len, uint64_t *state)
{
	size_t i;

	for (i = 0; i < len; i += 8) {
		uint64_t v = pat_next(state);

		memcpy(buf + i, &v, 8);
	}
}

static inline void pat_text(uint8_t *buf, size_t len, uint64_t *state)
{
	static const char *const word[32] = {
		"the ", "page ", "memory ", "swap ", "of ", "and ", "device ", "int ",
		"return ", "fragment ", "a ", "media ", "to ", "struct ", "0x00", "\n\t",
		"compress ", "in ", "is ", "error ", "if (", ");\n", "size_t ", "free ",
		"byte ", "header ", "= ", "for ", "write ", "read ", "lower ", "; ",
	};
	uint64_t bits = 0;
	size_t at = 0;

	while (at < len) {
		const char *w;
		size_t n;

		if (bits < 32)
			bits = pat_next(state) | 1ull << 63;
		w = word[bits & 31];
		bits >>= 5;
		n = strlen(w);
		if (n > len - at)
			n = len - at;
		memcpy(buf + at, w, n);
		at += n;
	}
}

static inline void pat_struct(uint8_t *buf, size_t len, uint64_t *state)
{
	uint64_t base = 0x00007f0000000000ull | (pat_next(state) & 0xfffff000ull);
	size_t i;

	for (i = 0; i < len; i += 16) {
		uint64_t r = pat_next(state);
		uint64_t ptr = base + (r & 0xff0);
		uint64_t count = (r >> 32) & 7;

		memcpy(buf + i, &ptr, 8);
		memcpy(buf + i + 8, &count, 8);
	}
}

static inline enum pat_kind pat_pick(uint64_t hash)
{
	static const uint8_t share[16] = {
		PAT_RANDOM, PAT_TEXT, PAT_TEXT, PAT_TEXT, PAT_TEXT, PAT_TEXT,
		PAT_STRUCT, PAT_STRUCT, PAT_STRUCT, PAT_STRUCT, PAT_FILL,
		PAT_FILL, PAT_ZERO, PAT_HALF, PAT_HALF, PAT_SPARSE,
	};

	return share[hash >> 60];
}

static inline void pat_page(uint8_t *buf, enum pat_kind kind, uint64_t seed,
			    uint64_t page, uint64_t gen)
{
	uint64_t state = pat_hash(seed, page, gen), v;
	size_t i;

	if (kind == PAT_MIX)
		kind = pat_pick(state);
	switch (kind) {
	case PAT_RANDOM:
		pat_random(buf, PAT_PAGE, &state);
		break;
	case PAT_TEXT:
		pat_text(buf, PAT_PAGE, &state);
		break;
	case PAT_STRUCT:
		pat_struct(buf, PAT_PAGE, &state);
		break;
	case PAT_FILL:
		/* A word of 32 bits twice, or a word of 63 bits. */
		v = pat_next(&state);
		v = v & 1 ? (v & 0xffffffff) * 0x100000001ull : v & ~(1ull << 63);
		for (i = 0; i < PAT_PAGE; i += 8)
			memcpy(buf + i, &v, 8);
		break;
	case PAT_HALF:
		pat_text(buf, PAT_PAGE / 2, &state);
		pat_random(buf + PAT_PAGE / 2, PAT_PAGE / 2, &state);
		break;
	case PAT_SPARSE:
		memset(buf, 0, PAT_PAGE);
		for (i = 0; i < 8; i++) {
			v = pat_next(&state);
			memcpy(buf + (v % (PAT_PAGE / 8)) * 8, &v, 8);
		}
		break;
	default:
		memset(buf, 0, PAT_PAGE);
		break;
	}
}

/* Return: PAT_MIX, the default, for an unknown name. */
static inline enum pat_kind pat_kind_named(const char *name)
{
	static const char *const names[] = {
		"mix", "random", "text", "struct", "fill", "zero", "half", "sparse",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return (enum pat_kind)i;
	return PAT_MIX;
}

#endif
