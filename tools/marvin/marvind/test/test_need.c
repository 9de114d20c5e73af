// SPDX-License-Identifier: GPL-2.0
/*
 * How much is taken back, and the order of programs; the configuration; packets and requests.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "../config.h"
#include "../message.h"
#include "../need.h"
#include "../status.h"

#define MIB (1ULL << 20)

static struct config config;

static void begin(void)
{
	char message[CONF_MESSAGE];

	unsetenv("MARVIN_REGISTER");
	conf_presets(config_keys, &config);
	expect_eq(config_check(&config, message), 0);
}

/* bytes() - of 1000 MiB so many are available; some and all have waited in a second for so long */
static u64 bytes(u64 available_mib, u64 some_ms, u64 full_ms)
{
	struct need need = { 1000 * MIB, available_mib * MIB, some_ms * 1000, full_ms * 1000,
			     1000000 };

	return need_bytes(&config, &need);
}

static void test_budget(void)
{
	begin();
	/* 10 percent. */
	expect_eq(bytes(1000, 0, 0), 0);
	expect_eq(bytes(101, 0, 0), 0);
	expect(bytes(99, 0, 0) > 0 && bytes(99, 0, 0) <= MIB);
	expect_eq(bytes(0, 0, 0), 64 * MIB);
	config.available = 0;
	expect_eq(bytes(0, 0, 0), 0);
	begin();
	config.mode = MODE_TOLD;
	expect_eq(bytes(0, 1000, 1000), 0);
}

static void test_pressure(void)
{
	struct need need = { .some_us = 1000000, .full_us = 1000000 };

	begin();
	/* 5 percent of some. */
	expect_eq(bytes(1000, 49, 0), 0);
	expect_eq(bytes(1000, 50, 0), 64 * MIB);
	/* All of them count four times. */
	expect_eq(bytes(1000, 12, 12), 0);
	expect_eq(bytes(1000, 13, 13), 64 * MIB);
	/* The first look has no time before it. */
	expect_eq(need_bytes(&config, &need), 0);
	need.passed_us = 1000000;
	need.full_us = UINT64_MAX;
	expect_eq(need_bytes(&config, &need), 64 * MIB);
	config.pressure = 0;
	expect_eq(bytes(1000, 1000, 1000), 0);
}

static void test_order(void)
{
	expect(need_before(true, 0, false, 1000));
	expect(!need_before(false, 1000, true, 0));
	expect(need_before(true, 1000, true, 999));
	expect(!need_before(true, 999, true, 1000));
	expect(!need_before(false, 5, false, 5));
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
	{ "who comes first", test_order },
	{ "the configuration", test_config },
	{ "the socket", test_socket },
	{ "the first packet", test_heap },
	{ "later packets", test_told },
};

int main(int argc, char **argv)
{
	return tap_main("need", cases, ARRAY_SIZE(cases), argc, argv);
}
