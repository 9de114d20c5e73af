// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "attach.h"
#include "measure.h"
#include "medium.h"
#include "node.h"
#include "run.h"
#include "sys.h"

static const char *const algorithms[MEASURE_ALGORITHMS] = { "lz4", "lzo", "zlib", "zstd" };

/* The device's name during the measurement. */
#define NAME "mtdcomprctl-measure"

/* Room beside the pages for headers, rounding and the minimum of a small device. */
#define MORE_KIB 256

/**
 * scratch_make() - load mtdram, an MTD in main memory
 * @scratch: filled in
 * @sample: the pages that have to fit
 *
 * mtdram makes one MTD only; if it is loaded already, leave it alone.
 *
 * Return: true on success. No message on failure, because the caller may try other media.
 */
bool scratch_make(struct scratch *scratch, const struct sample *sample)
{
	static struct media media;
	static struct devices none;
	char total[40], block[40];
	char *const argv[] = { "modprobe", "mtdram", total, block, NULL };
	size_t page_kib = sample->page_bytes >> 10;
	uint64_t kib = sample->n * (page_kib + page_kib / 8) + MORE_KIB;
	const struct medium *medium;

	memset(scratch, 0, sizeof(*scratch));
	if (*sys_root() || sys_exists("/sys/module/mtdram"))
		return false;
	snprintf(total, sizeof(total), "total_size=%llu",
		 (unsigned long long)(kib / page_kib * page_kib));
	snprintf(block, sizeof(block), "erase_size=%zu", page_kib);
	if (run_program(argv))
		return false;
	scratch->own = true;
	if (!media_read(&media, &none)) {
		medium = media_find(&media, "mtdram test device");
		if (medium) {
			snprintf(scratch->media, sizeof(scratch->media), "%u", medium->mtd);
			scratch->bytes = medium->size;
			return true;
		}
	}
	scratch_remove(scratch);
	return false;
}

/**
 * scratch_remove() - unload mtdram
 * @scratch: of scratch_make()
 */
void scratch_remove(const struct scratch *scratch)
{
	char *const argv[] = { "rmmod", "mtdram", NULL };

	if (scratch->own && run_program(argv))
		warnx("warning: mtdram is still loaded");
}

/* write_pages() - write page by page, as the kernel swaps */
static int write_pages(int fd, const struct sample *sample)
{
	size_t bytes = sample->page_bytes;
	unsigned int i;

	for (i = 0; i < sample->n; i++)
		if (pwrite(fd, sample->pages + i * bytes, bytes, (off_t)(i * bytes)) !=
		    (ssize_t)bytes)
			return errno ? -errno : -EIO;
	return 0;
}

static int read_pages(int fd, const struct sample *sample)
{
	size_t bytes = sample->page_bytes;
	unsigned char *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;
	int err = 0;

	if (page == MAP_FAILED)
		return -errno;
	for (i = 0; i < sample->n && !err; i++) {
		if (pread(fd, page, bytes, (off_t)(i * bytes)) != (ssize_t)bytes)
			err = errno ? -errno : -EIO;
		else if (memcmp(page, sample->pages + i * bytes, bytes))
			err = -EBADMSG;
	}
	munmap(page, bytes);
	return err;
}

/* use_device() - write, read and compare the pages, then read the statistics */
static bool use_device(struct device *device, const struct sample *sample)
{
	char path[64];
	int fd, err;

	if (!node_there(device, path, sizeof(path)))
		return false;
	fd = open(path, O_RDWR | O_DIRECT | O_EXCL | O_CLOEXEC);
	err = fd < 0 ? -errno : write_pages(fd, sample);
	if (!err)
		err = read_pages(fd, sample);
	if (fd >= 0)
		close(fd);
	if (err == -EBADMSG)
		warnx("%s: what was read is not what was written: do not use these media", path);
	else if (err)
		warnx("%s: the measurement failed: %s", path, strerror(-err));
	return !err && device_read(device, NAME);
}

static void take_figures(struct measured *measured, const struct device *device)
{
	const char *text = device->text;

	measured->done = true;
	measured->pages = figure(text, "pages_stored");
	measured->page_bytes = figure(text, "page_bytes");
	measured->raw = figure(text, "pages_raw");
	measured->filled = figure(text, "pages_filled");
	measured->used = figure(text, "media_used_bytes");
	measured->write_ns = figure(text, "write_avg_ns");
	measured->read_ns = figure(text, "read_avg_ns");
	measured->compress = figure(text, "compress_kib_per_s") << 10;
	measured->decompress = figure(text, "decompress_kib_per_s") << 10;
	measured->encrypted = figure_is(text, "crypt", "chacha20poly1305");
}

/* measure_one() - false after an error message */
static bool measure_one(const struct scratch *scratch, const struct sample *sample,
			const char *algorithm, struct measured *measured)
{
	struct spec spec = {
		.media = scratch->media,
		.name = NAME,
		.size = (uint64_t)sample->n * sample->page_bytes,
	};
	char text[SPEC_TEXT], reason[512];
	const char *why;
	struct device device;
	bool good;
	int err;

	measured->algorithm = algorithm;
	if (!spec_text(&spec, algorithm, text, &why))
		return false;
	err = attach_try(text, reason, sizeof(reason));
	/* The module may have been built without it. */
	if (err == -EOPNOTSUPP)
		return true;
	if (err) {
		warnx("mtd%s: nothing can be attached for the measurement: %s", scratch->media,
		      *reason ? reason : strerror(-err));
		return false;
	}
	good = device_read(&device, NAME) && use_device(&device, sample);
	if (good)
		take_figures(measured, &device);
	return device_read(&device, NAME) && detach(&device) && good;
}

/**
 * measure_all() - measure all compressors
 * @scratch: the media; their contents are lost
 * @sample: the pages
 * @measured: the results, MEASURE_ALGORITHMS of them
 *
 * Return: true on success; else an error message was printed.
 */
bool measure_all(const struct scratch *scratch, const struct sample *sample,
		 struct measured *measured)
{
	unsigned int i;

	memset(measured, 0, MEASURE_ALGORITHMS * sizeof(*measured));
	for (i = 0; i < MEASURE_ALGORITHMS; i++)
		if (!measure_one(scratch, sample, algorithms[i], &measured[i]))
			return false;
	return true;
}
