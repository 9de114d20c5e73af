/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The apps that have been in front, their processes, and their memory.
 */
#ifndef RECTIFYD_APPS_H
#define RECTIFYD_APPS_H

#include "config.h"
#include "layout.h"
#include "proc.h"
#include "usage.h"

#define APPS 32
#define APP_NAME 64
/* Processes of all apps. */
#define MEMBERS 96

struct app {
	char name[APP_NAME];		/* "": the place is free */
	bool front;
	uint32_t since_ms;		/* when it came to the front or went to the back */
	uint32_t visit;			/* how often it has been in front */
	uint32_t used;			/* the same, but old visits count less: VISIT_USE each */
	bool watched;			/* page tables were read at the begin of the visit */
	bool out_known;			/* swapped pages were read at the back, */
	uint64_t taken;			/* when costs_taken() was this */
	bool left;			/* went to the back; page tables are not read yet */
	bool gives;			/* pages go out now */
	uint32_t give_hot;		/* needed pages that go out, too, */
	uint32_t gave_hot;		/* and that have gone */
	uint32_t hot;			/* pages that it needs, as of the last visit */
	uint32_t doubt_period;		/* kept pages are doubted once in so many visits */
	uint64_t pushed;		/* pages that were pushed out, since the beginning */
	uint64_t fetched;
	uint8_t could;			/* bits of enum act: possible when it left, */
	uint8_t did;			/* and done */
	uint64_t cost_us;		/* the app's waits after the last switch to it */
};

/* A process of an app. */
struct member {
	struct proc_id id;		/* pid 0: the place is free */
	struct app *app;
	uid_t user;
	bool found;			/* the last search has found it */
	uint32_t layout_ms;		/* when the layout was read; 0: never */
	struct layout layout;
	struct usage *usage;		/* LAYOUT_CHUNKS */
	bool waited;			/* at the switch these were read: */
	uint64_t io_us;
	uint64_t system_us;
};

int app_find(const struct config *config, const char *name, struct app **found);
void app_search(const struct config *config, struct app *app);
struct app *app_next(struct app *app);
struct member *app_next_member(const struct app *app, struct member *member);
bool app_group(const struct config *config, const char *name, char *group, size_t size);
unsigned int app_number(const struct app *app);
void app_forget_all(void);

#endif
