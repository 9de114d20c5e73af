// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "checksum.h"
#include "region.h"
#include "sys.h"

static uint8_t *page_of(const struct regions *all, const struct region *region, size_t nr)
{
	return region->map + nr * all->page;
}

/**
 * region_stamp() - the stamp of a page
 * @all: the regions
 * @region: the page's
 * @nr: of the page in it
 *
 * Return: the stamp, in the page.
 */
struct region_stamp *region_stamp(const struct regions *all, const struct region *region,
				  size_t nr)
{
	return (struct region_stamp *)(page_of(all, region, nr + 1) - sizeof(struct region_stamp));
}

static int open_file(struct region *region)
{
	const char *file = region->cfg->file;

	if (!file[0])
		return 0;
	region->fd = open(file, O_RDONLY | O_CLOEXEC);
	if (region->fd >= 0)
		return 0;
	warn("region \"%s\": cannot open %s", region->cfg->name, file);
	return -ENOENT;
}

static int map_region(const struct regions *all, struct region *region)
{
	uint64_t length = region->cfg->length;
	void *map = MAP_FAILED;

	errno = ENOMEM;
	if (length <= PTRDIFF_MAX - all->page) {
		region->size = (size_t)length;
		region->pages = (region->size + all->page - 1) / all->page;
		map = mmap(NULL, region->pages * all->page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	if (map == MAP_FAILED) {
		warn("region \"%s\": cannot have %llu bytes; --size-percent N makes all smaller",
		     region->cfg->name, (unsigned long long)length);
		return -ENOMEM;
	}
	region->map = map;
	return 0;
}

/* What it takes to verify a region. */
static int note_region(struct region *region)
{
	region->writes = calloc(region->pages, sizeof(*region->writes));
	if (region->writes && region->fd >= 0)
		region->sums = calloc(region->pages, sizeof(*region->sums));
	if (region->writes && (region->sums || region->fd < 0))
		return 0;
	warnx("region \"%s\": no memory to verify it", region->cfg->name);
	return -ENOMEM;
}

/**
 * regions_begin() - take the memory of all regions
 * @all: the regions
 * @cfg: what there has to be
 * @options: of the contents
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int regions_begin(struct regions *all, const struct patcfg *cfg, const struct loadopt *options)
{
	uint64_t first = 0;
	int err = 0;

	all->page = (size_t)sys_page_size();
	all->contents.seed = options->seed;
	all->contents.percent = options->percent;
	all->contents.page = all->page - (options->verify ? sizeof(struct region_stamp) : 0);
	for (all->n = 0; all->n < cfg->nregions && !err; all->n++) {
		struct region *region = &all->regions[all->n];

		*region = (struct region){ .cfg = &cfg->regions[all->n], .first = first, .fd = -1 };
		err = open_file(region);
		if (!err)
			err = map_region(all, region);
		if (!err && options->verify)
			err = note_region(region);
		first += region->pages;
	}
	return err;
}

/* The next bytes of a region's file; after its end the page's own contents stay. */
static int read_page(const struct regions *all, struct region *region, uint8_t *page)
{
	size_t done = 0;
	ssize_t n = 1;

	while (region->fd >= 0 && done < all->page && n > 0) {
		n = read(region->fd, page + done, all->page - done);
		if (n < 0 && errno != EINTR) {
			warn("region \"%s\": cannot read %s", region->cfg->name, region->cfg->file);
			return -EIO;
		}
		if (n < 0)
			n = work_stopped() ? 0 : 1;
		else
			done += (size_t)n;
	}
	return 0;
}

static int fill_page(const struct regions *all, struct region *region, size_t nr)
{
	uint8_t *page = page_of(all, region, nr);

	contents_fill(&all->contents, region->first + nr, 0, 0, page);
	if (read_page(all, region, page))
		return -EIO;
	if (region->writes)
		*region_stamp(all, region, nr) = (struct region_stamp){ region->first + nr, 0 };
	if (region->sums)
		region->sums[nr] = checksum_bytes(CHECKSUM_BEGIN, page, all->contents.page);
	return 0;
}

static int fill_region(const struct regions *all, struct region *region, struct work *work)
{
	size_t nr;

	for (nr = 0; nr < region->pages; nr++) {
		if (fill_page(all, region, nr))
			return -EIO;
		if ((nr % WORK_PIECE == WORK_PIECE - 1 || nr == region->pages - 1) &&
		    !work_step(work, (nr % WORK_PIECE + 1) * all->page))
			return 1;
	}
	return 0;
}

/**
 * regions_fill() - write the first contents of all regions
 * @all: the regions
 * @work: the work that this is a part of
 *
 * Return: 0; 1 when the end has come; or a negative errno, and the reason was said.
 */
int regions_fill(struct regions *all, struct work *work)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < all->n && !ret; i++)
		ret = fill_region(all, &all->regions[i], work);
	return ret;
}

/**
 * regions_corrupt() - for tests: wrong contents in the first region, and a wrong stamp in the last
 * @all: the regions, with stamps
 */
void regions_corrupt(struct regions *all)
{
	struct region *first = &all->regions[0], *last = &all->regions[all->n - 1];

	page_of(all, first, first->pages / 2)[7] ^= 0x10;
	region_stamp(all, last, last->pages / 2)->number ^= 0x10;
}

/**
 * region_check_stamp() - is a page the one that it should be, with all that was written?
 * @all: the regions
 * @region: the page's
 * @nr: of the page in it
 *
 * Return: 0; -EBADMSG, if it is not, and this was said.
 */
int region_check_stamp(const struct regions *all, const struct region *region, size_t nr)
{
	struct region_stamp stamp = *region_stamp(all, region, nr);

	if (stamp.number == region->first + nr && stamp.writes == region->writes[nr])
		return 0;
	warnx("wrong data: region \"%s\", page %zu: its stamp is %llu.%llu instead of %llu.%llu",
	      region->cfg->name, nr, (unsigned long long)stamp.number,
	      (unsigned long long)stamp.writes, (unsigned long long)region->first + nr,
	      (unsigned long long)region->writes[nr]);
	return -EBADMSG;
}

static int check_page(const struct regions *all, const struct region *region, size_t nr)
{
	const uint8_t *page = page_of(all, region, nr);
	const char *name = region->cfg->name;
	struct contents_wrong wrong;

	if (region->sums) {
		if (checksum_bytes(CHECKSUM_BEGIN, page, all->contents.page) != region->sums[nr]) {
			warnx("wrong data: region \"%s\", page %zu: its checksum is another one",
			      name, nr);
			return -EBADMSG;
		}
	} else if (contents_check(&all->contents, region->first + nr, 0, 0, page, &wrong)) {
		warnx("wrong data: region \"%s\", page %zu, byte %zu: %#04x instead of %#04x", name,
		      nr, wrong.byte, wrong.got, wrong.want);
		return -EBADMSG;
	}
	return region_check_stamp(all, region, nr);
}

/**
 * regions_check() - verify all pages, or those up to a signal
 * @all: the regions, with stamps
 *
 * Return: 0; -EBADMSG, if a page is wrong, and this was said.
 */
int regions_check(const struct regions *all)
{
	const struct region *region;
	size_t nr;

	for (region = all->regions; region < all->regions + all->n; region++)
		for (nr = 0; nr < region->pages && !work_stopped(); nr++)
			if (check_page(all, region, nr))
				return -EBADMSG;
	return 0;
}

/**
 * regions_end() - give back what was taken; the memory itself goes with the program
 * @all: the regions
 */
void regions_end(struct regions *all)
{
	struct region *region;

	for (region = all->regions; region < all->regions + all->n; region++) {
		if (region->fd >= 0)
			close(region->fd);
		free(region->writes);
		free(region->sums);
	}
}
