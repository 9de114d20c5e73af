// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of unreadable pages of swap: `swaplost PAGES FILE`.
 *
 * Pages out PAGES pages that do not compress, makes FILE, and when FILE.go appears (the script has
 * damaged some of them) reads each page in order. Prints the number of pages that gave SIGBUS, and
 * the number of others with wrong contents. Exit 1 with wrong contents.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "pattern.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif

static sigjmp_buf unreadable;

static void at_sigbus(int signal)
{
	(void)signal;
	siglongjmp(unreadable, 1);
}

static int is_right(const uint8_t *page, size_t nr)
{
	uint8_t want[PAT_PAGE_MAX];

	pat_page(want, PAT_RANDOM, 1, nr, 1);
	if (sigsetjmp(unreadable, 1))
		return -1;
	return !memcmp(page, want, PAT_PAGE);
}

static void wait_for_script(const char *file)
{
	char go[256];
	int fd = open(file, O_CREAT | O_WRONLY, 0600);

	if (fd >= 0)
		close(fd);
	snprintf(go, sizeof(go), "%s.go", file);
	while (access(go, F_OK))
		usleep(100000);
}

int main(int argc, char **argv)
{
	size_t pages = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, nr;
	struct sigaction action = { .sa_handler = at_sigbus };
	size_t lost = 0, wrong = 0;
	uint8_t *mem;

	if (!pages) {
		fprintf(stderr, "usage: swaplost PAGES FILE\n");
		return 2;
	}
	/* The program's own pages must not be lost. */
	if (mlockall(MCL_CURRENT)) {
		perror("mlockall");
		return 2;
	}
	mem = mmap(NULL, pages * PAT_PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	/* Each page is a folio of its own, so an unreadable page costs no neighbours. */
	madvise(mem, pages * PAT_PAGE, MADV_NOHUGEPAGE);
	for (nr = 0; nr < pages; nr++)
		pat_page(mem + nr * PAT_PAGE, PAT_RANDOM, 1, nr, 1);
	if (madvise(mem, pages * PAT_PAGE, MADV_PAGEOUT)) {
		perror("MADV_PAGEOUT");
		return 2;
	}
	sigaction(SIGBUS, &action, NULL);
	wait_for_script(argv[2]);
	for (nr = 0; nr < pages; nr++) {
		int right = is_right(mem + nr * PAT_PAGE, nr);

		lost += right < 0;
		wrong += !right;
	}
	printf("lost %zu wrong %zu\n", lost, wrong);
	return wrong ? 1 : 0;
}
