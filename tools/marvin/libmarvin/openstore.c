// SPDX-License-Identifier: GPL-2.0
/*
 * Opening a store. The directory may be shared with other users, and the path may be mistyped. So
 * nothing is changed before the open file has been checked; see Documentation/reference/marvin.rst.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store.h"

/* O_NONBLOCK and O_NOCTTY: another user may put a FIFO or a terminal there before the open. */
#define OPEN_FILE (O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
/* Another user who exchanges the file all the time gets an error, not an endless loop. */
#define OPEN_TRIES 8

/**
 * store_above_stdio() - a descriptor above standard error for the same file
 * @fd: a descriptor that is taken over; or negative
 *
 * In a program without standard error the first file that is opened gets its number. Then each
 * message of the program goes into that file.
 *
 * Return: the descriptor; or negative with errno.
 */
int store_above_stdio(int fd)
{
	int above = fd, err;

	if (fd >= 0 && fd <= STDERR_FILENO) {
		above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		err = errno;
		close(fd);
		errno = err;
	}
	return above;
}

static int refuse(const char **why, int err, const char *text)
{
	*why = text;
	return err;
}

static int refuse_link(const char **why)
{
	return refuse(why, -ELOOP, "it is a symbolic link: name the file itself");
}

/* open_past() - past the page cache if the file system can, so that saving takes no memory */
static int open_past(struct store *store, const char *path, int flags)
{
	flags |= O_RDWR | O_CLOEXEC;
	store->direct = true;
	store->fd = store_above_stdio(open(path, flags | O_DIRECT, 0600));
	if (store->fd < 0 && errno == EINVAL) {
		store->direct = false;
		store->fd = store_above_stdio(open(path, flags, 0600));
	}
	return store->fd < 0 ? -errno : 0;
}

/* create() - an empty file, which the next round of open_named() opens */
static int create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	/* With a umask like 0777 only root could open it. take_file() checks the mode. */
	fchmod(fd, 0600);
	close(fd);
	return 0;
}

/*
 * read_link() - where a symbolic link of root's or of this user's leads. The text is read through
 * the descriptor that was checked, so another user cannot exchange the link in between.
 */
static ssize_t read_link(const char *path, char *text, size_t bytes)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = -1;
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISLNK(st.st_mode) && st.st_nlink == 1 &&
	    (!st.st_uid || st.st_uid == geteuid()))
		n = readlinkat(fd, "", text, bytes);
	close(fd);
	return n;
}

/*
 * open_link() - a symbolic link. Names in /dev/disk and /dev/mapper are links to devices: follow a
 * trusted link, one step, to a device. Follow no other one: it may lead to any file of this user's.
 */
static int open_link(struct store *store, const char *path, const char **why)
{
	char text[PATH_MAX], device[2 * PATH_MAX];
	const char *slash = strrchr(path, '/');
	ssize_t n = read_link(path, text, sizeof(text));
	int dir = slash && text[0] != '/' ? (int)(slash - path) + 1 : 0;
	struct stat st;

	if (n <= 0 || n == sizeof(text) ||
	    snprintf(device, sizeof(device), "%.*s%.*s", dir, path, (int)n, text) >=
	    (int)sizeof(device) || lstat(device, &st) || !S_ISBLK(st.st_mode))
		return refuse_link(why);
	return open_past(store, device, O_EXCL | O_NOFOLLOW);
}

/* open_type() - open it by its type; opening a FIFO, a terminal or a watchdog has effects */
static int open_type(struct store *store, const char *path, mode_t mode, const char **why)
{
	if (S_ISLNK(mode))
		return open_link(store, path, why);
	if (S_ISDIR(mode))
		return refuse(why, -EISDIR, "it is a directory: put a slash at its end");
	/* The kernel refuses O_EXCL for a device that is mounted or is swap. */
	if (S_ISBLK(mode))
		return open_past(store, path, O_EXCL | O_NOFOLLOW);
	if (!S_ISREG(mode))
		return refuse(why, -EINVAL, "it is neither a file nor a block device");
	return open_past(store, path, OPEN_FILE);
}

/* open_named() - open a file, which is made if it is not there, or a block device */
static int open_named(struct store *store, const char *path, const char **why)
{
	int err = -EBUSY, tries;
	struct stat st;

	for (tries = 0; tries < OPEN_TRIES; tries++) {
		if (!lstat(path, &st)) {
			err = open_type(store, path, st.st_mode, why);
			/* The file may be gone since lstat(); take() checks the open file. */
			if (err != -ENOENT)
				return err;
		} else {
			err = errno == ENOENT ? create(path) : -errno;
			if (err)
				return err;
		}
	}
	return -EBUSY;
}

/* check_file() - is it a file of this user's, and not another file by a second name? */
static int check_file(const struct stat *st, const char **why)
{
	if (st->st_uid != geteuid())
		return refuse(why, -EPERM, "it belongs to another user: name another file");
	if (st->st_nlink != 1)
		return refuse(why, -EMLINK,
			      "it has more than one name (hard links): name another file");
	return 0;
}

/* read_mark() - 1: the file has libmarvin's mark; 0: it is empty; or a negative errno */
static int read_mark(const struct store *store, const char **why)
{
	void *head;
	ssize_t n;
	int ret;

	/* O_DIRECT needs an aligned buffer. */
	if (posix_memalign(&head, store->head, store->head))
		return -ENOMEM;
	n = pread(store->fd, head, store->head, 0);
	if (n < 0)
		ret = -errno;
	else if (!n || (n >= STORE_MARK_BYTES && !memcmp(head, STORE_MARK, STORE_MARK_BYTES)))
		ret = n > 0;
	else
		ret = refuse(why, -EEXIST,
			     "it is not empty, and not libmarvin's: name another file, or remove it");
	free(head);
	return ret;
}

/* take_file() - an empty file, or the store of an earlier program, which is emptied */
static int take_file(struct store *store, const struct stat *st, const char **why)
{
	int ret;

	store->head = (size_t)sysconf(_SC_PAGESIZE);
	ret = read_mark(store, why);
	if (ret < 0)
		return ret;
	/* To narrow the mode would be too late: another program may have the file open already. */
	if (st->st_mode & 077)
		return refuse(why, -EPERM,
			      "other users may open it: remove it; a new one gets mode 0600");
	if ((st->st_mode & 07777) != 0600 && fchmod(store->fd, 0600))
		return -errno;
	if (ret && ftruncate(store->fd, 0))
		return -errno;
	/* Without O_NONBLOCK from here on. */
	return fcntl(store->fd, F_SETFL, store->direct ? O_DIRECT : 0) ? -errno : 0;
}

static int take_device(struct store *store)
{
	if (ioctl(store->fd, BLKGETSIZE64, &store->bytes))
		return -errno;
	/* Free the room that the contents of an earlier program take on the device. */
	store_forget(store, 0, store->bytes);
	return 0;
}

/* take() - check the open file or device, lock it, then prepare it for objects */
static int take(struct store *store, bool named, const char **why)
{
	int flags = fcntl(store->fd, F_GETFL), err = 0;
	struct stat st;

	if (flags < 0 || fstat(store->fd, &st))
		return -errno;
	store->device = S_ISBLK(st.st_mode);
	store->dev = st.st_dev;
	store->ino = st.st_ino;
	/* A device that was put there after lstat() was opened without O_EXCL, with O_NONBLOCK. */
	if (store->device && flags & O_NONBLOCK)
		return -EBUSY;
	if (!store->device && !S_ISREG(st.st_mode))
		return refuse(why, -EINVAL, "it is neither a file nor a block device");
	if (!store->device && named)
		err = check_file(&st, why);
	if (!err && flock(store->fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (!err && store->device)
		err = take_device(store);
	else if (!err && named)
		err = take_file(store, &st, why);
	return err;
}

/**
 * store_open() - open a file or a device for objects; its contents are lost
 * @store: filled in
 * @path: a block device; a file, which is made if it is not there; or a directory with a slash at
 *	its end, where a file without a name is made
 * @why: filled in: the reason and what to do, if it is the library that refuses the store; or NULL
 *
 * A file that is refused is not changed.
 *
 * Context: sleeps.
 *
 * Return: 0; -EBUSY, if it is in use as a store or as swap, or mounted; -ELOOP, if it is a symbolic
 * link; -EPERM, if it belongs to another user, or others may open it; -EMLINK, if it has several
 * names; -EEXIST, if its contents are not libmarvin's; -EISDIR or -EINVAL, if it is neither a file
 * nor a block device; or another negative errno.
 */
int store_open(struct store *store, const char *path, const char **why)
{
	bool named = !path[0] || path[strlen(path) - 1] != '/';
	int err;

	*store = (struct store){ .fd = -1, .bytes = UINT64_MAX };
	*why = NULL;
	err = named ? open_named(store, path, why) : open_past(store, path, O_TMPFILE | O_EXCL);
	if (!err)
		err = take(store, named, why);
	if (err)
		store_close(store);
	return err;
}
