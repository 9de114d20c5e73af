// SPDX-License-Identifier: GPL-2.0
/*
 * A UBI volume as an MTD.
 *
 * It is an MTD for lower.c alone, registered nowhere: a logical eraseblock of the volume
 * is an eraseblock, none is ever bad, and what has been erased reads 0xff. This file knows
 * how UBI names and opens volumes, and which of its functions do what an MTD does; why
 * and when they are called it does not know.
 *
 * An erase unmaps the eraseblock, and maps it anew. So it is UBI's thread that erases
 * the flash, when it has time, and what the eraseblock had held may come back after a
 * power cut, which does no harm (media.h, nonce). And a write finds it mapped: then it
 * waits for nobody but whoever reads or writes the same one. An erase may wait for UBI's
 * thread, see lower_eraser.c.
 *
 * UBI is a module that a board need not have. Its functions are looked up when a volume
 * is opened; until it is closed they keep the module.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mtd/mtd.h>
#include <linux/mtd/ubi.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "lower_ubi.h"
#include "opts.h"

/* UBI's numbers are small: 32 devices, 128 volumes. */
#define DIGITS_MAX	3U

/**
 * struct ubi_calls - functions of UBI, or NULL
 * @open: ubi_open_volume()
 * @open_by_name: ubi_open_volume_nm()
 * @close: ubi_close_volume()
 * @tell: ubi_get_volume_info()
 * @tell_device: ubi_get_device_info()
 * @read: ubi_leb_read()
 * @write: ubi_leb_write()
 * @unmap: ubi_leb_unmap()
 * @map: ubi_leb_map()
 * @sync: ubi_sync()
 */
struct ubi_calls {
	typeof(ubi_open_volume) *open;
	typeof(ubi_open_volume_nm) *open_by_name;
	typeof(ubi_close_volume) *close;
	typeof(ubi_get_volume_info) *tell;
	typeof(ubi_get_device_info) *tell_device;
	typeof(ubi_leb_read) *read;
	typeof(ubi_leb_write) *write;
	typeof(ubi_leb_unmap) *unmap;
	typeof(ubi_leb_map) *map;
	typeof(ubi_sync) *sync;
};

/**
 * struct volume - an open volume
 * @mtd: what it looks like
 * @ubi: UBI's functions
 * @desc: UBI's hold on the volume
 * @device: number of the UBI device
 * @name: "ubi<device>:<name of the volume>"
 */
struct volume {
	struct mtd_info mtd;
	struct ubi_calls ubi;
	struct ubi_volume_desc *desc;
	int device;
	char name[MTDC_OPT_NAME_MAX];
};

/* Which volume: of this device, by its name, or by its number if there is none. */
struct address {
	int device;
	int number;
	const char *name;
};

static void put_calls(const struct ubi_calls *ubi)
{
	if (ubi->open)
		symbol_put(ubi_open_volume);
	if (ubi->open_by_name)
		symbol_put(ubi_open_volume_nm);
	if (ubi->close)
		symbol_put(ubi_close_volume);
	if (ubi->tell)
		symbol_put(ubi_get_volume_info);
	if (ubi->tell_device)
		symbol_put(ubi_get_device_info);
	if (ubi->read)
		symbol_put(ubi_leb_read);
	if (ubi->write)
		symbol_put(ubi_leb_write);
	if (ubi->unmap)
		symbol_put(ubi_leb_unmap);
	if (ubi->map)
		symbol_put(ubi_leb_map);
	if (ubi->sync)
		symbol_put(ubi_sync);
}

/* True if UBI is there; put_calls() has to follow in any case. */
static bool get_calls(struct ubi_calls *ubi)
{
	ubi->open = symbol_get(ubi_open_volume);
	ubi->open_by_name = symbol_get(ubi_open_volume_nm);
	ubi->close = symbol_get(ubi_close_volume);
	ubi->tell = symbol_get(ubi_get_volume_info);
	ubi->tell_device = symbol_get(ubi_get_device_info);
	ubi->read = symbol_get(ubi_leb_read);
	ubi->write = symbol_get(ubi_leb_write);
	ubi->unmap = symbol_get(ubi_leb_unmap);
	ubi->map = symbol_get(ubi_leb_map);
	ubi->sync = symbol_get(ubi_sync);
	return ubi->open && ubi->open_by_name && ubi->close && ubi->tell &&
		ubi->tell_device && ubi->read && ubi->write && ubi->unmap &&
		ubi->map && ubi->sync;
}

static struct volume *volume_of(struct mtd_info *mtd)
{
	return container_of(mtd, struct volume, mtd);
}

/* The eraseblock at @at; how much of @len is in it. */
static int find_leb(const struct mtd_info *mtd, u64 at, size_t len, int *leb,
		    u32 *offset)
{
	*leb = div_u64_rem(at, mtd->erasesize, offset);
	return min_t(size_t, len, mtd->erasesize - *offset);
}

static int volume_read(struct mtd_info *mtd, loff_t from, size_t len,
		       size_t *retlen, u_char *buf)
{
	const struct volume *v = volume_of(mtd);
	int err, leb, part, failed = 0;
	u32 offset;

	for (*retlen = 0; *retlen < len; *retlen += part) {
		part = find_leb(mtd, from + *retlen, len - *retlen, &leb,
				&offset);
		err = v->ubi.read(v->desc, leb, buf + *retlen, offset, part, 0);
		/* As drivers do: what is right, the checksum tells. */
		if (err && !mtd_is_eccerr(err))
			return err;
		failed = failed ?: err;
	}
	return failed;
}

static int volume_write(struct mtd_info *mtd, loff_t to, size_t len,
			size_t *retlen, const u_char *buf)
{
	const struct volume *v = volume_of(mtd);
	int err = 0, leb, part;
	u32 offset;

	for (*retlen = 0; !err && *retlen < len; *retlen += part) {
		part = find_leb(mtd, to + *retlen, len - *retlen, &leb,
				&offset);
		err = v->ubi.write(v->desc, leb, buf + *retlen, offset, part);
		if (err)
			break;
	}
	return err;
}

static int volume_erase(struct mtd_info *mtd, struct erase_info *instr)
{
	const struct volume *v = volume_of(mtd);
	u64 at = instr->addr, end = at + instr->len;
	int err = 0, leb;
	u32 offset;

	for (; !err && at < end; at += mtd->erasesize) {
		find_leb(mtd, at, mtd->erasesize, &leb, &offset);
		if (offset)
			return -EINVAL;
		err = v->ubi.unmap(v->desc, leb);
		if (!err)
			err = v->ubi.map(v->desc, leb);
	}
	return err;
}

static void volume_sync(struct mtd_info *mtd)
{
	const struct volume *v = volume_of(mtd);

	v->ubi.sync(v->device);
}

/* Take a number off the front of the text; none is -1. */
static int take_number(const char **text)
{
	unsigned int digits = 0;
	int number = 0;

	for (; digits < DIGITS_MAX && isdigit(**text); digits++, ++*text)
		number = number * 10 + **text - '0';
	return digits ? number : -1;
}

/* "ubi0:name" or "ubi0_1". */
static bool parse(const char *which, struct address *address)
{
	if (strncmp(which, "ubi", 3))
		return false;
	which += 3;
	address->device = take_number(&which);
	if (address->device < 0)
		return false;
	if (*which == ':') {
		address->name = which + 1;
		return true;
	}
	if (*which++ != '_')
		return false;
	address->name = NULL;
	address->number = take_number(&which);
	return address->number >= 0 && !*which;
}

static int open_volume(struct volume *v, const struct address *address,
		       const char **reason)
{
	v->device = address->device;
	/*
	 * For us alone: a reader may wait for memory, and so for us, with a lock that
	 * we wait for.
	 */
	v->desc = address->name ?
		v->ubi.open_by_name(v->device, address->name, UBI_EXCLUSIVE) :
		v->ubi.open(v->device, address->number, UBI_EXCLUSIVE);
	if (!IS_ERR(v->desc))
		return 0;
	switch (PTR_ERR(v->desc)) {
	case -ENODEV:
	case -EINVAL:
		*reason = "no such UBI volume";
		return -ENODEV;
	case -EBUSY:
		*reason = "this UBI volume is in use already";
		return -EBUSY;
	default:
		*reason = "UBI refuses to open this volume";
		return PTR_ERR(v->desc);
	}
}

static void describe(struct volume *v, const struct ubi_device_info *device,
		     const struct ubi_volume_info *volume)
{
	struct mtd_info *mtd = &v->mtd;

	snprintf(v->name, sizeof(v->name), "ubi%d:%s", v->device,
		 volume->name);
	mtd->name = v->name;
	mtd->index = -1;
	mtd->type = MTD_UBIVOLUME;
	mtd->flags = device->ro_mode ? 0 : MTD_WRITEABLE;
	mtd->erasesize = volume->usable_leb_size;
	mtd->writesize = device->min_io_size;
	mtd->writebufsize = device->max_write_size;
	mtd->size = (u64)volume->size * mtd->erasesize;
	mtd->_read = volume_read;
	mtd->_write = volume_write;
	mtd->_erase = volume_erase;
	mtd->_sync = volume_sync;
}

static int examine(struct volume *v, const char **reason)
{
	struct ubi_volume_info volume;
	struct ubi_device_info device;
	int err = v->ubi.tell_device(v->device, &device);

	if (err) {
		*reason = "no such UBI volume";
		return err;
	}
	v->ubi.tell(v->desc, &volume);
	if (volume.vol_type != UBI_DYNAMIC_VOLUME) {
		*reason = "it is a static UBI volume";
		return -EROFS;
	}
	if (volume.upd_marker) {
		*reason = "an update of this UBI volume was not completed";
		return -EROFS;
	}
	describe(v, &device, &volume);
	return 0;
}

/**
 * mtdc_lower_ubi_open() - open a UBI volume
 * @which: "ubi<device>:<name>" or "ubi<device>_<number>", as UBI has it
 * @mtd: the MTD that it looks like
 * @reason: why not; unchanged if it is not the name of one
 *
 * Context: process, may sleep.
 * Return: 0; -ENODEV if there is none, -EBUSY if somebody writes to it, -EROFS if
 * nobody can, -ENOMEM, or an error of UBI.
 */
int mtdc_lower_ubi_open(const char *which, struct mtd_info **mtd,
			const char **reason)
{
	struct address address;
	struct volume *v;
	int err = -ENODEV;

	if (!parse(which, &address))
		return -ENODEV;
	*reason = "not enough memory";
	v = kzalloc(sizeof(*v), GFP_KERNEL);
	if (!v)
		return -ENOMEM;
	*reason = "UBI is not there";
	if (!get_calls(&v->ubi))
		goto err_put_calls;
	err = open_volume(v, &address, reason);
	if (err)
		goto err_put_calls;
	err = examine(v, reason);
	if (err)
		goto err_close;
	*mtd = &v->mtd;
	return 0;

err_close:
	v->ubi.close(v->desc);
err_put_calls:
	put_calls(&v->ubi);
	kfree(v);
	return err;
}

/**
 * mtdc_lower_ubi_close() - close a UBI volume
 * @mtd: the MTD that it looks like, of which nothing is left
 *
 * Context: process, may sleep.
 */
void mtdc_lower_ubi_close(struct mtd_info *mtd)
{
	struct volume *v = volume_of(mtd);

	v->ubi.close(v->desc);
	put_calls(&v->ubi);
	kfree(v);
}
