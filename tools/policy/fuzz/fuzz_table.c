// SPDX-License-Identifier: GPL-2.0
/*
 * marvind's part of a table that a program changes while it is read. The input is a head and
 * entries, which are right but for some changes; then requests to take memory back. Each time
 * marvind reads entries or calls the kernel, the program may change the table.
 *
 * Whatever the table says: the kernel is asked for memory of the program's space only, no lock
 * stays, no other bit of a word changes, and a request ends soon after its time is over.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "fuzz.h"
#include "reclaim.h"
#include "wrap.h"

#define GOOD (ENTRY_OCCUPIED | ENTRY_LAZY | ENTRY_RESIDENT)
/* Simulated: reading entries, and one call of the kernel. */
#define READ_US 10
#define CALL_US 1000
/* A request may finish what it has begun. */
#define LATE_CALLS 1

/* Files of some sizes: nothing, half a head, no entries, entries for less and more than a copy. */
static const u32 sizes[] = { 0, 100, 208, 208 + 40 * 24, 208 + 1200 * 24 };

static struct {
	struct input in;
	struct marvin_table *head;	/* as the program sees it */
	struct marvin_entry *entries;
	u32 n;
	u8 *touched;			/* entries that the program has changed */
	const struct reclaim_shape *shape;
	bool changes;			/* the program does something */
	u64 now_us;
	u64 until_us;
	u32 late;			/* calls of the kernel after that */
} world;

/* number() - small ones and those at the borders come by one byte */
static u64 number(void)
{
	static const u64 special[] = {
		0, 1, UINT32_MAX, UINT64_MAX, 1U << 20, (1U << 20) + 1, 0x80000000, 4096, 8192,
		~0xfffULL, 1ULL << 32, 5000,
	};
	u8 byte = take(&world.in);

	if (byte < 128)
		return byte;
	if (byte - 128 < ARRAY_SIZE(special))
		return special[byte - 128];
	return byte & 1 ? take_bytes(&world.in, 4) :
			  (u64)take_bytes(&world.in, 4) << 32 | take_bytes(&world.in, 4);
}

static void change_head(void)
{
	u8 what = take(&world.in);
	u64 value = number();

	switch (what % 8) {
	case 0:
		world.head->magic ^= value;
		break;
	case 1:
		world.head->entry_bytes = value;
		break;
	case 2:
		world.head->objects = value;
		break;
	case 3:
		world.head->page_bytes = value;
		break;
	case 4:
		world.head->space = value;
		break;
	case 5:
		world.head->space = value << 12;
		break;
	case 6:
		world.head->space_pages = value;
		break;
	default:
		world.head->counts[value % 16] = number();
	}
}

static void change_entry(void)
{
	u32 nr = take_below(&world.in, world.n);
	u8 what = take(&world.in);
	u64 value = number();
	struct marvin_entry *entry = &world.entries[nr];

	world.touched[nr] = 1;
	switch (what % 4) {
	case 0:
		entry->word = value;
		break;
	case 1:
		entry->word ^= 1U << value % 32;
		break;
	case 2:
		entry->page = value;
		break;
	default:
		entry->pages = value;
	}
}

static void change(void)
{
	u8 what = take(&world.in);

	if (!(what & 1) || !world.head)
		return;
	if (what & 2 && world.n)
		change_entry();
	else
		change_head();
}

ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t at)
{
	ssize_t n = __real_pread(fd, buf, bytes, at);

	world.now_us += READ_US;
	if (world.changes)
		change();
	return n;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	now->tv_sec = world.now_us / 1000000;
	now->tv_nsec = world.now_us % 1000000 * 1000;
	return 0;
}

static void check_range(const struct iovec *range)
{
	const struct reclaim_shape *shape = world.shape;
	u64 at = (uintptr_t)range->iov_base, bytes = range->iov_len;
	u64 space = shape->space_pages * shape->page_bytes;

	must_be(bytes && bytes % shape->page_bytes == 0);
	must_be(at >= shape->space && (at - shape->space) % shape->page_bytes == 0);
	must_be(at - shape->space <= space && bytes <= space - (at - shape->space));
}

/* advise() - the kernel: takes all, some, or none of it */
static ssize_t advise(const struct iovec *ranges, size_t n, void *arg)
{
	static const int errors[] = { -ENOMEM, -EINVAL, -ESRCH, -EPERM };
	ssize_t done = 0;
	u8 how = take(&world.in);
	size_t i;

	must_be(n && arg == &world);
	if (world.now_us >= world.until_us)
		must_be(world.late++ < LATE_CALLS);
	world.now_us += CALL_US;
	for (i = 0; i < n; i++) {
		check_range(&ranges[i]);
		done += i < how % 16 || how < 128 ? ranges[i].iov_len : 0;
	}
	change();
	return how >= 240 ? errors[how % 4] : done;
}

/* check_words() - where the program has changed nothing */
static void check_words(void)
{
	u32 i;

	for (i = 0; i < world.n; i++) {
		u32 word = world.entries[i].word;

		if (!world.touched[i])
			must_be(word == GOOD || word == (GOOD & ~ENTRY_RESIDENT));
	}
}

static void requests(struct reclaim *reclaim)
{
	struct reclaim_sum sum;
	int i;

	world.shape = &reclaim->shape;
	must_be(!reclaim_count(reclaim, &sum));
	must_be(sum.objects <= reclaim->shape.objects);
	must_be(sum.given + sum.out <= sum.pages);
	for (i = 0; i < 4; i++) {
		u64 bytes = number() << 12, us = (u64)take(&world.in) << 8;
		int64_t taken;

		world.late = 0;
		world.until_us = world.now_us + us;
		taken = reclaim_take(reclaim, bytes, world.until_us);
		must_be(taken >= -4095);
		must_be(reclaim->next < reclaim->shape.objects);
		check_words();
	}
}

static void begin(u8 *table, u32 bytes)
{
	u32 i;

	world.head = NULL;
	world.n = 0;
	memset(table, 0, bytes);
	if (bytes < sizeof(*world.head))
		return;
	world.head = (struct marvin_table *)table;
	world.entries = (struct marvin_entry *)(world.head + 1);
	world.n = (bytes - sizeof(*world.head)) / sizeof(*world.entries);
	*world.head = (struct marvin_table){
		.magic = TABLE_MAGIC, .entry_bytes = sizeof(*world.entries), .objects = world.n,
		.page_bytes = sysconf(_SC_PAGESIZE), .space = 0x7f0000000000,
		.space_pages = 5000,
	};
	for (i = 0; i < world.n; i++)
		world.entries[i] = (struct marvin_entry){ .word = GOOD, .page = 4 * i, .pages = 1 + i % 4 };
}

/* table_of() - a file that nobody can make smaller; made once for each size */
static int table_of(unsigned int nr, u8 **table)
{
	static struct { int fd; u8 *at; } files[ARRAY_SIZE(sizes)];
	int fd;

	if (!files[nr].fd) {
		fd = memfd_create("marvin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		must_be(fd >= 0 && !ftruncate(fd, sizes[nr]));
		must_be(!fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
		files[nr].fd = fd;
		if (sizes[nr])
			files[nr].at = mmap(NULL, sizes[nr], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		must_be(files[nr].at != MAP_FAILED);
	}
	*table = files[nr].at;
	return files[nr].fd;
}

int fuzz_one(const u8 *data, size_t bytes)
{
	unsigned int nr, changes;
	struct reclaim reclaim;
	u8 *table;
	int fd;

	memset(&world, 0, sizeof(world));
	world.in = (struct input){ data, bytes };
	nr = ARRAY_SIZE(sizes) - 1 - take(&world.in) % ARRAY_SIZE(sizes);
	fd = table_of(nr, &table);
	if (table)
		begin(table, sizes[nr]);
	world.touched = calloc(world.n + 1, 1);
	if (!world.touched)
		abort();
	for (changes = take(&world.in); changes; changes--)
		change();
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	must_be(fd >= 0);
	world.changes = true;
	if (!reclaim_open(&reclaim, fd, advise, &world)) {
		requests(&reclaim);
		reclaim_close(&reclaim);
	}
	must_be(fcntl(fd, F_GETFD) < 0);
	free(world.touched);
	return 0;
}
