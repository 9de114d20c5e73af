// SPDX-License-Identifier: GPL-2.0
/*
 * Three sets of rules. chunk_*() learn the uses of one chunk from looks at it. select_*() choose
 * among the chunks of all periodic processes: the chunk that is needed again last goes first, which
 * for a program that goes through its memory in a circle is the one that it has just used.
 * sample_*() choose the few chunks that show the period of a process where nothing is swapped.
 */
#include <string.h>
#include "chunks.h"

/* Pages that come in within a quarter of a period belong to one use; without a period, 100 ms. */
#define SAME_USE_MS 100
/* The choice sorts pages into so many classes by the time to their next use, as in sum[]. */
#define BUCKETS 64
/* To trim: a chunk that is needed within half a second is not worth the way out and in: a guess. */
#define TRIM_MS 500
/* A chunk that came back too soon stays for two periods: until its use shows once more. */
#define STAY_PERIODS 2
/* If a chunk comes back within two looks, it is in use all the time. */
#define SHORT_MS (2 * SAMPLE_TICK_MS)
/* After a use as short as that, the next one may last for five looks: a guess. */
#define REST_MS (5 * SAMPLE_TICK_MS)

static unsigned int pages(uint32_t bits)
{
	return (unsigned int)__builtin_popcount(bits);
}

/* use() - it is needed, later than in the period of the last use */
static void use(struct chunk *chunk, uint32_t now_ms, uint32_t period_ms, struct chunk_news *news)
{
	uint32_t late_ms = chunk->looked_ms ? now_ms - chunk->looked_ms : 0;

	chunk->unsure = late_ms > period_ms / 16 || chunk->late_ms > period_ms / 16;
	chunk->late_ms = late_ms;
	if (chunk->used_ms) {
		chunk->gap_ms = now_ms - chunk->used_ms;
		news->gap_ms = chunk->gap_ms;
		news->out_ms = chunk->pushed_ms ? now_ms - chunk->pushed_ms : 0;
		if (!chunk->pushed_ms && chunk->gone_ms)
			news->kept_ms = chunk->gone_ms - chunk->used_ms;
		news->late_ms = late_ms;
	}
	chunk->used_ms = now_ms;
	chunk->pushed_ms = 0;
	chunk->gone_ms = 0;
	chunk->fetched_ms = 0;
}

/**
 * chunk_look() - account a look at the page table
 * @chunk: the state, updated
 * @in: bit n: page n is in memory
 * @out: bit n: page n is in the swap
 * @now_ms: the time
 * @period_ms: of the process; 0 while it is not known
 * @news: filled in
 */
void chunk_look(struct chunk *chunk, uint32_t in, uint32_t out, uint32_t now_ms, uint32_t period_ms,
		struct chunk_news *news)
{
	uint32_t came, least = period_ms ? period_ms / 4 : SAME_USE_MS;

	/* Pages that were pushed out since the last look may have come in since. */
	if (chunk->pushed_ms && now_ms - chunk->pushed_ms <= now_ms - chunk->looked_ms) {
		chunk->out |= chunk->in;
		chunk->in = 0;
	}
	came = in & ~chunk->in;
	memset(news, 0, sizeof(*news));
	news->came = pages(came & chunk->out);
	if (!chunk->pushed_ms)
		news->evicted = pages(out & chunk->in);
	if (news->evicted && !chunk->gone_ms)
		chunk->gone_ms = now_ms;
	if (came && (!chunk->used_ms || now_ms - chunk->used_ms >= least))
		use(chunk, now_ms, period_ms, news);
	else if (news->came && chunk->pushed_ms)
		news->again = news->came;
	if (news->again) {
		chunk->pushed_ms = 0;
		chunk->again_ms = now_ms;
	}
	chunk->in = in;
	chunk->out = out;
	chunk->looked_ms = now_ms;
}

/**
 * chunk_due() - is it time to look at it?
 * @chunk: the state
 * @now_ms: the time
 * @period_ms: of the process; 0 while it is not known
 * @tick_ms: the time from look to look
 *
 * A look costs as much as a hundredth of a page that goes out and in. So look at chunks that change
 * each time, and at the others three times a period. The caller adds the chunks behind one that
 * came in.
 */
bool chunk_due(const struct chunk *chunk, uint32_t now_ms, uint32_t period_ms,
	       uint32_t tick_ms)
{
	uint32_t next, early = 3 * tick_ms, rest_ms = period_ms / 3;

	/* Its time is not known, and it may stay in for no more than a quarter of a period. */
	if (chunk->out && period_ms > 4 * tick_ms &&
	    (!chunk->used_ms || now_ms - chunk->used_ms > period_ms + period_ms / 2))
		rest_ms = period_ms / 4 - tick_ms;
	if (!period_ms || !chunk->looked_ms || now_ms - chunk->looked_ms >= rest_ms)
		return true;
	/* It is coming in. */
	if (chunk->used_ms && now_ms - chunk->used_ms <= 2 * tick_ms)
		return true;
	if (!chunk->out || !chunk->used_ms)
		return false;
	next = chunk_next_ms(chunk, now_ms, period_ms);
	/* If its last use was seen late, the next one comes earlier than it seems. */
	if (early < chunk->late_ms)
		early = chunk->late_ms;
	return next <= early || next + 3 * tick_ms >= period_ms;
}

/**
 * chunk_next_ms() - when is it needed again?
 * @chunk: the state
 * @now_ms: the time
 * @period_ms: of the process, not 0; the chunk's own gap counts if it is near, by an eighth
 *
 * Return: milliseconds from now; 0, if that is not known.
 */
uint32_t chunk_next_ms(const struct chunk *chunk, uint32_t now_ms, uint32_t period_ms)
{
	uint32_t gap = period_ms;

	if (!chunk->used_ms)
		return 0;
	if (!chunk->unsure && chunk->gap_ms > period_ms * 7 / 8 &&
	    chunk->gap_ms < period_ms * 9 / 8)
		gap = chunk->gap_ms;
	/* A chunk that stays in memory is needed each period without a sign of it. */
	return gap - (now_ms - chunk->used_ms) % gap;
}

/* is_in_use() - of a program that is trimmed: did it come back too soon, of late? */
static bool is_in_use(const struct choice *choice, const struct chunk *chunk, uint32_t period_ms)
{
	return chunk->again_ms && choice->now_ms - chunk->again_ms < STAY_PERIODS * period_ms;
}

/*
 * candidate() - may it go out? Its use is over, and it is not needed again soon. If a chunk has
 * been in memory for longer than a period, it goes last: of a circle that is too large the same
 * part is kept, and the rest comes and goes. A trimmed program also loses chunks without a use.
 *
 * Return: milliseconds until it is needed again, and a period more if it came in during the last
 * one; or 0.
 */
static uint32_t candidate(const struct choice *choice, const struct view *view, uint32_t nr)
{
	const struct chunk *chunk = &view->chunks[nr];
	uint32_t next, hold = layout_range(view->layout, nr)->hold_ms;

	if (!chunk->in || chunk->pushed_ms)
		return 0;
	if (choice->trim && is_in_use(choice, chunk, view->period_ms))
		return 0;
	/* No program waits for its room, so let a slow frame end. */
	if (choice->trim && hold < view->period_ms / 8)
		hold = view->period_ms / 8;
	if (!chunk->used_ms)
		return choice->trim ? choice->horizon_ms : 0;
	if (choice->now_ms - chunk->used_ms < hold)
		return 0;
	next = chunk_next_ms(chunk, choice->now_ms, view->period_ms);
	if (next <= view->period_ms / 8 || (choice->trim && next < TRIM_MS))
		return 0;
	return choice->now_ms - chunk->used_ms < view->period_ms ? next + view->period_ms : next;
}

static unsigned int bucket(const struct choice *choice, uint32_t next_ms)
{
	uint64_t at = (uint64_t)next_ms * BUCKETS / (choice->horizon_ms + 1);

	return at < BUCKETS ? (unsigned int)at : BUCKETS - 1;
}

/* border() - the first time of a bucket */
static uint32_t border(const struct choice *choice, unsigned int at)
{
	return (uint32_t)(((uint64_t)at * (choice->horizon_ms + 1) + BUCKETS - 1) / BUCKETS);
}

/**
 * select_begin() - begin to choose
 * @choice: filled in
 * @now_ms: the time
 * @want: pages that have to go
 * @horizon_ms: three times the longest period of all processes
 *
 * Then select_count() for each process, select_decide(), and select_push() for each chunk.
 */
void select_begin(struct choice *choice, uint32_t now_ms, uint32_t want, uint32_t horizon_ms)
{
	memset(choice, 0, sizeof(*choice));
	choice->now_ms = now_ms;
	choice->want = want;
	choice->horizon_ms = horizon_ms;
}

/**
 * select_count() - how much of a process could go, by the time until it is needed again
 * @choice: counted into
 * @view: the process
 */
void select_count(struct choice *choice, const struct view *view)
{
	uint32_t nr, next;

	for (nr = 0; nr < view->layout->n_chunks; nr++) {
		next = candidate(choice, view, nr);
		if (next)
			choice->sum[bucket(choice, next)] += pages(view->chunks[nr].in);
	}
}

/**
 * select_decide() - how late the next use of a chunk has to be, so that it goes
 * @choice: decided
 */
void select_decide(struct choice *choice)
{
	unsigned int at = BUCKETS;
	uint32_t have = 0;

	while (at && have < choice->want)
		have += choice->sum[--at];
	choice->from_ms = border(choice, at);
	choice->above_ms = at < BUCKETS ? border(choice, at + 1) : choice->from_ms;
	choice->rest = at < BUCKETS && choice->want + choice->sum[at] > have ?
		       choice->want + choice->sum[at] - have : 0;
}

/**
 * select_push() - does this one go out?
 * @choice: the pages still wanted are counted down
 * @view: the process
 * @nr: the chunk
 *
 * Return: true, if it does; it is marked as pushed out.
 */
bool select_push(struct choice *choice, const struct view *view, uint32_t nr)
{
	uint32_t next, n = pages(view->chunks[nr].in);

	if (!choice->want)
		return false;
	next = candidate(choice, view, nr);
	if (!next || next < choice->from_ms)
		return false;
	if (next < choice->above_ms) {
		if (!choice->rest)
			return false;
		choice->rest = n < choice->rest ? choice->rest - n : 0;
	}
	choice->want = n < choice->want ? choice->want - n : 0;
	view->chunks[nr].pushed_ms = choice->now_ms;
	return true;
}

/**
 * select_fetch() - does this one come back?
 * @choice: the pages still wanted are counted down
 * @view: the process
 * @nr: the chunk
 *
 * Return: true, if it is needed within the lead, and there is room; it is marked as brought back.
 */
bool select_fetch(struct choice *choice, const struct view *view, uint32_t nr)
{
	struct chunk *chunk = &view->chunks[nr];
	uint32_t n = pages(chunk->out);

	if (!n || n > choice->want || !chunk->used_ms || !chunk->gap_ms || chunk->fetched_ms)
		return false;
	if (chunk_next_ms(chunk, choice->now_ms, view->period_ms) > choice->lead_ms)
		return false;
	choice->want -= n;
	chunk->fetched_ms = choice->now_ms;
	return true;
}

/**
 * sample_time() - is it time to look at a sample?
 * @now_ms: the time
 */
bool sample_time(uint32_t now_ms)
{
	return now_ms / SAMPLE_WINDOW_MS % SAMPLE_WINDOWS == 0;
}

/**
 * sample_has() - does a chunk belong to the sample?
 * @nr: the chunk
 * @n_chunks: of the program
 * @now_ms: the time; each sample is another one
 */
bool sample_has(uint32_t nr, uint32_t n_chunks, uint32_t now_ms)
{
	uint32_t step = n_chunks > SAMPLE_CHUNKS ? n_chunks / SAMPLE_CHUNKS : 1;

	/* An odd number that shares no factor with most steps comes by all of them. */
	return nr % step == now_ms / SAMPLE_WINDOW_MS / SAMPLE_WINDOWS * 131 % step;
}

/**
 * sample_push() - does a chunk of the sample go out?
 * @chunk: the chunk
 * @now_ms: the time
 *
 * Return: true, once its use is over. If it was needed again at once the last time, that takes
 * longer.
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
