// SPDX-License-Identifier: GPL-2.0

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "shortage.h"

/* Memory is short if less than a quarter of it is available. */
#define SHORT_PARTS 4
/*
 * It is dire if what is available and the swap's room are together less than a tenth of it, or than
 * 32 MiB: a large machine has not run out with a tenth left.
 */
#define DIRE_PARTS 10
#define DIRE_KIB (32ULL << 10)

static unsigned long long field(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/**
 * shortage_in() - as /proc/meminfo has it; PURE
 * @meminfo: its text
 *
 * Return: how short memory is; SHORTAGE_NONE also, if it does not say.
 */
enum shortage shortage_in(const char *meminfo)
{
	unsigned long long total = field(meminfo, "MemTotal:");
	unsigned long long available = field(meminfo, "MemAvailable:");
	unsigned long long dire = total / DIRE_PARTS < DIRE_KIB ? total / DIRE_PARTS : DIRE_KIB;

	if (!strstr(meminfo, "MemAvailable:") || available >= total / SHORT_PARTS)
		return SHORTAGE_NONE;
	return available + field(meminfo, "SwapFree:") < dire ? SHORTAGE_DIRE : SHORTAGE_SHORT;
}

/**
 * shortage() - of this system, now
 *
 * Return: as of shortage_in(); SHORTAGE_NONE, if it cannot be read.
 */
enum shortage shortage(void)
{
	int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	char text[1024];
	ssize_t n;

	if (fd < 0)
		return SHORTAGE_NONE;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return SHORTAGE_NONE;
	text[n] = '\0';
	return shortage_in(text);
}
