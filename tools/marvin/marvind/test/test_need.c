// SPDX-License-Identifier: GPL-2.0
/*
 * How much is taken back, and from which programs; the configuration; lines and requests.
 */
#include <errno.h>
#include <stdlib.h>
#include "harness.h"
#include "../config.h"
#include "../need.h"
#include "../registry.h"
#include "../status.h"

#define MIB (1ULL << 20)

static struct config config;

static void begin(void)
{
	char message[CONF_MESSAGE];

	unsetenv("MARVIN_REGISTER");
	config_default(&config);
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
	config_default(&config);
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

static void test_line(void)
{
	static const char *const bad[] = { "", "\n", "x\n", "3", "3\n3\n", " 3\n", "-3\n", "3 \n",
					   "99999999\n", "999999999999999999999\n", "0x3\n",
					   "3.5\n" };
	unsigned int i;
	int fd = -1;

	expect(registry_parse("3\n", &fd));
	expect_eq(fd, 3);
	expect(registry_parse("1048576\n", &fd));
	expect_eq(fd, 1048576);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!expect(!registry_parse(bad[i], &fd)))
			tap_note("row %u", i);
}

static void test_pid(void)
{
	static const char *const bad[] = { "", "0", "-1", "x", "1x", " 1", "1 ", "2147483648",
					   "99999999999999999999", "1.5" };
	unsigned int i;
	pid_t pid = 0;

	expect(status_pid("2147483647", &pid));
	expect_eq(pid, 2147483647);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!expect(!status_pid(bad[i], &pid)))
			tap_note("row %u", i);
}

static const struct tap_case cases[] = {
	{ "a budget", test_budget },
	{ "pressure", test_pressure },
	{ "who comes first", test_order },
	{ "the configuration", test_config },
	{ "the socket", test_socket },
	{ "lines of programs", test_line },
	{ "ids of processes", test_pid },
};

int main(int argc, char **argv)
{
	return tap_main("need", cases, ARRAY_SIZE(cases), argc, argv);
}
