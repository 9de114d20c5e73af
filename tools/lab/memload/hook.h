/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command that is run at each switch, as COMMAND fg APP; or a socket that is told "fg APP", as a
 * daemon of tools understands it.
 */
#ifndef MEMLOAD_HOOK_H
#define MEMLOAD_HOOK_H

#include <spawn.h>
#include <stdint.h>
#include "watch.h"

#define HOOK_WORDS	64
#define HOOK_TEXT	4096

struct hook {
	uint64_t failures;
	const char *socket;		/* NULL: a command, if there is one */
	char *words[HOOK_WORDS + 3];	/* none: there is no command */
	char text[HOOK_TEXT];
	char app[16];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
};

int hook_begin(struct hook *hook, const char *command);
int hook_run(struct hook *hook, struct watch *watch, const char *app);
void hook_end(struct hook *hook);

#endif
