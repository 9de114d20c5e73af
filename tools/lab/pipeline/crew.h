/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The four stages as processes, and the pipes between them.
 */
#ifndef PIPELINE_CREW_H
#define PIPELINE_CREW_H

#include <sys/types.h>
#include "message.h"

#define CREW_ARGUMENTS 24

struct crew_member {
	const char *program;		/* the name of its file */
	const char *arguments[CREW_ARGUMENTS];	/* NULL at the end; the first one is the program */
	pid_t pid;
	int status;			/* of waitpid() */
};

struct crew {
	struct crew_member members[STAGES];
	int frames[2];			/* to the lane's stage and the one that detects */
	int commands;			/* from the last one */
};

extern const char *const stage_names[STAGES];

int crew_start(struct crew *crew, const char *directory);
int crew_end(struct crew *crew);

#endif
