// SPDX-License-Identifier: GPL-2.0
/*
 * Pages of the trace buffer: events of all kinds, times, what is lost, what is cut off anywhere,
 * and pages that are none.
 */
#include <errno.h>
#include "monitor_ring.h"
#include "harness.h"
#include "tree.h"

#define PADDING 29u
#define EXTEND 30u
#define STAMP 31u

static const char format[] =
	"name: swap\nID: 1500\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"
	"\tfield:u64 broken;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"(%lx) ip;=%llu\", REC->__probe_ip, REC->ip\n";

static u8 page[4096];
static size_t used;
static unsigned int word = 8;

static struct {
	unsigned int n;
	u64 time_us[600];
	size_t size[600];
	u8 first[600];
} got;

static void put32(u32 value)
{
	memcpy(page + 8 + word + used, &value, 4);
	used += 4;
}

static void head(u32 kind, u32 delta)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	put32(kind << 27 | delta);
#else
	put32(delta << 5 | kind);
#endif
}

static void put_bytes(unsigned int n, u8 value)
{
	memset(page + 8 + word + used, value, n);
	used += n;
}

static void begin(u64 ns)
{
	memset(page, 0, sizeof(page));
	memset(&got, 0, sizeof(got));
	memcpy(page, &ns, 8);
	used = 0;
}

static void event(uint64_t time_us, const unsigned char *data, size_t size, void *arg)
{
	unsigned int i;
	u8 sum = 0;

	expect(arg == &got);
	if (got.n == ARRAY_SIZE(got.size))
		return;
	/* All of it may be read. */
	for (i = 0; i < size; i++)
		sum |= data[i];
	got.time_us[got.n] = time_us;
	got.size[got.n] = size;
	got.first[got.n++] = sum;
}

/* go() - from memory of exactly its size */
static int go(u64 commit, size_t size, bool *lost)
{
	u8 *copy = test_alloc(size);
	u32 four = (u32)commit;
	int err;

	if (word == 8)
		memcpy(page + 8, &commit, 8);
	else
		memcpy(page + 8, &four, 4);
	memcpy(copy, page, size);
	err = ring_page(copy, size, word, lost, event, &got);
	free(copy);
	return err;
}

static int read_page(void)
{
	bool lost = false;
	int err = go(used, 8 + word + used, &lost);

	expect(!lost);
	return err;
}

static void test_field(void)
{
	static const struct {
		const char *name;
		size_t offset, size;
	} cases[] = {
		{ "common_type", 0, 2 }, { "common_pid", 4, 4 }, { "__probe_ip", 8, 8 },
		{ "ip", 16, 8 }, { "probe_ip", 0, 0 }, { "comm[16]", 24, 16 }, { "comm", 0, 0 },
		{ "broken", 0, 0 }, { "", 0, 0 }, { "none", 0, 0 },
		{ "a_name_that_is_much_longer_than_those_that_a_field_may_have_here", 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ring_field field = ring_field(format, cases[i].name);

		expect_eq(field.size, cases[i].size);
		if (field.size && !expect_eq(field.offset, cases[i].offset))
			tap_note("%s", cases[i].name);
	}
	expect_eq(ring_field("", "ip").size, 0);
	expect_eq(ring_field(" ip;", "ip").size, 0);
	expect_eq(ring_field("field:u64 ip;\toffset:8;\tsize:", "ip").size, 0);
}

static void test_value(void)
{
	static const struct {
		struct ring_field field;
		size_t size;
		bool good;
		u64 value;
	} cases[] = {
		{ { 0, 2 }, 12, true, 0x1111 }, { { 0, 4 }, 12, true, 0x11111111 },
		{ { 4, 8 }, 12, true, 0x1111111111111111 }, { { 5, 8 }, 12, false, 0 },
		{ { 12, 2 }, 12, false, 0 }, { { 11, 2 }, 12, false, 0 },
		{ { 10, 2 }, 12, true, 0x1111 },
		{ { 0, 0 }, 12, false, 0 }, { { 0, 1 }, 12, false, 0 }, { { 0, 3 }, 12, false, 0 },
		{ { 0, 16 }, 12, false, 0 }, { { SIZE_MAX, 2 }, 12, false, 0 },
		{ { 2, SIZE_MAX }, 12, false, 0 }, { { 0, 2 }, 0, false, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u8 *data = test_alloc(cases[i].size);
		uint64_t value = 5;

		memset(data, 0x11, cases[i].size);
		if (!expect_eq(ring_value(cases[i].field, data, cases[i].size, &value),
			       cases[i].good))
			tap_note("case %u", i);
		expect_eq(value, cases[i].good ? cases[i].value : 5);
		free(data);
	}
}

static void test_events(void)
{
	for (word = 4; word <= 8; word += 4) {
		u64 stamp = (1ull << 60) + 5000000;

		begin(1000000);
		head(1, 500000);
		put_bytes(4, 1);
		head(28, 500000);
		put_bytes(112, 2);
		/* A long one, whose length has its own four bytes in it. */
		head(0, 0);
		put32(4 + 122);
		put_bytes(124, 3);
		/* One that was discarded: its time counts. */
		head(PADDING, 1000000);
		put32(8);
		put_bytes(4, 4);
		/* A long time. */
		head(EXTEND, 5);
		put32(7);
		head(1, 0);
		put_bytes(4, 5);
		/* A time, of which the page's has the highest bits. */
		head(STAMP, stamp & ((1 << 27) - 1));
		put32((u32)(stamp >> 27));
		head(2, 1000);
		put_bytes(8, 6);
		expect_eq(read_page(), 0);
		expect_eq(got.n, 5);
		expect(got.time_us[0] == 1500 && got.size[0] == 4 && got.first[0] == 1);
		expect(got.time_us[1] == 2000 && got.size[1] == 112 && got.first[1] == 2);
		expect(got.time_us[2] == 2000 && got.size[2] == 122 && got.first[2] == 3);
		expect_eq(got.time_us[3], (3000000 + 5 + (7ull << 27)) / 1000);
		expect_eq(got.first[3], 5);
		expect_eq(got.time_us[4], 5001);
		expect(got.size[4] == 8 && got.first[4] == 6);
	}
	word = 8;
	/* Of an uptime with the highest bits. */
	begin(3ull << 59);
	head(STAMP, 1000000);
	put32(0);
	head(1, 0);
	put_bytes(4, 1);
	expect_eq(read_page(), 0);
	expect_eq(got.time_us[0], ((3ull << 59) + 1000000) / 1000);
}

static void test_end(void)
{
	begin(0);
	expect_eq(read_page(), 0);
	expect_eq(got.n, 0);
	/* Padding without a time is the rest. */
	head(1, 1);
	put_bytes(4, 1);
	head(PADDING, 0);
	put32(4);
	head(1, 1);
	put_bytes(4, 1);
	expect_eq(read_page(), 0);
	expect_eq(got.n, 1);
	/* Lengths that cannot be. */
	begin(0);
	head(0, 0);
	put32(3);
	put_bytes(40, 1);
	expect_eq(read_page(), 0);
	expect_eq(got.n, 0);
	begin(0);
	head(0, 0);
	put32(UINT32_MAX);
	put_bytes(40, 1);
	expect_eq(read_page(), 0);
	begin(0);
	head(PADDING, 1);
	put32(UINT32_MAX);
	put_bytes(40, 1);
	expect_eq(read_page(), 0);
	expect_eq(got.n, 0);
}

static void test_lost(void)
{
	bool lost = false;

	begin(0);
	head(1, 1);
	put_bytes(4, 1);
	expect_eq(go(used | 1ull << 31, 8 + word + used, &lost), 0);
	expect(lost);
	expect_eq(got.n, 1);
	/* What was lost before is not forgotten; how much is stored behind the events. */
	expect_eq(go(used | 1ull << 30, 8 + word + used + 8, &lost), 0);
	expect(lost);
	expect_eq(got.n, 2);
	lost = false;
	expect_eq(go(used, 8 + word + used, &lost), 0);
	expect(!lost);
}

static void test_no_page(void)
{
	bool lost = false;
	size_t size;

	begin(0);
	for (size = 0; size < 16; size++)
		expect_eq(go(0, size, &lost), -EINVAL);
	expect_eq(go(1, 16, &lost), -EINVAL);
	expect_eq(go(0, 16, &lost), 0);
	expect_eq(go(4081, 4096, &lost), -EINVAL);
	expect_eq(go(4080, 4096, &lost), 0);
	expect(!lost);
}

/* A page that ends anywhere has its first events. */
static void test_cut(void)
{
	unsigned int i, n;
	bool lost = false;
	size_t cut, ends[40];

	begin(0);
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		n = 1 + random_below(28);
		head(n, 1000);
		put_bytes(4 * n, 1);
		ends[i] = used;
	}
	for (cut = 0; cut <= used; cut++) {
		memset(&got, 0, sizeof(got));
		expect_eq(go(cut, 8 + word + cut, &lost), 0);
		for (n = 0; n < ARRAY_SIZE(ends) && ends[n] <= cut; n++)
			;
		expect_eq(got.n, n);
	}
}

static void test_random(void)
{
	unsigned int round, rounds = quick() ? 1000 : 20000, i;
	bool lost = false;

	for (round = 0; round < rounds; round++) {
		begin(random_u64());
		word = random_below(2) ? 8 : 4;
		for (i = 0; i < 20; i++) {
			head(random_below(2) ? random_below(32) : 28 + random_below(4),
			     random_below(4) ? random_below(1 << 27) : 0);
			put32(random_below(2) ? random_length(UINT32_MAX) : random_below(64));
			put_bytes(4 * random_below(8), (u8)random_u64());
		}
		go(used, 8 + word + used, &lost);
	}
	word = 8;
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "fields", test_field },
		{ "values", test_value },
		{ "events of all kinds", test_events },
		{ "where it ends", test_end },
		{ "events that are lost", test_lost },
		{ "what is no page", test_no_page },
		{ "a page that is cut off", test_cut },
		{ "random words", test_random },
	};

	return tap_main("monitor_ring", cases, ARRAY_SIZE(cases), argc, argv);
}
