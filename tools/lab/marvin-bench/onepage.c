// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the time to bring a missing page back, and the time to read another page of the store
 * in the way of the library. The difference is the cost of library and kernel.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bench.h"
#include "memory.h"
#include "rounds.h"

#define ROUNDS 21U
#define PAGES 16384U
/* Pages used in a round, and as many read. */
#define USES 100U
/* The file begins with a page of libmarvin's. */
#define HEAD 4096U

/* Each page is used once. Uses take every eighth page, in random order, to avoid neighbours. */
struct media {
	uint8_t *object;
	uint32_t first;			/* place of the object's first whole page in the store */
	uint32_t *order;
	uint32_t at;
	int fd;
	uint8_t *buffer;
};

static double use_us(struct media *media, bool *right)
{
	uint32_t nr = media->order[media->at++];
	uint64_t since_ns = rounds_now_ns();
	bool is = memory_is_page(media->object + (size_t)nr * MEMORY_PAGE, nr, 1);
	double us = (double)(rounds_now_ns() - since_ns) / 1000;

	*right = *right && is;
	return us;
}

static double read_us(struct media *media, bool *right)
{
	uint32_t nr = media->order[media->at++];
	off_t at = HEAD + (media->first + (off_t)nr) * MEMORY_PAGE;
	uint64_t since_ns = rounds_now_ns();
	ssize_t got = pread(media->fd, media->buffer, MEMORY_PAGE, at);
	double us = (double)(rounds_now_ns() - since_ns) / 1000;

	*right = *right && got == MEMORY_PAGE && memory_is_page(media->buffer, nr, 1);
	return us;
}

static bool rounds(struct media *media, uint32_t n)
{
	struct rounds uses = { .n = 0 }, reads = { .n = 0 }, beyond = { .n = 0 };
	bool right = true;
	uint32_t i, k;

	for (i = 0; i < n && right; i++) {
		struct rounds use = { .n = 0 }, read = { .n = 0 };

		for (k = 0; k < USES; k++) {
			rounds_add(&use, use_us(media, &right));
			rounds_add(&read, read_us(media, &right));
		}
		rounds_sort(&use);
		rounds_sort(&read);
		rounds_add(&uses, rounds_median(&use));
		rounds_add(&reads, rounds_median(&read));
		rounds_add(&beyond, rounds_median(&use) - rounds_median(&read));
	}
	rounds_sort(&uses);
	rounds_sort(&reads);
	rounds_sort(&beyond);
	printf("%-22s %8.1f %8.1f %8.1f\n", "use of a missing page", rounds_median(&uses),
	       uses.figures[0], uses.figures[uses.n - 1]);
	printf("%-22s %8.1f %8.1f %8.1f\n", "read of the store", rounds_median(&reads),
	       reads.figures[0], reads.figures[reads.n - 1]);
	printf("%-22s %8.1f %8.1f %8.1f\n", "beyond the read", rounds_median(&beyond),
	       beyond.figures[0], beyond.figures[beyond.n - 1]);
	return right;
}

/* order_of() - non-neighbouring pages in random order */
static uint32_t *order_of(uint32_t n)
{
	uint32_t *order = malloc(n * sizeof(*order)), i, k;
	uint64_t random = 7;

	for (i = 0; order && i < n; i++) {
		k = rounds_random(&random) % (i + 1);
		order[i] = order[k];
		order[k] = i * (PAGES / n);
	}
	return order;
}

/* prepare() - move all pages to the store */
static bool prepare(struct media *media, struct marvin *heap, const char *store)
{
	const size_t bytes = (size_t)PAGES * MEMORY_PAGE;
	uint8_t *space = marvin_new_aligned(heap, MEMORY_PAGE, 1 << 20);

	media->object = marvin_new_aligned(heap, bytes, MEMORY_PAGE);
	if (!media->object || !space)
		return false;
	memory_fill(media->object, bytes, 1);
	if (!memory_save(heap) || !marvin_drop(heap, UINT64_MAX) ||
	    memory_resident(media->object, bytes) > 0.01)
		return false;
	/* The space begins at a multiple of 1 MiB, and this is its first object of that kind. */
	media->first = (uint32_t)((media->object - space) / MEMORY_PAGE);
	media->fd = open(store, O_RDONLY | O_CLOEXEC | O_DIRECT);
	if (media->fd < 0)
		media->fd = open(store, O_RDONLY | O_CLOEXEC);
	return media->fd >= 0 && !posix_memalign((void **)&media->buffer, 4096, MEMORY_PAGE);
}

/**
 * onepage_run() - measure the time until a page is back, without the time of the media
 * @options: store, road and rounds
 */
bool onepage_run(const struct bench_options *options)
{
	uint32_t n = options->rounds && options->rounds < ROUNDS ? options->rounds : ROUNDS;
	struct media media = { .order = order_of(2 * USES * ROUNDS), .fd = -1 };
	struct marvin *heap;
	char store[256];
	bool right;

	snprintf(store, sizeof(store), "%s/marvin-bench.%d", options->store, (int)getpid());
	heap = memory_open(options, store, (uint64_t)PAGES * MEMORY_PAGE, 0);
	printf("\nOne page comes back; goal: at most 10 us beyond the read\n");
	printf("%-22s %8s %8s %8s\n", "what", "us", "least", "most");
	right = heap && media.order && prepare(&media, heap, store) && rounds(&media, n);
	if (!right)
		warnx("onepage: wrong bytes, or %s could not be used", store);
	marvin_close(heap);
	unlink(store);
	close(media.fd);
	free(media.buffer);
	free(media.order);
	return right;
}
