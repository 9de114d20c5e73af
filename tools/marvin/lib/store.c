// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store.h"

/* open_past() - past the page cache where that can be had: what is saved shall not take memory */
static int open_past(struct store *store, const char *path, int flags)
{
	store->direct = true;
	store->fd = open(path, flags | O_DIRECT, 0600);
	if (store->fd < 0 && errno == EINVAL) {
		store->direct = false;
		store->fd = open(path, flags, 0600);
	}
	return store->fd < 0 ? -errno : 0;
}

/* look() - what it is; @exclusive: it was opened as a device, which is nobody's then */
static int look(struct store *store, bool exclusive)
{
	struct stat st;

	if (fstat(store->fd, &st))
		return -errno;
	store->bytes = UINT64_MAX;
	store->device = S_ISBLK(st.st_mode);
	if (store->device) {
		/* The path had something else a moment ago: it may be mounted. */
		if (!exclusive)
			return -EBUSY;
		if (ioctl(store->fd, BLKGETSIZE64, &store->bytes))
			return -errno;
		/* What another program has left there takes room for nothing. */
		store_forget(store, 0, store->bytes);
		return 0;
	}
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return ftruncate(store->fd, 0) ? -errno : 0;
}

/**
 * store_open() - take a file or a device, whose contents are lost
 * @store: filled in
 * @path: a block device; a file, which is made if it is not there; or a directory with a slash at
 *	its end, in which there is a file without a name then
 *
 * Context: sleeps.
 *
 * Return: 0; -EBUSY, if it is somebody's store or swap, or mounted; or another negative errno.
 */
int store_open(struct store *store, const char *path)
{
	int flags = O_CREAT, err;
	struct stat st;

	/* Of a device O_EXCL is refused by the kernel while it is mounted or swapped on. */
	if (!stat(path, &st) && S_ISBLK(st.st_mode))
		flags = O_EXCL;
	else if (path[0] && path[strlen(path) - 1] == '/')
		flags = O_TMPFILE | O_EXCL;
	err = open_past(store, path, O_RDWR | O_CLOEXEC | flags);
	if (!err && flock(store->fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (!err)
		err = look(store, flags == O_EXCL);
	if (err)
		store_close(store);
	return err;
}

/* write_error() - a quota and a limit for files are as good as full */
static int write_error(int err)
{
	return err == EDQUOT || err == EFBIG ? -ENOSPC : -err;
}

/**
 * store_write() - write pages
 * @store: an open one
 * @at: in bytes, a whole number of pages, as all of these
 * @data: aligned to a page
 * @bytes: how many
 *
 * Context: sleeps for I/O.
 *
 * Return: 0; -ENOSPC, if it is full; or another negative errno.
 */
int store_write(const struct store *store, uint64_t at, const void *data, size_t bytes)
{
	size_t done = 0;
	ssize_t n;

	if (at > store->bytes || bytes > store->bytes - at)
		return -ENOSPC;
	while (done < bytes) {
		n = pwrite(store->fd, (const char *)data + done, bytes - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? write_error(errno) : -EIO;
		done += (size_t)n;
	}
	/*
	 * Through the page cache the write is not done yet; when it is, its pages are not
	 * needed.
	 */
	if (!store->direct && !store->device) {
		if (sync_file_range(store->fd, (off_t)at, (off_t)bytes,
				    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				    SYNC_FILE_RANGE_WAIT_AFTER) && errno != ENOSYS &&
		    errno != ESPIPE)
			return -errno;
		posix_fadvise(store->fd, (off_t)at, (off_t)bytes, POSIX_FADV_DONTNEED);
	}
	return 0;
}

/**
 * store_read() - read pages
 * @store: an open one
 * @at: in bytes
 * @data: aligned to a page; undefined after an error
 * @bytes: how many
 *
 * Context: sleeps for I/O.
 *
 * Return: 0, or a negative errno. What was read may be anything: the caller has its hash.
 */
int store_read(const struct store *store, uint64_t at, void *data, size_t bytes)
{
	size_t done = 0;
	ssize_t n;

	while (done < bytes) {
		n = pread(store->fd, (char *)data + done, bytes - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

/**
 * store_forget() - what is there is not needed any more
 * @store: an open one
 * @at: in bytes
 * @bytes: how many
 *
 * Context: sleeps for I/O. One that cannot do this keeps it, which is no error.
 */
void store_forget(const struct store *store, uint64_t at, uint64_t bytes)
{
	uint64_t range[2] = { at, bytes };

	if (store->device) {
		ioctl(store->fd, BLKDISCARD, range);
		return;
	}
	fallocate(store->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)bytes);
}

/**
 * store_close() - it is nobody's any more
 * @store: an open one, or one that could not be opened
 */
void store_close(struct store *store)
{
	if (store->fd >= 0)
		close(store->fd);
	store->fd = -1;
}
