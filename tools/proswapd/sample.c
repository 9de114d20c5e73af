// SPDX-License-Identifier: GPL-2.0

#include "sample.h"

/* So many chunks: of 32 pages, which go out and in some times a second. */
#define CHUNKS 32
/* A sample is looked at for so long, one of so many times: most programs have no period. */
#define WINDOW_MS 30000
#define WINDOWS 5
/* What comes back within two looks is in use all the time. */
#define SHORT_MS (2 * SAMPLE_TICK_MS)
/* After a use as short as that, the next one may last for so long. */
#define REST_MS (5 * SAMPLE_TICK_MS)

/**
 * sample_time() - is it time to look at a sample?
 * @now_ms: the time
 */
bool sample_time(uint32_t now_ms)
{
	return now_ms / WINDOW_MS % WINDOWS == 0;
}

/**
 * sample_has() - does a chunk belong to the sample?
 * @nr: the chunk
 * @n_chunks: of the program
 * @now_ms: the time; each sample is another one
 */
bool sample_has(uint32_t nr, uint32_t n_chunks, uint32_t now_ms)
{
	uint32_t step = n_chunks > CHUNKS ? n_chunks / CHUNKS : 1;

	/* An odd number that shares no factor with most steps comes by all of them. */
	return nr % step == now_ms / WINDOW_MS / WINDOWS * 131 % step;
}

/**
 * sample_push() - does a chunk of the sample go out?
 * @chunk: the chunk
 * @now_ms: the time
 *
 * It does once it is not in use any more. Of one that was needed again at once that takes longer.
 */
bool sample_push(const struct chunk *chunk, uint32_t now_ms)
{
	uint32_t rest_ms = SAMPLE_TICK_MS;

	if (!chunk->in || chunk->pushed_ms)
		return false;
	if (chunk->gap_ms && chunk->gap_ms <= SHORT_MS + SAMPLE_TICK_MS)
		rest_ms = REST_MS;
	return !chunk->used_ms || now_ms - chunk->used_ms >= rest_ms;
}

/**
 * sample_shows() - is the time between two uses of a chunk a period?
 * @news: of the later one
 *
 * Return: false, if it would have come back at any time, or that was seen too late to tell.
 */
bool sample_shows(const struct chunk_news *news)
{
	return news->gap_ms && news->out_ms > SHORT_MS && news->out_ms > news->late_ms &&
	       news->late_ms <= news->gap_ms / 4;
}
