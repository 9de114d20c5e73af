// SPDX-License-Identifier: GPL-2.0
/*
 * A UBI volume as an MTD.
 *
 * The MTD is registered nowhere; only lower.c opens it and uses it. Its eraseblocks are the
 * logical eraseblocks (LEBs) of the volume: none is ever bad, and after an erase all bytes are
 * 0xff. This file owns the open volume, and a reference to UBI's module while it is open. It
 * must never call UBI outside of that, and never wait for UBI to erase flash.
 *
 * An erase unmaps the LEB and maps it anew; UBI's thread erases the flash later. So the old
 * contents may come back after a power cut, but their nonce is an old one (media.h). And each
 * write finds its LEB mapped, so that it waits only for other users of this LEB. An erase may
 * wait for UBI's thread, see lower_eraser.c.
 *
 * A board need not have UBI, and its module may be loaded later than ours. So we look up UBI's
 * functions when a volume is opened.
 */
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

/* UBI's functions. */
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
 * @mtd: the MTD for lower.c
 * @ubi: UBI's functions
 * @desc: UBI's descriptor of the volume
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

/* A parsed name; @number is used if @name is NULL. */
struct address {
	unsigned int device;
	unsigned int number;
	const char *name;
};

#define put_call(call, function) do {	\
	if (call)			\
		symbol_put(function);	\
} while (0)

static void put_calls(const struct ubi_calls *ubi)
{
	put_call(ubi->open, ubi_open_volume);
	put_call(ubi->open_by_name, ubi_open_volume_nm);
	put_call(ubi->close, ubi_close_volume);
	put_call(ubi->tell, ubi_get_volume_info);
	put_call(ubi->tell_device, ubi_get_device_info);
	put_call(ubi->read, ubi_leb_read);
	put_call(ubi->write, ubi_leb_write);
	put_call(ubi->unmap, ubi_leb_unmap);
	put_call(ubi->map, ubi_leb_map);
	put_call(ubi->sync, ubi_sync);
}

/* Is UBI loaded? The caller calls put_calls() in either case. */
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

/* Find the LEB at @at, and the number of bytes of @len in it. */
static int find_leb(const struct mtd_info *mtd, u64 at, size_t len, int *leb, u32 *offset)
{
	*leb = div_u64_rem(at, mtd->erasesize, offset);
	return min_t(size_t, len, mtd->erasesize - *offset);
}

static int volume_read(struct mtd_info *mtd, loff_t from, size_t len, size_t *retlen, u_char *buf)
{
	const struct volume *v = volume_of(mtd);
	int err, leb, part, failed = 0;
	u32 offset;

	for (*retlen = 0; *retlen < len; *retlen += part) {
		part = find_leb(mtd, from + *retlen, len - *retlen, &leb, &offset);
		err = v->ubi.read(v->desc, leb, buf + *retlen, offset, part, 0);
		/* Drivers read on after an ECC error: checksums tell which data are right. */
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
	int err, leb, part;
	u32 offset;

	for (*retlen = 0; *retlen < len; *retlen += part) {
		part = find_leb(mtd, to + *retlen, len - *retlen, &leb, &offset);
		err = v->ubi.write(v->desc, leb, buf + *retlen, offset, part);
		if (err)
			return err;
	}
	return 0;
}

static int volume_erase(struct mtd_info *mtd, struct erase_info *instr)
{
	const struct volume *v = volume_of(mtd);
	u32 offset, rest;
	int leb = div_u64_rem(instr->addr, mtd->erasesize, &offset);
	int end = leb + div_u64_rem(instr->len, mtd->erasesize, &rest);
	int err = 0;

	if (offset || rest)
		return -EINVAL;
	for (; !err && leb < end; leb++) {
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

/* "ubi0:name" or "ubi0_1". */
static bool parse(const char *which, struct address *address)
{
	int end = 0;

	address->name = NULL;
	if (sscanf(which, "ubi%3u_%3u%n", &address->device, &address->number, &end) == 2)
		return !which[end];
	if (sscanf(which, "ubi%3u:%n", &address->device, &end) == 1 && end)
		address->name = which + end;
	return address->name;
}

static int open_volume(struct volume *v, const struct address *address, const char **reason)
{
	v->device = address->device;
	/*
	 * Exclusive, because another reader could deadlock with us: it locks a LEB and waits
	 * for memory; reclaim waits for our write, and our write for the LEB.
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

static int examine(struct volume *v, const char **reason)
{
	struct mtd_info *mtd = &v->mtd;
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
	snprintf(v->name, sizeof(v->name), "ubi%d:%s", v->device, volume.name);
	mtd->name = v->name;
	mtd->index = -1;
	mtd->type = MTD_UBIVOLUME;
	mtd->flags = device.ro_mode ? 0 : MTD_WRITEABLE;
	mtd->erasesize = volume.usable_leb_size;
	mtd->writesize = device.min_io_size;
	mtd->writebufsize = device.max_write_size;
	mtd->size = (u64)volume.size * mtd->erasesize;
	mtd->_read = volume_read;
	mtd->_write = volume_write;
	mtd->_erase = volume_erase;
	mtd->_sync = volume_sync;
	return 0;
}

/**
 * mtdc_lower_ubi_open() - open a UBI volume
 * @which: UBI's name of it, "ubi<device>:<name>" or "ubi<device>_<number>"
 * @mtd: set to the MTD that stands for it
 * @reason: set to the reason of an error, in words; not if @which has another form
 *
 * Context: may sleep.
 * Return: 0; -ENODEV if it does not exist, -EBUSY if it is open, -EROFS if it can't be
 * written, -ENOMEM, or an error of UBI.
 */
int mtdc_lower_ubi_open(const char *which, struct mtd_info **mtd, const char **reason)
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
 * @mtd: the MTD that stands for it; freed
 *
 * Context: may sleep.
 */
void mtdc_lower_ubi_close(struct mtd_info *mtd)
{
	struct volume *v = volume_of(mtd);

	v->ubi.close(v->desc);
	put_calls(&v->ubi);
	kfree(v);
}
