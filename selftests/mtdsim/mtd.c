// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated medium as an MTD: the callbacks, with the flags, errors and layouts of real drivers.
 *
 * This file splits requests into operations of the chip, and waits for the time that they take. It
 * does not know the rules of the media.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mtd/mtd.h>
#include <linux/string.h>

#include "mtd.h"

static struct sim_dev *to_dev(struct mtd_info *mtd)
{
	return container_of(mtd, struct sim_dev, mtd);
}

/* Wait for the time that the chip has charged since @ns. */
static void pass_time(struct sim_dev *dev, u64 begun, u64 ns)
{
	lockdep_assert_held(&dev->lock);
	sim_delay_until(&dev->delay, begun, dev->chip.counters.ns - ns);
}

/*
 * Number of bytes to do of a request. A driver that does less than @len should return an error, but
 * not all do.
 */
static size_t cut_request(struct sim_dev *dev, enum sim_fault_kind kind,
			  size_t len, u32 unit)
{
	struct sim_chip *chip = &dev->chip;

	lockdep_assert_held(&dev->lock);
	if (!len || !sim_fault_due(&chip->faults[kind], &chip->random))
		return len;
	return round_down(sim_random_below(&chip->random, len), unit);
}

static int sim_read(struct mtd_info *mtd, loff_t from, size_t len,
		    size_t *retlen, u_char *buf)
{
	struct sim_dev *dev = to_dev(mtd);
	u64 begun, ns;
	int err = 0;

	mutex_lock(&dev->lock);
	begun = sim_delay_now();
	ns = dev->chip.counters.ns;
	len = cut_request(dev, SIM_SHORT_READ, len, 1);
	if (len)
		err = sim_chip_read(&dev->chip, from, len, buf);
	if (!err || err == -EBADMSG || err == -EUCLEAN)
		*retlen = len;
	if (err == -EBADMSG)
		mtd->ecc_stats.failed++;
	pass_time(dev, begun, ns);
	mutex_unlock(&dev->lock);
	return err;
}

static int sim_write(struct mtd_info *mtd, loff_t to, size_t len,
		     size_t *retlen, const u_char *buf)
{
	struct sim_dev *dev = to_dev(mtd);
	u64 begun, ns;
	u32 done;
	int err;

	if ((to | len) & (mtd->writesize - 1))
		return -EINVAL;
	mutex_lock(&dev->lock);
	begun = sim_delay_now();
	ns = dev->chip.counters.ns;
	len = cut_request(dev, SIM_SHORT_PROGRAM, len, mtd->writesize);
	err = sim_chip_program(&dev->chip, to, len, buf, &done);
	*retlen = done;
	pass_time(dev, begun, ns);
	mutex_unlock(&dev->lock);
	return err;
}

static int sim_erase(struct mtd_info *mtd, struct erase_info *instr)
{
	struct sim_dev *dev = to_dev(mtd);
	u64 addr = instr->addr, end = addr + instr->len, begun, ns;
	int err = 0;

	if ((addr | end) & (mtd->erasesize - 1))
		return -EINVAL;
	/* Release the lock after each block: an erase is slow, and other users wait. */
	for (; !err && addr < end; addr += mtd->erasesize) {
		mutex_lock(&dev->lock);
		begun = sim_delay_now();
		ns = dev->chip.counters.ns;
		err = sim_chip_erase(&dev->chip,
				     (u32)addr / mtd->erasesize);
		if (err)
			instr->fail_addr = addr;
		pass_time(dev, begun, ns);
		mutex_unlock(&dev->lock);
	}
	return err;
}

/**
 * struct walk - a request on NAND, page by page
 * @dev: the device
 * @ops: the request
 * @at: offset of the next byte
 * @ooboffs: next out-of-band byte in its page
 * @ooblen: out-of-band bytes available in a page
 * @oob: out-of-band bytes of the present page
 * @io: the operation on the present page
 */
struct walk {
	struct sim_dev *dev;
	struct mtd_oob_ops *ops;
	u32 at;
	u32 ooboffs;
	u32 ooblen;
	u32 oob;
	struct sim_page_io io;
};

static void walk_begin(struct walk *walk, struct sim_dev *dev, loff_t at,
		       struct mtd_oob_ops *ops)
{
	memset(walk, 0, sizeof(*walk));
	walk->dev = dev;
	walk->ops = ops;
	walk->at = at;
	walk->ooboffs = ops->ooboffs;
	walk->ooblen = mtd_oobavail(&dev->mtd, ops);
	walk->io.raw = ops->mode == MTD_OPS_RAW;
}

static bool walk_more(const struct walk *walk)
{
	return walk->ops->retlen < walk->ops->len ||
		walk->ops->oobretlen < walk->ops->ooblen;
}

/* Set up the operation on the present page. */
static void walk_page(struct walk *walk)
{
	const struct mtd_oob_ops *ops = walk->ops;
	u32 writesize = walk->dev->mtd.writesize;

	walk->io.page = walk->at / writesize;
	walk->io.column = walk->at % writesize;
	walk->io.len = min_t(u32, ops->len - ops->retlen,
			     writesize - walk->io.column);
	walk->io.data = ops->datbuf + ops->retlen;
	walk->oob = min_t(u32, ops->ooblen - ops->oobretlen,
			  walk->ooblen - walk->ooboffs);
	walk->io.oob = walk->oob ? walk->dev->oob : NULL;
}

/* Continue with the next page. */
static void walk_on(struct walk *walk)
{
	walk->ops->retlen += walk->io.len;
	walk->ops->oobretlen += walk->oob;
	walk->at = (walk->io.page + 1) * walk->dev->mtd.writesize;
	walk->ooboffs = 0;
}

static void oob_from_user(struct walk *walk)
{
	const u8 *from = walk->ops->oobbuf + walk->ops->oobretlen;
	struct sim_dev *dev = walk->dev;

	memset(dev->oob, 0xff, dev->mtd.oobsize);
	if (walk->ops->mode == MTD_OPS_AUTO_OOB)
		mtd_ooblayout_set_databytes(&dev->mtd, from, dev->oob,
					    walk->ooboffs, walk->oob);
	else
		memcpy(dev->oob + walk->ooboffs, from, walk->oob);
}

static void oob_to_user(struct walk *walk)
{
	u8 *to = walk->ops->oobbuf + walk->ops->oobretlen;
	struct sim_dev *dev = walk->dev;

	if (walk->ops->mode == MTD_OPS_AUTO_OOB)
		mtd_ooblayout_get_databytes(&dev->mtd, to, dev->oob,
					    walk->ooboffs, walk->oob);
	else
		memcpy(to, dev->oob + walk->ooboffs, walk->oob);
}

static void count_ecc(struct walk *walk)
{
	struct mtd_ecc_stats *stats = &walk->dev->mtd.ecc_stats;

	stats->corrected += walk->io.corrected;
	stats->failed += walk->io.failed;
	if (walk->ops->stats) {
		walk->ops->stats->corrected_bitflips += walk->io.corrected;
		walk->ops->stats->uncorrectable_errors += walk->io.failed;
	}
}

static int read_pages(struct walk *walk)
{
	unsigned int bitflips = 0;
	bool failed = false;
	int err;

	for (; walk_more(walk); walk_on(walk)) {
		walk_page(walk);
		err = sim_chip_read_page(&walk->dev->chip, &walk->io);
		count_ecc(walk);
		/* As real drivers do, read on after an ECC error: the caller may use the rest. */
		if (err && err != -EBADMSG)
			return err;
		failed |= !!err;
		if (walk->oob)
			oob_to_user(walk);
		bitflips = max(bitflips, walk->io.bitflips);
	}
	return failed ? -EBADMSG : bitflips;
}

static int write_pages(struct walk *walk)
{
	int err;

	for (; walk_more(walk); walk_on(walk)) {
		walk_page(walk);
		if (walk->oob)
			oob_from_user(walk);
		err = sim_chip_program_page(&walk->dev->chip, &walk->io);
		if (err)
			return err;
	}
	return 0;
}

static int sim_read_oob(struct mtd_info *mtd, loff_t from,
			struct mtd_oob_ops *ops)
{
	struct sim_dev *dev = to_dev(mtd);
	size_t len = ops->len;
	struct walk walk;
	u64 begun, ns;
	int ret;

	mutex_lock(&dev->lock);
	begun = sim_delay_now();
	ns = dev->chip.counters.ns;
	ops->len = cut_request(dev, SIM_SHORT_READ, len, 1);
	walk_begin(&walk, dev, from, ops);
	ret = read_pages(&walk);
	ops->len = len;
	pass_time(dev, begun, ns);
	mutex_unlock(&dev->lock);
	return ret;
}

static int sim_write_oob(struct mtd_info *mtd, loff_t to,
			 struct mtd_oob_ops *ops)
{
	struct sim_dev *dev = to_dev(mtd);
	size_t len = ops->len;
	struct walk walk;
	u64 begun, ns;
	int err;

	if ((to | ops->len) & (dev->config.subpage - 1))
		return -EINVAL;
	mutex_lock(&dev->lock);
	begun = sim_delay_now();
	ns = dev->chip.counters.ns;
	ops->len = cut_request(dev, SIM_SHORT_PROGRAM, len,
			       dev->config.subpage);
	walk_begin(&walk, dev, to, ops);
	err = write_pages(&walk);
	ops->len = len;
	pass_time(dev, begun, ns);
	mutex_unlock(&dev->lock);
	return err;
}

static int sim_block_isbad(struct mtd_info *mtd, loff_t at)
{
	struct sim_dev *dev = to_dev(mtd);
	int bad;

	mutex_lock(&dev->lock);
	bad = dev->chip.blocks[(u32)at / mtd->erasesize].bad;
	mutex_unlock(&dev->lock);
	return bad;
}

static int sim_block_markbad(struct mtd_info *mtd, loff_t at)
{
	struct sim_dev *dev = to_dev(mtd);
	int err;

	mutex_lock(&dev->lock);
	err = sim_chip_mark_bad(&dev->chip, (u32)at / mtd->erasesize);
	if (!err)
		mtd->ecc_stats.badblocks++;
	mutex_unlock(&dev->lock);
	return err;
}

/* The out-of-band area holds the marker, free bytes, then the ECC. */
static int layout_ecc(struct mtd_info *mtd, int section,
		      struct mtd_oob_region *region)
{
	u32 bytes = sim_config_oob_reserved(&to_dev(mtd)->config) - SIM_MARKER;

	if (section)
		return -ERANGE;
	region->offset = mtd->oobsize - bytes;
	region->length = bytes;
	return 0;
}

static int layout_free(struct mtd_info *mtd, int section,
		       struct mtd_oob_region *region)
{
	u32 reserved = sim_config_oob_reserved(&to_dev(mtd)->config);

	if (section)
		return -ERANGE;
	region->offset = SIM_MARKER;
	region->length = mtd->oobsize - reserved;
	return 0;
}

static const struct mtd_ooblayout_ops layout = {
	.ecc = layout_ecc,
	.free = layout_free,
};

static void describe_nand(struct sim_dev *dev)
{
	const struct sim_config *config = &dev->config;
	struct mtd_info *mtd = &dev->mtd;

	mtd->type = MTD_NANDFLASH;
	mtd->flags = MTD_CAP_NANDFLASH;
	mtd->writebufsize = config->writesize;
	mtd->oobsize = config->oobsize;
	mtd->subpage_sft = ilog2(config->writesize / config->subpage);
	mtd->ecc_step_size = min(config->writesize, SIM_ECC_STEP);
	mtd->ecc_strength = config->ecc;
	mtd->bitflip_threshold = DIV_ROUND_UP(config->ecc * 3, 4);
	mtd->ecc_stats.badblocks = config->nbad;
	mtd_set_ooblayout(mtd, &layout);
	mtd->oobavail = config->oobsize - sim_config_oob_reserved(config);
	mtd->_read_oob = sim_read_oob;
	mtd->_write_oob = sim_write_oob;
	mtd->_block_isbad = sim_block_isbad;
	mtd->_block_markbad = sim_block_markbad;
}

static void describe_other(struct sim_dev *dev)
{
	const struct sim_config *config = &dev->config;
	struct mtd_info *mtd = &dev->mtd;

	switch (config->type) {
	case SIM_PCM:
		/* PCM has NOR's interface, but needs no erase. */
		mtd->type = MTD_NORFLASH;
		mtd->flags = MTD_CAP_NVRAM;
		break;
	case SIM_NOR:
		mtd->type = MTD_NORFLASH;
		mtd->flags = MTD_CAP_NORFLASH;
		break;
	default:
		mtd->type = MTD_RAM;
		mtd->flags = MTD_CAP_RAM;
	}
	mtd->writebufsize = max(config->times.program_unit, config->writesize);
	mtd->_read = sim_read;
	mtd->_write = sim_write;
}

/**
 * sim_mtd_register() - let users see a device
 * @dev: the device, complete except for the MTD
 *
 * Context: process; may sleep.
 * Return: 0 or an error of the MTD core.
 */
int sim_mtd_register(struct sim_dev *dev)
{
	struct mtd_info *mtd = &dev->mtd;

	mtd->name = dev->config.name;
	mtd->owner = THIS_MODULE;
	mtd->size = dev->config.size;
	mtd->erasesize = dev->config.erasesize;
	mtd->writesize = dev->config.writesize;
	mtd->_erase = sim_erase;
	if (dev->config.type == SIM_NAND)
		describe_nand(dev);
	else
		describe_other(dev);
	return mtd_device_register(mtd, NULL, 0);
}

/**
 * sim_mtd_unregister() - hide a device from users
 * @dev: the device. It is not open, because an open device holds the module.
 *
 * Context: process; may sleep.
 */
void sim_mtd_unregister(struct sim_dev *dev)
{
	WARN_ON(mtd_device_unregister(&dev->mtd));
}
