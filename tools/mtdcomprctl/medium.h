/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The MTDs and their users.
 */
#ifndef MEDIUM_H
#define MEDIUM_H

#include <stdbool.h>
#include <stdint.h>
#include "device.h"

#define MEDIA_MAX 64

/* How well an MTD suits swap, best first. */
enum medium_kind {
	MEDIUM_RAM,		/* rewritten in place, no known wear */
	MEDIUM_REWRITE,		/* rewritten in place */
	MEDIUM_FLASH,		/* needs erasing */
	MEDIUM_UNFIT,
};

struct medium {
	unsigned int mtd;
	char name[64];
	char type[16];
	uint64_t size;
	uint64_t flags;
	bool found;		/* all its files in /sys were read */
	char user[80];		/* its user, or "" */
};

/* Buffer size for media_word(). */
#define MEDIA_WORD 64

struct media {
	unsigned int n;
	struct medium of[MEDIA_MAX];
};

int media_read(struct media *media, const struct devices *devices);
const struct medium *media_find(const struct media *media, const char *what);
const char *media_word(const struct media *media, const struct medium *medium, char *word);
enum medium_kind medium_kind(const struct medium *medium);
bool medium_keeps(const char *type, const char *name);
bool media_keep(const char *text);
const char *medium_unfit(const struct medium *medium, const struct devices *devices);
const struct medium *media_choose(const struct media *media, const struct devices *devices);

#endif
