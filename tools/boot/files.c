// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "files.h"

/* Later places override earlier ones, as in zram-generator. */
static const char *const places[] = { "/usr/lib", "/usr/local/lib", "/etc", "/run" };

#define PLACES (sizeof(places) / sizeof(places[0]))

static void say(const struct files *files, const char *path, const char *what)
{
	char message[SYS_PATH + 128];

	snprintf(message, sizeof(message), "%s: %s", path, what);
	files->say(message);
}

/* add_main() - add the main file of the last place that has one */
static void add_main(struct files *files, const char *name)
{
	unsigned int i;

	for (i = PLACES; i-- && !files->n;) {
		snprintf(files->of[0], SYS_PATH, "%s/systemd/%s", places[i], name);
		if (sys_exists(files->of[0]))
			files->n = 1;
	}
}

struct search {
	struct files *files;
	unsigned int first;		/* index of the first drop-in */
	char directory[SYS_PATH / 2];
};

static const char *base(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* add_dropin() - add a drop-in; it replaces one of the same name in an earlier place */
static int add_dropin(const char *name, void *arg)
{
	struct search *search = arg;
	struct files *files = search->files;
	size_t len = strlen(name);
	unsigned int i;

	if (len < 6 || name[0] == '.' || strcmp(name + len - 5, ".conf"))
		return 0;
	for (i = search->first; i < files->n && strcmp(base(files->of[i]), name); i++)
		;
	if (i == FILES_MAX) {
		say(files, name, "too many files: it is left out");
		return 0;
	}
	snprintf(files->of[i], SYS_PATH, "%s/%s", search->directory, name);
	if (i == files->n)
		files->n++;
	return 0;
}

static int by_base(const void *a, const void *b)
{
	return strcmp(base(a), base(b));
}

/**
 * files_find() - find the files
 * @files: filled in; the caller has set say
 * @name: name of the main file; the drop-ins are in the directory NAME.d
 *
 * The main file comes first, then the drop-ins sorted by name. A drop-in, even a link to /dev/null,
 * hides drop-ins of the same name in earlier places.
 */
void files_find(struct files *files, const char *name)
{
	struct search search = { .files = files };
	unsigned int i;

	files->n = 0;
	add_main(files, name);
	search.first = files->n;
	for (i = 0; i < PLACES; i++) {
		snprintf(search.directory, sizeof(search.directory), "%s/systemd/%s.d", places[i],
			 name);
		sys_each_entry(search.directory, add_dropin, &search);
	}
	qsort(files->of + search.first, files->n - search.first, SYS_PATH, by_base);
}

/**
 * files_read() - read one of the files
 * @files: the files
 * @at: its index
 *
 * Return: the text, valid until the next call; NULL after a message.
 */
const char *files_read(const struct files *files, unsigned int at)
{
	static char text[FILES_BYTES];
	ssize_t n = sys_read(files->of[at], text, sizeof(text));

	if (n < 0)
		say(files, files->of[at], strerror((int)-n));
	else if ((size_t)n == sizeof(text) - 1)
		say(files, files->of[at], "too large: it is left out");
	else if (strlen(text) != (size_t)n)
		say(files, files->of[at], "not a text: it is left out");
	else
		return text;
	return NULL;
}
