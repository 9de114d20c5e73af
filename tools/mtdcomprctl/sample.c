// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lines.h"
#include "parse.h"
#include "sample.h"
#include "sys.h"

/* Time limit for reading pages. */
#define WALK_US 3000000

/* Bits in /proc/PID/pagemap: page in memory; page of a file, or shared. */
#define PAGE_PRESENT 0x8000000000000000ULL
#define PAGE_FILE 0x2000000000000000ULL

/* Entries per read. */
#define ENTRIES 512

struct walk {
	struct sample *sample;
	uint64_t total;			/* pages of all programs */
	uint64_t stride;		/* take every stride-th page */
	uint64_t seen;
	uint64_t until;
	int mem;
	int pagemap;
};

/* count_pid() - count the private pages of a process */
static int count_pid(pid_t pid, void *arg)
{
	struct walk *walk = arg;
	char path[64], text[4096];
	uint64_t kib;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (pid != getpid() && sys_read(path, text, sizeof(text)) > 0 &&
	    parse_key(text, "RssAnon", &kib))
		walk->total += (kib << 10) / walk->sample->page_bytes;
	return 0;
}

static bool walk_done(const struct walk *walk)
{
	return walk->sample->n == walk->sample->most || sys_now_us() > walk->until;
}

/* take_page() - copy every stride-th page; skip a page that is gone by now */
static void take_page(struct walk *walk, uint64_t address)
{
	struct sample *sample = walk->sample;
	size_t bytes = sample->page_bytes;

	if (walk->seen++ % walk->stride || sample->n == sample->most)
		return;
	if (pread(walk->mem, sample->pages + sample->n * bytes, bytes, (off_t)address) ==
	    (ssize_t)bytes)
		sample->n++;
}

static void walk_range(struct walk *walk, uint64_t at, uint64_t end)
{
	uint64_t entries[ENTRIES], page = walk->sample->page_bytes;
	uint64_t want;
	ssize_t n, i;

	while (at < end && !walk_done(walk)) {
		want = (end - at) / page < ENTRIES ? (end - at) / page : ENTRIES;
		n = pread(walk->pagemap, entries, (size_t)want * sizeof(entries[0]),
			  (off_t)(at / page * sizeof(entries[0])));
		n /= (ssize_t)sizeof(entries[0]);
		if (n <= 0)
			return;
		for (i = 0; i < n; i++, at += page)
			if ((entries[i] & PAGE_PRESENT) && !(entries[i] & PAGE_FILE))
				take_page(walk, at);
	}
}

static bool walk_line(char *line, void *arg)
{
	struct walk *walk = arg;
	struct map_line map;

	if (!parse_map(line, &map) && map.perms[1] == 'w' && map.perms[3] == 'p')
		walk_range(walk, map.start, map.end);
	return !walk_done(walk);
}

static int walk_pid(pid_t pid, void *arg)
{
	struct walk *walk = arg;
	char path[64];

	if (pid == getpid())
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	walk->mem = sys_open(path, O_RDONLY);
	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	walk->pagemap = sys_open(path, O_RDONLY);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	if (walk->mem >= 0 && walk->pagemap >= 0)
		lines_each(path, walk_line, walk);
	if (walk->mem >= 0)
		close(walk->mem);
	if (walk->pagemap >= 0)
		close(walk->pagemap);
	return walk_done(walk);
}

/**
 * sample_take() - copy pages of all programs, evenly spread
 * @sample: filled in
 * @want: how many at most
 *
 * Swapped-out pages stay in swap. Only root sees pages of other users.
 *
 * Return: 0, or a negative errno; -ENOENT if no page is readable.
 */
int sample_take(struct sample *sample, unsigned int want)
{
	struct walk walk = { .sample = sample, .until = sys_now_us() + WALK_US };

	memset(sample, 0, sizeof(*sample));
	sample->page_bytes = (size_t)sys_page_size();
	sample->most = want;
	sample->pages = mmap(NULL, want * sample->page_bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sample->pages == MAP_FAILED) {
		sample->pages = NULL;
		return -errno;
	}
	sys_each_pid(count_pid, &walk);
	walk.stride = walk.total > want ? walk.total / want : 1;
	sys_each_pid(walk_pid, &walk);
	if (sample->n)
		return 0;
	sample_free(sample);
	return -ENOENT;
}

/**
 * sample_free() - free the pages
 * @sample: the pages
 */
void sample_free(struct sample *sample)
{
	if (sample->pages)
		munmap(sample->pages, sample->most * sample->page_bytes);
	sample->pages = NULL;
	sample->n = 0;
}
