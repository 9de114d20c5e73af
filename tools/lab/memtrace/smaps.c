// SPDX-License-Identifier: GPL-2.0

#include <stddef.h>
#include <string.h>
#include "parse.h"
#include "smaps.h"

/**
 * smaps_add() - add a line of the file
 * @smaps: the sums so far
 * @line: the line; it counts up to its end only
 */
void smaps_add(struct smaps *smaps, const char *line)
{
	const struct {
		const char *key;
		uint64_t *sum;
	} keys[] = {
		{ "Rss:", &smaps->rss },
		{ "Pss:", &smaps->pss },
		{ "Shared_Clean:", &smaps->shared },
		{ "Shared_Dirty:", &smaps->shared },
		{ "Private_Clean:", &smaps->private },
		{ "Private_Dirty:", &smaps->private },
		{ "Anonymous:", &smaps->anonymous },
		{ "Swap:", &smaps->swap },
		{ "SwapPss:", &smaps->swap_pss },
	};
	uint64_t kib;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t len = strlen(keys[i].key);

		if (strncmp(line, keys[i].key, len))
			continue;
		line += len;
		while (*line == ' ' || *line == '\t')
			line++;
		if (parse_decimal(line, 0, &kib) == 0) {
			*keys[i].sum += kib;
			smaps->mappings += i == 0;
		}
		return;
	}
}
