// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include "signature.h"

/* Offsets in the header and the magic at the end of the page, see linux/swap.h. */
#define AT_VERSION 1024
#define AT_LAST_PAGE 1028
#define VERSION_1 1
static const char magic[] = "SWAPSPACE2";
#define MAGIC_BYTES (sizeof(magic) - 1)

/* mkswap's minimum, including the header. */
#define PAGES_MIN 10

static void put(unsigned char *at, uint32_t value)
{
	/* Native byte order; the kernel accepts both. */
	memcpy(at, &value, sizeof(value));
}

/**
 * signature_make() - make the first page of a swap area, without UUID and label
 * @page: filled in
 * @page_bytes: size of a page, 4096 at least
 * @device_bytes: size of the whole area; pages beyond 2^32 stay unused
 *
 * Return: 0, or -EINVAL if the area is too small.
 */
int signature_make(unsigned char *page, size_t page_bytes, uint64_t device_bytes)
{
	uint64_t pages = device_bytes / page_bytes;

	if (pages < PAGES_MIN)
		return -EINVAL;
	if (pages > UINT32_MAX)
		pages = UINT32_MAX;
	memset(page, 0, page_bytes);
	put(page + AT_VERSION, VERSION_1);
	put(page + AT_LAST_PAGE, (uint32_t)(pages - 1));
	memcpy(page + page_bytes - MAGIC_BYTES, magic, MAGIC_BYTES);
	return 0;
}
