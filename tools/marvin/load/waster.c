// SPDX-License-Identifier: GPL-2.0
/*
 * MemoryWaster of the paper: buckets of 1 MiB (10 in the paper), of arrays of 4 KB or of one of 1
 * MiB in turn. In each round two buckets are thrown away and made anew, with a pause between them.
 *
 * It prints a line when it has its memory and one after each round: an app is active while
 * rounds come.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "heapkind.h"
#include "loads.h"

#define MIB (1U << 20)
#define SMALL 4076U
#define SMALLS (MIB / 4096U)
#define GAP_US 1000000U

struct bucket {
	struct piece pieces[SMALLS];
	uint32_t n;
};

static uint64_t made;

static int make(struct bucket *bucket, bool large)
{
	size_t bytes = large ? MIB : SMALL;
	uint32_t n = large ? 1 : SMALLS;

	for (bucket->n = 0; bucket->n < n; bucket->n++) {
		int err = piece_make(&bucket->pieces[bucket->n], bytes, made++);

		if (err)
			return err;
	}
	return 0;
}

static void drop(struct bucket *bucket)
{
	while (bucket->n)
		piece_drop(&bucket->pieces[--bucket->n]);
}

/* One piece of another bucket is looked at: what was long not used has its bytes still. */
static int turn(struct bucket *buckets, uint32_t n, uint32_t nr, uint64_t round)
{
	struct bucket *other = &buckets[(nr + 1 + round % (n > 2 ? n - 1 : 1)) % n];

	drop(&buckets[nr]);
	if (make(&buckets[nr], nr % 2))
		return LOAD_FAILED;
	switch (other->n ? piece_check(&other->pieces[round % other->n]) : 0) {
	case 0:
		return LOAD_RIGHT;
	case -EBADMSG:
		return LOAD_WRONG;
	default:
		return LOAD_LOST;
	}
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
	int status = 0;

	tell(options, 0, begin_us);
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
		/* One that is late is not in a hurry afterwards. */
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

	if (!buckets || heapkind_open(options->plain, options->store, options->tick_ms))
		return LOAD_FAILED;
	for (i = 0; i < options->mib && !status; i++)
		status = make(&buckets[i], i % 2) ? LOAD_FAILED : LOAD_RIGHT;
	if (!status)
		status = rounds(options, buckets);
	if (status)
		warnx("%s: %s", options->name, status == LOAD_WRONG ? "wrong bytes" :
		      status == LOAD_LOST ? "an object is lost" : "no memory");
	heapkind_close();
	free(buckets);
	return status;
}
