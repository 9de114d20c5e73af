// SPDX-License-Identifier: GPL-2.0
/*
 * A UBI volume as an MTD, on a UBI in memory: the volume is found by name and number, and one call
 * covers all logical eraseblocks of its range.
 */
#include <errno.h>

#include "harness.h"
#include "lower_ubi.h"

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mtd/mtd.h>
#include <linux/mtd/ubi.h>

#define LEBS		4
#define LEB_BYTES	64

int shim_symbols;

/* Nothing is refused here. */
void *kvzalloc(size_t bytes, int flags)
{
	(void)flags;
	return calloc(1, bytes);
}

void kvfree(const void *memory)
{
	free((void *)memory);
}

/* Volume 5 of device 2. */
struct ubi_volume_desc {
	bool open;
	bool mapped[LEBS];
	u8 bytes[LEBS][LEB_BYTES];
	int read_error[LEBS];	/* error of a read; -EBADMSG: it reads the data */
	int reads;
};

static struct ubi_volume_desc volume;

static struct ubi_volume_desc *open_it(bool there, int mode)
{
	if (!there)
		return ERR_PTR(-ENODEV);
	expect_eq(mode, UBI_EXCLUSIVE);
	expect(!volume.open);
	volume.open = true;
	return &volume;
}

struct ubi_volume_desc *ubi_open_volume(int device, int number, int mode)
{
	return open_it(device == 2 && number == 5, mode);
}

struct ubi_volume_desc *ubi_open_volume_nm(int device, const char *name, int mode)
{
	return open_it(device == 2 && !strcmp(name, "swap"), mode);
}

void ubi_close_volume(struct ubi_volume_desc *desc)
{
	expect(desc->open);
	desc->open = false;
}

void ubi_get_volume_info(struct ubi_volume_desc *desc, struct ubi_volume_info *info)
{
	expect(desc->open);
	*info = (struct ubi_volume_info) {
		.size = LEBS, .vol_type = UBI_DYNAMIC_VOLUME,
		.usable_leb_size = LEB_BYTES, .name = "swap",
	};
}

int ubi_get_device_info(int device, struct ubi_device_info *info)
{
	expect_eq(device, 2);
	*info = (struct ubi_device_info) { .min_io_size = 8, .max_write_size = 16 };
	return 0;
}

/* UBI refuses a range beyond the eraseblock. */
static bool fits(int leb, int offset, int len)
{
	return expect(leb >= 0 && leb < LEBS && offset >= 0 && len > 0 &&
		      offset + len <= LEB_BYTES);
}

int ubi_leb_read(struct ubi_volume_desc *desc, int leb, void *buf, int offset, int len, int check)
{
	int err;

	expect(!check);
	if (!fits(leb, offset, len))
		return -EINVAL;
	desc->reads++;
	err = desc->read_error[leb];
	if (!err || err == -EBADMSG)
		memcpy(buf, desc->bytes[leb] + offset, len);
	return err;
}

int ubi_leb_write(struct ubi_volume_desc *desc, int leb, const void *buf, int offset, int len)
{
	if (!fits(leb, offset, len))
		return -EINVAL;
	expect(desc->mapped[leb]);
	memcpy(desc->bytes[leb] + offset, buf, len);
	return 0;
}

int ubi_leb_unmap(struct ubi_volume_desc *desc, int leb)
{
	memset(desc->bytes[leb], 0xff, LEB_BYTES);
	desc->mapped[leb] = false;
	return 0;
}

int ubi_leb_map(struct ubi_volume_desc *desc, int leb)
{
	expect(!desc->mapped[leb]);
	desc->mapped[leb] = true;
	return 0;
}

int ubi_sync(int device)
{
	return device == 2 ? 0 : -ENODEV;
}

static struct mtd_info *open_volume(void)
{
	const char *reason = "";
	struct mtd_info *mtd;

	memset(&volume, 0, sizeof(volume));
	if (!expect_eq(mtdc_lower_ubi_open("ubi2:swap", &mtd, &reason), 0)) {
		printf("Bail out! %s\n", reason);
		exit(1);
	}
	return mtd;
}

static void close_volume(struct mtd_info *mtd)
{
	mtdc_lower_ubi_close(mtd);
	expect(!volume.open);
	expect_eq(shim_symbols, 0);
}

static void test_names(void)
{
	static const struct {
		const char *which;
		int err;
	} cases[] = {
		{ "ubi2:swap", 0 }, { "ubi2_5", 0 }, { "ubi02_05", 0 },
		{ "ubi2:swap2", -ENODEV }, { "ubi1:swap", -ENODEV }, { "ubi2_4", -ENODEV },
		{ "ubi2_5x", -ENODEV }, { "ubi2", -ENODEV }, { "ubi:swap", -ENODEV },
		{ "ubi2_", -ENODEV }, { "swap", -ENODEV }, { "", -ENODEV },
		{ "ubi0002_5", -ENODEV },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *reason = "";
		struct mtd_info *mtd;
		int err = mtdc_lower_ubi_open(cases[i].which, &mtd, &reason);

		if (!expect_eq(err, cases[i].err))
			tap_note("%s", cases[i].which);
		expect_eq(volume.open, !err);
		if (!err)
			mtdc_lower_ubi_close(mtd);
		expect_eq(shim_symbols, 0);
	}
}

static void test_describe(void)
{
	struct mtd_info *mtd = open_volume();

	expect(!strcmp(mtd->name, "ubi2:swap"));
	expect_eq(mtd->type, MTD_UBIVOLUME);
	expect_eq(mtd->flags, MTD_WRITEABLE);
	expect_eq(mtd->size, LEBS * LEB_BYTES);
	expect_eq(mtd->erasesize, LEB_BYTES);
	expect_eq(mtd->writesize, 8);
	expect_eq(mtd->writebufsize, 16);
	close_volume(mtd);
}

/* Write the whole volume, and read the longest range in one call. */
static void test_across(void)
{
	struct erase_info all = { .len = LEBS * LEB_BYTES };
	u8 data[LEBS * LEB_BYTES], got[LEBS * LEB_BYTES];
	struct mtd_info *mtd = open_volume();
	u32 from, len, i;
	size_t done = 0;

	for (i = 0; i < sizeof(data); i++)
		data[i] = random_u64();
	expect_eq(mtd->_erase(mtd, &all), 0);
	expect_eq(mtd->_write(mtd, 0, 8, &done, data), 0);
	expect_eq(done, 8);
	expect_eq(mtd->_write(mtd, 8, sizeof(data) - 8, &done, data + 8), 0);
	expect_eq(done, sizeof(data) - 8);
	for (from = 0; from < sizeof(data); from++)
		for (len = 1; len <= sizeof(data) - from && !tap.bad; len++) {
			expect_eq(mtd->_read(mtd, from, len, &done, got), 0);
			expect_eq(done, len);
			expect(!memcmp(got, data + from, len));
		}
	close_volume(mtd);
}

/*
 * An ECC error in an eraseblock may concern other data than those asked for: the read continues to
 * its end, and then returns the error. Any other error ends the read.
 */
static void test_ecc(void)
{
	struct erase_info all = { .len = LEBS * LEB_BYTES };
	u8 data[LEBS * LEB_BYTES], got[LEBS * LEB_BYTES];
	struct mtd_info *mtd = open_volume();
	size_t done = 0;
	int leb;

	expect_eq(mtd->_erase(mtd, &all), 0);
	memset(data, 0x5a, sizeof(data));
	expect_eq(mtd->_write(mtd, 0, sizeof(data), &done, data), 0);
	for (leb = 0; leb < LEBS; leb++) {
		volume.read_error[leb] = -EBADMSG;
		memset(got, 0, sizeof(got));
		expect_eq(mtd->_read(mtd, 0, sizeof(got), &done, got), -EBADMSG);
		expect_eq(done, sizeof(got));
		expect(!memcmp(got, data, sizeof(got)));
		volume.reads = 0;
		volume.read_error[leb] = -EIO;
		expect_eq(mtd->_read(mtd, 0, sizeof(got), &done, got), -EIO);
		expect_eq(volume.reads, leb + 1);
		volume.read_error[leb] = 0;
	}
	close_volume(mtd);
}

static const struct tap_case cases[] = {
	{ "names and numbers", test_names },
	{ "what it is like", test_describe },
	{ "reads and writes across eraseblocks", test_across },
	{ "all is read where the ECC fails in a part", test_ecc },
};

int main(int argc, char **argv)
{
	return tap_main("lower_ubi", cases, ARRAY_SIZE(cases), argc, argv);
}
