// SPDX-License-Identifier: GPL-2.0
/*
 * What marvind makes of a table: its head, words, places; and what it opens.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "../reclaim.h"

#define PAGE 4096U
#define GOOD (ENTRY_OCCUPIED | ENTRY_LAZY | ENTRY_RESIDENT)

static struct marvin_table good_head(void)
{
	struct marvin_table head = {
		.magic = TABLE_MAGIC, .entry_bytes = sizeof(struct marvin_entry), .objects = 10,
		.page_bytes = PAGE, .space = 0x7f0000000000, .space_pages = 100,
	};

	return head;
}

static u64 good_bytes(void)
{
	return sizeof(struct marvin_table) + 10 * sizeof(struct marvin_entry);
}

static void test_shape(void)
{
	struct marvin_table head = good_head();
	struct reclaim_shape shape;

	/* Programs of 32 bits have the same form. */
	expect_eq(sizeof(head), 208);
	expect_eq(sizeof(struct marvin_entry), 24);
	expect_eq(reclaim_shape(&head, good_bytes(), &shape), 0);
	expect_eq(shape.objects, 10);
	expect_eq(shape.space, 0x7f0000000000);
	expect_eq(shape.space_pages, 100);
	/* More than is needed is no harm. */
	expect_eq(reclaim_shape(&head, good_bytes() + 1000, &shape), 0);
	expect_eq(reclaim_shape(&head, good_bytes() - 1, &shape), -EINVAL);
	head.magic++;
	expect_eq(reclaim_shape(&head, good_bytes(), &shape), -EPROTO);
	head = good_head();
	head.entry_bytes += 8;
	expect_eq(reclaim_shape(&head, good_bytes(), &shape), -EPROTO);
}

static void test_numbers(void)
{
	static const struct { u32 objects, page_bytes; u64 space, pages; } bad[] = {
		{ 0, PAGE, 0x1000, 1 },
		{ RECLAIM_OBJECTS + 1, PAGE, 0x1000, 1 },
		{ 0xffffffff, PAGE, 0x1000, 1 },
		{ 1, 0, 0x1000, 1 },
		{ 1, 1, 0x1000, 1 },
		{ 1, 2 * PAGE, 0x10000, 1 },
		{ 1, PAGE, 0x1001, 1 },
		{ 1, PAGE, 0x1000, 0 },
		{ 1, PAGE, 0x1000, 0x100000000 },
		{ 1, PAGE, 0x1000, 0xffffffffffffffff },
		{ 1, PAGE, 0xfffffffffffff000, 1 },
		{ 1, PAGE, 0xffffffff00000000, 0xffffffff },
	};
	struct reclaim_shape shape;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct marvin_table head = good_head();

		head.objects = bad[i].objects;
		head.page_bytes = bad[i].page_bytes;
		head.space = bad[i].space;
		head.space_pages = bad[i].pages;
		if (!expect_eq(reclaim_shape(&head, 1ULL << 40, &shape), -EINVAL))
			tap_note("row %u", i);
	}
}

static void test_words(void)
{
	static const u32 no[] = { ENTRY_LOCK, ENTRY_DIRTY, ENTRY_BUSY, ENTRY_BROKEN, ENTRY_PIN,
				  ENTRY_PINS, ENTRY_PIN << 11 };
	static const u32 all[] = { ENTRY_OCCUPIED, ENTRY_LAZY, ENTRY_RESIDENT };
	unsigned int i;

	expect(reclaim_wants(GOOD));
	expect(reclaim_wants(GOOD | 15 << ENTRY_READS | 15 << ENTRY_WRITES));
	for (i = 0; i < ARRAY_SIZE(no); i++)
		expect(!reclaim_wants(GOOD | no[i]));
	for (i = 0; i < ARRAY_SIZE(all); i++)
		expect(!reclaim_wants(GOOD & ~all[i]));
	expect(!reclaim_wants(0));
	expect(!reclaim_wants(0xffffffff));
}

static void test_unlock(void)
{
	expect_eq(reclaim_unlocked(GOOD | ENTRY_LOCK, true), GOOD & ~ENTRY_RESIDENT);
	expect_eq(reclaim_unlocked(GOOD | ENTRY_LOCK, false), GOOD);
	/* A user waits. */
	expect_eq(reclaim_unlocked(GOOD | ENTRY_LOCK | ENTRY_PIN, true),
		  (GOOD & ~ENTRY_RESIDENT) | ENTRY_PIN);
	/* It did not, and has taken the lock away: it is there, and dirty. */
	expect_eq(reclaim_unlocked(ENTRY_OCCUPIED | ENTRY_RESIDENT | ENTRY_DIRTY, true),
		  ENTRY_OCCUPIED | ENTRY_RESIDENT | ENTRY_DIRTY);
}

static void test_range(void)
{
	struct reclaim_shape shape = { 10, PAGE, 0x10000000, 100 };
	struct iovec range;

	expect(reclaim_range(&shape, 0, 100, &range));
	expect_eq((uintptr_t)range.iov_base, 0x10000000);
	expect_eq(range.iov_len, 100 * PAGE);
	expect(reclaim_range(&shape, 99, 1, &range));
	expect_eq((uintptr_t)range.iov_base, 0x10000000 + 99 * PAGE);
	expect(!reclaim_range(&shape, 0, 0, &range));
	expect(!reclaim_range(&shape, 0, 101, &range));
	expect(!reclaim_range(&shape, 99, 2, &range));
	expect(!reclaim_range(&shape, 100, 1, &range));
	expect(!reclaim_range(&shape, 0xffffffff, 1, &range));
	expect(!reclaim_range(&shape, 1, 0xffffffff, &range));
}

static ssize_t advise(const struct iovec *ranges, size_t n, void *arg)
{
	size_t i;
	ssize_t bytes = 0;

	++*(unsigned int *)arg;
	for (i = 0; i < n; i++)
		bytes += ranges[i].iov_len;
	return bytes;
}

/* make() - a table in memory, as a program has it */
static int make(int seals, const struct marvin_table *head)
{
	int fd = memfd_create("marvin", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	expect(fd >= 0 && !ftruncate(fd, good_bytes()));
	expect_eq(pwrite(fd, head, sizeof(*head), 0), sizeof(*head));
	expect_eq(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static int try(int fd)
{
	struct reclaim reclaim;
	int err = reclaim_open(&reclaim, fd, advise, NULL);

	expect(err ? !reclaim.table : !!reclaim.table);
	reclaim_close(&reclaim);
	/* It is closed in any case. */
	expect(fd < 0 || fcntl(fd, F_GETFD) < 0);
	return err;
}

static void test_open(void)
{
	struct marvin_table head = good_head();
	int fd, pipes[2];

	expect_eq(try(make(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, &head)), 0);
	/* Somebody could make it smaller. */
	expect_eq(try(make(F_SEAL_GROW, &head)), -EPROTO);
	expect_eq(try(make(F_SEAL_SHRINK, &head)), -EPROTO);
	expect_eq(try(make(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE, &head)), -EPERM);
	head.magic ^= 1;
	expect_eq(try(make(F_SEAL_SHRINK | F_SEAL_GROW, &head)), -EPROTO);
	expect_eq(try(open("/dev/null", O_RDWR)), -EPROTO);
	expect_eq(try(open("/", O_RDONLY)), -EPROTO);
	expect_eq(pipe(pipes), 0);
	close(pipes[1]);
	expect_eq(try(pipes[0]), -EPROTO);
	fd = memfd_create("marvin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	expect_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	expect_eq(try(fd), -EPROTO);
}

/* begin() - a table of ten objects of ten pages each, which were given */
static void begin(struct reclaim *reclaim, unsigned int *calls)
{
	struct marvin_table head = good_head();
	int fd = make(F_SEAL_SHRINK | F_SEAL_GROW, &head);
	unsigned int i;

	for (i = 0; i < 10; i++) {
		struct marvin_entry entry = { .word = GOOD, .page = i * 10, .pages = 10 };

		expect_eq(pwrite(fd, &entry, sizeof(entry), sizeof(head) + i * sizeof(entry)),
			  sizeof(entry));
	}
	*calls = 0;
	expect_eq(reclaim_open(reclaim, fd, advise, calls), 0);
}

static struct marvin_entry *entry(struct reclaim *reclaim, unsigned int nr)
{
	return (struct marvin_entry *)(reclaim->table + 1) + nr;
}

static void test_take(void)
{
	struct reclaim reclaim;
	unsigned int calls, i;

	begin(&reclaim, &calls);
	/* No time, nothing wanted. */
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, 0), 0);
	expect_eq(reclaim_take(&reclaim, 0, UINT64_MAX), 0);
	expect_eq(calls, 0);
	expect_eq(reclaim_take(&reclaim, 25 * PAGE, UINT64_MAX), 30 * PAGE);
	expect_eq(reclaim.next, 3);
	/* Those side by side are one range, in one call. */
	expect_eq(calls, 1);
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, UINT64_MAX), 70 * PAGE);
	expect_eq(reclaim.next, 0);
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, UINT64_MAX), 0);
	for (i = 0; i < 10; i++)
		expect_eq(entry(&reclaim, i)->word, ENTRY_OCCUPIED | ENTRY_LAZY);
	expect_eq(reclaim.table->counts[COUNT_DROPPED], 10);
	reclaim_close(&reclaim);
}

static void test_wrong(void)
{
	struct reclaim reclaim;
	unsigned int calls, i;

	begin(&reclaim, &calls);
	entry(&reclaim, 4)->pages = 1000;
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, UINT64_MAX), -EBADMSG);
	for (i = 0; i < 10; i++)
		expect(!(entry(&reclaim, i)->word & ENTRY_LOCK));
	reclaim_close(&reclaim);
	/* All of them are the whole space. */
	begin(&reclaim, &calls);
	for (i = 0; i < 10; i++) {
		entry(&reclaim, i)->page = 0;
		entry(&reclaim, i)->pages = 100;
	}
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, UINT64_MAX), -EBADMSG);
	reclaim_close(&reclaim);
}

static ssize_t fail(const struct iovec *ranges, size_t n, void *arg)
{
	return -EINVAL;
}

/* part() - the kernel ends after the first range */
static ssize_t part(const struct iovec *ranges, size_t n, void *arg)
{
	return ranges[0].iov_len;
}

static void test_partly(void)
{
	struct reclaim reclaim;
	unsigned int calls, i;

	begin(&reclaim, &calls);
	reclaim.advise = fail;
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, UINT64_MAX), -EINVAL);
	for (i = 0; i < 10; i++)
		expect_eq(entry(&reclaim, i)->word, GOOD);
	/* A hole after the third one makes two ranges. */
	entry(&reclaim, 3)->word = 0;
	reclaim.advise = part;
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, UINT64_MAX), 30 * PAGE);
	for (i = 0; i < 10; i++)
		expect_eq(entry(&reclaim, i)->word, i < 3 ? GOOD & ~ENTRY_RESIDENT :
							    i == 3 ? 0 : GOOD);
	reclaim_close(&reclaim);
}

/* slow() - a kernel that takes 5 ms for each call */
static ssize_t slow(const struct iovec *ranges, size_t n, void *arg)
{
	usleep(5000);
	return advise(ranges, n, arg);
}

static u64 after_us(u64 us)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000 + now.tv_nsec / 1000 + us;
}

/* A program may say that an object has 4 GiB: marvind has other programs, too. */
static void test_time(void)
{
	struct marvin_table head = good_head();
	struct reclaim reclaim;
	unsigned int calls, i;
	int fd;

	head.space_pages = 2 << 20;
	fd = make(F_SEAL_SHRINK | F_SEAL_GROW, &head);
	expect_eq(reclaim_open(&reclaim, fd, slow, &calls), 0);
	for (i = 0; i < 10; i++)
		*entry(&reclaim, i) = (struct marvin_entry){ .word = GOOD, .page = i, .pages = 1 };
	entry(&reclaim, 5)->pages = 1 << 20;
	calls = 0;
	/* The objects before it are taken, and it is tried once more, with all of the time. */
	expect(reclaim_take(&reclaim, UINT64_MAX, after_us(20000)) > 5 * PAGE);
	expect(calls <= 6);
	expect_eq(reclaim.next, 5);
	expect_eq(entry(&reclaim, 4)->word, GOOD & ~ENTRY_RESIDENT);
	expect(reclaim_take(&reclaim, UINT64_MAX, after_us(20000)) > 5 * PAGE);
	expect(calls <= 12);
	/* Then the others have their turn. */
	expect_eq(reclaim.next, 6);
	expect_eq(entry(&reclaim, 5)->word, GOOD);
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, after_us(20000)), 4 * PAGE);
	expect_eq(reclaim.next, 0);
	/* Where there is time it is taken as a whole. */
	reclaim.advise = advise;
	expect_eq(reclaim_take(&reclaim, UINT64_MAX, UINT64_MAX), (u64)PAGE << 20);
	expect_eq(entry(&reclaim, 5)->word, GOOD & ~ENTRY_RESIDENT);
	reclaim_close(&reclaim);
}

static const struct tap_case cases[] = {
	{ "heads", test_shape },
	{ "numbers that cannot be", test_numbers },
	{ "words", test_words },
	{ "the end of a lock", test_unlock },
	{ "places", test_range },
	{ "what is opened", test_open },
	{ "objects are taken back", test_take },
	{ "a table that is wrong", test_wrong },
	{ "a kernel that does a part", test_partly },
	{ "an object that takes too long", test_time },
};

int main(int argc, char **argv)
{
	return tap_main("reclaim", cases, ARRAY_SIZE(cases), argc, argv);
}
