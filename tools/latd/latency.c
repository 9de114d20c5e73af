// SPDX-License-Identifier: GPL-2.0
/*
 * Latencies that protected programs report. slo_* is PURE: the goal, and the quantile of the last
 * seconds. report_* is the FIFO. Root and one user may write to it. A socket would not do: with a
 * datagram a user can send a descriptor whose last close never returns.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "latency.h"
#include "parse.h"

/* A look reads so many bytes of reports at most, so that a program cannot keep latd busy. */
#define REPORT_BYTES 4096

static struct {
	int fd;
	uid_t writer;
	char name[256];			/* "": no FIFO */
	char text[REPORT_BYTES + 1];
	size_t have;			/* bytes of an incomplete line in text */
} reports = { .fd = -1 };

/* slo_duration() - parse "20ms", "0.5s" or "900us" to microseconds */
static int slo_duration(const char *text, uint64_t *us)
{
	static const struct {
		const char *name;
		unsigned int decimals;	/* places from this unit down to microseconds */
	} units[] = { { "us", 0 }, { "ms", 3 }, { "s", 6 } };
	char number[32], unit[3];
	int end = 0;
	size_t i;

	if (sscanf(text, "%31[0-9.]%2[a-z]%n", number, unit, &end) != 2 ||
	    (text[end] && text[end] != '\n'))
		return -EINVAL;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return parse_decimal(number, units[i].decimals, us);
	return -EINVAL;
}

/**
 * slo_parse() - begin, with a goal
 * @slo: filled in, without reports
 * @text: "p99 20ms", "p50 900us", "p99.9 0.5s"; "": no goal
 *
 * Return: 0, or -EINVAL.
 */
int slo_parse(struct slo *slo, const char *text)
{
	const char *space = strchr(text, ' ');
	uint64_t quantile;

	/* Do not clear the array: static memory that is never touched takes no pages. */
	slo->quantile = 0;
	slo->goal_us = 0;
	slo->n = 0;
	slo->next = 0;
	if (!*text)
		return 0;
	if (*text != 'p' || !space || parse_decimal(text + 1, 1, &quantile) || !quantile ||
	    quantile >= 1000)
		return -EINVAL;
	space += strspn(space, " ");
	if (slo_duration(space, &slo->goal_us) || !slo->goal_us)
		return -EINVAL;
	slo->quantile = (unsigned int)quantile;
	return 0;
}

/**
 * slo_report() - add latencies of requests
 * @slo: of slo_parse()
 * @text: a line each, such as "12.5ms"; other lines are left out
 * @now_us: the time
 *
 * Return: their number.
 */
unsigned int slo_report(struct slo *slo, const char *text, uint64_t now_us)
{
	unsigned int found = 0;
	uint64_t us;

	for (; text && *text; text = parse_next_line(text)) {
		if (slo_duration(text, &us))
			continue;
		slo->latency_us[slo->next] = us;
		slo->when_us[slo->next] = now_us;
		slo->next = (slo->next + 1) % SLO_KEPT;
		if (slo->n < SLO_KEPT)
			slo->n++;
		found++;
	}
	return found;
}

static int by_size(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

/**
 * slo_latency() - the quantile of the reports of the last seconds
 * @slo: of slo_parse()
 * @now_us: the time
 * @us: filled in; if there are few reports, the longest latency
 *
 * Return: false without a goal or reports.
 */
bool slo_latency(const struct slo *slo, uint64_t now_us, uint64_t *us)
{
	uint64_t recent[SLO_KEPT];
	unsigned int i, n = 0;

	for (i = 0; i < slo->n; i++)
		if (now_us - slo->when_us[i] <= SLO_RECENT_US)
			recent[n++] = slo->latency_us[i];
	if (!slo->quantile || !n)
		return false;
	qsort(recent, n, sizeof(recent[0]), by_size);
	*us = recent[n * slo->quantile / 1000];
	return true;
}

/* let_write() - set an access control list; to change the owner would need CAP_CHOWN */
static int let_write(const char *path, uid_t user)
{
	const struct {
		uint32_t version;
		struct {
			uint16_t tag;
			uint16_t perm;
			uint32_t id;
		} entries[5];
	} list = { 2, {
		{ 0x01, 6, UINT32_MAX },	/* the owner */
		{ 0x02, 2, user },
		{ 0x04, 0, UINT32_MAX },	/* the group */
		{ 0x10, 2, UINT32_MAX },	/* the mask */
		{ 0x20, 0, UINT32_MAX },	/* all others */
	} };

	return setxattr(path, "system.posix_acl_access", &list, sizeof(list), 0) ? -errno : 0;
}

/**
 * report_open() - make the FIFO for latencies
 * @path: its name; a FIFO that a killed latd has left is replaced
 * @user: this user may write to it, beside root
 *
 * Return: 0, or a negative errno. After an error of the access list the FIFO exists, for root only.
 */
int report_open(const char *path, uid_t user)
{
	int err = 0;

	/* Keep the open FIFO: a new one would make SIGPIPE kill programs that have it open. */
	if (reports.fd >= 0 && user == reports.writer && !strcmp(path, reports.name))
		return 0;
	report_close();
	reports.writer = user;
	if (strlen(path) >= sizeof(reports.name))
		return -ENAMETOOLONG;
	unlink(path);
	/* The directory is root's: no other user can put a file there. */
	if (mkfifo(path, 0600))
		return -errno;
	strcpy(reports.name, path);
	if (user)
		err = let_write(path, user);
	/* Open for writing, too, so that the end of a writer is no end of file. */
	reports.fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (reports.fd >= 0)
		return err;
	err = -errno;
	report_close();
	return err;
}

/**
 * report_read() - read the new lines
 * @slo: is added to
 * @now_us: the time
 */
void report_read(struct slo *slo, uint64_t now_us)
{
	ssize_t n = reports.fd < 0 ? -1 : read(reports.fd, reports.text + reports.have,
					       REPORT_BYTES - reports.have);
	char *end;

	if (n <= 0)
		return;
	reports.have += (size_t)n;
	reports.text[reports.have] = '\0';
	end = strrchr(reports.text, '\n');
	if (end) {
		*end++ = '\0';
		slo_report(slo, reports.text, now_us);
		reports.have -= (size_t)(end - reports.text);
		memmove(reports.text, end, reports.have);
	} else if (reports.have == REPORT_BYTES || strlen(reports.text) < reports.have) {
		/* The line is too long or has a zero byte: drop it. */
		reports.have = 0;
	}
}

/** report_close() - remove the FIFO */
void report_close(void)
{
	if (reports.fd >= 0)
		close(reports.fd);
	if (reports.name[0])
		unlink(reports.name);
	reports.fd = -1;
	reports.name[0] = '\0';
	reports.have = 0;
}
