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
/* One side costs more, if it does by a quarter. What is kept falls by half, and grows by so much. */
#define GROW_PART 8
#define GROW_LEAST 128
/* With a part less than what was too much all is well; after so many switches more is tried. */
#define BELOW_PART 8
#define HOLD 32
/* Less than that is no cost. */
#define LEAST_US 2000

/**
 * balance_begin() - all that is needed stays, until a cost shows
 * @balance: filled in
 * @most: pages that there are
 */
void balance_begin(struct balance *balance, uint32_t most)
{
	memset(balance, 0, sizeof(*balance));
	balance->keep = most;
	balance->most = UINT32_MAX;
	balance->calm = CALM;
}

static bool is_more(uint64_t us, uint64_t other_us)
{
	return us > LEAST_US && us > other_us + other_us / 4;
}

/* ceiling() - so much may be kept: less than what was too much, not long ago */
static uint32_t ceiling(struct balance *balance, uint32_t most)
{
	if (balance->held < HOLD) {
		balance->held++;
	} else if (balance->most < most) {
		balance->held = 0;
		balance->most += balance->most / BELOW_PART + GROW_LEAST;
	}
	return balance->most < most ? balance->most - balance->most / BELOW_PART : most;
}

/* move() - halve what is kept where files cost more; let it grow into what is free */
static void move(struct balance *balance, const struct balance_news *news, uint32_t most)
{
	uint32_t keep = balance->keep < most ? balance->keep : most, end, grow;

	if (is_more(news->file_us, news->anon_us)) {
		balance->most = keep;
		balance->held = 0;
		balance->keep = keep / 2;
		return;
	}
	end = ceiling(balance, most);
	grow = keep / GROW_PART + GROW_LEAST;
	if (is_more(news->anon_us, news->file_us) && !news->short_of_memory) {
		/* What is free is all that it may take; without, the kernel has not noticed yet. */
		if (news->room < (int32_t)(2 * grow))
			grow = news->room > 0 ? (uint32_t)news->room / 2 : GROW_LEAST / 4;
		keep += grow;
	}
	balance->keep = keep < end ? keep : end;
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
 * @most: pages that the apps at the back need
 */
enum balance_state balance_step(struct balance *balance, const struct balance_news *news,
				uint32_t most)
{
	if (news->short_of_memory || news->file_us > LEAST_US || news->room < 0)
		balance->calm = 0;
	else if (balance->calm < CALM)
		balance->calm++;
	if (balance->rest) {
		balance->rest--;
		return BALANCE_THRASH;
	}
	if (is_thrashing(balance, news))
		return BALANCE_THRASH;
	if (balance->calm == CALM) {
		balance->keep = most;
		return BALANCE_PLENTY;
	}
	move(balance, news, most);
	return BALANCE_WORK;
}
