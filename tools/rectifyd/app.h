/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The apps that have been in front, their processes, and what is known of their memory.
 */
#ifndef RECTIFYD_APP_H
#define RECTIFYD_APP_H

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
	bool begun;			/* it was looked at when it came to the front */
	bool seen;			/* what is out was seen at the back, */
	uint64_t taken;			/* when the kernel had taken so many pages by itself */
	bool due;			/* it has gone to the back, and was not looked at since */
	bool push;			/* what it does not need goes out, */
	uint32_t shrink;		/* and so many pages that it needs, */
	uint32_t shrunk;		/* of which so many have gone */
	uint32_t hot;			/* pages that it needs, as of the last look */
	uint32_t visits;		/* what it keeps is doubted each so many */
	uint32_t use;			/* how often it was in front, of late */
	uint64_t pushed;		/* pages that were pushed out, since the beginning */
	uint64_t fetched;
	uint8_t could;			/* bits of enum act: what could be done when it left, */
	uint8_t did;			/* and what was */
	uint64_t cost_us;		/* what the last switch to it cost it */
};

/* A process of an app. */
struct member {
	struct proc_id id;		/* pid 0: the place is free */
	struct app *app;
	uid_t user;
	bool found;			/* it is of the app, as of the last search */
	uint32_t layout_ms;		/* when the layout was read; 0: never */
	struct layout layout;
	struct usage *usage;		/* LAYOUT_CHUNKS */
	bool waited;			/* what it has waited in all was read at the switch: */
	uint64_t io_us;
	uint64_t system_us;
};

typedef void (*app_fn)(struct app *app, void *arg);
typedef void (*member_fn)(struct member *member, void *arg);

int app_find(const struct config *config, const char *name, struct app **found);
void app_search_all(const struct config *config);
void app_members(const struct config *config, struct app *app);
void app_each(app_fn fn, void *arg);
void app_each_member(struct app *app, member_fn fn, void *arg);
bool app_group(const struct config *config, const struct app *app, char *group, size_t size);
unsigned int app_number(const struct app *app);
int app_layout(struct member *member, uint32_t now_ms);
struct member *app_member(unsigned int nr);
void app_forget_all(void);

#endif
