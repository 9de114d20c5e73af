// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "blkline.h"
#include "parse.h"

/*
 * What is before the name of the event: "COMM-PID [CPU] FLAGS SECONDS: ". It is read from its
 * end, as a program's name may have anything in it.
 */
static int parse_head(const char *line, const char *end, struct blk_event *event)
{
	const char *at = end;
	char number[32];
	size_t len;

	while (at > line && at[-1] != ' ')
		at--;
	len = (size_t)(end - at);
	if (len == 0 || len >= sizeof(number))
		return -EINVAL;
	memcpy(number, at, len);
	number[len] = '\0';
	if (parse_decimal(number, 6, &event->time_us))
		return -EINVAL;
	while (at > line && *at != '[')
		at--;
	while (at > line && at[-1] == ' ')
		at--;
	/* The thread group, where the kernel was told to print it. */
	if (at > line && at[-1] == ')') {
		while (at > line && *at != '(')
			at--;
		while (at > line && at[-1] == ' ')
			at--;
	}
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == line || at[-1] != '-' || *at < '0' || *at > '9')
		return -EINVAL;
	event->pid = (pid_t)strtol(at, NULL, 10);
	return 0;
}

/* "MAJOR,MINOR RWBS [BYTES] (COMMAND) SECTOR + SECTORS [PRIORITY] [WHAT]" */
static int parse_body(const char *at, struct blk_event *event)
{
	unsigned long long sector;
	const char *open, *close;
	char rwbs[16];
	size_t len;

	if (sscanf(at, "%u,%u %15s", &event->major, &event->minor, rwbs) != 3)
		return -EINVAL;
	event->write = strchr(rwbs, 'W');
	if (!event->write && !strchr(rwbs, 'R'))
		return -ENOENT;
	at = strstr(at, ") ");
	if (!at || sscanf(at + 2, "%llu + %u", &sector, &event->sectors) != 2)
		return -EINVAL;
	event->sector = sector;
	open = strstr(at, " [");
	close = strrchr(at, ']');
	if (event->kind == BLK_COMPLETE || !open || !close || close < open)
		return 0;
	len = (size_t)(close - open) - 2;
	if (len >= sizeof(event->comm))
		len = sizeof(event->comm) - 1;
	memcpy(event->comm, open + 2, len);
	return 0;
}

/**
 * blkline_parse() - read a line
 * @line: the line, ended by a zero byte
 * @event: what it says
 *
 * Return: 0; -ENOENT, if it is of something else than a read or a write; -EINVAL.
 */
int blkline_parse(const char *line, struct blk_event *event)
{
	static const char *const names[] = {
		[BLK_INSERT] = ": block_rq_insert: ", [BLK_ISSUE] = ": block_rq_issue: ",
		[BLK_COMPLETE] = ": block_rq_complete: ",
	};
	const char *at = NULL;
	unsigned int kind;
	int err;

	memset(event, 0, sizeof(*event));
	for (kind = BLK_INSERT; kind <= BLK_COMPLETE; kind++) {
		at = strstr(line, names[kind]);
		if (at)
			break;
	}
	if (!at)
		return -ENOENT;
	event->kind = (enum blk_kind)kind;
	err = parse_head(line, at, event);
	return err ? err : parse_body(at + strlen(names[kind]), event);
}

/**
 * blkline_lost() - events that did not fit into the kernel's buffer
 * @line: the line
 *
 * Return: how many this line tells of.
 */
unsigned long blkline_lost(const char *line)
{
	unsigned long lost;

	if (strncmp(line, "CPU:", 4))
		return 0;
	return sscanf(line, "CPU:%*u [LOST %lu EVENTS]", &lost) == 1 ? lost : 0;
}
