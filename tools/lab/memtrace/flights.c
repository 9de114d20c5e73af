// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "flights.h"

/* A request is in one of this many slots, so that a search is short. */
#define WAYS 8U

/* What is issued again later than that is another request, and the first one's end was lost. */
#define STALE_US 10000000U

static struct flight *first_slot(struct flights *flights, const struct blk_event *event)
{
	uint64_t key = event->sector ^ (uint64_t)event->major << 52 ^
		       (uint64_t)event->minor << 40;

	key *= UINT64_C(0x9e3779b97f4a7c15);
	return &flights->slots[(key >> 32) % (FLIGHTS_SLOTS / WAYS) * WAYS];
}

static bool same(const struct flight *slot, const struct blk_event *event)
{
	return slot->used && slot->issue.sector == event->sector &&
	       slot->issue.major == event->major && slot->issue.minor == event->minor;
}

/* Its slot, or else one for it; the oldest goes, if there is no room: its end was lost. */
static struct flight *slot_of(struct flights *flights, const struct blk_event *event)
{
	struct flight *slot = first_slot(flights, event), *use = slot;
	unsigned int i;

	for (i = 0; i < WAYS; i++)
		if (same(&slot[i], event))
			return &slot[i];
	for (i = 0; i < WAYS && use->used; i++)
		if (!slot[i].used || slot[i].issue.time_us < use->issue.time_us)
			use = &slot[i];
	if (use->used && use->issue.kind == BLK_ISSUE)
		flights->dropped++;
	use->used = false;
	return use;
}

/*
 * A request that has to wait for the driver is given to it by a thread of the kernel, perhaps
 * several times: it stays that of the process that was first to have it. Its time begins with the
 * first issue.
 */
static void begin(struct flights *flights, const struct blk_event *event)
{
	struct flight *slot = slot_of(flights, event);

	if (!slot->used || event->time_us - slot->issue.time_us > STALE_US) {
		slot->used = true;
		slot->issue = *event;
		return;
	}
	slot->issue.sectors = event->sectors;
	if (slot->issue.kind == BLK_INSERT)
		slot->issue.time_us = event->time_us;
	if (event->kind == BLK_ISSUE)
		slot->issue.kind = BLK_ISSUE;
}

static struct flight_user *user_of(struct flights *flights, const struct blk_event *event)
{
	struct flight_user *user = flights->users;
	size_t i;

	for (i = 0; i < flights->nusers; i++, user++)
		if (user->pid == event->pid && user->major == event->major &&
		    user->minor == event->minor)
			return user;
	if (flights->nusers == FLIGHTS_USERS)
		return NULL;
	flights->nusers++;
	memset(user, 0, sizeof(*user));
	user->major = event->major;
	user->minor = event->minor;
	user->pid = event->pid;
	memcpy(user->comm, event->comm, sizeof(user->comm));
	return user;
}

static void complete(struct flights *flights, const struct blk_event *event)
{
	struct flight *slot = first_slot(flights, event);
	struct flight_user *user;
	unsigned int i;

	for (i = 0; i < WAYS && !same(slot, event); i++)
		slot++;
	/* It was issued before we began to listen. */
	if (i == WAYS || slot->issue.kind != BLK_ISSUE)
		return;
	slot->used = false;
	user = user_of(flights, &slot->issue);
	if (!user) {
		flights->dropped++;
		return;
	}
	if (event->time_us > slot->issue.time_us)
		user->us += event->time_us - slot->issue.time_us;
	if (slot->issue.write) {
		user->writes++;
		user->written_sectors += slot->issue.sectors;
	} else {
		user->reads++;
		user->read_sectors += slot->issue.sectors;
	}
}

/**
 * flights_event() - something has happened
 * @flights: the requests
 * @event: what has happened
 */
void flights_event(struct flights *flights, const struct blk_event *event)
{
	if (event->kind == BLK_COMPLETE)
		complete(flights, event);
	else
		begin(flights, event);
}

/**
 * flights_reset_users() - begin the sums again
 * @flights: the requests; those that are not complete stay
 */
void flights_reset_users(struct flights *flights)
{
	flights->nusers = 0;
}
