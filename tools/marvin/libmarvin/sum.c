// SPDX-License-Identifier: GPL-2.0

#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "sum.h"

/* As large as XXH3's own secret. */
static uint64_t secret[24];

/*
 * make_secret() - where getrandom() is forbidden, or has nothing yet early at boot: from the 16
 * random bytes that the kernel gives each program
 */
static void make_secret(void)
{
	const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM);
	size_t i;

	if (getrandom(secret, sizeof(secret), GRND_NONBLOCK) == sizeof(secret))
		return;
	for (i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
		secret[i] = XXH3_64bits_withSeed(random, random ? 16 : 0, i + 1);
}

/**
 * sum_begin() - before the first sum_of() of the process
 *
 * Context: any thread, any number of times.
 */
void sum_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_secret);
}

/**
 * sum_of() - of a page
 * @page: its bytes
 * @bytes: how many
 *
 * Context: any, a signal handler's, too.
 *
 * Return: the sum, which is another one in another process.
 */
uint64_t sum_of(const void *page, size_t bytes)
{
	return XXH3_64bits_withSecret(page, bytes, secret, sizeof(secret));
}
