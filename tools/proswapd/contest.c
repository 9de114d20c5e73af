// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "contest.h"

/* Two ids with the same remainder share an entry: then the process of each scan looks new. */
static struct seen {
	uint32_t start;
	uint32_t did;
	uint32_t tried_ms;
	bool known;			/* did is */
} seen[CONTEST_SEEN];

/**
 * contest_reset() - nothing is known of any process
 */
void contest_reset(void)
{
	memset(seen, 0, sizeof(seen));
}

/**
 * contest_begin() - a scan begins
 * @contest: emptied
 */
void contest_begin(struct contest *contest)
{
	contest->n = 0;
	contest->waiting = 0;
}

static struct seen *find(pid_t pid, uint64_t start)
{
	struct seen *entry = &seen[(unsigned int)pid % CONTEST_SEEN];

	if (entry->start != (uint32_t)start)
		*entry = (struct seen){ .start = (uint32_t)start };
	return entry;
}

static bool is_better(const struct contest_entry *one, const struct contest_entry *other)
{
	if (!one->score != !other->score)
		return one->score > 0;
	return one->tried_ms != other->tried_ms ? one->tried_ms < other->tried_ms :
						  one->score > other->score;
}

/**
 * contest_news() - what did a process without a place do since the last scan?
 * @entry: filled in
 * @stat: the process
 * @did: what counts, since the process began: major faults, perhaps others
 */
void contest_news(struct contest_entry *entry, const struct proc_stat *stat, uint64_t did)
{
	struct seen *before = find(stat->pid, stat->start);

	*entry = (struct contest_entry){
		.pid = stat->pid, .start = stat->start, .tried_ms = before->tried_ms,
		.score = (uint32_t)did - before->did,
	};
	entry->of_late = before->known && entry->score;
	before->did = (uint32_t)did;
	before->known = true;
}

/* leaves() - the entry that leaves for one of this user: the worst of the user, or of all */
static unsigned int leaves(const struct contest *contest, uid_t user)
{
	unsigned int at, own = 0, worst = 0;

	for (at = 0; at < contest->n; at++) {
		if (contest->best[at].user != user)
			continue;
		own++;
		worst = at;
	}
	if (own == CONTEST_OF_USER)
		return worst;
	return contest->n < CONTEST_PLACES ? contest->n : CONTEST_PLACES - 1;
}

/**
 * contest_add() - a process without a place
 * @contest: it is added, if it belongs to the best
 * @entry: of contest_news(), with its user
 */
void contest_add(struct contest *contest, const struct contest_entry *entry)
{
	unsigned int at = leaves(contest, entry->user);

	contest->waiting += entry->of_late;
	if (at == contest->n)
		contest->n++;
	else if (!is_better(entry, &contest->best[at]))
		return;
	for (; at && is_better(entry, &contest->best[at - 1]); at--)
		contest->best[at] = contest->best[at - 1];
	contest->best[at] = *entry;
}

/**
 * contest_tried() - a process has lost its place, or is no candidate: others come first now
 * @pid: the process
 * @start: its time of start
 * @now_ms: the time, not 0
 */
void contest_tried(pid_t pid, uint64_t start, uint32_t now_ms)
{
	find(pid, start)->tried_ms = now_ms;
}
