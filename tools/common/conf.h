/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Configuration of a daemon: a table says which keys there are, an INI file and "-o" on the
 * command line set them. A file is taken whole or not at all: the values are a copy until all
 * of it was right.
 */
#ifndef COMMON_CONF_H
#define COMMON_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message with the file, the line, the reason and what to do fits. */
#define CONF_MESSAGE 512

enum conf_type {
	CONF_BOOL,			/* bool: yes, no */
	CONF_UINT,			/* unsigned int, min to max */
	CONF_PERMILLE,			/* unsigned int: percent with one decimal, times ten */
	CONF_AMOUNT,			/* struct conf_amount: as CONF_PERMILLE, or 80MiB */
	CONF_BYTES,			/* uint64_t: 64M, or "auto", which is 0 */
	CONF_CHOICE,			/* unsigned int: index into choices */
	CONF_TEXT,			/* char[size] */
	CONF_LIST,			/* char[size]: words, more each time the key is there */
};

/* Index into conf_choices. */
enum conf_choice {
	CHOICE_AUTO,
	CHOICE_YES,
	CHOICE_NO,
};

/* A part of something, or so many bytes of it: then @bytes is not 0. */
struct conf_amount {
	unsigned int permille;
	uint64_t bytes;
};

/*
 * A key stands in its table only: conf_presets() sets its default, and describe/describe.sh makes
 * its lines in the sample file, the completion and the man page.
 */
struct conf_key {
	const char *section;
	const char *name;
	enum conf_type type;
	size_t offset;			/* of the value in the structure */
	size_t size;			/* of the value, bytes */
	uint64_t min;
	uint64_t max;
	const char *const *choices;	/* ends with NULL */
	const char *unit;		/* "ms"; the kind of a text: "file" */
	const char *preset;		/* the default, as a file would have it; NULL: empty */
	const char *help;		/* a sentence without its full stop */
};

/* The first members of a key of struct config. */
#define CONF_KEY(section_, name_, type_, field_) \
	.section = (section_), .name = (name_), .type = CONF_##type_, \
	.offset = offsetof(struct config, field_), .size = sizeof(((struct config *)0)->field_)

/* Each daemon has this key; its value is for conf_level(). */
#define CONF_LOG(section_) \
	{ CONF_KEY(section_, "log", CHOICE, log), .choices = conf_levels, .preset = "info", \
	  .help = "The last level that is logged" }

extern const char *const conf_levels[], *const conf_choices[];

void conf_presets(const struct conf_key *keys, void *values);
int conf_set(const struct conf_key *keys, void *values, const char *section, const char *name,
	     const char *text, char *message);
int conf_set_option(const struct conf_key *keys, void *values, const char *option,
		    char *message);
int conf_load(const struct conf_key *keys, void *values, const char *path, char *message);
uint64_t conf_amount_of(const struct conf_amount *amount, uint64_t total);
bool conf_list_has(const char *list, const char *word);
int conf_level(unsigned int log);

#endif
