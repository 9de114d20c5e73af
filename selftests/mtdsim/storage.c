// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of the media: at a physical address that Linux does not use, or from vmalloc(). The
 * tables of blocks and pages, a few bytes for each, always come from vmalloc().
 *
 * All memory is allocated when a device is made: a medium that allocates during a write would hang
 * a machine that swaps to it.
 */
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "storage.h"

static int fail(const char **reason, int err, const char *why)
{
	*reason = why;
	return err;
}

/* A size that is a mistake must not cause a warning or start the OOM killer. */
static void *allocate(size_t bytes)
{
	if (bytes >> PAGE_SHIFT >= si_mem_available())
		return NULL;
	return __vmalloc(bytes, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN |
			 __GFP_RETRY_MAYFAIL);
}

/* Writes to an address without memory are lost. */
static bool is_memory(u8 *cells, size_t bytes)
{
	size_t at;

	for (at = 0; at < bytes; at += min_t(size_t, SZ_1M, bytes - 1 - at)) {
		WRITE_ONCE(cells[at], 0x5a);
		if (READ_ONCE(cells[at]) != 0x5a)
			return false;
		WRITE_ONCE(cells[at], 0xa5);
		if (READ_ONCE(cells[at]) != 0xa5)
			return false;
		if (at == bytes - 1)
			break;
	}
	return true;
}

static int map(struct sim_storage *storage, const struct sim_config *config,
	       size_t bytes, const char **reason)
{
	if (!PAGE_ALIGNED(config->base))
		return fail(reason, -EINVAL,
			    "base= has to be a multiple of the page size");
	/* The kernel refuses System RAM, regions of drivers, and other devices of mtdsim. */
	if (!request_mem_region(config->base, bytes, "mtdsim"))
		return fail(reason, -EBUSY,
			    "the memory at base= is in use; keep it from Linux by memmap= or mem= on its command line, and from other devices");
	storage->base = config->base;
	storage->bytes = bytes;
	storage->cells = memremap(config->base, bytes, MEMREMAP_WB);
	if (!storage->cells)
		return fail(reason, -ENOMEM, "the memory at base= can't be mapped");
	if (!is_memory(storage->cells, bytes))
		return fail(reason, -ENXIO, "there is no memory at base=");
	return 0;
}

/**
 * sim_storage_get() - get the memory of a device
 * @storage: the result, zeroed before; needs sim_storage_put() even after an error
 * @chip: its pointers are set
 * @config: the device
 * @reason: description of an error
 *
 * Context: process; may sleep.
 * Return: 0; -EBUSY, -EINVAL or -ENXIO for a wrong address, -ENOMEM.
 */
int sim_storage_get(struct sim_storage *storage, struct sim_chip *chip,
		    const struct sim_config *config, const char **reason)
{
	u32 blocks = sim_chip_blocks(config), pages = sim_chip_pages(config);
	size_t bytes = config->size + sim_chip_oob_bytes(config);
	int err;

	chip->blocks = allocate(blocks * sizeof(*chip->blocks));
	if (pages)
		chip->pages = allocate(pages * sizeof(*chip->pages));
	if (!chip->blocks || (pages && !chip->pages))
		return fail(reason, -ENOMEM, "no memory for the tables");
	if (config->has_base) {
		err = map(storage, config, bytes, reason);
		if (err)
			return err;
	} else {
		storage->cells = allocate(bytes);
		if (!storage->cells)
			return fail(reason, -ENOMEM,
				    "no memory for the media; choose a smaller size=, or base=");
	}
	chip->data = storage->cells;
	chip->oob = pages ? chip->data + config->size : NULL;
	return 0;
}

/**
 * sim_storage_put() - give back the memory of a device
 * @storage: result of sim_storage_get()
 * @chip: its pointers become invalid
 *
 * Context: process; may sleep.
 */
void sim_storage_put(struct sim_storage *storage, struct sim_chip *chip)
{
	vfree(chip->pages);
	vfree(chip->blocks);
	if (!storage->bytes) {
		vfree(storage->cells);
		return;
	}
	if (storage->cells)
		memunmap(storage->cells);
	release_mem_region(storage->base, storage->bytes);
}
