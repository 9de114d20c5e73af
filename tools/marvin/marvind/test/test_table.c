// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of arbitrary bytes, and tables that are right but for some; in half of the cases another
 * thread writes to them meanwhile. Whatever they say: nothing outside of the space is asked for, no
 * lock stays that was not there, and it ends. SEED= and OPS= as for all suites: a case is known by
 * them.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "../reclaim.h"

#define PAGE 4096ULL
#define OBJECTS 300U
#define BYTES (sizeof(struct marvin_table) + OBJECTS * sizeof(struct marvin_entry))

static struct {
	const struct reclaim_shape *shape;
	u64 calls;
	u64 bytes;
	u64 outside;
	u64 state;
} kernel;

static u64 kernel_random(void)
{
	kernel.state = kernel.state * 6364136223846793005ULL + 1442695040888963407ULL;
	return kernel.state >> 33;
}

static ssize_t advise(const struct iovec *ranges, size_t n, void *arg)
{
	const struct reclaim_shape *shape = kernel.shape;
	ssize_t done = 0;
	size_t i;

	kernel.calls++;
	for (i = 0; i < n; i++) {
		u64 at = (uintptr_t)ranges[i].iov_base, bytes = ranges[i].iov_len;

		kernel.outside += at < shape->space || !bytes || bytes % PAGE || at % PAGE ||
				  at - shape->space > shape->space_pages * PAGE ||
				  bytes > shape->space_pages * PAGE - (at - shape->space);
		if (kernel_random() % 50 == 0)
			return done ? done : kernel_random() % 2 ? -ENOMEM : -EINVAL;
		done += bytes;
		kernel.bytes += bytes;
	}
	return done;
}

static u32 any_word(void)
{
	u32 good = ENTRY_OCCUPIED | ENTRY_LAZY | ENTRY_RESIDENT;

	switch (random_below(4)) {
	case 0:
		return random_u64();
	case 1:
		return good ^ 1U << random_below(32);
	default:
		return good | random_below(256) << ENTRY_READS;
	}
}

static void any_entry(struct marvin_entry *entry, u64 pages)
{
	entry->word = any_word();
	entry->page = random_below(100) ? random_below(pages ? pages : 1) : random_u64();
	entry->pages = random_below(200) ? random_length(16) : random_u64();
	entry->generation = random_u64();
	entry->hash = random_u64();
}

static const u32 sizes[] = { 0, 1, OBJECTS, OBJECTS + 1, 0xffffffff, 0x80000000, 4096, 65536 };

static u64 any_number(void)
{
	return random_below(2) ? sizes[random_below(ARRAY_SIZE(sizes))] : random_u64();
}

static void any_table(u8 *table)
{
	struct marvin_table *head = (struct marvin_table *)table;
	struct marvin_entry *entries = (struct marvin_entry *)(head + 1);
	u64 pages = random_below(10) ? 5000 : 1 + random_below(20);
	u32 i;

	for (i = 0; i < BYTES; i++)
		table[i] = random_u64();
	if (random_below(20) == 0)
		return;
	head->magic = TABLE_MAGIC;
	head->entry_bytes = sizeof(*entries);
	head->objects = OBJECTS;
	head->page_bytes = PAGE;
	head->space = random_below(10) ? 0x7f0000000000 : random_u64() & ~(PAGE - 1);
	head->space_pages = random_below(10) ? pages : random_below(2) ? 0xffffffff : any_number();
	for (i = 0; i < OBJECTS; i++)
		any_entry(&entries[i], pages);
	/* Now and then a field of the head is anything. */
	if (random_below(4) == 0)
		((u32 *)head)[random_below(sizeof(*head) / 4)] = any_number();
}

static u32 locks(const u8 *table)
{
	const struct marvin_entry *entries = (const void *)(table + sizeof(struct marvin_table));
	u32 i, n = 0;

	for (i = 0; i < OBJECTS; i++)
		n += !!(entries[i].word & ENTRY_LOCK);
	return n;
}

static _Atomic bool stop;

static void *scribble(void *arg)
{
	volatile u32 *words = arg;
	u64 state = 99;

	while (!stop) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		words[(state >> 33) % (BYTES / 4)] = state >> 20;
	}
	return NULL;
}

static u64 now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* run() - one table. Returns false, if it was refused */
static bool run(u8 *table, int fd, bool quiet)
{
	struct reclaim reclaim;
	struct reclaim_sum sum;
	u32 before = locks(table), i;
	u64 begun_us = now_us();

	if (reclaim_open(&reclaim, dup(fd), advise, NULL))
		return false;
	kernel.shape = &reclaim.shape;
	expect_eq(reclaim_count(&reclaim, &sum), 0);
	expect(sum.objects <= OBJECTS);
	for (i = 0; i < 4; i++)
		reclaim_take(&reclaim, i % 2 ? UINT64_MAX : random_below(1 << 20),
			     now_us() + 1000000);
	expect(reclaim.next < reclaim.shape.objects);
	expect(now_us() - begun_us < 10000000);
	if (quiet)
		expect(locks(table) <= before);
	reclaim_close(&reclaim);
	return true;
}

static void tables(bool quiet)
{
	int fd = memfd_create("marvin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	u64 n = (getenv("QUICK") ? 2000 : 20000) / (quiet ? 1 : 4), i, good = 0;
	pthread_t thread;
	u8 *table;

	expect(fd >= 0 && !ftruncate(fd, BYTES));
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	table = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memset(&kernel, 0, sizeof(kernel));
	for (i = 0; i < n; i++) {
		any_table(table);
		stop = false;
		if (!quiet)
			pthread_create(&thread, NULL, scribble, table);
		good += run(table, fd, quiet);
		stop = true;
		if (!quiet)
			pthread_join(thread, NULL);
	}
	expect_eq(kernel.outside, 0);
	expect(good > n / 4);
	expect(kernel.calls > n / 4);
	tap_note("%llu of them, %llu not refused, %llu calls of the kernel", n, good, kernel.calls);
	munmap(table, BYTES);
	close(fd);
}

static void test_quiet(void)
{
	tables(true);
}

static void test_changing(void)
{
	tables(false);
}

/* Everything of the file is arbitrary, and so is its length. */
static void test_lengths(void)
{
	u64 n = getenv("QUICK") ? 500 : 5000, i, j;
	struct reclaim reclaim;

	for (i = 0; i < n; i++) {
		int fd = memfd_create("marvin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		u32 bytes = random_below(3) ? random_below(2 * BYTES) : random_below(400);
		u8 table[2 * BYTES];

		any_table(table);
		for (j = BYTES; j < bytes; j++)
			table[j] = random_u64();
		expect_eq(write(fd, table, bytes), bytes);
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
		if (reclaim_open(&reclaim, fd, advise, NULL))
			continue;
		kernel.shape = &reclaim.shape;
		reclaim_take(&reclaim, UINT64_MAX, now_us() + 1000000);
		reclaim_close(&reclaim);
	}
	expect_eq(kernel.outside, 0);
}

static const struct tap_case cases[] = {
	{ "tables of any bytes", test_quiet },
	{ "tables that change meanwhile", test_changing },
	{ "tables of any length", test_lengths },
};

int main(int argc, char **argv)
{
	return tap_main("table", cases, ARRAY_SIZE(cases), argc, argv);
}
