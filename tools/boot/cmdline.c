// SPDX-License-Identifier: GPL-2.0

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "cmdline.h"

/* systemd's words for yes and no. Other words are ignored. */
static const struct {
	const char *word;
	enum cmdline_swap swap;
} words[] = {
	{ "systemd.mtdcompr", CMDLINE_ON },
	{ "systemd.mtdcompr=1", CMDLINE_ON },
	{ "systemd.mtdcompr=yes", CMDLINE_ON },
	{ "systemd.mtdcompr=true", CMDLINE_ON },
	{ "systemd.mtdcompr=on", CMDLINE_ON },
	{ "systemd.mtdcompr=0", CMDLINE_OFF },
	{ "systemd.mtdcompr=no", CMDLINE_OFF },
	{ "systemd.mtdcompr=false", CMDLINE_OFF },
	{ "systemd.mtdcompr=off", CMDLINE_OFF },
};

static void one_word(const char *word, size_t len, struct cmdline *cmdline)
{
	static const char device[] = "mtdcompr.mtd=";
	unsigned int i;

	if (len > sizeof(device) - 1 && !memcmp(word, device, sizeof(device) - 1))
		cmdline->devices++;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == len && !memcmp(words[i].word, word, len))
			cmdline->swap = words[i].swap;
}

/**
 * cmdline_parse() - find our words in the kernel's command line
 * @line: /proc/cmdline
 * @cmdline: filled in; the last word of a kind wins
 */
void cmdline_parse(const char *line, struct cmdline *cmdline)
{
	*cmdline = (struct cmdline){ .swap = CMDLINE_SILENT };
	while (*line) {
		bool quoted = false;
		size_t len;

		line += strspn(line, " \t\n");
		for (len = 0; line[len] && (quoted || !strchr(" \t\n", line[len])); len++)
			if (line[len] == '"')
				quoted = !quoted;
		one_word(line, len, cmdline);
		line += len;
	}
}
