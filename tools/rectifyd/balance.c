// SPDX-License-Identifier: GPL-2.0
/*
 * Weighs files against anonymous pages by the costs of both at switches. The number of kept pages
 * falls by the pages that files lack, and grows by a part of itself. After too much growth the next
 * growth waits longer each time. plan.h decides whether it pays to act at all.
 */
#include <string.h>
#include "balance.h"

/* Means are over about so many switches: a guess. */
#define MEMORY 8
/* A switch is thrashing if swap takes more than this part of its time. */
#define THRASH_PART 2
/* Files cost more from a fourth on. Swap costs more from so many times as much on: a guess. */
#define TOO_MUCH 2
/* For each page of a file that was read again, keep so many pages less: a guess. */
#define FOR_ONE 2
/* The number of kept pages grows by this part of itself: a guess. */
#define GROW_PART 8
/*
 * Lean starts when files cost an eighth of swap, and ends when swap costs 16 times as much as
 * files, because then the kernel takes needed pages. Programs in 136 MiB: files cost 1.4 times as
 * much as swap at a swappiness of 60, 0.4 times at 150, which is best, and 0.05 times at 200, where
 * all is slower. Between the limits the trial decides.
 */
#define LEAN_FILE_TIMES 8
#define LEAN_TOO_MUCH 16
/* Users do not feel shorter waits: a guess. */
#define LEAN_LEAST_US 5000

/* sum() - us + more_us * times, or UINT64_MAX on overflow */
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
 * balance_begin() - start; all needed pages stay until files have a cost
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
 * balance_counts() - do the files read after a switch count as its cost?
 * @generations: the kernel uses MGLRU
 * @visit: how often the app has been in front, with this time
 * @since_new: switches since an app was in front for the first time
 * @apps: number of known apps
 *
 * An app that starts reads its files in any case. After the start of an app MGLRU needs some time
 * to learn which pages are needed; later it reclaims few of these.
 */
bool balance_counts(bool generations, uint32_t visit, uint32_t since_new, uint32_t apps)
{
	return visit > 1 && (!generations || since_new >= apps);
}

/**
 * balance_limit() - cut the cost of files to the app's waits; other processes have read the rest
 * @news: figures of the switch
 * @waited_us: all waits of the app
 */
void balance_limit(struct balance_news *news, uint64_t waited_us)
{
	if (news->file_us <= waited_us)
		return;
	/* Pages in the same proportion. No overflow: 2^32 pages, less than 2^32 ms. */
	news->file_pages = (uint32_t)(news->file_pages * (waited_us / 1000) /
				      (news->file_us / 1000 + 1));
	news->file_us = waited_us;
}

static bool is_more(uint64_t us, uint64_t other_us)
{
	return us > BALANCE_FELT_US && us - us / 5 > other_us;
}

/* keep_less() - give files more memory than they had to read again */
static void keep_less(struct balance *balance, const struct balance_news *news, uint32_t kept)
{
	uint64_t pages = (uint64_t)news->file_pages * FOR_ONE;

	if (balance->grown && balance->next_hold <= BALANCE_HOLD_MOST / BALANCE_HOLD_MORE)
		balance->next_hold *= BALANCE_HOLD_MORE;
	balance->hold = balance->next_hold;
	balance->grown = 0;
	balance->keep = pages < kept ? kept - (uint32_t)pages : 0;
}

/* keep_more() - grow by a part, or by half of the free memory if that is more */
static void keep_more(struct balance *balance, const struct balance_news *news)
{
	uint32_t pages = balance->keep / GROW_PART + BALANCE_GROW_LEAST;

	if (news->room > 0 && pages < (uint32_t)news->room / 2)
		pages = (uint32_t)news->room / 2;
	balance->keep = balance->keep < UINT32_MAX - pages ? balance->keep + pages : UINT32_MAX;
	balance->grown = BALANCE_GROWN;
}

/* may_keep_more() - if there is room, or if swap costs more and no hold is on */
static bool may_keep_more(const struct balance *balance, const struct balance_news *news)
{
	if (news->room > 0)
		return balance->hot_us > BALANCE_LEAST_US;
	return !balance->hold && balance->hot_us > BALANCE_FELT_US &&
	       balance->hot_us / TOO_MUCH > balance->file_us;
}

/* weigh_needed() - keep less if files cost more, and more if swap does */
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
 * more than files do. But files may cost little just because these pages are out. That shows while
 * the pages stay: if files cost something then, the pages go out again, and may cost several times
 * as much (credit_us) before they stay the next time.
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

/* is_thrashing() - did swap take most of the time in several switches in a row? */
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
 * balance_step() - weigh the figures of a switch
 * @balance: the state
 * @news: figures of the last switch
 * @needed: pages that the apps at the back need
 */
enum balance_state balance_step(struct balance *balance, const struct balance_news *news,
				uint32_t needed)
{
	/* Memory is plenty only if all needed pages would fit in. */
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
 * balance_gives() - do pages that are not known to be needed go out after this switch?
 * @balance: the state
 * @news: figures of the switch
 *
 * If memory is not short they stay, because they may be needed after all.
 */
bool balance_gives(const struct balance *balance, const struct balance_news *news)
{
	return balance->give && (news->room < BALANCE_ROOM || news->file_us > BALANCE_LEAST_US);
}

/**
 * lean_step() - weigh the costs of a switch
 * @lean: the state, all zeroes at first
 * @file_us: time to read files again
 * @anon_us: time to read pages from the swap
 *
 * Return: should the kernel reclaim anonymous pages first?
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
