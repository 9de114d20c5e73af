// SPDX-License-Identifier: GPL-2.0
/*
 * Files against anonymous pages, by the costs of both at switches. The kept pages shrink by the
 * pages that files lack, and grow by a part of themselves. If growth was too much, the next growth
 * waits longer each time. plan.h decides whether it pays to act at all.
 */
#include <string.h>
#include "balance.h"

/* A mean is of about so many switches: a guess. */
#define MEMORY 8
/* Swap that takes more than one of so many parts of the time is thrashing. */
#define THRASH_PART 2
/* Files cost more if they do by a fourth. Swap does if it costs so many times as much: a guess. */
#define TOO_MUCH 2
/* For a page of a file that came back so many less are kept: a guess. */
#define FOR_ONE 2
/* The kept pages grow by one of so many parts: a guess. */
#define GROW_PART 8
/*
 * The kernel leans from where files cost an eighth of what swap does, until swap costs 16 times as
 * much: then it took needed pages. With programs in 136 MiB files cost 1.4 times as much at a
 * swappiness of 60, 0.4 times at 150, which is best, and 0.05 at 200, where all is slower. Between
 * these the trial decides.
 */
#define LEAN_FILE_TIMES 8
#define LEAN_TOO_MUCH 16
/* Users do not feel shorter waits: a guess. */
#define LEAN_LEAST_US 5000

/* sum() - with so many times as much more, as far as it goes */
static uint64_t sum(uint64_t us, uint64_t more_us, unsigned int times)
{
	if (more_us > UINT64_MAX / times || us > UINT64_MAX - more_us * times)
		return UINT64_MAX;
	return us + more_us * times;
}

static uint64_t mean(uint64_t old, uint64_t now)
{
	return old - old / MEMORY + now / MEMORY;
}

/**
 * balance_begin() - all that is needed stays, until a cost shows
 * @balance: filled in
 */
void balance_begin(struct balance *balance)
{
	memset(balance, 0, sizeof(*balance));
	balance->keep = UINT32_MAX;
	balance->next_hold = BALANCE_HOLD;
	balance->calm = BALANCE_CALM;
}

/**
 * balance_counts() - do the files that a switch has read say what switches cost?
 * @generations: the kernel uses MGLRU
 * @visit: how often the app has been in front, with this time
 * @since_new: switches since an app was in front for the first time
 * @apps: how many are known
 *
 * An app that starts reads its files in any case. After the start of an app MGLRU takes some time
 * to learn which pages are needed: it loses little later.
 */
bool balance_counts(bool generations, uint32_t visit, uint32_t since_new, uint32_t apps)
{
	return visit > 1 && (!generations || since_new >= apps);
}

/**
 * balance_limit() - files have cost an app no more than it has waited; others may have read them
 * @news: of the switch
 * @waited_us: all waits of the app
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
	return us > BALANCE_FELT_US && us - us / 5 > other_us;
}

/* keep_less() - files get more than they had to read again now */
static void keep_less(struct balance *balance, const struct balance_news *news, uint32_t kept)
{
	uint64_t pages = (uint64_t)news->file_pages * FOR_ONE;

	if (balance->grown && balance->next_hold <= BALANCE_HOLD_MOST / BALANCE_HOLD_MORE)
		balance->next_hold *= BALANCE_HOLD_MORE;
	balance->hold = balance->next_hold;
	balance->grown = 0;
	balance->keep = pages < kept ? kept - (uint32_t)pages : 0;
}

/* keep_more() - by a part, or into free memory */
static void keep_more(struct balance *balance, const struct balance_news *news)
{
	uint32_t pages = balance->keep / GROW_PART + BALANCE_GROW_LEAST;

	if (news->room > 0 && pages < (uint32_t)news->room / 2)
		pages = (uint32_t)news->room / 2;
	balance->keep = balance->keep < UINT32_MAX - pages ? balance->keep + pages : UINT32_MAX;
	balance->grown = BALANCE_GROWN;
}

/* may_keep_more() - into room; or if swap costs more, and growth was not too much just now */
static bool may_keep_more(const struct balance *balance, const struct balance_news *news)
{
	if (news->room > 0)
		return balance->hot_us > BALANCE_LEAST_US;
	return !balance->hold && balance->hot_us > BALANCE_FELT_US &&
	       balance->hot_us / TOO_MUCH > balance->file_us;
}

/* weigh_needed() - less is kept where files cost more, and more where swap does */
static void weigh_needed(struct balance *balance, const struct balance_news *news,
			 uint32_t needed)
{
	uint32_t kept = balance->keep < needed ? balance->keep : needed;

	if (balance->hold)
		balance->hold--;
	if (is_more(balance->file_us, balance->hot_us) && news->file_us > BALANCE_FELT_US) {
		/* If hardly any page is kept, the kept pages are not what files lack. */
		if (kept > BALANCE_GROW_LEAST && news->room < BALANCE_ROOM)
			keep_less(balance, news, kept);
	} else if (balance->keep < needed && may_keep_more(balance, news)) {
		keep_more(balance, news);
	}
}

/*
 * weigh_others() - do pages go out that are not known to be needed? Not if they come back and cost
 * more than files do. But files may cost little because these pages are out. That shows when they
 * stay: so they go out again only if files have cost something meanwhile, and may then cost several
 * times as much themselves.
 */
static void weigh_others(struct balance *balance, const struct balance_news *news)
{
	uint64_t credit_us = balance->credit_us;

	if (balance->give)
		balance->credit_us -= news->cold_us < credit_us ? news->cold_us : credit_us;
	else if (balance->stopped)
		balance->credit_us = sum(credit_us - credit_us / BALANCE_LATELY, news->file_us,
					 BALANCE_TRUST);
	if (is_more(balance->file_us, balance->cold_us)) {
		balance->give = true;
	} else if (balance->give && !balance->credit_us && balance->cold_us > BALANCE_FELT_US &&
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
	if (balance->thrash < BALANCE_THRASHES)
		return false;
	balance->thrash = 0;
	balance->rest = BALANCE_REST;
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
	/* All needed pages have to find room, or the next switches would push them again. */
	if (news->short_of_memory || news->file_us > BALANCE_LEAST_US || news->room <= 0 ||
	    (uint32_t)news->room < needed)
		balance->calm = 0;
	else if (balance->calm < BALANCE_CALM)
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
	if (balance->calm == BALANCE_CALM) {
		balance->thrash = 0;
		return BALANCE_PLENTY;
	}
	if (is_thrashing(balance, news))
		return BALANCE_THRASH;
	weigh_needed(balance, news, needed);
	return BALANCE_WORK;
}

/**
 * balance_gives() - do pages go out that are not known to be needed, after this switch?
 * @balance: the state
 * @news: of the switch
 *
 * If nothing lacks memory they stay, as they may be needed after all.
 */
bool balance_gives(const struct balance *balance, const struct balance_news *news)
{
	return balance->give && (news->room < BALANCE_ROOM || news->file_us > BALANCE_LEAST_US);
}

/**
 * lean_step() - a switch was measured
 * @lean: all zeroes at first
 * @file_us: price of the files that were read again
 * @anon_us: price of the pages that were read from the swap
 *
 * Return: is the kernel to take anonymous pages first?
 */
bool lean_step(struct lean *lean, uint64_t file_us, uint64_t anon_us)
{
	lean->file_us = mean(lean->file_us, file_us);
	lean->anon_us = mean(lean->anon_us, anon_us);
	if (!lean->on)
		lean->on = lean->file_us > LEAN_LEAST_US &&
			   lean->file_us > lean->anon_us / LEAN_FILE_TIMES;
	else
		lean->on = lean->anon_us <= LEAN_LEAST_US ||
			   lean->anon_us / LEAN_TOO_MUCH <= lean->file_us;
	return lean->on;
}
