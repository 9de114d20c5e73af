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
/* Room for a message with file, line, reason and advice. */
#define CONFIG_MESSAGE 400

/* In bytes it still fits in 64 bits. */
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
	char media[CONFIG_WORD];	/* "": the best free media */
	char algorithm[CONFIG_WORD];	/* "": the module's choice */
	char level[4];			/* "": the module's choice */
	char more[CONFIG_MORE];		/* options of the module, separated by commas */
	char source[CONFIG_MORE];	/* the last file with this section */
	double ram;			/* main memory in MiB, "ram" in size= */
	double mib;			/* value of size= in MiB */
	bool sized;			/* size= was given; else the module's choice */
	unsigned int priority;
	enum config_discard discard;
	uint64_t limit;			/* MiB of main memory, or CONFIG_NO_LIMIT */
	/* A skipped line may have named the media. */
	bool doubtful;
	char refused[CONFIG_MESSAGE];	/* a wrong line that may be options=; "": none */
};

struct config {
	double ram;			/* main memory in MiB, "ram" in size= */
	/* A skipped line or file may have named any device's media. */
	bool doubtful;
	char refused[CONFIG_MESSAGE];	/* the same, and it may be any device's */
	unsigned int n;
	struct config_device of[MTDCOMPR_DEVICES_MAX];
	/* Called with a message for each skipped line. */
	void (*say)(const char *message);
};

void config_text(struct config *config, const char *path, const char *text);
struct config_device *config_device(struct config *config, unsigned int number);

#endif
