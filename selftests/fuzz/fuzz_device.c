// SPDX-License-Identifier: GPL-2.0
/*
 * A whole device, from the callbacks of its MTD down to media in memory: everything
 * of the driver but procfs, sysfs and the module's parameters, with the kernel's own
 * compressors. The input is a program: which media and options, what is written in
 * which pieces, what is read, which bytes of the media change, which operations of
 * the media fail, drop data or lie.
 *
 * Of every read: either what was written, or an error; and an error only where the
 * media have given a reason for it. After every operation: each granule of the media
 * is used by one page or free, as map and free list say, and the figures of the
 * statistics are what is there.
 *
 * What a write that failed has left may be any contents that the page has had since
 * it was written as a whole for the last time: a piece that is refused takes those
 * before it with it, if they were one write (pagebuf.c). Once read, it is that.
 */
#include "fuzz.h"
#include "kernel.h"
#include "mtdcore.h"

#include "dev.h"
#include "lower.h"

#include <linux/sched/mm.h>

#define PAGES_MAX	80U
#define OPS_MAX		300U
#define VERSIONS	512U
#define EARLIER_MAX	12U

/* A logical page, as it should read. */
struct page {
	int now;		/* numbers of versions */
	int earlier[EARLIER_MAX];
	unsigned int n;
	bool vague;		/* there were too many of them */
	bool failed;		/* a write to it has, since it was certain */
	bool may_fail;		/* it may have been given up for that */
	bool hit;		/* its media were damaged */
};

static struct {
	struct chip chip;
	struct mtdc_dev *dev;
	struct page pages[PAGES_MAX];
	u32 npages;
	u8 versions[VERSIONS][PAGE_SIZE];
	u16 users[VERSIONS];
	u8 *used;		/* a byte for each granule */
	u8 *before;		/* the media at some time */
	bool faults;		/* an operation has failed, or will */
	bool gone;
} t;

static const struct {
	const char *name;
	enum chip_kind kind;
	u32 bytes;
	u32 block_bytes;
	u32 write_bytes;
} media[] = {
	{ "RAM", CHIP_RAM, 32768, 4096, 1 },
	{ "little RAM", CHIP_RAM, 16384, 4096, 1 },
	{ "FRAM in words", CHIP_RAM, 24576, 4096, 4 },
	{ "RAM in sectors", CHIP_RAM, 40960, 4096, 512 },
	{ "RAM in rows", CHIP_RAM, 33600, 480, 24 },
	{ "NAND", CHIP_NAND, 49152, 8192, 512 },
	{ "NAND, small blocks", CHIP_NAND, 32768, 4096, 1024 },
	{ "NOR", CHIP_NOR, 40960, 10240, 1 },
};

static const char * const options[] = {
	"comp=lz4", "comp=lz4,alloc=largest", "comp=lzo,alloc=best", "comp=zlib",
	"comp=zlib,alloc=best,ratio=500", "comp=zstd,alloc=largest,ratio=100",
	"comp=none", "comp=none,alloc=largest,ratio=90", "comp=lz4,alloc=best,ratio=800",
	"comp=zlib,alloc=largest,ratio=400", "comp=zstd,level=3", "comp=none,alloc=best,ratio=100",
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

/* It is what it is, and nothing else any more. */
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

/* All pages as they are on a new device. */
static void forget_all(void)
{
	u32 i;

	memset(t.pages, 0, sizeof(t.pages));
	memset(t.users, 0, sizeof(t.users));
	memset(t.versions[0], 0xff, PAGE_SIZE);
	t.users[0] = 1 + t.npages;
	for (i = 0; i < t.npages; i++)
		t.pages[i].now = 0;
}

static struct mtd_info *mtd(void)
{
	return &t.dev->mtd;
}

static bool may_err(const struct page *page)
{
	return t.faults || t.gone || page->may_fail || page->hit;
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

/* A part of a page, which does not settle anything unless it is certain. */
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

/* What is to be written: all that a compressor may meet. */
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

/* A version with some bytes changed, which nobody uses yet; -1 if there is no room. */
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

/* Nothing is known of it until it is written as a whole. */
static void make_vague(struct page *page)
{
	page->vague = true;
	page->failed = true;
	page->may_fail = true;
}

/* One page's part of a write. @err: what became of it */
static void wrote_part(u32 nr, u32 offset, const u8 *data, u32 bytes, int err)
{
	struct page *page = &t.pages[nr];
	bool whole = bytes == PAGE_SIZE;
	unsigned int i, n = page->n;
	int was = page->now, next;

	/* If it is not certain what has been changed, anything may have been. */
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

static void write_bytes(u32 at, const u8 *from, u32 bytes)
{
	u8 *data = exact_copy(from, bytes);
	size_t done = ~0UL;
	u32 in_write = 0;
	bool may = t.faults || t.gone;
	int err = mtd()->_write(mtd(), at, bytes, &done, data);

	fuzz_say("write %u bytes at %u of page %lu: %d after %zu", bytes, (u32)(at % PAGE_SIZE),
		 at / PAGE_SIZE, err, done);
	must_be(err ? done < bytes : done == bytes);
	while (in_write < bytes) {
		u32 offset = (at + in_write) % PAGE_SIZE, nr = (at + in_write) / PAGE_SIZE;
		u32 part = min_t(u32, PAGE_SIZE - offset, bytes - in_write);

		if (in_write + part <= done) {
			wrote_part(nr, offset, data + in_write, part, 0);
		} else {
			must_be(in_write == done);
			/* A part may need the rest. */
			must_be(err == -ENOSPC || may || t.pages[nr].hit ||
				(part < PAGE_SIZE && t.pages[nr].may_fail));
			wrote_part(nr, offset, data + in_write, part, err);
			break;
		}
		in_write += part;
	}
	free(data);
}

/* As mtdblock does it. */
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

/* Which pages have their media there? Through the cache nobody knows. */
static void hit(u32 at, u32 bytes)
{
	struct mtdc_store *store = &t.dev->store;
	u32 granule = store->geo.granule_bytes, nr, i;
	struct mtdc_place place;

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
		/* Of another page, or of another version of this one. */
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

/* Each granule is one page's, or free; and the figures are those of the map. */
static void check_all(void)
{
	struct mtdc_store *store = &t.dev->store;
	struct mtdc_stats want = { };
	u32 nr, i, k, granules = store->freelist.granules, free_granules = 0;
	struct mtdc_place place;

	must_be(!store->lock.held && !t.dev->users_lock.held);
	must_be(!shim_noio && !shim_noreclaim);
	must_be(!mtdc_map_check(store->map));
	must_be(!mtdc_freelist_check(&store->freelist));
	memset(t.used, 0, granules);
	for (nr = 0; nr < t.npages; nr++) {
		mtdc_map_get(store->map, nr, &place);
		mtdc_stats_place(&want, &place, true);
		for (i = 0; i < place.n; i++)
			for (k = 0; k < place.chain[i].len; k++)
				must_be(!t.used[place.chain[i].start + k]++);
	}
	for (i = 0; i < granules; i++) {
		bool is_free = store->freelist.bits[i / (8 * sizeof(long))] >>
			i % (8 * sizeof(long)) & 1;

		must_be(is_free == !t.used[i]);
		free_granules += is_free;
	}
	must_be(store->freelist.free == free_granules);
	must_be(!memcmp(want.pages, store->stats.pages, sizeof(want.pages)));
	must_be(!memcmp(want.chains, store->stats.chains, sizeof(want.chains)));
	must_be(want.fragments == store->stats.fragments);
	must_be(want.granules == store->stats.granules);
	must_be(want.payload_bytes == store->stats.payload_bytes);
	must_be(t.faults || t.gone || !store->stats.err_decompress);
}

static void attach(struct input *in)
{
	unsigned int which = take_below(in, ARRAY_SIZE(media));
	char text[128];

	chip_create(&t.chip, "chip", media[which].kind, media[which].bytes,
		    media[which].block_bytes, media[which].write_bytes);
	if (t.chip.kind == CHIP_NAND && take(in) & 1)
		t.chip.bad[take(in) % (media[which].bytes / media[which].block_bytes)] = 1;
	mtdcore_add(&t.chip.mtd);
	snprintf(text, sizeof(text), "chip,name=dev,%s%s",
		 options[take_below(in, ARRAY_SIZE(options))],
		 t.chip.kind == CHIP_RAM ? "" : ",cache=1");
	fuzz_say("%s: %s", media[which].name, text);
	must_be(!mtdc_dev_attach(text));
	t.dev = mtdcore_find("dev")->priv;
	t.npages = mtd()->size / PAGE_SIZE;
	must_be(t.npages <= PAGES_MAX);
	t.used = malloc(t.dev->store.freelist.granules);
	t.before = exact_copy(t.chip.data, t.chip.mtd.size);
	must_be(t.used);
	t.faults = false;
	t.gone = false;
	forget_all();
	must_be(!mtdcore_open(mtd()));
}

static void detach(void)
{
	must_be(mtdc_dev_detach("dev") == -EBUSY);
	mtdcore_close(mtd());
	must_be(!mtdc_dev_detach("dev"));
	if (!t.gone)
		mtdcore_remove(&t.chip.mtd);
	chip_destroy(&t.chip);
	free(t.used);
	free(t.before);
}

static void operation(struct input *in)
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
		fuzz_say("sync");
		mtd()->_sync(mtd());
		break;
	case 18: case 19:
		damage_media(in);
		break;
	case 20:
		plan_fault(in);
		break;
	case 21:
		fuzz_say("nothing fails");
		t.chip.times = 0;
		break;
	case 22:
		memcpy(t.before, t.chip.data, t.chip.mtd.size);
		break;
	default:
		/* Not each time, or little would come after it. */
		if (take(in) != 0xff || t.gone)
			break;
		fuzz_say("the media go");
		mtdcore_remove(&t.chip.mtd);
		t.gone = true;
	}
}

int fuzz_one(const u8 *data, size_t bytes)
{
	struct input in = { data, bytes };
	unsigned int i;

	shim_reset(input_nonce(data, bytes));
	mtdcore_reset();
	mtdc_lower_init();
	attach(&in);
	for (i = 0; in.left && i < OPS_MAX; i++) {
		operation(&in);
		check_all();
	}
	t.chip.times = 0;
	mtd()->_sync(mtd());
	for (i = 0; i < t.npages; i++)
		read_page(i);
	check_all();
	detach();
	mtdc_lower_exit();
	must_be(!mtdcore_count() && !shim.allocated);
	return 0;
}
