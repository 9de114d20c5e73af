// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the time to take saved memory and to read it again, page by page, in order or at random.
 * Kinds of memory: a heap of libmarvin, a mapped file, and the kernel's swap if there is any. The
 * kinds take turns.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bench.h"
#include "memory.h"
#include "rounds.h"

#define ROUNDS 3U
#define OBJECT (64U << 10)
#define PAGES (OBJECT / MEMORY_PAGE)

enum kind { KIND_MARVIN, KIND_FILE, KIND_SWAP, KIND_N };
enum figure { FIGURE_SAVE, FIGURE_TAKE, FIGURE_ORDER, FIGURE_RANDOM, FIGURE_N };

static const char *const kind_names[] = { "libmarvin", "mapped file", "swap" };
static const char *const figure_names[] = { "save", "take", "in order", "at random" };

/* Memory of a kind: objects of OBJECT bytes. */
struct memory {
	enum kind kind;
	size_t bytes;
	uint32_t n;
	uint8_t **objects;
	struct marvin *heap;
	uint8_t *map;
	int fd;
};

/* has_swap() - is there any swap? */
static bool has_swap(void)
{
	FILE *file = fopen("/proc/swaps", "re");
	int c, lines = 0;

	if (!file)
		return false;
	while ((c = getc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines > 1;
}

static bool map_file(struct memory *memory, const char *directory)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/marvin-bench.XXXXXX", directory);
	memory->fd = mkostemp(path, O_CLOEXEC);
	if (memory->fd < 0 || unlink(path) || ftruncate(memory->fd, (off_t)memory->bytes)) {
		warn("%s", path);
		return false;
	}
	memory->map = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
	return memory->map != MAP_FAILED;
}

static bool make(struct memory *memory, const struct bench_options *options)
{
	char store[256];
	uint32_t i;

	memory->n = (uint32_t)(memory->bytes / OBJECT);
	memory->objects = calloc(memory->n, sizeof(*memory->objects));
	snprintf(store, sizeof(store), "%s/", options->store);
	if (memory->kind == KIND_MARVIN) {
		memory->heap = memory_open(options, store, memory->bytes, 0);
		if (!memory->heap)
			return false;
	} else if (memory->kind == KIND_FILE) {
		if (!map_file(memory, options->store))
			return false;
	} else {
		memory->map = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory->map == MAP_FAILED)
			return false;
	}
	for (i = 0; i < memory->n; i++) {
		memory->objects[i] = memory->heap ? marvin_new(memory->heap, OBJECT) :
						    memory->map + (size_t)i * OBJECT;
		if (!memory->objects[i])
			return false;
	}
	return true;
}

static void unmake(struct memory *memory)
{
	if (memory->heap)
		marvin_close(memory->heap);
	else
		munmap(memory->map, memory->bytes);
	if (memory->kind == KIND_FILE)
		close(memory->fd);
	free(memory->objects);
}

/* save() - save the memory, so that take() does no I/O; impossible for swap */
static bool save(struct memory *memory)
{
	if (memory->kind == KIND_MARVIN)
		return memory_save(memory->heap);
	return memory->kind == KIND_SWAP || !msync(memory->map, memory->bytes, MS_SYNC);
}

static bool take(struct memory *memory)
{
	if (memory->kind == KIND_MARVIN)
		return marvin_drop(memory->heap, UINT64_MAX) > 0;
	if (memory->kind == KIND_SWAP)
		return !madvise(memory->map, memory->bytes, MADV_PAGEOUT);
	return !madvise(memory->map, memory->bytes, MADV_DONTNEED) &&
	       !posix_fadvise(memory->fd, 0, (off_t)memory->bytes, POSIX_FADV_DONTNEED);
}

static bool is_taken(const struct memory *memory)
{
	double there = 0;
	uint32_t i;

	for (i = 0; i < memory->n; i++)
		there += memory_resident(memory->objects[i], OBJECT) / memory->n;
	if (there > 0.05)
		printf("# %s: %.0f %% are still in memory\n", kind_names[memory->kind],
		       there * 100);
	return there < 0.5;
}

/* look() - read a word of each page; false if one is wrong */
static bool look(const struct memory *memory, const uint32_t *order, uint64_t seed)
{
	uint32_t i, nr;

	for (i = 0; i < memory->n * PAGES; i++) {
		nr = order ? order[i] : i;
		if (!memory_is_page(memory->objects[nr / PAGES] + nr % PAGES * MEMORY_PAGE,
				    nr % PAGES, seed + nr / PAGES)) {
			warnx("%s: page %u has other bytes", kind_names[memory->kind], nr);
			return false;
		}
	}
	return true;
}

/* order_of() - all pages in random order; the caller frees it */
static uint32_t *order_of(uint32_t n)
{
	uint32_t *order = malloc(n * sizeof(*order)), i, k;
	uint64_t random = n;

	for (i = 0; order && i < n; i++) {
		k = rounds_random(&random) % (i + 1);
		order[i] = order[k];
		order[k] = i;
	}
	return order;
}

static double since_ms(uint64_t *since_ns)
{
	uint64_t now_ns = rounds_now_ns();
	double ms = (double)(now_ns - *since_ns) / 1e6;

	*since_ns = now_ns;
	return ms;
}

/* take_and_look() - take saved memory and read it; false if a word is wrong */
static bool take_and_look(struct memory *memory, const uint32_t *order, uint64_t seed,
			  struct rounds *figures)
{
	uint64_t since_ns = rounds_now_ns();

	if (!take(memory))
		return false;
	if (!order)
		rounds_add(&figures[FIGURE_TAKE], since_ms(&since_ns));
	if (!is_taken(memory))
		return false;
	since_ns = rounds_now_ns();
	if (!look(memory, order, seed))
		return false;
	rounds_add(&figures[order ? FIGURE_RANDOM : FIGURE_ORDER], since_ms(&since_ns));
	return true;
}

/* turn() - do a round of a kind */
static bool turn(struct memory *memory, const uint32_t *order, uint64_t seed,
		 struct rounds *figures)
{
	uint64_t since_ns;
	uint32_t i;

	for (i = 0; i < memory->n; i++)
		memory_fill(memory->objects[i], OBJECT, seed + i);
	since_ns = rounds_now_ns();
	if (!save(memory))
		return false;
	rounds_add(&figures[FIGURE_SAVE], since_ms(&since_ns));
	return take_and_look(memory, NULL, seed, figures) && save(memory) &&
	       take_and_look(memory, order, seed, figures);
}

static void tell(uint32_t mib, enum kind kind, struct rounds *figures)
{
	enum figure i;

	for (i = 0; i < FIGURE_N; i++) {
		rounds_sort(&figures[i]);
		printf("%5u  %-12s %-10s %9.1f %9.1f %9.1f\n", mib, kind_names[kind],
		       figure_names[i], rounds_median(&figures[i]), figures[i].figures[0],
		       figures[i].figures[figures[i].n - 1]);
	}
}

static void tell_ratios(uint32_t mib, struct rounds figures[][FIGURE_N])
{
	enum figure i;

	for (i = FIGURE_TAKE; i < FIGURE_N; i++)
		printf("# %u MiB, %s: %.2f of the mapped file's time\n", mib, figure_names[i],
		       rounds_median(&figures[KIND_MARVIN][i]) /
		       rounds_median(&figures[KIND_FILE][i]));
}

static bool compare(const struct bench_options *options, uint32_t mib, enum kind kinds)
{
	static struct rounds figures[KIND_N][FIGURE_N];
	struct memory memory[KIND_N];
	uint32_t *order = order_of((mib << 20) / MEMORY_PAGE), round;
	bool right = order;
	enum kind kind;

	memset(figures, 0, sizeof(figures));
	for (round = 0; right && round < (options->rounds ? options->rounds : ROUNDS); round++)
		for (kind = 0; right && kind < kinds; kind++) {
			memory[kind] = (struct memory){ .kind = kind, .bytes = (size_t)mib << 20 };
			right = make(&memory[kind], options) &&
				turn(&memory[kind], order, round * 1000003ULL, figures[kind]);
			unmake(&memory[kind]);
		}
	free(order);
	for (kind = 0; right && kind < kinds; kind++)
		tell(mib, kind, figures[kind]);
	if (right)
		tell_ratios(mib, figures);
	return right;
}

/**
 * takeback_run() - measure the time to take memory and to bring it back
 * @options: store, road and rounds
 */
bool takeback_run(const struct bench_options *options)
{
	enum kind kinds = has_swap() ? KIND_N : KIND_SWAP;

	printf("\nMemory is taken, and read again; goal: at most 1.2 of the mapped file's time\n");
	if (kinds != KIND_N)
		printf("# no swap here: it is left out\n");
	printf("  MiB  memory       what        ms        least      most\n");
	return compare(options, 100, kinds) && compare(options, 500, kinds);
}
