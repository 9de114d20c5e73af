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
/* Less than that is no cost; and less than that, on average, is none that anybody feels. */
#define LEAST_US 2000
#define FELT_US 8000
/* What a switch cost counts for about so many. */
#define MEMORY 8
/* Files cost more, if they do by a fourth; swap does, if it costs so many times as much. */
#define TOO_MUCH 2
/* Files do not lack memory, nor does an app that comes, where so many pages are free. */
#define ROOM 2048
/* For a page of a file that came back so many less are kept. */
#define FOR_ONE 2
/* What is kept grows by a part. */
#define GROW_PART 8
#define GROW_LEAST 128
/* It was too much, if it falls within so many switches after that. */
#define GROWN 16
/* It does not grow for so many switches after it fell, and for longer each time it was too much. */
#define HOLD 8
#define HOLD_MORE 4
#define HOLD_MOST 4096
/* What others cost is borne up to so many times what files did when they stayed, lately. */
#define TRUST 4
#define LATELY 32

/* add() - as far as it goes */
static uint32_t add(uint32_t pages, uint32_t more)
{
	return pages < UINT32_MAX - more ? pages + more : UINT32_MAX;
}

/* sum() - with so many times as much more, as far as it goes */
static uint64_t sum(uint64_t us, uint64_t more_us, unsigned int times)
{
	if (more_us > UINT64_MAX / times || us > UINT64_MAX - more_us * times)
		return UINT64_MAX;
	return us + more_us * times;
}

/**
 * balance_begin() - all that is needed stays, until a cost shows
 * @balance: filled in
 */
void balance_begin(struct balance *balance)
{
	memset(balance, 0, sizeof(*balance));
	balance->keep = UINT32_MAX;
	balance->next_hold = HOLD;
	balance->calm = CALM;
}

/**
 * balance_counts() - do the files that a switch has read say what switches cost?
 * @generations: the kernel has the LRU of several generations
 * @visit: how often the app has been in front, with this time
 * @since_new: switches since an app was in front for the first time
 * @apps: how many are known
 *
 * An app that starts reads its files in any case. The LRU of several generations takes some time
 * until it knows which of the pages are needed that the start of apps has moved: it loses little
 * later.
 */
bool balance_counts(bool generations, uint32_t visit, uint32_t since_new, uint32_t apps)
{
	return visit > 1 && (!generations || since_new >= apps);
}

/**
 * balance_limit() - files have cost an app no more than it has waited; others may have read them
 * @news: of the switch
 * @waited_us: what the app has waited in all
 */
void balance_limit(struct balance_news *news, uint64_t waited_us)
{
	if (news->file_us <= waited_us)
		return;
	/* In the same proportion; 2^32 pages and less than 2^32 ms. */
	news->file_pages = (uint32_t)(news->file_pages * (waited_us / 1000) /
				      (news->file_us / 1000 + 1));
	news->file_us = waited_us;
}

static bool is_more(uint64_t us, uint64_t other_us)
{
	return us > FELT_US && us - us / 5 > other_us;
}

static uint64_t mean(uint64_t old, uint64_t now)
{
	return old - old / MEMORY + now / MEMORY;
}

/* fall() - files get more than they had to read again now */
static void fall(struct balance *balance, const struct balance_news *news, uint32_t kept)
{
	uint64_t pages = (uint64_t)news->file_pages * FOR_ONE;

	if (balance->grown && balance->next_hold <= HOLD_MOST / HOLD_MORE)
		balance->next_hold *= HOLD_MORE;
	balance->hold = balance->next_hold;
	balance->grown = 0;
	balance->keep = pages < kept ? kept - (uint32_t)pages : 0;
}

/* grow() - by a part, or into what is free */
static void grow(struct balance *balance, const struct balance_news *news)
{
	uint32_t pages = balance->keep / GROW_PART + GROW_LEAST;

	if (news->room > 0 && pages < (uint32_t)news->room / 2)
		pages = (uint32_t)news->room / 2;
	balance->keep = add(balance->keep, pages);
	balance->grown = GROWN;
}

/* may_grow() - into room; or where swap costs more, and not where that was too much just now */
static bool may_grow(const struct balance *balance, const struct balance_news *news)
{
	if (news->room > 0)
		return balance->hot_us > LEAST_US;
	return !balance->hold && balance->hot_us > FELT_US &&
	       balance->hot_us / TOO_MUCH > balance->file_us;
}

/* move() - less is kept where files cost more, and more where swap does */
static void move(struct balance *balance, const struct balance_news *news, uint32_t needed)
{
	uint32_t kept = balance->keep < needed ? balance->keep : needed;

	if (balance->hold)
		balance->hold--;
	if (is_more(balance->file_us, balance->hot_us) && news->file_us > FELT_US) {
		/* Where hardly any is kept that is not what files lack. */
		if (kept > GROW_LEAST && news->room < ROOM)
			fall(balance, news, kept);
	} else if (balance->keep < needed && may_grow(balance, news)) {
		grow(balance, news);
	}
}

/* keep_account() - what it cost lately that others stay again, is what it may cost that they go */
static void keep_account(struct balance *balance, const struct balance_news *news)
{
	uint64_t credit_us = balance->credit_us;

	if (balance->give)
		balance->credit_us -= news->cold_us < credit_us ? news->cold_us : credit_us;
	else if (balance->stopped)
		balance->credit_us = sum(credit_us - credit_us / LATELY, news->file_us, TRUST);
}

/*
 * weigh_others() - is what is not known to be needed to go out? Not where it comes back and costs
 * more than files do. But files may cost little because it goes out: that shows when it stays, and
 * then it is not tried again before it has cost several times as much.
 */
static void weigh_others(struct balance *balance, const struct balance_news *news)
{
	keep_account(balance, news);
	if (is_more(balance->file_us, balance->cold_us)) {
		balance->give = true;
	} else if (balance->give && !balance->credit_us && balance->cold_us > FELT_US &&
		   balance->cold_us / TOO_MUCH > balance->file_us) {
		balance->give = false;
		balance->stopped = true;
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
	balance->file_us = mean(balance->file_us, news->file_us);
	balance->hot_us = mean(balance->hot_us, news->hot_us);
	balance->cold_us = mean(balance->cold_us, news->cold_us);
	if (balance->grown)
		balance->grown--;
	weigh_others(balance, news);
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
 * balance_gives() - is what is not known to be needed to go out, after this switch?
 * @balance: the state
 * @news: of the switch
 *
 * What nobody wants the room for stays, as it may be needed after all.
 */
bool balance_gives(const struct balance *balance, const struct balance_news *news)
{
	return balance->give && (news->room < ROOM || news->file_us > LEAST_US);
}

/**
 * balance_keeps() - do apps at the back keep anything of what they need?
 * @balance: the state
 */
bool balance_keeps(const struct balance *balance)
{
	return balance->keep > GROW_LEAST;
}
