// SPDX-License-Identifier: GPL-2.0
/*
 * A whole device, from the callbacks of its MTD down to media in memory: all of the driver except
 * procfs, sysfs and the module's parameters, with the kernel's own compressors. The input is a
 * program. It chooses the media and the options, reads and writes pieces of any size, changes bytes
 * of the media, and lets operations of the media fail, drop data or lie.
 *
 * Each read must return the written data or an error, and an error only for a reason on the media.
 * After every operation each granule of the media must be used by one page or be free, in both map
 * and free list; with a log, device_log.c checks the log. The statistics must match.
 *
 * A failed write may leave any contents that the page had since its last write as a whole: pieces
 * that form one write are lost together (pagebuf.c). The next read settles the contents.
 *
 * A log promises more: if it refuses a whole page, the old contents stay; a failed program or erase
 * loses no page; and a write that fits is not refused.
 */
#include "fuzz.h"
#include "kernel.h"
#include "mtdcore.h"
#include "device_log.h"

#include "dev.h"
#include "inplace_store.h"
#include "lower.h"

#include <linux/blkdev.h>
#include <linux/sched/mm.h>

#define PAGES_MAX	1000U
#define OPS_MAX		300U
#define VERSIONS	2048U
#define EARLIER_MAX	12U
#define BURST_MAX	96U
#define BIO_PAGES	8U
#define LOOKS_MIN	6U
#define LOOKS_MAX	2000U

/* Bytes of an incompressible page in a log. */
#define RECORD_BYTES	(PAGE_SIZE + 8)

/* The expected contents of a logical page. */
struct page {
	int now;		/* numbers of versions */
	int earlier[EARLIER_MAX];
	unsigned int n;
	bool vague;		/* any contents are allowed: there were too many versions */
	bool failed;		/* a write has failed since the contents were certain */
	bool may_fail;		/* the page may have been given up, so a read may fail */
	bool hit;		/* its media were damaged */
};

static struct {
	struct chip chip;
	struct mtdc_dev *dev;
	struct page pages[PAGES_MAX];
	u32 npages;
	u8 versions[VERSIONS][PAGE_SIZE];
	u16 users[VERSIONS];
	u8 *used;		/* for each granule: it is in use */
	u8 *before;		/* copy of the media to compare with */
	char text[128];		/* the options of the device */
	u8 noted[PAGES_MAX];	/* its swap slot has been freed */
	u32 hits;		/* the chip's counter before the operation */
	bool faults;		/* an operation has failed, or may fail later */
	bool gone;
} t;

static const struct media {
	const char *name;
	enum chip_kind kind;
	u32 bytes;
	u32 block_bytes;
	u32 write_bytes;
	u32 parts;		/* log2 of the parts of a write unit that can be programmed alone */
	u32 buffer_bytes;
	u32 group;		/* blocks that form one block of a log; 0: no log */
} media[] = {
	{ "RAM", CHIP_RAM, 32768, 4096, 1, 0, 0, 0 },
	{ "little RAM", CHIP_RAM, 16384, 4096, 1, 0, 0, 0 },
	{ "FRAM in words", CHIP_RAM, 24576, 4096, 4, 0, 0, 0 },
	{ "RAM in sectors", CHIP_RAM, 40960, 4096, 512, 0, 0, 0 },
	{ "RAM in rows", CHIP_RAM, 33600, 480, 24, 0, 0, 0 },
	{ "NAND", CHIP_NAND, 49152, 8192, 512, 0, 0, 0 },
	{ "NAND, small blocks", CHIP_NAND, 32768, 4096, 1024, 0, 0, 0 },
	{ "NOR", CHIP_NOR, 40960, 10240, 1, 0, 0, 0 },
	{ "log on NAND", CHIP_NAND, 14 * 16384, 16384, 512, 0, 0, 1 },
	{ "log on NAND with sub-pages", CHIP_NAND, 10 * 32768, 32768, 2048, 2, 0, 1 },
	{ "log on NAND, many blocks", CHIP_NAND, 48 * 16384, 16384, 1024, 0, 0, 1 },
	{ "log on NOR", CHIP_NOR, 9 * 65536, 65536, 1, 0, 1024, 1 },
	{ "log on NOR in sectors", CHIP_NOR, 9 * 65536, 16384, 8, 0, 64, 4 },
};

static const char * const options[] = {
	"comp=lz4", "comp=lz4,alloc=largest", "comp=lzo,alloc=best", "comp=zlib",
	"comp=zlib,alloc=best,ratio=500", "comp=zstd,alloc=largest,ratio=100",
	"comp=none", "comp=none,alloc=largest,ratio=90", "comp=lz4,alloc=best,ratio=800",
	"comp=zlib,alloc=largest,ratio=400", "comp=zstd,level=3", "comp=none,alloc=best,ratio=100",
};

/* A log is the default on media that need erases. */
static const char * const log_options[] = {
	"", ",store=log", ",store=log,spread=2", ",spread=2", ",store=log,spread=9",
	",spread=1000000",
};

static int new_version(void)
{
	unsigned int i;

	for (i = 0; i < VERSIONS; i++)
		if (!t.users[i])
			break;
	if (i == VERSIONS)
		return -1;
	t.users[i] = 1;
	return i;
}

static void forget_earlier(struct page *page)
{
	while (page->n)
		t.users[page->earlier[--page->n]]--;
	page->vague = false;
	page->failed = false;
}

/* The page has its present contents, and no others are allowed. */
static void make_certain(struct page *page)
{
	forget_earlier(page);
	page->may_fail = false;
	page->hit = false;
}

static void add_earlier(struct page *page, int version)
{
	if (version < 0 || page->n == EARLIER_MAX) {
		page->vague = true;
		return;
	}
	t.users[version]++;
	page->earlier[page->n++] = version;
}

/* All pages as on a new device. */
static void forget_all(void)
{
	u32 i;

	memset(t.pages, 0, sizeof(t.pages));
	memset(t.users, 0, sizeof(t.users));
	memset(t.noted, 0, sizeof(t.noted));
	memset(t.versions[0], 0xff, PAGE_SIZE);
	t.users[0] = 1 + t.npages;
	for (i = 0; i < t.npages; i++)
		t.pages[i].now = 0;
}

static struct mtd_info *mtd(void)
{
	return &t.dev->mtd;
}

static struct mtdc_log *the_log(void)
{
	return device_log(&t.dev->store);
}

/* Has an operation of the media failed during the present operation? */
static bool fails_now(void)
{
	return t.chip.hits != t.hits;
}

static bool may_err(const struct page *page)
{
	bool faults = the_log() ? t.chip.spoilt || fails_now() : t.faults;

	return faults || t.gone || page->may_fail || page->hit;
}

static void read_page(u32 nr)
{
	struct page *page = &t.pages[nr];
	u8 *got = malloc(PAGE_SIZE);
	size_t done = ~0UL;
	unsigned int i;
	int err;

	must_be(got);
	memset(got, 0x3c, PAGE_SIZE);
	err = mtd()->_read(mtd(), (u64)nr * PAGE_SIZE, PAGE_SIZE, &done, got);
	fuzz_say("read page %u: %d", nr, err);
	if (err) {
		if (!may_err(page))
			fuzz_die("page %u can't be read: %d", nr, err);
		must_be(done == 0 && err < 0 && err != -EBADMSG && err != -EUCLEAN);
	} else if (memcmp(got, t.versions[page->now], PAGE_SIZE)) {
		must_be(done == PAGE_SIZE);
		for (i = 0; i < page->n; i++)
			if (!memcmp(got, t.versions[page->earlier[i]], PAGE_SIZE))
				break;
		if (!page->failed || (i == page->n && !page->vague))
			fuzz_die("page %u has other contents", nr);
		i = t.users[page->now] == 1 ? page->now : new_version();
		if ((int)i >= 0) {
			memcpy(t.versions[i], got, PAGE_SIZE);
			if ((int)i != page->now)
				t.users[page->now]--;
			page->now = i;
			forget_earlier(page);
		}
	} else {
		forget_earlier(page);
	}
	free(got);
}

/* Read a part of a page. This can't settle the contents if several versions are possible. */
static void read_part(u32 at, u32 bytes)
{
	u32 nr = at / PAGE_SIZE, offset = at % PAGE_SIZE;
	struct page *page = &t.pages[nr];
	u8 *got = malloc(bytes);
	size_t done = ~0UL;
	int err;

	must_be(got && offset + bytes <= PAGE_SIZE);
	memset(got, 0x3c, bytes);
	err = mtd()->_read(mtd(), at, bytes, &done, got);
	fuzz_say("read %u bytes at %u of page %u: %d", bytes, offset, nr, err);
	must_be(done == (err ? 0 : bytes));
	if (err)
		must_be(may_err(page));
	else if (!page->failed)
		must_be(!memcmp(got, t.versions[page->now] + offset, bytes));
	free(got);
}

/* Random data with all patterns that matter to a compressor. */
static void fill_data(struct input *in, u8 *data, u32 bytes)
{
	u32 kind = take_below(in, 6), seed = take_bytes(in, 2) + 1, i;
	u32 split = take(in) * bytes / 255;
	u8 tile[8];

	for (i = 0; i < sizeof(tile); i++)
		tile[i] = kind < 2 ? take(in) : seed >> i;
	for (i = 0; i < bytes; i++) {
		seed = seed * 1664525U + 1013904223U;
		switch (kind) {
		case 0:
			data[i] = tile[0];
			break;
		case 1:
			data[i] = tile[i % sizeof(tile)];
			break;
		case 2:
			data[i] = seed >> 24;
			break;
		case 3:
			data[i] = i < split ? seed >> 24 : 0;
			break;
		case 4:
			data[i] = "etaoin shrdlu"[(seed >> 24) % 13];
			break;
		default:
			data[i] = i < split ? "0123456789abcdef"[seed >> 28] : tile[i % 3];
		}
	}
}

/* A copy of a version with some bytes changed and no users yet; -1 if no version is free. */
static int changed(int version, u32 offset, const u8 *data, u32 bytes)
{
	int next = new_version();

	if (next < 0)
		return -1;
	memcpy(t.versions[next], t.versions[version], PAGE_SIZE);
	memcpy(t.versions[next] + offset, data, bytes);
	t.users[next] = 0;
	return next;
}

/* Any contents are allowed until the page is written as a whole. */
static void make_vague(struct page *page)
{
	page->vague = true;
	page->failed = true;
	page->may_fail = true;
}

/* Account for a write to one page. @err: result of the write */
static void wrote_part(u32 nr, u32 offset, const u8 *data, u32 bytes, int err)
{
	struct page *page = &t.pages[nr];
	bool whole = bytes == PAGE_SIZE;
	unsigned int i, n = page->n;
	int was = page->now, next;

	/* With several possible versions, each of them may have been changed. */
	for (i = 0; (page->failed || err) && !whole && i < n; i++)
		add_earlier(page, changed(page->earlier[i], offset, data, bytes));
	next = changed(was, offset, data, bytes);
	if (next < 0) {
		make_vague(page);
		return;
	}
	if (err) {
		add_earlier(page, next);
		page->failed = true;
		page->may_fail = true;
		return;
	}
	t.users[next]++;
	page->now = next;
	if (whole)
		make_certain(page);
	else
		add_earlier(page, was);
	t.users[was]--;
}

/*
 * Is this error of a write to the page allowed? A write of a part may have to read the rest of the
 * page, and a page that waits in a buffer may use the last space.
 */
static bool may_refuse(const struct page *page, u32 bytes, int err, u64 live)
{
	bool part = bytes < PAGE_SIZE;
	u64 capacity;

	if (!the_log())
		return err == -ENOSPC || t.faults || t.gone || page->hit ||
			(part && page->may_fail);
	capacity = mtdc_log_capacity(the_log());
	if (err == -ENOSPC)
		return max(live, the_log()->blocks.live) + 2 * RECORD_BYTES > capacity;
	return t.gone || fails_now() || !capacity || (part && may_err(page));
}

/* The pages that wait in the buffers may have been given up. */
static void doubt_waiting(u32 gather, u32 parked)
{
	if (gather < t.npages)
		make_vague(&t.pages[gather]);
	if (parked < t.npages)
		make_vague(&t.pages[parked]);
}

static bool may_lose_waiting(void)
{
	return the_log() && (fails_now() || !mtdc_log_capacity(the_log()));
}

static void sync_all(void)
{
	u32 gather = t.dev->pagebuf.gather_page, parked = t.dev->pagebuf.parked_page;

	fuzz_say("sync");
	mtd()->_sync(mtd());
	if (may_lose_waiting())
		doubt_waiting(gather, parked);
}

static void write_bytes(u32 at, const u8 *from, u32 bytes)
{
	u32 gather = t.dev->pagebuf.gather_page, parked = t.dev->pagebuf.parked_page;
	u64 live = the_log() ? the_log()->blocks.live : 0;
	u8 *data = exact_copy(from, bytes);
	size_t done = ~0UL;
	u32 in_write = 0;
	int err = mtd()->_write(mtd(), at, bytes, &done, data);

	if (may_lose_waiting())
		doubt_waiting(gather, parked);

	fuzz_say("write %u bytes at %u of page %lu: %d after %zu", bytes, (u32)(at % PAGE_SIZE),
		 at / PAGE_SIZE, err, done);
	must_be(err ? done < bytes : done == bytes);
	while (in_write < bytes) {
		u32 offset = (at + in_write) % PAGE_SIZE, nr = (at + in_write) / PAGE_SIZE;
		u32 part = min_t(u32, PAGE_SIZE - offset, bytes - in_write);

		if (in_write + part <= done) {
			wrote_part(nr, offset, data + in_write, part, 0);
			if (part < PAGE_SIZE && may_lose_waiting())
				make_vague(&t.pages[nr]);
		} else {
			must_be(in_write == done);
			must_be(may_refuse(&t.pages[nr], part, err, live));
			/* If a log refuses a whole page, the old contents stay. */
			if (!the_log() || part < PAGE_SIZE || nr == gather || nr == parked)
				wrote_part(nr, offset, data + in_write, part, err);
			break;
		}
		in_write += part;
	}
	free(data);
}

/* Write sector by sector, as mtdblock does. */
static void write_sectors(u32 nr, const u8 *data)
{
	u32 i;

	for (i = 0; i < PAGE_SIZE; i += 512)
		write_bytes(nr * PAGE_SIZE + i, data + i, 512);
}

static void erase_pages(u32 nr, u32 n)
{
	struct erase_info instr = { .addr = (u64)nr * PAGE_SIZE, .len = (u64)n * PAGE_SIZE };
	int err = mtd()->_erase(mtd(), &instr);

	fuzz_say("erase %u pages at %u: %d", n, nr, err);
	must_be(!err || (err == -ENODEV && t.gone));
	for (; !err && n; n--, nr++) {
		struct page *page = &t.pages[nr];

		t.users[page->now]--;
		t.users[0]++;
		page->now = 0;
		make_certain(page);
	}
}

/* Mark the pages whose media are in this range. The cache moves data, so with a cache mark all. */
static void hit(u32 at, u32 bytes)
{
	struct mtdc_store *store = &t.dev->store;
	u32 granule = store->geo.granule_bytes, nr, i;
	struct mtdc_place place;

	if (the_log())
		device_log_damaged(&store->geo.log, &t.chip, at, bytes);
	for (nr = 0; nr < t.npages; nr++) {
		if (mtdc_ebcache_used(&store->cache)) {
			t.pages[nr].hit = true;
			continue;
		}
		mtdc_map_get(store->map, nr, &place);
		for (i = 0; i < place.n; i++)
			if (place.chain[i].start * granule < at + bytes &&
			    at < (place.chain[i].start + place.chain[i].len) * granule)
				t.pages[nr].hit = true;
	}
}

static void damage_media(struct input *in)
{
	u32 size = t.chip.mtd.size, at = take_bytes(in, 2) % size;
	u32 n = 1 + take_below(in, 64), from, i;

	n = min(n, size - at);
	switch (take_below(in, 4)) {
	case 0:
		t.chip.data[at] ^= take(in);
		n = 1;
		break;
	case 1:
		for (i = 0; i < n; i++)
			t.chip.data[at + i] = take(in);
		break;
	case 2:
		/* Bytes of another page, or of another version of this page. */
		from = take_bytes(in, 2) % size;
		n = min(n * 64, size - max(at, from));
		memmove(t.chip.data + at, t.chip.data + from, n);
		break;
	default:
		n = min(n * 64, size - at);
		memcpy(t.chip.data + at, t.before + at, n);
	}
	fuzz_say("damage %u bytes at %u", n, at);
	hit(at, n);
}

static void plan_fault(struct input *in)
{
	static const int errs[] = { -EIO, -EBADMSG, -ENOMEM, -EROFS, -ETIMEDOUT };
	struct chip *chip = &t.chip;

	chip->ops = take_below(in, 8);
	chip->fault = take_below(in, FAULTS);
	chip->err = errs[take_below(in, ARRAY_SIZE(errs))];
	chip->after = take_below(in, 8);
	chip->times = 1 + take_below(in, 16);
	chip->noise = take(in);
	t.faults = true;
	fuzz_say("operations %u fail in way %u (%d), %u times after %u", chip->ops, chip->fault,
		 chip->err, chip->times, chip->after);
}

/* Each granule belongs to one page, or is free. */
static void check_granules(void)
{
	struct mtdc_store *store = &t.dev->store;
	u32 nr, i, k, granules = store->inplace->freelist.granules, free_granules = 0;
	struct mtdc_place place;

	must_be(!mtdc_freelist_check(&store->inplace->freelist));
	memset(t.used, 0, granules);
	for (nr = 0; nr < t.npages; nr++) {
		mtdc_map_get(store->map, nr, &place);
		for (i = 0; i < place.n; i++)
			for (k = 0; k < place.chain[i].len; k++)
				must_be(!t.used[place.chain[i].start + k]++);
	}
	for (i = 0; i < granules; i++) {
		bool is_free = store->inplace->freelist.bits[i / (8 * sizeof(long))] >>
			i % (8 * sizeof(long)) & 1;

		must_be(is_free == !t.used[i]);
		free_granules += is_free;
	}
	must_be(store->inplace->freelist.free == free_granules);
}

/* The statistics match the map. */
static void check_figures(void)
{
	struct mtdc_store *store = &t.dev->store;
	struct mtdc_stats want = { };
	struct mtdc_place place;
	u32 nr;

	for (nr = 0; nr < t.npages; nr++) {
		mtdc_map_get(store->map, nr, &place);
		mtdc_stats_place(&want, &place, true);
	}
	must_be(!memcmp(want.kept.pages, store->stats.kept.pages, sizeof(want.kept.pages)));
	must_be(!memcmp(want.kept.chains, store->stats.kept.chains, sizeof(want.kept.chains)));
	must_be(want.kept.fragments == store->stats.kept.fragments);
	must_be(want.kept.granules == store->stats.kept.granules);
	must_be(want.kept.payload_bytes == store->stats.kept.payload_bytes);
	must_be(t.faults || t.gone || !store->stats.err_decompress);
}

static void check_all(void)
{
	struct mtdc_store *store = &t.dev->store;

	must_be(!store->lock.held && !t.dev->users.lock.held);
	must_be(!shim_noio && !shim_noreclaim);
	must_be(!mtdc_map_check(store->map));
	if (the_log())
		device_log_check(store, &t.chip);
	else
		check_granules();
	check_figures();
}

static void create_chip(struct input *in)
{
	const struct media *kind = &media[take_below(in, ARRAY_SIZE(media))];
	const char *how = ",cache=1,wearlevel=3";

	chip_create(&t.chip, "chip", kind->kind, kind->bytes, kind->block_bytes, kind->write_bytes);
	if (kind->kind == CHIP_NAND && take(in) & 1)
		t.chip.bad[take(in) % (kind->bytes / kind->block_bytes)] = 1;
	t.chip.mtd.subpage_sft = kind->parts;
	t.chip.mtd.writebufsize = kind->buffer_bytes;
	t.before = exact_copy(t.chip.data, t.chip.mtd.size);
	t.gone = false;
	mtdcore_add(&t.chip.mtd);
	if (kind->kind == CHIP_RAM)
		how = kind->write_bytes > 1 ? ",wearlevel=1" : "";
	if (kind->group) {
		t.chip.group = kind->group;
		how = log_options[take_below(in, ARRAY_SIZE(log_options))];
	}
	snprintf(t.text, sizeof(t.text), "chip,name=dev,%s%s",
		 options[take_below(in, ARRAY_SIZE(options))], how);
	fuzz_say("%s: %s", kind->name, t.text);
	device_log_new();
}

/* Return: false if too many blocks are bad to attach. */
static bool attach(void)
{
	int err = mtdc_dev_attach(t.text);

	must_be(!err || (err == -ENOSPC && t.chip.blame));
	if (err)
		return false;
	t.dev = mtdcore_find("dev")->priv;
	t.npages = mtd()->size / PAGE_SIZE;
	must_be(t.npages <= PAGES_MAX);
	must_be(!the_log() == (t.chip.kind == CHIP_RAM || strstr(t.text, "cache=1")));
	if (the_log())
		device_log_attached(&t.dev->store, &t.chip);
	else
		t.used = malloc(t.dev->store.inplace->freelist.granules);
	must_be(the_log() || t.used);
	t.faults = false;
	forget_all();
	must_be(!mtdcore_open(mtd()));
	return true;
}

static void detach(void)
{
	struct mtdc_log_geo geo = t.dev->store.geo.log;

	must_be(mtdc_dev_detach("dev") == -EBUSY);
	mtdcore_close(mtd());
	must_be(!mtdc_dev_detach("dev"));
	must_be(!shim_work());
	if (geo.blocks)
		device_log_detached(&geo, &t.chip);
	free(t.used);
	t.used = NULL;
	t.dev = NULL;
}

static void destroy_chip(void)
{
	if (!t.gone)
		mtdcore_remove(&t.chip.mtd);
	chip_destroy(&t.chip);
	free(t.before);
}

/* Write pages at random, or in order. */
static void write_burst(struct input *in)
{
	u32 n = 1 + take_below(in, BURST_MAX), seed = take_bytes(in, 2);
	bool in_order = take(in) & 1;
	u32 nr = take_below(in, t.npages);
	u8 data[PAGE_SIZE];

	fill_data(in, data, PAGE_SIZE);
	for (; n; n--) {
		seed = seed * 1664525U + 1013904223U;
		nr = (in_order ? nr + 1 : seed >> 8) % t.npages;
		memcpy(data, &seed, sizeof(seed));
		t.hits = t.chip.hits;
		write_bytes(nr * PAGE_SIZE, data, PAGE_SIZE);
	}
}

/* Let time pass without any request. */
static void wait_idle(void)
{
	u32 looks = 0;

	while (shim_work())
		must_be(++looks < LOOKS_MAX);
	fuzz_say("%u looks", looks);
	/* After this many runs of the worker the buffers have been written. */
	if (looks >= LOOKS_MIN && the_log() && !t.gone && !fails_now() &&
	    mtdc_log_capacity(the_log()))
		device_log_check_idle(&t.dev->store);
}

static void cut_power(struct input *in)
{
	t.chip.ops = CHIP_READ | CHIP_WRITE | CHIP_ERASE;
	t.chip.fault = FAULT_POWER;
	t.chip.after = take_below(in, 64);
	t.chip.times = 1;
	t.faults = true;
	fuzz_say("the power goes after %u operations", t.chip.after);
}

static void heal(void)
{
	t.chip.times = 0;
	t.chip.off = false;
}

/* Contents are lost, erase counts are kept. Return: false if the attach fails. */
static bool attach_again(void)
{
	fuzz_say("detach and attach");
	detach();
	heal();
	return attach();
}

/* Submit a bio; @shift: its memory begins in the middle of a page. */
static int submit(unsigned int op, u32 nr, u32 n, u8 *data, u32 shift)
{
	struct gendisk *disk = t.dev->blk.disk;
	struct bio_vec bv[2 * BIO_PAGES];
	struct bio bio = {
		.bi_bdev = &disk->part0, .bi_opf = op, .bi_io_vec = bv,
		.bi_iter = { nr * (PAGE_SIZE / 512), n * PAGE_SIZE, 0 },
	};
	u32 at = 0, i = 0;

	while (data && at < n * PAGE_SIZE) {
		u32 offset = (at + shift) % PAGE_SIZE;

		bv[i].bv_page = (struct page *)(data + at - offset);
		bv[i].bv_offset = offset;
		bv[i].bv_len = min_t(u32, PAGE_SIZE - offset, n * PAGE_SIZE - at);
		at += bv[i++].bv_len;
	}
	disk->fops->submit_bio(&bio);
	must_be(bio.ended);
	return bio.bi_status;
}

static void bio_write(struct input *in, u32 nr, u32 n)
{
	u32 shift = take(in) & 1 ? 512 * (1 + take_below(in, 7)) : 0;
	u32 gather = t.dev->pagebuf.gather_page, parked = t.dev->pagebuf.parked_page, i;
	u64 live = the_log() ? the_log()->blocks.live : 0;
	static u8 data[BIO_PAGES * PAGE_SIZE];
	bool may = false;
	int err;

	for (i = 0; i < n; i++)
		fill_data(in, data + i * PAGE_SIZE, PAGE_SIZE);
	err = submit(REQ_OP_WRITE | (take(in) & 1 ? REQ_FUA : 0), nr, n, data, shift);
	fuzz_say("bio: write %u pages at %u, shifted by %u: %d", n, nr, shift, err);
	if (may_lose_waiting())
		doubt_waiting(gather, parked);
	for (i = 0; i < n; i++)
		may |= may_refuse(&t.pages[nr + i], shift ? 1 : PAGE_SIZE, err,
				  live + i * RECORD_BYTES);
	must_be(!err || may);
	for (i = 0; i < n; i++) {
		/* The slot was freed before this write. */
		if (t.noted[nr + i])
			add_earlier(&t.pages[nr + i], 0);
		t.noted[nr + i] = 0;
		wrote_part(nr + i, 0, data + i * PAGE_SIZE, PAGE_SIZE, err);
		/* Half of the page may be written, or its flush may have failed. */
		if (err || (shift && may_lose_waiting()))
			make_vague(&t.pages[nr + i]);
	}
}

static void bio_read(struct input *in, u32 nr, u32 n)
{
	u32 shift = take(in) & 1 ? 512 * (1 + take_below(in, 7)) : 0, i;
	static u8 data[BIO_PAGES * PAGE_SIZE];
	bool may = false, certain;
	int err;

	memset(data, 0x3c, sizeof(data));
	err = submit(REQ_OP_READ, nr, n, data, shift);
	fuzz_say("bio: read %u pages at %u, shifted by %u: %d", n, nr, shift, err);
	for (i = 0; i < n; i++) {
		struct page *page = &t.pages[nr + i];

		may |= may_err(page) || t.noted[nr + i];
		certain = !page->failed && !t.noted[nr + i];
		must_be(err || !certain || !memcmp(data + i * PAGE_SIZE,
						   t.versions[page->now], PAGE_SIZE));
	}
	must_be(!err || may);
}

static void reads_as(u32 nr, int version)
{
	struct page *page = &t.pages[nr];

	t.users[page->now]--;
	t.users[version]++;
	page->now = version;
	t.noted[nr] = 0;
	make_certain(page);
}

static void bio_give_up(u32 nr, u32 n)
{
	int err = submit(REQ_OP_DISCARD, nr, n, NULL, 0);

	fuzz_say("bio: discard %u pages at %u: %d", n, nr, err);
	must_be(!err || (err == -ENODEV && t.gone));
	for (; !err && n; n--)
		reads_as(nr++, 0);
}

static void bio_zero(u32 nr, u32 n)
{
	static const u8 zeroes[PAGE_SIZE];
	u32 gather = t.dev->pagebuf.gather_page, parked = t.dev->pagebuf.parked_page;
	int err = submit(REQ_OP_WRITE_ZEROES, nr, n, NULL, 0);

	fuzz_say("bio: zero %u pages at %u: %d", n, nr, err);
	if (may_lose_waiting())
		doubt_waiting(gather, parked);
	for (; n; n--, nr++) {
		if (t.noted[nr])
			add_earlier(&t.pages[nr], 0);
		t.noted[nr] = 0;
		wrote_part(nr, 0, zeroes, PAGE_SIZE, err);
		if (err)
			make_vague(&t.pages[nr]);
	}
}

static void bio_operation(struct input *in)
{
	u32 gather = t.dev->pagebuf.gather_page, parked = t.dev->pagebuf.parked_page;
	u32 nr = take_below(in, t.npages), n = 1 + take_below(in, BIO_PAGES);
	const struct block_device_operations *fops = t.dev->blk.disk->fops;
	int err;

	n = min(n, t.npages - nr);
	switch (take_below(in, 12)) {
	case 0: case 1: case 2:
		bio_write(in, nr, n);
		break;
	case 3: case 4:
		bio_read(in, nr, n);
		break;
	case 5:
		bio_give_up(nr, n);
		break;
	case 6:
		bio_zero(nr, n);
		break;
	case 7: case 8: case 9:
		for (; n; n--, nr++) {
			fops->swap_slot_free_notify(&t.dev->blk.disk->part0, nr);
			t.noted[nr] = 1;
			fuzz_say("slot %u is free", nr);
		}
		break;
	case 10:
		err = submit(REQ_OP_WRITE | REQ_PREFLUSH, 0, 0, NULL, 0);
		fuzz_say("bio: flush: %d", err);
		if (may_lose_waiting())
			doubt_waiting(gather, parked);
		break;
	default:
		shim_work();
	}
}

/* Use the block device for a while, with the MTD closed. */
static void use_disk(struct input *in)
{
	struct gendisk *disk = t.dev->blk.disk;
	u32 n = 1 + take_below(in, 32), nr;
	u8 byte = 0;
	size_t done;

	must_be(disk->fops->open(disk, BLK_OPEN_WRITE) == -EBUSY);
	mtdcore_close(mtd());
	must_be(!disk->fops->open(disk, BLK_OPEN_WRITE));
	fuzz_say("the block device is open");
	must_be(mtdc_dev_detach("dev") == -EBUSY);
	must_be(!mtdcore_open(mtd()));
	must_be(mtd()->_write(mtd(), 0, 1, &done, &byte) == -EBUSY && !done);
	mtdcore_close(mtd());
	for (; n && in->left; n--) {
		t.hits = t.chip.hits;
		bio_operation(in);
		check_all();
	}
	t.hits = t.chip.hits;
	disk->fops->release(disk);
	fuzz_say("the block device is closed");
	for (nr = 0; nr < t.npages; nr++)
		if (t.noted[nr] && !t.gone)
			reads_as(nr, 0);
	must_be(!mtdcore_open(mtd()));
}

/* Rare operations. Return: false if the device is gone. */
static bool seldom(struct input *in)
{
	u8 what = take(in);
	u32 n;

	if (what == 0xff && !t.gone) {
		fuzz_say("the media go");
		mtdcore_remove(&t.chip.mtd);
		t.gone = true;
	}
	if (what >= 0xd8 && what < 0xff)
		use_disk(in);
	if (what >= 0xd8 || !the_log())
		return true;
	if (what < 64)
		write_burst(in);
	else if (what < 128)
		for (n = what % 8 + 1; n; n--)
			shim_work();
	else if (what < 160)
		wait_idle();
	else if (what < 192)
		cut_power(in);
	else if (what < 208 && !t.gone)
		return attach_again();
	return true;
}

/* Return: false if the device is gone. */
static bool operation(struct input *in)
{
	u8 data[3 * PAGE_SIZE];
	u32 nr, at, bytes;

	switch (take_below(in, 24)) {
	case 0: case 1: case 2: case 3: case 4: case 5:
		nr = take_below(in, t.npages);
		fill_data(in, data, PAGE_SIZE);
		write_bytes(nr * PAGE_SIZE, data, PAGE_SIZE);
		break;
	case 6: case 7: case 8:
		nr = take_below(in, t.npages);
		fill_data(in, data, PAGE_SIZE);
		write_sectors(nr, data);
		break;
	case 9: case 10: case 11:
		at = take_bytes(in, 3) % (t.npages * PAGE_SIZE);
		bytes = 1 + take_bytes(in, 2) % sizeof(data);
		bytes = min_t(u32, bytes, t.npages * PAGE_SIZE - at);
		fill_data(in, data, bytes);
		write_bytes(at, data, bytes);
		break;
	case 12: case 13: case 14:
		read_page(take_below(in, t.npages));
		break;
	case 15:
		at = take_bytes(in, 3) % (t.npages * PAGE_SIZE);
		bytes = 1 + take_bytes(in, 2) % (PAGE_SIZE - at % PAGE_SIZE);
		read_part(at, bytes);
		break;
	case 16:
		nr = take_below(in, t.npages);
		erase_pages(nr, 1 + take_below(in, t.npages - nr));
		break;
	case 17:
		sync_all();
		break;
	case 18: case 19:
		damage_media(in);
		break;
	case 20:
		plan_fault(in);
		break;
	case 21:
		fuzz_say("nothing fails");
		heal();
		break;
	case 22:
		memcpy(t.before, t.chip.data, t.chip.mtd.size);
		break;
	default:
		return seldom(in);
	}
	return true;
}

/* Check everything once more when nothing fails any more. */
static void finish(void)
{
	u32 nr;

	heal();
	t.hits = t.chip.hits;
	sync_all();
	for (nr = 0; nr < t.npages; nr++)
		read_page(nr);
	check_all();
	if (the_log()) {
		wait_idle();
		check_all();
		for (nr = 0; nr < t.npages; nr++)
			read_page(nr);
		erase_pages(0, t.npages);
		check_all();
		if (!t.gone)
			device_log_check_empty(&t.dev->store);
	}
	detach();
}

int fuzz_one(const u8 *data, size_t bytes)
{
	struct input in = { data, bytes };
	bool there;
	unsigned int i;

	shim_reset(input_nonce(data, bytes));
	mtdcore_reset();
	mtdc_lower_init();
	create_chip(&in);
	there = attach();
	for (i = 0; there && in.left && i < OPS_MAX; i++) {
		t.hits = t.chip.hits;
		there = operation(&in);
		if (there)
			check_all();
	}
	if (there)
		finish();
	destroy_chip();
	mtdc_lower_exit();
	must_be(!mtdcore_count() && !shim.allocated);
	return 0;
}
