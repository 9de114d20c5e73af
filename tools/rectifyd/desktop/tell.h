/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tells the daemon: by its socket, by a command, or nobody but who reads standard output. What
 * goes wrong is said, but not at each switch anew.
 */
#ifndef DESKTOP_TELL_H
#define DESKTOP_TELL_H

#include <stdbool.h>
#include <sys/types.h>
#include "options.h"

#define TELL_WORDS	32
#define TELL_TEXT	1024

struct tell {
	const struct options *options;
	char *words[TELL_WORDS + 3];	/* of the command, a request and NULL */
	unsigned int n;			/* without the request; 0: there is no command */
	char text[TELL_TEXT];		/* of the command */
	struct front_request request;	/* the last one */
	int running;			/* descriptor of the command's process, or -1 */
	pid_t pid;			/* of it */
	bool lost;			/* nobody answered, and it was said */
	char refusal[160];		/* the last one that was said */
};

int tell_begin(struct tell *tell, const struct options *options);
int tell_send(struct tell *tell, const struct front_request *request, enum front_answer *answer);
enum front_answer tell_end(struct tell *tell);

#endif
