// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel that takes pages at once after MADV_FREE: MARVIN_TEST_DROP percent of them (100), by
 * chance.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int __real_madvise(void *addr, size_t bytes, int advice);
int __wrap_madvise(void *addr, size_t bytes, int advice);

static uint64_t next_random(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

int __wrap_madvise(void *addr, size_t bytes, int advice)
{
	const char *env = getenv("MARVIN_TEST_DROP");
	size_t at, page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned long percent = env ? strtoul(env, NULL, 10) : 100;

	if (advice != MADV_FREE)
		return __real_madvise(addr, bytes, advice);
	for (at = 0; at < bytes; at += page)
		if (next_random() % 100 < percent)
			__real_madvise((char *)addr + at, page, MADV_DONTNEED);
	return 0;
}
