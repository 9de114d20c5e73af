// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "appread.h"

/* Lines as "255 86400000". */
static char text[APPSEQ_MOST * 13];

/* What a file has beyond the text's size is more than any parser takes. */
static int read_text(const char *name)
{
	size_t size = 0;
	ssize_t n = -1;
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && size < sizeof(text) - 1 &&
	       (n = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)n;
	if (n < 0) {
		warn("cannot read %s", name);
		return -EIO;
	}
	close(fd);
	text[size] = '\0';
	return 0;
}

/**
 * appread_sequence() - read which app comes next
 * @sequence: it
 * @name: of the file; NULL: there is none
 * @apps: how many there are
 *
 * Return: 0; -EINVAL, if the file is wrong, or another negative errno; the reason was said.
 */
int appread_sequence(struct appseq *sequence, const char *name, unsigned int apps)
{
	struct appseq_error error;
	int ret = name ? read_text(name) : 0;

	if (!name || ret || !appseq_parse(sequence, text, apps, &error))
		return ret;
	warnx("%s:%u: %s", name, error.line, error.text);
	return -EINVAL;
}

/**
 * appread_programs() - read which programs are the apps
 * @list: it
 * @name: of the file; NULL: there is none, and no program
 *
 * Return: 0; -EINVAL, if the file is wrong, or another negative errno; the reason was said.
 */
int appread_programs(struct proglist *list, const char *name)
{
	struct proglist_error error;
	int ret = name ? read_text(name) : 0;

	list->n = 0;
	if (!name || ret || !proglist_parse(list, text, &error))
		return ret;
	warnx("%s:%u: %s", name, error.line, error.text);
	return -EINVAL;
}
