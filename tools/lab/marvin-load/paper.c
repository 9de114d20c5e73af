// SPDX-License-Identifier: GPL-2.0
/*
 * The programs of Marvin's paper.
 *
 * waster: MemoryWaster, buckets of 1 MiB (10 in the paper), alternately of arrays of 4 KB and of
 * one array of 1 MiB. Each round replaces two buckets, with a pause between them. It prints a line
 * when it has its memory and a line after each round; an app counts as active while rounds come.
 * walk: HeapWalker, over objects of 4 KB. After each of them it uses --ratio objects of a small
 * working set. It prints the time of each walk.
 * micro: MicroBenchmark, arithmetic with --ratio steps for each access to an object. The difference
 * to plain memory is libmarvin's overhead.
 * timer: malloc-timer, the time to allocate memory and write to each page of it.
 * memory: measure-memory, the resident memory of processes. The paper samples each millisecond.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "contents.h"
#include "heapkind.h"
#include "loads.h"

#define SMALL 4076U

static void sleep_until_us(uint64_t us)
{
	struct timespec until = { .tv_sec = (time_t)(us / 1000000),
				  .tv_nsec = (long)(us % 1000000 * 1000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
}

#define MIB (1U << 20)
#define SMALLS (MIB / 4096U)
#define GAP_US 1000000U

struct bucket {
	void *pieces[SMALLS];
	uint64_t first;			/* number of the first piece's contents, see contents.h */
	size_t bytes;			/* of each */
	uint32_t n;
};

static uint64_t made;			/* pieces so far */

static int make_bucket(struct bucket *bucket, bool large)
{
	uint32_t n = large ? 1 : SMALLS;
	void *piece;

	bucket->bytes = large ? MIB : SMALL;
	bucket->first = made;
	for (bucket->n = 0; bucket->n < n; bucket->n++) {
		piece = heapkind_new(bucket->bytes);
		if (!piece)
			return STATUS_FAILED;
		contents_fill(piece, bucket->bytes, made++);
		bucket->pieces[bucket->n] = piece;
	}
	return STATUS_RIGHT;
}

static void drop_bucket(struct bucket *bucket)
{
	while (bucket->n)
		heapkind_free(bucket->pieces[--bucket->n]);
}

/* turn() - renew a bucket, and check a piece of another one that was unused for long */
static int turn(struct bucket *buckets, uint32_t n, uint32_t nr, uint64_t round)
{
	struct bucket *other = &buckets[(nr + 1 + round % (n > 2 ? n - 1 : 1)) % n];
	uint32_t i;

	drop_bucket(&buckets[nr]);
	if (make_bucket(&buckets[nr], nr % 2))
		return STATUS_FAILED;
	if (!other->n)
		return STATUS_RIGHT;
	i = (uint32_t)(round % other->n);
	return contents_wrong(other->pieces[i], other->bytes, other->first + i) == other->bytes ?
		STATUS_RIGHT : STATUS_WRONG;
}

static void tell(const struct load_options *options, uint64_t round, uint64_t since_us)
{
	uint64_t now_us = load_now_us();

	printf("%s round %llu at_ms %llu took_ms %llu\n", options->name, (unsigned long long)round,
	       (unsigned long long)(now_us / 1000),
	       (unsigned long long)((now_us - since_us) / 1000));
}

static int play_rounds(const struct load_options *options, struct bucket *buckets)
{
	uint64_t begin_us = load_now_us(), next_us = begin_us, round;
	uint32_t nr = 0;
	int status = 0, err;

	tell(options, 0, begin_us);
	err = options->background ? heapkind_background() : 0;
	if (err)
		warnx("%s: to the background: %s", options->name, strerror(-err));
	for (round = 1; !status && (!options->rounds || round <= options->rounds); round++) {
		next_us += options->interval_ms * 1000ULL;
		sleep_until_us(next_us);
		begin_us = load_now_us();
		status = turn(buckets, options->mib, nr, round);
		if (!status) {
			usleep(GAP_US);
			status = turn(buckets, options->mib, (nr + 1) % options->mib, round * 7);
		}
		nr = (nr + 2) % options->mib;
		/* Do not make up for a late round. */
		if (load_now_us() > next_us + options->interval_ms * 1000ULL)
			next_us = load_now_us();
		if (!status)
			tell(options, round, begin_us);
	}
	return status;
}

int waster_run(const struct load_options *options)
{
	struct bucket *buckets = calloc(options->mib, sizeof(*buckets));
	uint32_t i;
	int status = 0;

	if (!buckets || heapkind_open(options))
		return STATUS_FAILED;
	for (i = 0; i < options->mib && !status; i++)
		status = make_bucket(&buckets[i], i % 2);
	if (!status)
		status = play_rounds(options, buckets);
	if (status)
		warnx("%s: %s", options->name, status == STATUS_WRONG ? "wrong bytes" : "no memory");
	heapkind_close();
	free(buckets);
	return status;
}

#define HOT 64U

/* Atomic, or the compiler could merge the walks of all rounds into one. */
static inline uint64_t read_word(const uint64_t *object)
{
	return __atomic_load_n(&object[5], __ATOMIC_RELAXED);
}

static uint64_t walk(const struct load_options *options, uint64_t *const *objects, uint32_t n)
{
	uint64_t sum = 0;
	uint32_t i, k;

	for (i = HOT; i < n; i++) {
		sum += read_word(objects[i]);
		for (k = 0; k < options->ratio; k++)
			sum += read_word(objects[(i + k) % HOT]);
	}
	return sum;
}

int walk_run(const struct load_options *options)
{
	uint32_t n = options->mib * 256, i, round;
	uint64_t **objects = calloc(n, sizeof(*objects));
	uint64_t sum, begin_us;

	if (!objects || heapkind_open(options))
		return STATUS_FAILED;
	for (i = 0; i < n; i++) {
		objects[i] = heapkind_new(SMALL);
		if (!objects[i])
			return STATUS_FAILED;
		contents_fill(objects[i], SMALL, i);
	}
	for (round = 0; round < (options->rounds ? options->rounds : 5); round++) {
		begin_us = load_now_us();
		sum = walk(options, objects, n);
		printf("%s walk %u took_us %llu sum %llx\n", options->name, round,
		       (unsigned long long)(load_now_us() - begin_us), (unsigned long long)sum);
	}
	heapkind_close();
	free(objects);
	return STATUS_RIGHT;
}

#define OBJECTS 64U
#define WORDS 512U
#define ACCESSES 5120000U

static inline uint64_t arithmetic(uint64_t x, uint32_t steps)
{
	while (steps--)
		x = x * 0x9e3779b97f4a7c15ULL + steps;
	return x;
}

/* add() - add to a word with a read and a write that the compiler can't drop */
static inline void add(uint64_t *word, uint64_t x)
{
	__atomic_store_n(word, __atomic_load_n(word, __ATOMIC_RELAXED) + x, __ATOMIC_RELAXED);
}

int micro_run(const struct load_options *options)
{
	static uint64_t *objects[OBJECTS];
	uint64_t begin_us, x = 1;
	uint32_t i;

	if (heapkind_open(options))
		return STATUS_FAILED;
	for (i = 0; i < OBJECTS; i++) {
		objects[i] = heapkind_new(WORDS * sizeof(uint64_t));
		if (!objects[i])
			return STATUS_FAILED;
	}
	begin_us = load_now_us();
	for (i = 0; i < ACCESSES; i++) {
		add(&objects[i % OBJECTS][i % WORDS], x);
		x = arithmetic(x, options->ratio);
	}
	printf("%s micro ratio %u took_us %llu sum %llx\n", options->name,
	       (unsigned int)options->ratio, (unsigned long long)(load_now_us() - begin_us),
	       (unsigned long long)x);
	heapkind_close();
	return STATUS_RIGHT;
}

int timer_run(const struct load_options *options)
{
	size_t bytes = (size_t)options->mib << 20, page = (size_t)sysconf(_SC_PAGESIZE), at;
	uint64_t begin_us = load_now_us(), cpu_us = load_cpu_us();
	uint8_t *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED) {
		warn("%s: %u MiB", options->name, (unsigned int)options->mib);
		return STATUS_FAILED;
	}
	for (at = 0; at < bytes; at += page)
		map[at] = (uint8_t)(at / page);
	printf("%s timer mib %u at_us %llu took_us %llu cpu_us %llu\n", options->name,
	       (unsigned int)options->mib, (unsigned long long)begin_us,
	       (unsigned long long)(load_now_us() - begin_us),
	       (unsigned long long)(load_cpu_us() - cpu_us));
	for (at = 0; at < bytes; at += page)
		if (map[at] != (uint8_t)(at / page))
			return STATUS_WRONG;
	return STATUS_RIGHT;
}

/* Resident pages of a process; 0 if it has ended. */
static unsigned long resident_pages(const char *pid)
{
	char path[64];
	unsigned long pages = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/statm", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages;
}

static bool are_pids(const struct load_options *options)
{
	char *const *pid;
	char *end;

	for (pid = options->pids; *pid; pid++)
		if (strtol(*pid, &end, 10) <= 0 || *end) {
			warnx("%s: not the id of a process", *pid);
			return false;
		}
	if (pid == options->pids)
		warnx("memory: it takes ids of processes");
	return pid != options->pids;
}

/* Ends when all processes have ended. Does not make up for late rounds. */
int memory_run(const struct load_options *options)
{
	uint64_t interval_us = 1000 * (uint64_t)options->interval_ms;
	unsigned long page_kib = (unsigned long)sysconf(_SC_PAGESIZE) >> 10, pages;
	uint64_t now_us, next_us = load_now_us();
	char *const *pid;
	uint32_t round = 0;

	if (!are_pids(options))
		return STATUS_USAGE;
	/* Stay in memory, because the measured machine is short of it. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		warn("mlockall");
	do {
		now_us = load_now_us();
		for (pages = 0, pid = options->pids; *pid; pid++)
			pages += resident_pages(*pid);
		printf("%s memory at_us %llu resident_kib %lu\n", options->name,
		       (unsigned long long)now_us, pages * page_kib);
		next_us = next_us + interval_us > now_us ? next_us + interval_us : now_us;
		sleep_until_us(next_us);
	} while (pages && (!options->rounds || ++round < options->rounds));
	return STATUS_RIGHT;
}
