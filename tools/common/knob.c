// SPDX-License-Identifier: GPL-2.0
/*
 * The registry of the files of /proc/sys that daemons have set. Each call locks it, reads all of it
 * and writes single wishes back.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "knob.h"
#include "sys.h"

/* The daemons set ten files at most. */
#define KNOBS_MAX 32
/* Two seconds: holders read and write memory only. But a daemon may be stopped just then. */
#define LOCK_TRIES 200
#define LOCK_WAIT_US 10000

/* A wish is written whole, within a page: a kill leaves all of it or nothing. */
struct knob {
	char path[104];			/* "": the place is free */
	char owner[48];			/* the file name of the daemon's list */
	char first[44];			/* what the file held before the first daemon */
	char wish[44];			/* its text after this daemon has written */
	uint32_t written;		/* 0: @wish is not known, the daemon is about to write */
	uint32_t reserved;
	uint64_t order;			/* the newest wish has the highest */
};

static_assert(sizeof(struct knob) == 256, "it does not fit into a page");

static struct knob knobs[KNOBS_MAX];
static char registry[SYS_PATH];
static char owner[sizeof(knobs[0].owner)];

/** knob_open() - use the registry beside a list of undo_open(), whose file name is the owner */
void knob_open(const char *list)
{
	const char *slash = strrchr(list, '/');
	int directory = slash ? (int)(slash - list) + 1 : 0;

	snprintf(registry, sizeof(registry), "%.*smtdcompr.knobs", directory, list);
	snprintf(owner, sizeof(owner), "%s", list + directory);
}

/** knob_is_shared() - may several daemons set that file? */
bool knob_is_shared(const char *path)
{
	return !strncmp(path, "/proc/sys/", 10);
}

/* lock_registry() - open it, or a new one if a daemon has just removed it */
static int lock_registry(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	unsigned int tries;
	struct stat st;
	int fd;

	for (tries = 0; tries < LOCK_TRIES; tries++) {
		fd = open(registry, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return -errno;
		if (!fcntl(fd, F_OFD_SETLK, &lock) && !fstat(fd, &st) && st.st_nlink)
			return fd;
		close(fd);
		usleep(LOCK_WAIT_US);
	}
	return -EWOULDBLOCK;
}

/* load() - the registry, whose lock is held until it is closed */
static int load(void)
{
	int fd = lock_registry();
	struct knob *knob;
	ssize_t n;

	if (fd < 0)
		return fd;
	memset(knobs, 0, sizeof(knobs));
	n = pread(fd, knobs, sizeof(knobs), 0);
	if (n != sizeof(knobs) && (n || ftruncate(fd, sizeof(knobs)))) {
		close(fd);
		return n < 0 ? -EIO : -EINVAL;
	}
	for (knob = knobs; knob < knobs + KNOBS_MAX; knob++) {
		knob->path[sizeof(knob->path) - 1] = '\0';
		knob->owner[sizeof(knob->owner) - 1] = '\0';
		knob->first[sizeof(knob->first) - 1] = '\0';
		knob->wish[sizeof(knob->wish) - 1] = '\0';
	}
	return fd;
}

static int save(int fd, const struct knob *knob)
{
	off_t at = (off_t)((const char *)knob - (const char *)knobs);
	ssize_t n = pwrite(fd, knob, sizeof(*knob), at);

	return n == sizeof(*knob) ? 0 : n < 0 ? -errno : -EIO;
}

static int forget(int fd, struct knob *knob)
{
	memset(knob, 0, sizeof(*knob));
	return save(fd, knob);
}

/* newest() - the wish that holds without @without; @path NULL: of any file */
static struct knob *newest(const char *path, const struct knob *without)
{
	struct knob *knob, *found = NULL;

	for (knob = knobs; knob < knobs + KNOBS_MAX; knob++)
		if (knob->path[0] && (!path || !strcmp(knob->path, path)) && knob != without &&
		    (!found || knob->order > found->order))
			found = knob;
	return found;
}

static struct knob *find(const char *path, const char *of)
{
	struct knob *knob;

	for (knob = knobs; knob < knobs + KNOBS_MAX; knob++)
		if (!strcmp(knob->path, path) && !strcmp(knob->owner, of))
			return knob;
	return NULL;
}

/* is_ours() - does the file hold the newest wish, as far as it is known? */
static bool is_ours(const struct knob *last, const char *now)
{
	return !last->written || !strcmp(last->wish, now);
}

/* change() - the wish is written down before the file is written */
static int change(int fd, struct knob *knob, const struct knob *wanted, const char *text)
{
	struct knob before = *knob;
	int err;

	*knob = *wanted;
	err = save(fd, knob);
	if (!err)
		err = sys_write(knob->path, text);
	if (err) {
		*knob = before;
		save(fd, knob);
		return err;
	}
	/* A value that cannot be read back is never taken for an administrator's. */
	knob->written = !sys_read_line(knob->path, knob->wish, sizeof(knob->wish));
	/* If that fails, the wish that is written down is an unknown one. */
	save(fd, knob);
	return 0;
}

static int set(int fd, const char *path, const char *text)
{
	struct knob *mine = find(path, owner), *last = newest(NULL, NULL);
	struct knob wanted = { .order = last ? last->order + 1 : 1 };
	int err = sys_read_line(path, wanted.first, sizeof(wanted.first));

	if (err)
		return err;
	last = newest(path, NULL);
	if (last && is_ours(last, wanted.first))
		strcpy(wanted.first, last->first);
	else
		for (mine = NULL; !err && last; last = newest(path, NULL))
			err = forget(fd, last);
	if (!mine)
		mine = find("", "");
	if (err || !mine)
		return err ? err : -ENOSPC;
	strcpy(wanted.path, path);
	strcpy(wanted.owner, owner);
	return change(fd, mine, &wanted, text);
}

static int reset(int fd, const char *path)
{
	struct knob *mine = find(path, owner), *next;
	char now[sizeof(mine->wish)];
	int err;

	if (!mine)
		return 0;
	next = newest(path, mine);
	if (!next || next->order < mine->order) {
		err = sys_read_line(path, now, sizeof(now));
		if (!err && is_ours(mine, now)) {
			/* After a kill this wish is left, and the file has another value. */
			mine->written = false;
			err = save(fd, mine);
			if (!err)
				err = sys_write(path, next && next->written ? next->wish :
									      mine->first);
		}
		if (err && err != -ENOENT)
			return err;
	}
	return forget(fd, mine);
}

/* locked() - set, or with @text NULL reset; remove a registry that is empty then */
static int locked(const char *path, const char *text)
{
	int fd = load(), err;

	if (fd < 0)
		return fd;
	err = text ? set(fd, path, text) : reset(fd, path);
	if (!newest(NULL, NULL))
		unlink(registry);
	close(fd);
	return err;
}

/**
 * knob_set() - set a file of /proc/sys, which holds one short line, until knob_reset()
 *
 * Return: 0; -ENOSPC, if the registry is full; -EWOULDBLOCK, if a daemon holds its lock; or another
 * negative errno: then the file is as before.
 */
int knob_set(const char *path, const char *text)
{
	return strlen(path) < sizeof(knobs[0].path) ? locked(path, text) : -ENAMETOOLONG;
}

/**
 * knob_reset() - end what knob_set() began; 0 also if it was not set
 *
 * If this daemon's wish is the newest one and the file still holds it, the file gets the wish
 * before it, or the first value. Otherwise the file stays as it is.
 */
int knob_reset(const char *path)
{
	return locked(path, NULL);
}
