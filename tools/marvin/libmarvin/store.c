// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "files.h"
#include "store.h"

/* write_error() - a quota and a limit for files are as good as full */
static int write_error(int err)
{
	return err == EDQUOT || err == EFBIG ? -ENOSPC : -err;
}

/*
 * is_over() - the limit of this process for files? Direct I/O writes no part of a sector up to it
 */
static bool is_over(const struct store *store, uint64_t end)
{
	struct rlimit limit;

	return !store->device && !getrlimit(RLIMIT_FSIZE, &limit) &&
	       limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur;
}

/*
 * write_at() - as pwrite(). The limit may become lower meanwhile: its signal, which ends a program
 * that knows nothing of the store, is not for the program
 */
static ssize_t write_at(int fd, const void *data, size_t bytes, uint64_t at)
{
	const struct timespec now = { 0, 0 };
	sigset_t limit, before, pending;
	ssize_t n;
	int err;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	n = pwrite(fd, data, bytes, (off_t)at);
	err = errno;
	if (n < 0 && err == EFBIG && !sigismember(&pending, SIGXFSZ))
		sigtimedwait(&limit, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return n;
}

/* put() - write all bytes; @at counts from the beginning of the file */
static int put(const struct store *store, uint64_t at, const void *data, size_t bytes)
{
	size_t done = 0;
	ssize_t n;

	if (is_over(store, at + bytes))
		return -ENOSPC;
	while (done < bytes) {
		n = write_at(store->fd, (const char *)data + done, bytes - done, at + done);
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

/*
 * put_mark() - write the mark, before the first object: a power cut must not leave a file with
 * objects that the next start refuses. store_open() does not write it, because a full store may
 * have room later.
 */
static int put_mark(struct store *store)
{
	void *head;
	int err;

	if (posix_memalign(&head, store->head, store->head))
		return -ENOMEM;
	memset(head, 0, store->head);
	memcpy(head, STORE_MARK, STORE_MARK_BYTES);
	err = put(store, 0, head, store->head);
	free(head);
	if (!err && fdatasync(store->fd) && errno != EINVAL)
		err = write_error(errno);
	store->marked = !err;
	return err;
}

/**
 * store_write() - write pages
 * @store: an open one
 * @at: in bytes, a whole number of pages, as all of these
 * @data: aligned to a page
 * @bytes: how many
 *
 * Context: sleeps for I/O; one thread at a time.
 *
 * Return: 0; -ENOSPC, if it is full; or another negative errno.
 */
int store_write(struct store *store, uint64_t at, const void *data, size_t bytes)
{
	int err;

	if (at > store->bytes || bytes > store->bytes - at)
		return -ENOSPC;
	if (store->head && !store->marked) {
		err = put_mark(store);
		if (err)
			return err;
	}
	return put(store, store->head + at, data, bytes);
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
 * Return: 0, or a negative errno. The bytes may be wrong: the caller compares their hash.
 */
int store_read(const struct store *store, uint64_t at, void *data, size_t bytes)
{
	size_t done = 0;
	ssize_t n;

	at += store->head;
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
 * store_forget() - free pages that are not needed any more
 * @store: an open one
 * @at: in bytes
 * @bytes: how many
 *
 * Context: sleeps for I/O. A file system or a device that cannot free them keeps them; this is no
 * error.
 */
void store_forget(const struct store *store, uint64_t at, uint64_t bytes)
{
	uint64_t range[2] = { at, bytes };

	if (store->device) {
		ioctl(store->fd, BLKDISCARD, range);
		return;
	}
	fallocate(store->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(store->head + at),
		  (off_t)bytes);
}

/**
 * store_is_there() - is the descriptor still the store's?
 * @store: an open one
 *
 * A program may close all descriptors that it does not know, and the number becomes another file's.
 *
 * Context: before this thread uses the store, if it has its descriptors together with the program.
 */
bool store_is_there(const struct store *store)
{
	struct stat st;

	return store->fd >= 0 && !fstat(store->fd, &st) && st.st_dev == store->dev &&
	       st.st_ino == store->ino;
}

/**
 * store_again() - a descriptor to read a store that the program has closed
 * @store: an open one
 * @thread: has it open still, see files_keep(); 0: no such thread
 *
 * Context: any, a signal handler's, too.
 *
 * Return: a new descriptor; -1: the store cannot be had.
 */
int store_again(const struct store *store, pid_t thread)
{
	struct store again = *store;

	again.fd = store_above_stdio(files_of(thread, store->fd,
					      O_RDONLY | (store->direct ? O_DIRECT : 0)));
	if (store_is_there(&again))
		return again.fd;
	store_close(&again);
	return -1;
}

/**
 * store_close() - close the store
 * @store: an open one, or one that could not be opened
 */
void store_close(struct store *store)
{
	if (store_is_there(store))
		close(store->fd);
	store->fd = -1;
}
