// SPDX-License-Identifier: GPL-2.0
/*
 * Prints a daemon's key table for describe.awk, one key per line. describe.sh links it with the
 * daemon's config.c. It fails if a default is outside the key's range.
 */
#include <stdio.h>
#include <stdlib.h>
#include "config.h"

static const char *const types[] = {
	[CONF_BOOL] = "choice", [CONF_UINT] = "number", [CONF_PERMILLE] = "percent",
	[CONF_AMOUNT] = "amount", [CONF_BYTES] = "size", [CONF_CHOICE] = "choice",
	[CONF_TEXT] = "text", [CONF_LIST] = "list",
};

int main(void)
{
	static const char *const bool_choices[] = { "yes", "no", NULL };
	static struct config config;
	char message[CONF_MESSAGE];
	const struct conf_key *key;

	for (key = config_keys; key->name; key++) {
		const char *preset = key->preset ? key->preset : "", *unit = key->unit;
		const char *const *choice = key->type == CONF_BOOL ? bool_choices : key->choices;

		if (conf_set(config_keys, &config, key->section, key->name, preset, message)) {
			fprintf(stderr, "[%s] %s\n", key->section, message);
			return EXIT_FAILURE;
		}
		printf("%s\t%s\t%s\t%s\t%s\t%s\t%.0f\t%.0f\t%zu\t", key->section, key->name,
		       types[key->type], preset, key->help, unit ? unit : "", (double)key->min,
		       (double)key->max, key->size);
		for (; choice && *choice; choice++)
			printf("%s%s", *choice, choice[1] ? " " : "");
		printf("\n");
	}
	return EXIT_SUCCESS;
}
