// SPDX-License-Identifier: GPL-2.0
/*
 * MemoryWaster of the paper: buckets of 1 MiB (10 in the paper), of arrays of 4 KB or of one of 1
 * MiB in turn. In each round two buckets are thrown away and made anew, with a pause between them.
 *
 * It prints a line when it has its memory and one after each round: an app is active while
 * rounds come.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contents.h"
#include "heapkind.h"
#include "loads.h"

#define MIB (1U << 20)
#define SMALL 4076U
#define SMALLS (MIB / 4096U)
#define GAP_US 1000000U

struct bucket {
	void *pieces[SMALLS];
	uint64_t first;			/* number of the first one's contents, see contents.h */
	size_t bytes;			/* of each */
	uint32_t n;
};

static uint64_t made;

static int make(struct bucket *bucket, bool large)
{
	uint32_t n = large ? 1 : SMALLS;
	void *piece;

	bucket->bytes = large ? MIB : SMALL;
	bucket->first = made;
	for (bucket->n = 0; bucket->n < n; bucket->n++) {
		piece = heapkind_new(bucket->bytes);
		if (!piece)
			return LOAD_FAILED;
		contents_fill(piece, bucket->bytes, made++);
		bucket->pieces[bucket->n] = piece;
	}
	return LOAD_RIGHT;
}

static void drop(struct bucket *bucket)
{
	while (bucket->n)
		heapkind_free(bucket->pieces[--bucket->n]);
}

/* turn() - renew a bucket, and check a piece of another one, which was long not used */
static int turn(struct bucket *buckets, uint32_t n, uint32_t nr, uint64_t round)
{
	struct bucket *other = &buckets[(nr + 1 + round % (n > 2 ? n - 1 : 1)) % n];
	uint32_t i;

	drop(&buckets[nr]);
	if (make(&buckets[nr], nr % 2))
		return LOAD_FAILED;
	if (!other->n)
		return LOAD_RIGHT;
	i = (uint32_t)(round % other->n);
	return contents_wrong(other->pieces[i], other->bytes, other->first + i) == other->bytes ?
		LOAD_RIGHT : LOAD_WRONG;
}

static void tell(const struct load_options *options, uint64_t round, uint64_t since_us)
{
	uint64_t now_us = load_now_us();

	printf("%s round %llu at_ms %llu took_ms %llu\n", options->name, (unsigned long long)round,
	       (unsigned long long)(now_us / 1000),
	       (unsigned long long)((now_us - since_us) / 1000));
}

static void sleep_until(uint64_t at_us)
{
	uint64_t now_us = load_now_us();

	if (at_us > now_us)
		usleep((useconds_t)(at_us - now_us));
}

static int rounds(const struct load_options *options, struct bucket *buckets)
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
		sleep_until(next_us);
		begin_us = load_now_us();
		status = turn(buckets, options->mib, nr, round);
		if (!status) {
			usleep(GAP_US);
			status = turn(buckets, options->mib, (nr + 1) % options->mib, round * 7);
		}
		nr = (nr + 2) % options->mib;
		/* After a late round do not hurry. */
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
		return LOAD_FAILED;
	for (i = 0; i < options->mib && !status; i++)
		status = make(&buckets[i], i % 2);
	if (!status)
		status = rounds(options, buckets);
	if (status)
		warnx("%s: %s", options->name, status == LOAD_WRONG ? "wrong bytes" : "no memory");
	heapkind_close();
	free(buckets);
	return status;
}
