// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "balance.h"

/* Memory is plenty after so many switches in which the kernel had not to look for any. */
#define CALM 8
/* Swap that takes more than one of so many parts of the time, so many times, is thrashing. */
#define THRASH_PART 2
#define THRASHES 3
/* Then nothing is done for so many switches. */
#define REST 16
/* One side costs more, if it does by a fourth. What is kept falls by half, and grows by a part. */
#define GROW_PART 8
#define GROW_LEAST 128
/* With a part less than what was too much all is well; after so many switches more is tried. */
#define BELOW_PART 8
#define HOLD 64
/* What had gone of the files of other apps shows when these come to the front. */
#define SETTLE 8
/* Files that were not read again for so many switches have what they need, or are not needed. */
#define QUIET 32
/* Files lack memory that were read again within so many switches. */
#define LACKING 4
/* So many pages are to be free beyond what has to be. */
#define ROOM 2048
/* Less than that is no cost. */
#define LEAST_US 2000

/* add() - as far as it goes */
static uint32_t add(uint32_t pages, uint32_t more)
{
	return pages < UINT32_MAX - more ? pages + more : UINT32_MAX;
}

/**
 * balance_begin() - all that is needed stays, until a cost shows
 * @balance: filled in
 */
void balance_begin(struct balance *balance)
{
	memset(balance, 0, sizeof(*balance));
	balance->keep = UINT32_MAX;
	balance->too_much = UINT32_MAX;
	balance->calm = CALM;
	balance->quiet = QUIET;
}

static bool is_more(uint64_t us, uint64_t other_us)
{
	return us > LEAST_US && us - us / 5 > other_us;
}

/* most() - so much may be kept: less than what was too much, not long ago */
static uint32_t most(struct balance *balance)
{
	if (balance->too_much == UINT32_MAX)
		return UINT32_MAX;
	if (++balance->held >= HOLD) {
		balance->held = 0;
		balance->too_much = add(balance->too_much,
					balance->too_much / BELOW_PART + GROW_LEAST);
	}
	return balance->too_much - balance->too_much / BELOW_PART;
}

/* grow() - what is kept grows into what is free */
static void grow(struct balance *balance, const struct balance_news *news)
{
	uint32_t pages = balance->keep / GROW_PART + GROW_LEAST, end = most(balance);

	if (balance->keep >= end)
		return;
	if (news->room <= 0)
		pages = GROW_LEAST / 4;
	else if (pages < (uint32_t)news->room / 2)
		pages = (uint32_t)news->room / 2;
	balance->keep = add(balance->keep, pages);
	if (balance->keep > end)
		balance->keep = end;
}

/* may_grow() - is there room, or do files take it that nobody reads again? */
static bool may_grow(const struct balance *balance, const struct balance_news *news)
{
	if (news->anon_us <= LEAST_US || is_more(news->file_us, news->anon_us))
		return false;
	if (news->short_of_memory && balance->quiet < QUIET)
		return false;
	return news->room > 0 || is_more(news->anon_us, news->file_us);
}

/* limit() - as many were too much */
static void limit(struct balance *balance, uint32_t kept, uint32_t keep)
{
	balance->too_much = kept;
	balance->held = 0;
	balance->keep = keep;
}

/*
 * move() - halve what is kept where files cost more, give back what is not free any more, and let
 * it grow where swap costs more
 */
static void move(struct balance *balance, const struct balance_news *news, uint32_t needed)
{
	uint32_t kept = balance->keep < needed ? balance->keep : needed;
	uint32_t lacks = news->room < 0 ? 0u - (uint32_t)news->room : 0;

	/* Where hardly any is kept that is not what files lack. */
	if (is_more(news->file_us, news->anon_us) && !balance->settle && kept > GROW_LEAST) {
		limit(balance, kept, kept / 2);
		balance->settle = SETTLE;
	} else if (lacks && balance->quiet < QUIET && kept > GROW_LEAST) {
		limit(balance, kept, lacks < kept ? kept - lacks : 0);
	} else if (balance->keep < needed && may_grow(balance, news)) {
		grow(balance, news);
	}
}

/* is_thrashing() - most of the time goes into swap, switch after switch */
static bool is_thrashing(struct balance *balance, const struct balance_news *news)
{
	if (news->anon_us / 1000 * THRASH_PART > news->ms)
		balance->thrash++;
	else
		balance->thrash = 0;
	if (balance->thrash < THRASHES)
		return false;
	balance->thrash = 0;
	balance->rest = REST;
	return true;
}

/**
 * balance_step() - an app has come to the front
 * @balance: the state
 * @news: what happened since the last one did
 * @needed: pages that the apps at the back need
 */
enum balance_state balance_step(struct balance *balance, const struct balance_news *news,
				uint32_t needed)
{
	/* All that is out has to find room, or what was done would be undone at once. */
	if (news->short_of_memory || news->file_us > LEAST_US || news->room <= 0 ||
	    (uint32_t)news->room < needed)
		balance->calm = 0;
	else if (balance->calm < CALM)
		balance->calm++;
	if (news->file_us > LEAST_US)
		balance->quiet = 0;
	else if (balance->quiet < QUIET)
		balance->quiet++;
	if (balance->settle)
		balance->settle--;
	if (balance->rest) {
		balance->rest--;
		return BALANCE_THRASH;
	}
	if (balance->calm == CALM) {
		balance->thrash = 0;
		return BALANCE_PLENTY;
	}
	if (is_thrashing(balance, news))
		return BALANCE_THRASH;
	move(balance, news, needed);
	return BALANCE_WORK;
}

/**
 * balance_lacks() - how much that is not needed is to go out
 * @balance: the state
 * @news: of the last switch
 *
 * All of it, while files are read again. Else as much as an app may take that comes to the front:
 * what nobody wants the room for stays, as it may be needed after all.
 *
 * Return: pages.
 */
uint32_t balance_lacks(const struct balance *balance, const struct balance_news *news)
{
	if (balance->quiet < LACKING)
		return UINT32_MAX;
	return news->room < ROOM ? (uint32_t)((int64_t)ROOM - news->room) : 0;
}
