/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The MTDs that a device could be put on, and who uses them already.
 */
#ifndef MEDIUM_H
#define MEDIUM_H

#include <stdbool.h>
#include <stdint.h>
#include "device.h"

#define MEDIA_MAX 64

/* How well it does as swap, best first. */
enum medium_kind {
	MEDIUM_RAM,		/* can be rewritten in place, and does not say that it wears */
	MEDIUM_REWRITE,		/* can be rewritten in place */
	MEDIUM_FLASH,		/* has to be erased */
	MEDIUM_UNFIT,
};

struct medium {
	unsigned int mtd;
	char name[64];
	char type[16];
	uint64_t size;
	uint64_t flags;
	bool found;		/* what is of it in /sys is complete */
	char user[80];		/* who uses it, or "" */
};

/* Enough for media_word(). */
#define MEDIA_WORD 64

struct media {
	unsigned int n;
	struct medium of[MEDIA_MAX];
};

int media_read(struct media *media, const struct devices *devices);
const struct medium *media_find(const struct media *media, const char *what);
const char *media_word(const struct media *media, const struct medium *medium, char *word);
enum medium_kind medium_kind(const struct medium *medium);
const char *medium_unfit(const struct medium *medium, const struct devices *devices);
const struct medium *media_choose(const struct media *media, const struct devices *devices);

#endif
