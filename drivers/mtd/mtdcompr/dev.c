// SPDX-License-Identifier: GPL-2.0
/*
 * Devices: attach, detach, the check before a hibernation, and the end of all keys.
 *
 * This file owns the table of devices and attach_lock. It chooses what a device is made of, makes
 * the parts, shows the device, and takes it away; if a request is refused it prints one message
 * that says why. Everything that a device will ever need is allocated here: nothing may be
 * allocated later, in the swap-out path. Pages and the contents of media are none of its business.
 *
 * main.c calls in for the module's parameter, sysfs and exit.
 *
 * Under attach_lock this file must never wait for user space. There are two exceptions. An attach
 * soon after the machine's start waits for random numbers. And at the module's exit, and after a
 * load that failed, detach_all() waits for the last users, when sysfs and the notifier are gone,
 * which blocks no other task.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/syscore_ops.h>

#include "dev.h"
#include "front_blk.h"
#include "front_mtd.h"
#include "inplace_store.h"
#include "log_store.h"
#include "lower.h"
#include "proc.h"

/*
 * Bytes of a granule for each 4 KiB of page size. A page of 1,350 bytes wastes half a granule on
 * average, 0.7 %, and its granules take 9 bytes in the bitmap
 * (Documentation/explanation/figures-inside.rst).
 */
#define MTDC_GRANULE_BYTES	20U

/* Serialises attach and detach; protects the table. */
static DEFINE_MUTEX(attach_lock);
/* Protects the table, too: for the machine's stop, which can't wait. */
static DEFINE_SPINLOCK(devices_lock);
static struct mtdc_dev *devices[MTDCOMPR_DEVICES_MAX];

static void set_device(unsigned int nr, struct mtdc_dev *dev)
{
	spin_lock(&devices_lock);
	devices[nr] = dev;
	spin_unlock(&devices_lock);
}

static int refuse(const char *text, int err, const char *why)
{
	int len = strcspn(text, "\n");

	pr_err("can't attach \"%*pE\": %s\n", min(len, 200), text, why);
	return err;
}

static bool is_name_taken(const char *name)
{
	struct mtd_info *mtd;
	unsigned int i;

	/* Our devices that are not registered yet. */
	for (i = 0; i < ARRAY_SIZE(devices); i++)
		if (devices[i] && !strcmp(devices[i]->name, name))
			return true;
	mtd = get_mtd_device_nm(name);
	if (IS_ERR(mtd))
		return PTR_ERR(mtd) != -ENODEV;
	put_mtd_device(mtd);
	return true;
}

/* The exported size in bytes, or 0 with the reason. */
static u64 exported_size(const struct mtdc_opts *opts, u64 media_bytes, const char **reason)
{
	u32 ratio = opts->ratio ? opts->ratio : MTDCOMPR_RATIO_DEFAULT;
	u64 most = mul_u64_u32_div(media_bytes, MTDCOMPR_RATIO_MAX, 100);
	u64 size = opts->size;

	if (!size)
		size = mul_u64_u32_div(media_bytes, ratio, 100);
	/* mtdblock counts bytes in an unsigned long, we count pages in a u32. */
	most = min3(most, (u64)ULONG_MAX, (u64)(U32_MAX - 1) << PAGE_SHIFT);
	most = round_down(most, PAGE_SIZE);
	size = round_down(size, PAGE_SIZE);
	if (!size)
		*reason = "size is less than a page";
	else if (size <= most)
		return size;
	else if (opts->size)
		*reason = "size= is over 1000 % of the media, or over what mtdblock can address";
	if (!size || opts->size)
		return 0;
	pr_warn("ratio=%u would be more than mtdblock can address, exporting %llu KiB\n",
		ratio, most >> 10);
	return most;
}

/*
 * Are pages encrypted? Unless told so, if the media keep them without power. A disk behind
 * block2mtd has the type RAM, but is no memory.
 */
static int choose_crypt(const struct mtdc_dev *dev, const struct mtdc_opts *opts, bool *encrypt,
			const char **reason)
{
	*encrypt = opts->crypt == MTDC_CRYPT_ON;
	if (opts->crypt == MTDC_CRYPT_AUTO)
		*encrypt = !dev->is_volatile || !mtdc_lower_is_memory(&dev->store.lower);
	if (!*encrypt || mtdc_crypt_is_built())
		return 0;
	*encrypt = false;
	*reason = "crypt=on: this module was built without CONFIG_CRYPTO_LIB_CHACHA20POLY1305";
	if (opts->crypt == MTDC_CRYPT_ON)
		return -EOPNOTSUPP;
	pr_warn("%s: not encrypted, this module was built without CONFIG_CRYPTO_LIB_CHACHA20POLY1305\n",
		dev->name);
	return 0;
}

/*
 * Keys are random numbers, which a machine that has just started may not have. Programs can wait,
 * but a built-in module would keep the machine from starting.
 */
static int wait_for_keys(const struct mtdc_dev *dev, const char **reason)
{
	*reason = "interrupted while it waited for random numbers for its keys";
	if (rng_is_initialized())
		return 0;
	if (system_state != SYSTEM_RUNNING) {
		pr_warn("%s: the kernel has no good random numbers yet, so its keys may be weak\n",
			dev->name);
		return 0;
	}
	pr_notice("%s: waiting until the kernel has random numbers for its keys\n", dev->name);
	return wait_for_random_bytes();
}

/*
 * struct media - the MTD below, as the store will see it
 * @flash: the MTD itself
 * @bytes: bytes that can be stored
 * @write_bytes: unit of writing
 * @wearlevel: page writes for each page that is moved for even wear
 * @encrypt: encrypt pages
 * @log: geometry of the log; it has no blocks if the store is another one
 */
struct media {
	struct mtdc_flash flash;
	u64 bytes;
	u32 write_bytes;
	u32 wearlevel;
	bool encrypt;
	struct mtdc_log_geo log;
};

static enum mtdc_seal choose_seal(const struct media *media)
{
	if (!media->encrypt)
		return MTDC_SEAL_PLAIN;
	return media->log.blocks ? MTDC_SEAL_BLOCKS : MTDC_SEAL_COUNTED;
}

static int choose_granule(struct mtdc_geometry *geo, const struct media *media, const char **reason)
{
	u32 granule = MTDC_GRANULE_BYTES * (PAGE_SIZE / SZ_4K);

	if (!media->write_bytes || media->write_bytes > PAGE_SIZE / 4) {
		*reason = "its write unit is over a quarter of a page";
		return -ERANGE;
	}
	geo->write_bytes = media->write_bytes;
	geo->granule_bytes = roundup(granule, media->write_bytes);
	if (div_u64(media->bytes, geo->granule_bytes) > MTDC_GRANULES_MAX) {
		*reason = "it is too large";
		return -ERANGE;
	}
	return 0;
}

static int choose_geometry(struct mtdc_geometry *geo, const struct mtdc_opts *opts,
			   const struct media *media, const char **reason)
{
	int err = 0;

	BUILD_BUG_ON(PAGE_SIZE + MTDC_TAG_BYTES > MTDC_PAGE_BYTES_MAX);
	memset(geo, 0, sizeof(*geo));
	geo->media_bytes = media->bytes;
	geo->span_bytes = media->log.blocks ? media->flash.bytes : media->bytes;
	geo->page_bytes = PAGE_SIZE;
	geo->policy = opts->policy;
	geo->wearlevel = media->wearlevel;
	geo->log = media->log;
	geo->seal = choose_seal(media);
	geo->wipe = opts->wipe;
	geo->granule_bytes = MTDC_LOG_ALIGN;
	if (!media->log.blocks)
		err = choose_granule(geo, media, reason);
	if (err)
		return err;
	if (media->bytes < 4 * PAGE_SIZE) {
		*reason = "it is smaller than four pages";
		return -ERANGE;
	}
	geo->size_bytes = exported_size(opts, media->bytes, reason);
	return geo->size_bytes ? 0 : -ERANGE;
}

static bool wants_log(const struct mtdc_lower *lower, const struct mtdc_opts *opts)
{
	if (opts->store == MTDC_STORE_AUTO)
		return mtdc_lower_needs_erase(lower) && !opts->cache;
	return opts->store == MTDC_STORE_LOG;
}

static const char *why_not_scanned(int err)
{
	switch (err) {
	case -ENOSPC:
		return "it has too few good eraseblocks";
	case -EROFS:
		return "some of its eraseblocks are locked, see flash_unlock";
	default:
		return "it can't tell which of its eraseblocks are bad";
	}
}

/* Choose the log's geometry, and count how much it can promise to store. */
static int examine_flash(struct mtdc_store *store, const struct mtdc_opts *opts,
			 struct media *media, const char **reason)
{
	struct mtdc_log_geo *log = &media->log;
	u32 good;
	int err = mtdc_store_log_geo(&media->flash, PAGE_SIZE, media->encrypt, log);

	if (err) {
		*reason = "its eraseblocks are too small, too few or too many for store=log";
		return err;
	}
	log->spread = opts->spread ? opts->spread : MTDC_LOG_SPREAD;
	err = mtdc_store_log_count(store, log, &good);
	if (!err)
		media->bytes = mtdc_log_promise(log, good);
	if (!err && !media->bytes)
		err = -ENOSPC;
	*reason = why_not_scanned(err);
	return err;
}

static int check_for_media(const struct mtdc_lower *lower, const struct mtdc_opts *opts, bool log,
			   const char **reason)
{
	bool wearlevel = opts->wearlevel != MTDC_WEARLEVEL_DEFAULT;

	if (opts->wipe && log)
		*reason = "wipe=1 is for media that are rewritten in place";
	else if (opts->spread && !log)
		*reason = "spread= is for store=log";
	else if (wearlevel && log)
		*reason = "wearlevel= is for media that are rewritten in place, a log has spread=";
	else if ((opts->spread || wearlevel) && mtdc_lower_is_ubi(lower))
		*reason = "UBI levels its wear, leave out spread= and wearlevel=";
	else
		return 0;
	return -EINVAL;
}

/* May the kernel swap in synchronously? @flash: there is a log or an eraseblock cache */
static int choose_sync(struct mtdc_dev *dev, const struct mtdc_opts *opts, bool flash,
		       const char **reason)
{
	bool memory = !flash && mtdc_lower_is_memory(&dev->store.lower);

	if (opts->sync == MTDC_SYNC_YES && !memory) {
		*reason = "sync=1 is for memory that the processor addresses";
		return -EINVAL;
	}
	dev->blk.memory = memory;
	dev->blk.sync = memory && opts->sync != MTDC_SYNC_NO;
	return 0;
}

/* Does the MTD suit? Note everything that follows from it, as it may vanish later. */
static int examine_held(struct mtdc_dev *dev, const struct mtdc_opts *opts,
			struct media *media, const char **reason)
{
	struct mtdc_lower *lower = &dev->store.lower;
	bool log;
	int err;

	lockdep_assert_held(&dev->store.lock);
	if (!lower->mtd) {
		*reason = "it has just gone";
		return -ENODEV;
	}
	if (mtdc_mtd_is_ours(lower->mtd)) {
		*reason = "it is a compressed MTD itself";
		return -ELOOP;
	}
	log = wants_log(lower, opts);
	err = mtdc_lower_suits(lower, opts->cache || log, reason);
	if (err)
		return err;
	err = check_for_media(lower, opts, log, reason);
	if (err)
		return err;
	dev->lower_index = lower->mtd->index;
	strscpy(dev->lower_name, lower->mtd->name ?: "", sizeof(dev->lower_name));
	err = choose_sync(dev, opts, log || opts->cache, reason);
	if (err)
		return err;
	mtdc_lower_describe(lower, &media->flash);
	media->bytes = media->flash.bytes;
	media->write_bytes = media->flash.write_bytes;
	if (opts->wearlevel != MTDC_WEARLEVEL_DEFAULT)
		media->wearlevel = opts->wearlevel;
	else if (!log && mtdc_lower_wears(lower))
		media->wearlevel = MTDC_DRIFT_EVERY;
	/* RAM does not wear: wearlevel= says that this is another kind of memory. */
	dev->is_volatile = mtdc_lower_is_volatile(lower) && !media->wearlevel;
	err = choose_crypt(dev, opts, &media->encrypt, reason);
	if (err)
		return err;
	return log ? examine_flash(&dev->store, opts, media, reason) : 0;
}

static int examine(struct mtdc_dev *dev, const struct mtdc_opts *opts,
		   struct media *media, const char **reason)
{
	int err;

	mutex_lock(&dev->store.lock);
	err = examine_held(dev, opts, media, reason);
	mutex_unlock(&dev->store.lock);
	return err;
}

static int scan_blocks(struct mtdc_store *store, const char **reason)
{
	int err = -ENODEV;

	*reason = "it has just gone";
	mutex_lock(&store->lock);
	if (store->lower.mtd) {
		err = store->log ? mtdc_store_log_scan(store) :
			mtdc_ebcache_scan(&store->cache, &store->lower);
		*reason = why_not_scanned(err);
	}
	mutex_unlock(&store->lock);
	return err;
}

/* Create the eraseblock cache; @media then says how the MTD looks through it. */
static int create_cache(struct mtdc_dev *dev, struct media *media, const char **reason)
{
	struct mtdc_ebcache *cache = &dev->store.cache;
	u32 block_bytes = media->flash.block_bytes;
	u64 blocks = div_u64(media->bytes, block_bytes);
	int err;

	if (blocks > MTDC_BLOCKS_MAX) {
		*reason = "it has too many eraseblocks";
		return -ERANGE;
	}
	*reason = "not enough memory for a copy of an eraseblock";
	/* Not under store.lock, which reclaim takes. */
	err = mtdc_ebcache_create(cache, blocks, block_bytes, media->write_bytes);
	if (err)
		return err;
	err = scan_blocks(&dev->store, reason);
	if (err) {
		mtdc_ebcache_destroy(cache);
		return err;
	}
	media->bytes = (u64)cache->blocks.logical * block_bytes;
	media->write_bytes = 1;
	return 0;
}

/* A scratch for each CPU, on memory only: on flash pages wait for the flash, not for a CPU. */
static u32 choose_scratches(const struct mtdc_dev *dev)
{
	u32 n = min_t(u32, num_online_cpus(), MTDC_SCRATCHES_MAX);

	return dev->blk.memory && n > 1 ? n : 0;
}

static int create_store(struct mtdc_dev *dev, const struct mtdc_opts *opts,
			const struct mtdc_comp_ops *comp,
			const struct media *media, const char **reason)
{
	struct mtdc_geometry geo;
	int err = choose_geometry(&geo, opts, media, reason);

	if (err)
		return err;
	if (media->encrypt)
		err = wait_for_keys(dev, reason);
	if (err)
		return err;
	geo.scratches = choose_scratches(dev);
	dev->store.nr = dev->nr;
	dev->store.name = dev->name;
	err = mtdc_store_create(&dev->store, geo.log.blocks ?
				&mtdc_log_store_ops : &mtdc_inplace_store_ops,
				&geo, comp, opts->level);
	if (err) {
		*reason = err == -ERANGE ?
			"the compressor does not have this level" :
			"not enough memory for its tables; a smaller size= needs less";
		return err;
	}
	*reason = "not enough memory";
	err = mtdc_pagebuf_create(&dev->pagebuf, &dev->store);
	if (err)
		goto err_destroy_store;
	if (dev->store.log)
		err = scan_blocks(&dev->store, reason);
	if (err)
		goto err_destroy_pagebuf;
	return 0;

err_destroy_pagebuf:
	mtdc_pagebuf_destroy(&dev->pagebuf);
err_destroy_store:
	mtdc_store_destroy(&dev->store);
	return err;
}

static int create_parts(struct mtdc_dev *dev, const struct mtdc_opts *opts,
			const struct mtdc_comp_ops *comp, const char **reason)
{
	struct media media = { 0 };
	int err = examine(dev, opts, &media, reason);

	if (!err && opts->cache)
		err = create_cache(dev, &media, reason);
	if (err)
		return err;
	err = create_store(dev, opts, comp, &media, reason);
	if (err)
		goto err_destroy_cache;
	*reason = "not enough memory";
	err = mtdc_blk_create(dev);
	if (err)
		goto err_destroy_pages;
	return 0;

err_destroy_pages:
	mtdc_pagebuf_destroy(&dev->pagebuf);
	mtdc_store_destroy(&dev->store);
err_destroy_cache:
	mtdc_ebcache_destroy(&dev->store.cache);
	return err;
}

/* Hold the MTD and make all parts that user space cannot see. */
static int build(struct mtdc_dev *dev, const struct mtdc_opts *opts,
		 const struct mtdc_comp_ops *comp, const char **reason)
{
	int err;

	if (*opts->name)
		strscpy(dev->name, opts->name, sizeof(dev->name));
	else
		snprintf(dev->name, sizeof(dev->name), "mtdcompr%u", dev->nr);
	if (is_name_taken(dev->name)) {
		*reason = "an MTD of this name exists";
		return -EEXIST;
	}
	err = mtdc_lower_get(&dev->store.lower, &dev->store.lock, opts->mtd, reason);
	if (err)
		return err;
	err = create_parts(dev, opts, comp, reason);
	if (err)
		mtdc_lower_put(&dev->store.lower);
	return err;
}

static void unbuild(struct mtdc_dev *dev)
{
	set_device(dev->nr, NULL);
	mtdc_lower_put(&dev->store.lower);
	mtdc_blk_destroy(dev);
	mtdc_pagebuf_destroy(&dev->pagebuf);
	mtdc_store_destroy(&dev->store);
	mtdc_ebcache_destroy(&dev->store.cache);
	mutex_destroy(&dev->store.lock);
	kfree(dev);
}

/* The media may be in other hands. */
static void media_gone(struct mtdc_lower *lower)
{
	mtdc_store_wipe_keys(container_of(lower, struct mtdc_store, lower));
}

/* Make a device that only show() is missing for. */
static int create(const struct mtdc_opts *opts, struct mtdc_dev **made, const char **reason)
{
	const struct mtdc_comp_ops *comp;
	struct mtdc_dev *dev;
	unsigned int nr = 0;
	int err;

	while (nr < ARRAY_SIZE(devices) && devices[nr])
		nr++;
	*reason = "there are 32 devices already";
	if (nr == ARRAY_SIZE(devices))
		return -ENFILE;
	err = mtdc_comp_find(opts->comp, &comp);
	*reason = err == -EINVAL ?
		"unknown algorithm; there are lz4, lzo, zlib, zstd and none" :
		"this algorithm was left out of the build";
	if (err)
		return err;
	*reason = "not enough memory";
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	dev->nr = nr;
	dev->mtd.index = -1;
	mutex_init(&dev->store.lock);
	mtdc_users_init(&dev->users);
	err = build(dev, opts, comp, reason);
	if (err) {
		kfree(dev);
		return err;
	}
	mutex_lock(&dev->store.lock);
	dev->store.lower.gone = media_gone;
	mutex_unlock(&dev->store.lock);
	set_device(nr, dev);
	*made = dev;
	return 0;
}

/*
 * If the block layer refuses the disk, the MTD goes again; but it may be open already, and its user
 * may stay. Then the MTD stays, too, without a disk.
 */
static int add_disk_or_not(struct mtdc_dev *dev)
{
	int err = mtdc_blk_add(dev);

	if (!err || !mtdc_users_close(&dev->users, false, dev->name))
		return err;
	pr_err("%s: the block layer does not take its disk: %d; its MTD is in use and stays, without one\n",
	       dev->name, err);
	return 0;
}

/* Make the device visible: what can fail without being seen comes first. */
static int show(struct mtdc_dev *dev, const char **reason)
{
	char lower[16] = "";
	int err = mtdc_proc_add(dev);

	if (err) {
		*reason = "it can't be shown in procfs";
		return err;
	}
	err = mtdc_mtd_register(dev);
	if (err) {
		*reason = "the MTD core does not take it";
		goto err_remove_proc;
	}
	err = add_disk_or_not(dev);
	if (err) {
		*reason = "the block layer does not take it";
		goto err_unregister_mtd;
	}
	if (dev->lower_index >= 0)
		snprintf(lower, sizeof(lower), "mtd%d ", dev->lower_index);
	pr_info("mtd%d \"%s\", %s%s: %llu KiB on %llu KiB of %s\"%s\", %s, %s%s%s%s\n",
		dev->mtd.index, dev->name, dev->blk.disk ? "/dev/" : "no disk",
		dev->blk.disk ? dev->blk.name : "",
		dev->mtd.size >> 10, dev->store.geo.media_bytes >> 10, lower, dev->lower_name,
		dev->store.comp.ops->name, dev->store.log ? "store=" : "alloc=",
		dev->store.log ? "log" : mtdc_opts_policy_name(dev->store.geo.policy),
		mtdc_ebcache_used(&dev->store.cache) ? ", cache=1" : "",
		mtdc_seals_encrypt(&dev->store.seals) ? ", encrypted" : "");
	return 0;

err_unregister_mtd:
	mtdc_mtd_unregister(dev);
err_remove_proc:
	mtdc_proc_remove(dev);
	return err;
}

static int parse_and_create(const char *text, struct mtdc_dev **dev)
{
	const char *reason = "";
	struct mtdc_opts opts;
	int err = mtdc_opts_parse(&opts, text, &reason);

	lockdep_assert_held(&attach_lock);
	if (!err)
		err = create(&opts, dev, &reason);
	return err ? refuse(text, err, reason) : 0;
}

static int show_or_unbuild(const char *text, struct mtdc_dev *dev)
{
	const char *reason = "";
	int err = show(dev, &reason);

	if (!err)
		return 0;
	unbuild(dev);
	return refuse(text, err, reason);
}

/**
 * mtdc_dev_attach() - make a device
 * @text: its options, "<mtd>[,option=value]..."
 *
 * Context: process, may sleep, takes mtd_table_mutex.
 * Return: 0; or after one message -EINVAL for malformed or unknown options, -ERANGE for numbers out
 * of range, -ENODEV for an unknown MTD, -EBUSY if a device has its media already, -ELOOP if it is
 * one of our MTDs, -EROFS if it is read-only or locked, -EOPNOTSUPP if it has to be erased
 * and the options exclude that, or if the compressor was left out, -ENOSPC for too few good
 * eraseblocks, -ENFILE for too many devices, -EEXIST if the name is taken, -ERESTARTSYS if a signal
 * ends the wait for random numbers, -ENOMEM.
 */
int mtdc_dev_attach(const char *text)
{
	struct mtdc_dev *dev;
	int err;

	mutex_lock(&attach_lock);
	err = parse_and_create(text, &dev);
	if (!err)
		err = show_or_unbuild(text, dev);
	mutex_unlock(&attach_lock);
	return err;
}

/* Take away a device that mtdc_users_close() has closed. */
static void take_away(struct mtdc_dev *dev)
{
	int err;

	lockdep_assert_held(&attach_lock);
	mtdc_proc_remove(dev);
	mtdc_blk_remove(dev);
	mtdc_mtd_unregister(dev);
	mutex_lock(&dev->store.lock);
	err = mtdc_store_close(&dev->store);
	mutex_unlock(&dev->store.lock);
	if (err)
		pr_err("%s: the flash did not take all of it: %d\n", dev->name, err);
	pr_info("\"%s\" is detached\n", dev->name);
	unbuild(dev);
}

static struct mtdc_dev *find(const char *which, size_t len)
{
	char number[12];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		struct mtdc_dev *dev = devices[i];

		if (!dev)
			continue;
		snprintf(number, sizeof(number), "%d", dev->mtd.index);
		if ((len == strlen(dev->name) && !memcmp(which, dev->name, len)) ||
		    (len == strlen(number) && !memcmp(which, number, len)))
			return dev;
	}
	return NULL;
}

/**
 * mtdc_dev_detach() - take a device away
 * @which: its name, or the number of its MTD; a newline may follow
 *
 * Context: process, may sleep, takes mtd_table_mutex.
 * Return: 0; -ENODEV for an unknown device, -EBUSY if it is open or swapped on.
 */
int mtdc_dev_detach(const char *which)
{
	int len = strcspn(which, "\n");
	struct mtdc_dev *dev;
	int err = -ENODEV;

	mutex_lock(&attach_lock);
	dev = find(which, len);
	if (dev)
		err = mtdc_users_close(&dev->users, false, dev->name);
	if (!err)
		take_away(dev);
	mutex_unlock(&attach_lock);
	if (err)
		pr_err("can't detach \"%*pE\": %s\n", min(len, 200), which,
		       err == -ENODEV ? "no such device" : "it is open or swapped on");
	return err;
}

static void detach_all(void)
{
	unsigned int i;

	lockdep_assert_held(&attach_lock);
	for (i = ARRAY_SIZE(devices); i--;) {
		struct mtdc_dev *dev = devices[i];

		if (dev && dev->mtd.index < 0) {
			/* It is not visible yet: mtdc_dev_attach_all() has failed. */
			unbuild(dev);
		} else if (dev) {
			mtdc_users_close(&dev->users, true, dev->name);
			take_away(dev);
		}
	}
}

/**
 * mtdc_dev_detach_all() - take all devices away, for the module's exit
 *
 * Context: process, may sleep, takes mtd_table_mutex; waits until all users have left.
 */
void mtdc_dev_detach_all(void)
{
	mutex_lock(&attach_lock);
	detach_all();
	mutex_unlock(&attach_lock);
}

/**
 * mtdc_dev_attach_all() - make several devices, or none
 * @texts: their options, as for mtdc_dev_attach()
 * @n: their number, at most MTDCOMPR_DEVICES_MAX
 *
 * All devices are made before the first one is visible.
 *
 * Context: process, may sleep, takes mtd_table_mutex; waits for users if one of several devices
 * cannot be shown. The table of devices is empty.
 * Return: 0, or the first error of mtdc_dev_attach().
 */
int mtdc_dev_attach_all(const char * const *texts, unsigned int n)
{
	struct mtdc_dev *dev;
	unsigned int i;
	int err = 0;

	mutex_lock(&attach_lock);
	for (i = 0; i < n && !err; i++)
		err = parse_and_create(texts[i], &dev);
	/* Device i is in slot i. */
	for (i = 0; i < n && !err; i++)
		err = show_or_unbuild(texts[i], devices[i]);
	if (err)
		detach_all();
	mutex_unlock(&attach_lock);
	return err;
}

/**
 * mtdc_dev_may_hibernate() - do the contents of all open devices outlive the power?
 *
 * The image of a hibernation has our tables, but not the media: RAM that the kernel does not
 * manage (phram) loses its contents with the power. This asks for open devices, not for stored
 * pages, because the kernel swaps out later, to make room for the image.
 *
 * Context: process, may sleep, takes attach_lock.
 * Return: 0; -EBUSY if a device on RAM is open or swapped on, after a message.
 */
int mtdc_dev_may_hibernate(void)
{
	unsigned int i;
	int err = 0;

	mutex_lock(&attach_lock);
	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		struct mtdc_dev *dev = devices[i];

		if (!dev || !dev->is_volatile || !mtdc_users_any(&dev->users))
			continue;
		pr_err("%s: no hibernation while it is in use: \"%s\" loses its contents with the power; swapoff or unmount it first\n",
		       dev->name, dev->lower_name);
		err = -EBUSY;
	}
	mutex_unlock(&attach_lock);
	return err;
}

/* Called before tasks are frozen. After an error the kernel calls the hibernation off. */
static int pm_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event != PM_HIBERNATION_PREPARE)
		return NOTIFY_DONE;
	return notifier_from_errno(mtdc_dev_may_hibernate());
}

static struct notifier_block pm_nb = {
	.notifier_call = pm_notify,
};

/**
 * mtdc_dev_wipe_keys() - wipe the keys of all devices
 *
 * Swapped-out pages can't be read any more then.
 *
 * Context: any, takes devices_lock.
 */
void mtdc_dev_wipe_keys(void)
{
	unsigned int i;

	spin_lock(&devices_lock);
	for (i = 0; i < ARRAY_SIZE(devices); i++)
		if (devices[i])
			mtdc_store_wipe_keys(&devices[i]->store);
	spin_unlock(&devices_lock);
}

/*
 * The machine stops in a moment. It is the last call: programs may run until then, and would die
 * without their pages. If that happened to init, the kernel would panic instead of restarting.
 */
static void stop(void *unused)
{
	mtdc_dev_wipe_keys();
}

static const struct syscore_ops stop_ops = {
	.shutdown = stop,
};

static struct syscore syscore = {
	.ops = &stop_ops,
};

/**
 * mtdc_dev_power_init() - check each hibernation, and wipe keys at the end, from now on
 *
 * Return: 0, or the error of the kernel.
 */
int mtdc_dev_power_init(void)
{
	int err = register_pm_notifier(&pm_nb);

	if (!err)
		register_syscore(&syscore);
	return err;
}

/**
 * mtdc_dev_power_exit() - do neither any more
 *
 * Context: process, may sleep; waits for what runs.
 */
void mtdc_dev_power_exit(void)
{
	unregister_syscore(&syscore);
	unregister_pm_notifier(&pm_nb);
}
