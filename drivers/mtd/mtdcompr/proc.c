// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics in procfs: /proc/mtdcompr/<device>, lines of "key: value".
 *
 * This file owns the directory and the way numbers are printed; it counts nothing. It copies the
 * counters under store.lock, adds the counters of each scratch under its lock, and prints from the
 * copy: it must never print under a lock, as a reader may be slow. dev.c adds and removes the
 * files.
 *
 * The keys are an ABI, see Documentation/ABI/testing/procfs-mtdcompr. Their order is frozen at
 * version 1.0; from then on a new key goes to the end.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "dev.h"
#include "media.h"
#include "proc.h"

static struct proc_dir_entry *proc_dir;

/* The copy that is printed. */
struct snapshot {
	struct mtdc_stats stats;
	struct mtdc_survey survey;
};

static void take_snapshot(struct mtdc_dev *dev, struct snapshot *snap)
{
	struct mtdc_store *store = &dev->store;

	mutex_lock(&store->lock);
	snap->stats = store->stats;
	mtdc_store_survey(store, &snap->survey);
	mutex_unlock(&store->lock);
	mtdc_scratches_count(&store->scratches, &snap->stats);
}

static void show_u64(struct seq_file *seq, const char *key, u64 value)
{
	seq_printf(seq, "%s: %llu\n", key, value);
}

static u64 average(u64 sum, u64 n)
{
	return n ? div64_u64(sum, n) : 0;
}

/* KiB per second, for @n pages in @ns. */
static u64 throughput(const struct mtdc_geometry *geo, u64 n, u64 ns)
{
	u64 us = div_u64(ns, NSEC_PER_USEC);

	return average(n * (geo->page_bytes >> 10) * USEC_PER_SEC, us);
}

static void show_device(struct seq_file *seq, const struct mtdc_dev *dev,
			const struct snapshot *snap)
{
	const struct mtdc_store *store = &dev->store;

	show_u64(seq, "version", MTDCOMPR_STATS_VERSION);
	seq_printf(seq, "name: %s\n", dev->name);
	show_u64(seq, "device", dev->nr);
	seq_printf(seq, "disk: %s\n", READ_ONCE(dev->blk.disk) ? dev->blk.name : "none");
	/* The MTD core sets the number while this file is there already. */
	seq_printf(seq, "mtd: %d\n", data_race(dev->mtd.index));
	seq_printf(seq, "lower_mtd: %d\n", dev->lower_index);
	/* The only text that may have any bytes. */
	seq_printf(seq, "lower_name: %*pE\n", (int)strlen(dev->lower_name), dev->lower_name);
	seq_printf(seq, "state: %s\n", snap->survey.state);
	seq_printf(seq, "store: %s\n", store->log ? "log" : "inplace");
	seq_printf(seq, "comp: %s\n", store->comp.ops->name);
	seq_printf(seq, "level: %d\n", store->comp.level);
	seq_printf(seq, "alloc: %s\n", store->log ? "log" :
		   mtdc_opts_policy_name(store->geo.policy));
	show_u64(seq, "cache", mtdc_ebcache_used(&store->cache));
	seq_printf(seq, "crypt: %s\n",
		   mtdc_seals_encrypt(&store->seals) ? "chacha20poly1305" : "none");
	show_u64(seq, "wipe", store->geo.wipe);
	show_u64(seq, "wearlevel", store->geo.wearlevel);
	show_u64(seq, "page_bytes", store->geo.page_bytes);
	show_u64(seq, "granule_bytes", store->geo.granule_bytes);
	show_u64(seq, "size_bytes", store->geo.size_bytes);
	show_u64(seq, "media_bytes", store->geo.media_bytes);
}

static void show_pages(struct seq_file *seq, const struct mtdc_dev *dev,
		       const struct mtdc_stats *stats)
{
	u64 stored = stats->kept.pages[MTDC_COMPRESSED] + stats->kept.pages[MTDC_RAW];

	show_u64(seq, "pages_total", dev->store.map->pages);
	show_u64(seq, "pages_stored", stored + stats->kept.pages[MTDC_FILL]);
	show_u64(seq, "pages_compressed", stats->kept.pages[MTDC_COMPRESSED]);
	show_u64(seq, "pages_raw", stats->kept.pages[MTDC_RAW]);
	show_u64(seq, "pages_filled", stats->kept.pages[MTDC_FILL]);
	show_u64(seq, "pages_lost", stats->kept.pages[MTDC_LOST]);
}

static void show_media(struct seq_file *seq, const struct mtdc_dev *dev,
		       const struct snapshot *snap)
{
	const struct mtdc_geometry *geo = &dev->store.geo;
	const struct mtdc_stats *stats = &snap->stats;
	u64 pages = stats->kept.pages[MTDC_COMPRESSED] + stats->kept.pages[MTDC_RAW];
	u64 orig = pages * geo->page_bytes, tails = pages * mtdc_store_tail(&dev->store);
	u64 used = stats->kept.granules * geo->granule_bytes;
	u64 headers = stats->kept.fragments * MTDC_FRAGMENT_BYTES + tails;
	u64 payload = stats->kept.payload_bytes - tails;

	show_u64(seq, "orig_bytes", orig);
	show_u64(seq, "compressed_bytes", payload);
	show_u64(seq, "ratio_percent", average(payload * 100, orig));
	show_u64(seq, "media_used_bytes", used);
	show_u64(seq, "media_free_bytes", snap->survey.free_bytes);
	show_u64(seq, "header_bytes", headers);
	show_u64(seq, "padding_bytes", used - headers - payload);
}

static void show_fragments(struct seq_file *seq, const struct mtdc_dev *dev,
			   const struct snapshot *snap)
{
	const struct mtdc_stats *stats = &snap->stats;

	show_u64(seq, "fragments", stats->kept.fragments);
	show_u64(seq, "free_fragments", snap->survey.free_fragments);
	show_u64(seq, "free_largest_bytes", snap->survey.largest_bytes);
	show_u64(seq, "chain_1", stats->kept.chains[0]);
	show_u64(seq, "chain_2", stats->kept.chains[1]);
	show_u64(seq, "chain_3_4", stats->kept.chains[2]);
	show_u64(seq, "chain_5_8", stats->kept.chains[3]);
	show_u64(seq, "chain_9_up", stats->kept.chains[4]);
	show_u64(seq, "chain_max", stats->kept.chain_max);
}

static void show_traffic(struct seq_file *seq, const struct mtdc_stats *stats)
{
	show_u64(seq, "page_writes", stats->writes.n);
	show_u64(seq, "page_reads", stats->reads.n);
	show_u64(seq, "page_erases", stats->page_erases);
	show_u64(seq, "slots_freed", stats->slots_freed);
	show_u64(seq, "partial_merges", stats->merges);
	show_u64(seq, "media_written_bytes", stats->media_written_bytes);
	show_u64(seq, "media_read_bytes", stats->media_read_bytes);
}

/* Mean and percentiles of the time of a page. */
static void show_times(struct seq_file *seq, const char *what,
		       const struct mtdc_latency *pages)
{
	static const struct {
		const char *name;
		u32 permille;
	} shown[] = {
		{ "50", 500 }, { "90", 900 }, { "99", 990 }, { "999", 999 },
	};
	unsigned int i;

	seq_printf(seq, "%s_avg_ns: %llu\n", what,
		   average(pages->ns, mtdc_stats_timed(pages)));
	for (i = 0; i < ARRAY_SIZE(shown); i++)
		seq_printf(seq, "%s_p%s_ns: %llu\n", what, shown[i].name,
			   mtdc_stats_percentile(pages, shown[i].permille));
}

static void show_speed(struct seq_file *seq, const struct mtdc_dev *dev,
		       const struct mtdc_stats *stats)
{
	const struct mtdc_geometry *geo = &dev->store.geo;

	show_times(seq, "write", &stats->writes);
	show_times(seq, "read", &stats->reads);
	show_u64(seq, "write_kib_per_s",
		 throughput(geo, mtdc_stats_timed(&stats->writes), stats->writes.ns));
	show_u64(seq, "read_kib_per_s",
		 throughput(geo, mtdc_stats_timed(&stats->reads), stats->reads.ns));
	show_u64(seq, "compress_kib_per_s",
		 throughput(geo, stats->compress.n, stats->compress.ns));
	show_u64(seq, "decompress_kib_per_s",
		 throughput(geo, stats->decompress.n, stats->decompress.ns));
}

static void show_wear(struct seq_file *seq, const struct mtdc_dev *dev,
		      const struct mtdc_stats *stats)
{
	u64 region = mtdc_wear_region_bytes(&dev->store.geo);
	u64 n = DIV64_U64_ROUND_UP(dev->store.geo.span_bytes, region);
	u64 least = U64_MAX, most = 0, sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		least = min(least, stats->wear[i]);
		most = max(most, stats->wear[i]);
		sum += stats->wear[i];
	}
	show_u64(seq, "wear_regions", n);
	show_u64(seq, "wear_region_bytes", region);
	show_u64(seq, "wear_min_bytes", least);
	show_u64(seq, "wear_mean_bytes", average(sum, n));
	show_u64(seq, "wear_max_bytes", most);
	show_u64(seq, "pages_levelled", stats->levelled);
}

static void show_errors(struct seq_file *seq, const struct mtdc_stats *stats)
{
	show_u64(seq, "err_full", stats->err_full);
	show_u64(seq, "full_untried", stats->full_untried);
	show_u64(seq, "err_checksum", stats->err_checksum);
	show_u64(seq, "err_decompress", stats->err_decompress);
	show_u64(seq, "err_media_read", stats->err_media_read);
	show_u64(seq, "err_media_write", stats->err_media_write);
	show_u64(seq, "err_gone", stats->err_gone);
}

static void show_memory(struct seq_file *seq, const struct mtdc_dev *dev)
{
	const struct mtdc_store *store = &dev->store;

	show_u64(seq, "metadata_bytes", store->metadata_bytes +
		 store->cache.memory_bytes + mtdc_slots_memory(dev->blk.slots.pages));
	show_u64(seq, "buffer_bytes", sizeof(*dev) +
		 store->scratches.buffer_bytes + store->comp.memory_bytes +
		 mtdc_scratches_memory(&store->scratches) + MTDC_PAGEBUF_BYTES +
		 (mtdc_ebcache_used(&store->cache) ?
		  store->cache.block_bytes : 0));
}

/* All values are 0 without eraseblocks. */
static void show_blocks(struct seq_file *seq, const struct mtdc_survey *survey)
{
	show_u64(seq, "block_bytes", survey->block_bytes);
	show_u64(seq, "blocks", survey->blocks);
	show_u64(seq, "blocks_bad", survey->blocks_bad);
	show_u64(seq, "blocks_spare", survey->blocks_spare);
	show_u64(seq, "blocks_retired", survey->retired);
	show_u64(seq, "block_loads", survey->loads);
	show_u64(seq, "block_erases", survey->erases);
	show_u64(seq, "block_read_bytes", survey->read_bytes);
	show_u64(seq, "block_written_bytes", survey->written_bytes);
	show_u64(seq, "block_bad_units", survey->bad_units);
}

/* All values are 0 without a log. */
static void show_log(struct seq_file *seq, const struct mtdc_survey *survey)
{
	const struct mtdc_log_stats *log = &survey->log;

	show_u64(seq, "erases_least", survey->least_erased);
	show_u64(seq, "erases_mean", survey->mean_erased);
	show_u64(seq, "erases_most", survey->most_erased);
	show_u64(seq, "log_host_bytes", log->host_bytes);
	show_u64(seq, "log_moved_bytes", log->moved_bytes);
	show_u64(seq, "log_padding_bytes", log->padding_bytes);
	show_u64(seq, "log_collected", log->collected);
	show_u64(seq, "log_levelled", log->levelled);
	show_u64(seq, "log_scrubbed", log->scrubbed);
	show_u64(seq, "log_lost", log->lost);
	show_u64(seq, "log_failed_programs", log->failed_programs);
	show_u64(seq, "log_failed_erases", log->failed_erases);
}

static int proc_show(struct seq_file *seq, void *unused)
{
	struct mtdc_dev *dev = seq->private;
	struct snapshot *snap = kmalloc(sizeof(*snap), GFP_KERNEL);

	if (!snap)
		return -ENOMEM;
	take_snapshot(dev, snap);
	show_device(seq, dev, snap);
	show_pages(seq, dev, &snap->stats);
	show_media(seq, dev, snap);
	show_fragments(seq, dev, snap);
	show_traffic(seq, &snap->stats);
	show_speed(seq, dev, &snap->stats);
	show_wear(seq, dev, &snap->stats);
	show_errors(seq, &snap->stats);
	show_memory(seq, dev);
	show_blocks(seq, &snap->survey);
	show_log(seq, &snap->survey);
	kfree(snap);
	return 0;
}

/**
 * mtdc_proc_init() - make the directory
 *
 * Return: 0 or -ENOMEM.
 */
int mtdc_proc_init(void)
{
	proc_dir = proc_mkdir(MTDCOMPR_PROC_DIR, NULL);
	return proc_dir ? 0 : -ENOMEM;
}

/**
 * mtdc_proc_exit() - remove the directory
 */
void mtdc_proc_exit(void)
{
	proc_remove(proc_dir);
}

/**
 * mtdc_proc_add() - make the file of a device
 * @dev: the device, whose MTD may still be missing
 *
 * Return: 0 or -ENOMEM.
 */
int mtdc_proc_add(struct mtdc_dev *dev)
{
	return proc_create_single_data(dev->name, 0444, proc_dir, proc_show, dev) ? 0 : -ENOMEM;
}

/**
 * mtdc_proc_remove() - remove the file of a device
 * @dev: the device
 *
 * Context: process, may sleep; waits for readers.
 */
void mtdc_proc_remove(struct mtdc_dev *dev)
{
	remove_proc_entry(dev->name, proc_dir);
}
