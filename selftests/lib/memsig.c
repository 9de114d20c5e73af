// SPDX-License-Identifier: GPL-2.0
/*
 * Anonymous memory with a signature in every page, much more of it than the machine has: `memsig
 * [-m MIB] [-g GENERATIONS] [-s SEED] [-c CHILDREN] [-k KEEP_MIB -w FILE] [-o MIB] [-p] [-t
 * SECONDS] [-e FILE]`.
 *
 * Each generation visits all pages in a new random order, verifies every byte and rewrites a third
 * of them. With -c, children share the memory by copy on write; each changes its own copy, and must
 * never see the changes of another process. The parent must not see theirs. With -k, memsig unmaps
 * all but KEEP_MIB at the end and makes FILE; when FILE.go appears (the script has run swapoff) it
 * verifies the kept memory again. With -o, it stops allocating as soon as MIB of the system's
 * memory are in swap, for tests that can't know the size in advance; -m is the most. With -p, it
 * uses huge pages, and pages the kept memory out before it makes FILE: each such page is one write.
 * With -e, it runs more generations until FILE exists, and may leave the last one incomplete.
 *
 * Exit 1: a page had wrong contents.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "pattern.h"

static uint64_t seed = 1;
static size_t pages;
static uint8_t *mem;
static uint8_t *page_gen;	/* generation of each page's contents */
static uint32_t *order;

static void verify(size_t page, uint64_t who)
{
	uint8_t want[PAT_PAGE_MAX];
	const uint8_t *got = mem + page * PAT_PAGE;
	int i;

	pat_page(want, PAT_MIX, who, page, page_gen[page]);
	if (!memcmp(got, want, PAT_PAGE))
		return;
	for (i = 0; got[i] == want[i]; i++)
		;
	fprintf(stderr, "memsig: WRONG DATA: page %zu generation %u byte %d: %02x, not %02x\n",
		page, page_gen[page], i, got[i], want[i]);
	exit(1);
}

static void fill(size_t page, uint64_t who, unsigned int gen)
{
	page_gen[page] = (uint8_t)gen;
	pat_page(mem + page * PAT_PAGE, PAT_MIX, who, page, page_gen[page]);
}

/* Does the system have this many bytes in swap? */
static bool swapped(uint64_t bytes)
{
	struct sysinfo info;

	return !sysinfo(&info) &&
		(uint64_t)(info.totalswap - info.freeswap) * info.mem_unit >= bytes;
}

static void shuffle(uint64_t *rng)
{
	size_t i;

	for (i = pages - 1; i > 0; i--) {
		size_t k = pat_next(rng) % (i + 1);
		uint32_t t = order[i];

		order[i] = order[k];
		order[k] = t;
	}
}

/* A child: a third of the pages become its own, the others stay shared with the parent. */
static void child(unsigned int id)
{
	uint64_t mine = seed + 1000 + id, rng = mine;
	uint8_t *own = calloc(1, pages);
	size_t i;
	int round;

	shuffle(&rng);
	for (i = 0; i < pages; i++) {
		if (pat_next(&rng) % 3)
			continue;
		verify(order[i], seed);
		fill(order[i], mine, page_gen[order[i]] + 1);
		own[order[i]] = 1;
	}
	for (round = 0; round < 2; round++) {
		shuffle(&rng);
		for (i = 0; i < pages; i++)
			verify(order[i], own[order[i]] ? mine : seed);
	}
	exit(0);
}

static bool run_children(unsigned int count)
{
	unsigned int i, bad = 0;
	int status;

	for (i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("fork");
			return false;
		}
		if (!pid)
			child(i);
	}
	while (count--) {
		if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
			fprintf(stderr, "memsig: a child ended with status %#x\n", status);
			bad++;
		}
	}
	return !bad;
}

/* Memory for all pages, aligned for huge pages. */
static uint8_t *map_pages(bool huge)
{
	const size_t align = 2 << 20;
	uint8_t *at = mmap(NULL, pages * PAT_PAGE + align, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	at += -(uintptr_t)at % align;
	/* The kernel swaps a huge page as a whole, so the test would miss single pages. */
	madvise(at, pages * PAT_PAGE, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return at;
}

static bool handshake(const char *file)
{
	struct timespec nap = { 0, 100000000 };
	char go[256];
	int i, fd, tries = 100;

	snprintf(go, sizeof(go), "%s.go", file);
	/* Making a file needs memory, too; tmpfs returns ENOSPC if it gets none for an inode. */
	do
		fd = open(file, O_CREAT | O_WRONLY, 0644);
	while (fd < 0 && (errno == ENOMEM || (errno == ENOSPC && tries--)));
	if (fd < 0) {
		perror(file);
		return false;
	}
	close(fd);
	for (i = 0; i < 6000; i++) {
		if (!access(go, F_OK))
			return true;
		nanosleep(&nap, NULL);
	}
	fprintf(stderr, "memsig: nobody made %s\n", go);
	return false;
}

int main(int argc, char **argv)
{
	unsigned int gens = 3, children = 0, g;
	size_t mib = 64, keep = 0, over = 0, i;
	time_t until = 0;
	const char *wait_file = NULL, *end_file = NULL;
	bool huge = false;
	struct rusage use;
	uint64_t rng;
	int opt;

	while ((opt = getopt(argc, argv, "m:g:s:c:k:w:o:pt:e:")) != -1) {
		switch (opt) {
		case 'm':
			mib = strtoul(optarg, NULL, 0);
			break;
		case 'g':
			gens = strtoul(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			children = strtoul(optarg, NULL, 0);
			break;
		case 'k':
			keep = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			wait_file = optarg;
			break;
		case 'o':
			over = strtoul(optarg, NULL, 0);
			break;
		case 'p':
			huge = true;
			break;
		case 't':
			until = time(NULL) + strtol(optarg, NULL, 0);
			break;
		case 'e':
			end_file = optarg;
			break;
		default:
			return 2;
		}
	}
	pages = (mib << 20) / PAT_PAGE;
	rng = seed;
	page_gen = calloc(1, pages);
	order = malloc(pages * sizeof(*order));
	/* Lock the code: it comes from a slow share, and must not be reclaimed. */
	mlockall(MCL_CURRENT);
	mem = map_pages(huge);
	if (!mem || !page_gen || !order)
		return 2;
	for (i = 0; i < pages; i++) {
		if (over && i % 64 == 63 && swapped((uint64_t)over << 20))
			break;
		order[i] = (uint32_t)i;
		fill(i, seed, 0);
	}
	pages = i;
	for (g = 1; g <= gens || (until && time(NULL) < until) ||
	     (end_file && access(end_file, F_OK)); g++) {
		shuffle(&rng);
		for (i = 0; i < pages; i++) {
			if (end_file && i % 64 == 0 && g > gens && !access(end_file, F_OK))
				break;
			verify(order[i], seed);
			if (pat_next(&rng) % 3 == 0)
				fill(order[i], seed, g);
		}
	}
	if (children && !run_children(children))
		return 1;
	if (getenv("MEMSIG_BREAK"))
		mem[pages / 2 * PAT_PAGE + 77] ^= 1;
	shuffle(&rng);
	for (i = 0; i < pages; i++)
		verify(order[i], seed);
	if (wait_file) {
		size_t kept = (keep << 20) / PAT_PAGE;

		if (kept > pages)
			kept = pages;
		if (kept < pages)
			/* munmap() may need memory, and so fail under fault injection. */
			while (munmap(mem + kept * PAT_PAGE, (pages - kept) * PAT_PAGE))
				if (errno != ENOMEM)
					return 1;
		if (huge && madvise(mem, kept * PAT_PAGE, MADV_PAGEOUT)) {
			perror("memsig: MADV_PAGEOUT");
			return 1;
		}
		if (!handshake(wait_file))
			return 1;
		for (i = 0; i < kept; i++)
			verify(i, seed);
	}
	getrusage(RUSAGE_SELF, &use);
	printf("memsig: seed %llu: %zu MiB, %u generations, %u children, %ld major faults\n",
	       (unsigned long long)seed, pages * PAT_PAGE >> 20, g - 1, children, use.ru_majflt);
	return 0;
}
