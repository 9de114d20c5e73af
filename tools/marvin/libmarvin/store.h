/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The store: a file, or a block device, that has a page for each page of the space, at the same
 * number. So it needs no index and no compaction: when an object is freed, its pages become a hole
 * in the file, or are discarded on the device, which a compressing MTD turns into free media.
 *
 * A file with a name begins with a page that has a mark. By the mark the next start knows that it
 * may empty the file. Otherwise the store has no head and no checksums: only the running program
 * can use its contents, and it knows the hash of each copy.
 */
#ifndef MARVIN_STORE_H
#define MARVIN_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The first bytes of a file with a name, also for a user who looks into it. */
#define STORE_MARK "libmarvin store, may be emptied\n"
#define STORE_MARK_BYTES 32

struct store {
	int fd;				/* negative: no store is open */
	bool device;
	dev_t dev;			/* of its file: the number may be another one by now */
	ino_t ino;
	bool direct;			/* past the page cache */
	bool marked;			/* the mark is in the file */
	size_t head;			/* bytes before the first page; 0: no mark is needed */
	uint64_t bytes;			/* of a device; UINT64_MAX: a file grows */
};

int store_above_stdio(int fd);
int store_open(struct store *store, const char *path, const char **why);
int store_write(struct store *store, uint64_t at, const void *data, size_t bytes);
int store_read(const struct store *store, uint64_t at, void *data, size_t bytes);
void store_forget(const struct store *store, uint64_t at, uint64_t bytes);
bool store_is_there(const struct store *store);
int store_again(const struct store *store, pid_t thread);
void store_close(struct store *store);

#endif
