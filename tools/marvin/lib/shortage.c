// SPDX-License-Identifier: GPL-2.0

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "shortage.h"

/* Less than one of so many parts is available. */
#define PARTS 4

static unsigned long long field(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/**
 * shortage_in() - as /proc/meminfo has it; PURE
 * @meminfo: its text
 *
 * Return: true, if less than a quarter of the memory is available; false also, if it does not say.
 */
bool shortage_in(const char *meminfo)
{
	unsigned long long total = field(meminfo, "MemTotal:");

	return strstr(meminfo, "MemAvailable:") && field(meminfo, "MemAvailable:") < total / PARTS;
}

/**
 * shortage() - of this system, now
 *
 * Return: as of shortage_in(); false, if it cannot be read.
 */
bool shortage(void)
{
	int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	char text[512];
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return shortage_in(text);
}
