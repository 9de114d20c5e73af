// SPDX-License-Identifier: GPL-2.0
/*
 * The plan of a look: how much each program gives; the configuration; packets and requests.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "../config.h"
#include "../messages.h"
#include "../reclaim.h"
#include "../status.h"

#define MIB (1ULL << 20)
#define PAGE 4096U

static struct config config;

static void begin(void)
{
	char message[CONF_MESSAGE];

	unsetenv("MARVIN_REGISTER");
	conf_presets(config_keys, &config);
	expect_eq(config_check(&config, message), 0);
}

static struct program programs[PROGRAMS_MAX];
static struct view view;
static struct plan plan;

/* bytes_of() - to take back, as the plan says */
static u64 bytes_of(void)
{
	view.programs = programs;
	view.page = PAGE;
	reclaim_plan(&config, &view, &plan);
	return plan.bytes;
}

/* bytes() - @available_mib of 1000 MiB; in the last second some and all programs have waited */
static u64 bytes(u64 available_mib, u64 some_ms, u64 full_ms)
{
	view = (struct view){
		.total = 1000 * MIB, .available = available_mib * MIB,
		.some_us = some_ms * 1000, .full_us = full_ms * 1000, .passed_us = 1000000,
	};
	return bytes_of();
}

static void test_budget(void)
{
	begin();
	/* 10 percent. */
	expect_eq(bytes(1000, 0, 0), 0);
	expect_eq(bytes(101, 0, 0), 0);
	expect(bytes(99, 0, 0) > 0 && bytes(99, 0, 0) <= MIB);
	expect_eq(bytes(0, 0, 0), config.take);
	config.available = 0;
	expect_eq(bytes(0, 0, 0), 0);
	begin();
	config.mode = MODE_TOLD;
	expect_eq(bytes(0, 1000, 1000), 0);
}

static void test_pressure(void)
{
	u64 all;

	begin();
	/* Per mille of some in a second. */
	expect_eq(bytes(1000, config.pressure - 1, 0), 0);
	expect_eq(bytes(1000, config.pressure, 0), config.take);
	/* All of them count several times. */
	all = config.pressure / RECLAIM_FULL_WEIGHT;
	expect_eq(bytes(1000, all, all), 0);
	expect_eq(bytes(1000, all + 1, all + 1), config.take);
	/* The first look has no time before it. */
	view = (struct view){ .some_us = 1000000, .full_us = 1000000 };
	expect_eq(bytes_of(), 0);
	view = (struct view){ .some_us = 1000000, .full_us = UINT64_MAX, .passed_us = 1000000 };
	expect_eq(bytes_of(), config.take);
	config.pressure = 0;
	expect_eq(bytes(1000, 1000, 1000), 0);
}

/* add() - a program that has given @pages, and has not used them for so long */
static struct program *add(unsigned int i, uid_t user, u64 pages, bool background, u32 idle_ms)
{
	programs[i] = (struct program){
		.caller = { .user = user }, .id = { (pid_t)i + 1, 1 }, .background = background,
		.told = { .given = pages * PAGE }, .used_ms = 5000 - idle_ms,
	};
	return &programs[i];
}

/* plan_pages() - memory is short by so many pages */
static void plan_pages(u64 pages)
{
	config.available = 1000;
	config.take = pages * PAGE;
	view = (struct view){ .now_ms = 5000, .total = 1000 * MIB };
	expect_eq(bytes_of(), pages * PAGE);
}

/* first() - the first two programs have a page each, and one page is needed */
static unsigned int first(bool back, u32 idle_ms, bool other_back, u32 other_idle_ms)
{
	begin();
	config.foreground = true;
	memset(programs, 0, sizeof(programs));
	add(0, 0, 1, back, idle_ms);
	add(1, 0, 1, other_back, other_idle_ms);
	plan_pages(1);
	expect_eq(plan.drop[0] + plan.drop[1], PAGE);
	return plan.drop[0] ? 0 : 1;
}

static void test_order(void)
{
	expect_eq(first(true, 0, false, 1000), 0);
	expect_eq(first(false, 1000, true, 0), 1);
	expect_eq(first(true, 1000, true, 999), 0);
	expect_eq(first(true, 999, true, 1000), 1);
	expect_eq(first(false, 5, false, 5), 0);
}

/* Users with something to give have equal parts, in whole pages. */
static void test_users(void)
{
	begin();
	memset(programs, 0, sizeof(programs));
	add(0, 1, 3, true, 20);
	add(2, 1, 100, true, 10);
	add(3, 2, 4, true, 0)->told.given -= 1;
	add(5, 3, 100, false, 0);
	plan_pages(15);
	expect_eq(plan.n_users, 3);
	expect_eq(plan.drop[0], 3 * PAGE);
	expect_eq(plan.drop[2], 4 * PAGE);
	expect_eq(plan.drop[3], 4 * PAGE);
	/* In the foreground. */
	expect_eq(plan.drop[5], 0);
	expect(!plan.waits);
	config.foreground = true;
	plan_pages(15);
	expect_eq(plan.drop[0] + plan.drop[2], 5 * PAGE);
	expect_eq(plan.drop[5], 5 * PAGE);
	plan_pages(2);
	expect_eq(plan.drop[0] + plan.drop[2] + plan.drop[3] + plan.drop[5], 0);
}

/* Programs that are not asked: never touched, pending, asked already, or with nothing left. */
static void test_unasked(void)
{
	begin();
	memset(programs, 0, sizeof(programs));
	add(0, 0, 10, true, 0)->never = true;
	add(1, 0, 10, true, 0)->ask.pending = true;
	add(2, 0, 10, true, 0)->ask = (struct ask){ .awaits = 1, .bytes = 1, .since_ms = 4990 };
	add(3, 0, 10, true, 0)->ask.gone = 10 * PAGE;
	add(4, 0, 10, true, 0)->outside.done = true;
	add(6, 0, 10, true, 0)->ask.gone = 7 * PAGE;
	plan_pages(100);
	expect_eq(plan.drop[0] + plan.drop[1] + plan.drop[2] + plan.drop[3] + plan.drop[4], 0);
	expect_eq(plan.drop[6], 3 * PAGE);
	/* For the one that was asked 10 ms ago. */
	expect(plan.waits);
}

/* The kernel takes from stopped programs only, and no more than they are asked for. */
static void test_outside(void)
{
	unsigned int i;

	begin();
	memset(programs, 0, sizeof(programs));
	add(0, 0, 10, true, 0)->ask = (struct ask){ .awaits = 1, .bytes = 7 };
	add(1, 0, 10, true, 0)->ask = (struct ask){ .awaits = 1, .pending = true };
	add(2, 0, 10, true, 0)->ask = (struct ask){ .awaits = 1 };
	plan_pages(100);
	for (i = 0; i < PROGRAMS_MAX; i++)
		expect_eq(plan.outside[i], 0);
	expect(!plan.waits);
	for (i = 0; i < 3; i++)
		programs[i].stopped = true;
	plan_pages(100);
	expect_eq(plan.outside[0], 7);
	expect_eq(plan.outside[1], UINT64_MAX);
	/* All of its last request was taken: it is asked for more. */
	expect_eq(plan.outside[2], 10 * PAGE);
	expect_eq(plan.outside[2], plan.drop[2]);
}

/* with() - a socket of the environment */
static int with(const char *path)
{
	char message[CONF_MESSAGE];

	setenv("MARVIN_REGISTER", path, 1);
	conf_presets(config_keys, &config);
	return config_check(&config, message);
}

static void test_socket(void)
{
	char message[CONF_MESSAGE], path[200] = "/";

	expect_eq(with("/tmp/other"), 0);
	expect(!strcmp(config.reg, "/tmp/other"));
	expect_eq(with(""), 0);
	expect(!strcmp(config.reg, "/run/marvind.reg"));
	expect_eq(with("here"), -EINVAL);
	memset(path + 1, 'x', 106);
	expect_eq(with(path), 0);
	expect(!strcmp(config.reg, path));
	/* A character more does not fit into an address; to cut it would name another socket. */
	memset(path + 1, 'x', 107);
	expect_eq(with(path), -EINVAL);
	begin();
	expect_eq(conf_set_option(config_keys, &config, "marvind.register=here", message), 0);
	expect_eq(config_check(&config, message), -EINVAL);
	expect(!!strstr(message, "begins with /"));
	expect_eq(conf_set_option(config_keys, &config, "marvind.run=/run", message), -ENOENT);
}

static void test_config(void)
{
	char message[CONF_MESSAGE];

	begin();
	expect_eq(conf_set_option(config_keys, &config, "auto.available=12.5 %", message), 0);
	expect_eq(config.available, 125);
	expect_eq(conf_set_option(config_keys, &config, "auto.available=101", message), -EINVAL);
	expect_eq(conf_set_option(config_keys, &config, "auto.take=4K", message), -EINVAL);
	/* The table of keys knows 0 and auto as one. */
	expect_eq(conf_set_option(config_keys, &config, "auto.take=0", message), 0);
	expect_eq(config_check(&config, message), 0);
	expect_eq(config.take, 64 * MIB);
	expect_eq(conf_set_option(config_keys, &config, "marvind.mode=fast", message), -EINVAL);
	expect_eq(conf_set_option(config_keys, &config, "marvind.nothing=1", message), -ENOENT);
}

static void test_heap(void)
{
	static const char *const bad[] = {
		"", "marvin", "marvin 2", "marvin 1 x 1000 4096 4096", "marvin 3 x 1000 4096 4096",
		"marvin 2 x 1000 4096 4096 ", "marvin 2 x 1000 4096 4096 1",
		"marvin 2  1000 4096 4096", "marvin 2 x 1000 0 4096", "marvin 2 x 1001 4096 4096",
		"marvin 2 x 1000 4097 4096", "marvin 2 x 1000 4096 8192", "marvin 2 x 1000 4096 0",
		"marvin 2 x -1000 4096 4096", "marvin 2 x 0x1000 4096 4096",
		"marvin 2 x 1000 1000a 4096", "marvin 2 x 1G 4096 4096",
		"marvin 2 x fffffffffffff000 4096 4096",
		"marvin 2 x 1000 18446744073709547520 4096",
		"marvin 2 x 1000 18446744073709551616 4096",
		"marvin 2 x 10000000000000000 4096 4096",
		"marvin 2 0123456789abcdef 1000 4096 4096", "Marvin 2 x 1000 4096 4096",
		"marvin 2 x 1000 4096 4096\n",
	};
	struct heap heap;
	unsigned int i;

	expect(message_heap("marvin 2 x 1000 8192 4096", 4096, &heap));
	expect(!strcmp(heap.name, "x") && heap.space == 4096 && heap.bytes == 8192);
	expect(message_heap("marvin 2 0123456789abcde 0 4096 4096", 4096, &heap));
	expect(!strcmp(heap.name, "0123456789abcde"));
	/* Nothing that a terminal obeys, nor a field of marvinctl's. */
	expect(message_heap("marvin 2 a\033b\nc=d\177\200 1000 4096 4096", 4096, &heap));
	expect(!strcmp(heap.name, "a_b_c_d__"));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!expect(!message_heap(bad[i], 4096, &heap)))
			tap_note("%s", bad[i]);
}

/* A program may send anything. */
static void test_told(void)
{
	static const struct { const char *text; bool right; } rows[] = {
		{ "stat 0 1 2 3 4 5 6 7", true },
		{ "stat 0 9007199254740992 0 0 0 0 0 0", true },
		{ "stat 0 9007199254740993 0 0 0 0 0 0", false },
		{ "stat 0 1 99999999999 99999999999 99999999999 99999999999 6 7", true },
		{ "stat 0 1 2 3 4 5 6", false },
		{ "stat 0 1 2 3 4 5 6 7 8", false },
		{ "stat 0 1 2 3 4 5 6 7 ", false },
		{ "stat 0 1 2 3 4 5 6 -7", false },
		{ "stat 0 1 2 3 4 5 6 0x7", false },
		{ "stat 0 1 2  4 5 6 7", false },
		{ "stat 0 1 2 3 4 5 6 18446744073709551616", false },
		{ "stats", false },
		{ "", false },
	};
	struct heap heap = { "x", 4096, 8192 };
	struct told told;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!expect_eq(message_told(rows[i].text, &heap, &told), rows[i].right))
			tap_note("%s", rows[i].text);
		else if (rows[i].right)
			expect(told.bytes <= 8192 && told.unsaved <= 8192 && told.saved <= 8192 &&
			       told.given <= 8192);
}

static const struct tap_case cases[] = {
	{ "a budget", test_budget },
	{ "pressure", test_pressure },
	{ "the order of programs", test_order },
	{ "users have equal parts", test_users },
	{ "programs that are not asked", test_unasked },
	{ "programs that are stopped", test_outside },
	{ "the configuration", test_config },
	{ "the socket", test_socket },
	{ "the first packet", test_heap },
	{ "later packets", test_told },
};

int main(int argc, char **argv)
{
	return tap_main("plan", cases, ARRAY_SIZE(cases), argc, argv);
}
