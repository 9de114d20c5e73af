// SPDX-License-Identifier: GPL-2.0
/*
 * mtdcomprctl: set up and show compressed MTDs, and swap on them.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include "commands.h"

/* drop() - drop the first word, the command */
static const struct command *drop(struct options *options, const char *name)
{
	options->word++;
	options->words--;
	return command_by_name(name);
}

/* find_swap() - the command after the word "swap"; NULL after an error message */
static const struct command *find_swap(struct options *options)
{
	drop(options, "swap");
	if (options->words && !strcmp(options->word[0], "on"))
		return drop(options, "swap on");
	if (options->words && !strcmp(options->word[0], "off"))
		return drop(options, "swap off");
	if (options->words)
		warnx("swap: on or off is missing before '%s'", options->word[0]);
	else
		warnx("swap: on or off is missing");
	return NULL;
}

/* find_command() - NULL after an error message */
static const struct command *find_command(struct options *options)
{
	const char *first = options->words ? options->word[0] : "";

	if (options->find && !options->words)
		return command_by_name("--find");
	if (options->reset)
		return command_by_name("--reset");
	if (!*first || !strncmp(first, "/dev/", 5))
		return command_by_name("list");
	if (!strcmp(first, "swap"))
		return find_swap(options);
	/* Names with a blank or a dash never match a single word: "swap on", "--find". */
	if (!strpbrk(first, " -") && command_by_name(first))
		return drop(options, first);
	/* Without a command the devices are listed. */
	if (names_device(first))
		return command_by_name("list");
	warnx("unknown command: '%s'", first);
	return NULL;
}

static bool words_fit(const struct options *options, const struct command *command)
{
	/* -f takes the place of the media. */
	int least = options->find ? 0 : command->least, most = options->find ? 0 : command->most;

	if (options->words < least)
		warnx("%s: %s missing", command->name,
		      strchr(command->letters, 'a') ? "the media are" : "a device is");
	else if (options->words > most)
		warnx("%s: too many arguments: '%s'", command->name, options->word[most]);
	else
		return true;
	return false;
}

/* spec_fits() - treat a request that the module always refuses as a wrong command line */
static bool spec_fits(const struct options *options, const struct command *command)
{
	struct spec spec = options->spec;
	char text[SPEC_TEXT];
	const char *why;

	if (!strchr(command->letters, 'a'))
		return true;
	/* -f will find a number later. */
	spec.media = options->words ? options->word[0] : "0";
	if (spec_text(&spec, spec.algorithm, text, &why))
		return true;
	warnx("%s: %s", command->name, why);
	return false;
}

int main(int argc, char **argv)
{
	struct options options;
	const struct command *command;
	int status;

	if (!options_parse(&options, argc, argv))
		return STATUS_USAGE;
	command = find_command(&options);
	if (!command || !options_fit(&options, command->letters, command->name) ||
	    !words_fit(&options, command)) {
		options_try_help();
		return STATUS_USAGE;
	}
	/* No "Try --help": the message says what to do. */
	if (!spec_fits(&options, command))
		return STATUS_USAGE;
	status = command->run(&options);
	if (ferror(stdout) || fflush(stdout)) {
		warn("write error");
		return STATUS_FAILED;
	}
	return status;
}
