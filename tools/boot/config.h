/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The swap that the generator sets up at boot: the sections [mtdcomprN] of mtdcompr-generator.conf
 * and its drop-ins. PURE: texts in, a structure and messages out.
 */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/mtdcompr.h>

#define CONFIG_WORD 64
#define CONFIG_MORE 160
/* A message with the file, the line, the reason and what to do fits. */
#define CONFIG_MESSAGE 400

/* Its bytes fit in 64 bits. */
#define CONFIG_MIB_MAX 8e12
#define CONFIG_PRIORITY 100
#define CONFIG_PRIORITY_MAX 32767
#define CONFIG_NO_LIMIT UINT64_MAX

enum config_discard {
	DISCARD_NONE,
	DISCARD_BOTH,
	DISCARD_ONCE,
	DISCARD_PAGES,
};

struct config_device {
	unsigned int number;		/* of [mtdcomprN] */
	char media[CONFIG_WORD];	/* "": the best that are free */
	char algorithm[CONFIG_WORD];	/* "": the module's choice */
	char level[4];			/* "": the module's choice */
	char more[CONFIG_MORE];		/* options of the module, with commas between */
	char source[CONFIG_MORE];	/* the last file with such a section */
	double ram;			/* MiB of main memory, for size= */
	double mib;			/* what size= comes to */
	bool sized;			/* is there a size=? Else the module's choice. */
	unsigned int priority;
	enum config_discard discard;
	uint64_t limit;			/* MiB of main memory, or CONFIG_NO_LIMIT */
	/* A line was left out that may have been meant to name the media. */
	bool doubtful;
};

struct config {
	double ram;			/* MiB of main memory, for size= */
	/* A line or a file was left out that may have meant any device's media. */
	bool doubtful;
	unsigned int n;
	struct config_device of[MTDCOMPR_DEVICES_MAX];
	/* Gets a line for each line that is left out. */
	void (*say)(const char *message);
};

void config_text(struct config *config, const char *path, const char *text);
struct config_device *config_device(struct config *config, unsigned int number);

#endif
