/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libmarvin: memory that is saved ahead of time, and can be taken back without I/O.
 *
 * A program makes objects in a heap and uses their addresses, as with malloc(). The
 * library saves pages that are not written any more to a store, and gives the memory of those that
 * are not used to the kernel, which takes it when it needs some. A page that is used again is
 * there, or the processor traps and the library reads it from the store. It has the right bytes,
 * or the use is an error (SIGBUS). An access costs no instruction more than to other memory.
 *
 *	struct marvin_options options = MARVIN_OPTIONS;
 *	struct marvin *heap;
 *
 *	options.store = "/var/tmp/";
 *	if (!marvin_open(&heap, &options)) {
 *		int *counts = marvin_new(heap, 1 << 20);
 *		...
 *		marvin_free(heap, counts);
 *		marvin_close(heap);
 *	}
 *
 * All functions may be called by any thread, but not by a signal handler. Functions that return int
 * give 0 or a negative errno. A process may have up to 16 heaps.
 *
 * System calls use memory, too: see marvin_pin(). A child after fork() has the heaps as they were.
 * Memory of a heap may not be moved by mremap().
 */
#ifndef MARVIN_H
#define MARVIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct marvin;				/* a heap */

/* How a struct begins that may be larger in another version. */
#ifdef __cplusplus
#define MARVIN_SIZED(name) ::libmarvin::sized<struct name>()
#else
#define MARVIN_SIZED(name) { .size = sizeof(struct name) }
#endif

/* How a heap learns of the uses of its memory. The first one that works is taken. */
enum marvin_road {
	MARVIN_ROAD_AUTO,
	/* userfaultfd with write protection: amd64 from Linux 5.7, arm64 from 6.10. */
	MARVIN_ROAD_WP,
	/*
	 * mprotect() and SIGSEGV: everywhere else. The library takes memory when it is short; the
	 * kernel cannot do it by itself.
	 */
	MARVIN_ROAD_SIGNAL,
	/* Nothing is saved, because the heap has no store. */
	MARVIN_ROAD_NONE,
};

/* Begin with MARVIN_OPTIONS; 0 or NULL means the default. */
struct marvin_options {
	size_t size;			/* sizeof(struct marvin_options) */
	/*
	 * A block device, whose contents are lost; a file; or a directory with a slash at its end,
	 * where a file without a name is made. NULL: nothing is saved. The store has the bytes as
	 * they are in memory, not encrypted. A file is made with mode 0600. An existing one is
	 * refused if it is a symbolic link (-ELOOP), has several names (-EMLINK), belongs to
	 * another user or may be opened by others (-EPERM), or is neither empty nor libmarvin's
	 * (-EEXIST).
	 */
	const char *store;
	uint64_t space;			/* bytes of addresses; default 1 GiB, on 32 bits 128 MiB */
	enum marvin_road road;
	uint32_t foreground_ms;		/* from tick to tick; default 5,000 */
	uint32_t background_ms;		/* the same in the background; default 30,000 */
	bool no_thread;			/* only marvin_tick() saves */
	const char *name;		/* for marvinctl; default: the program's own */
	/*
	 * Called with a message: the store is full, a page is lost. Default: print to standard
	 * error. It must not use the heap, nor fork. Any thread may call it.
	 */
	void (*say)(const char *text);
};

#define MARVIN_OPTIONS MARVIN_SIZED(marvin_options)

/* A heap, in *heap. -EBUSY: the store is in use; -EINVAL: a size; or an error of the store. */
int marvin_open(struct marvin **heap, const struct marvin_options *options);
/* The end of a heap and of its objects; no thread may use them any more. */
int marvin_close(struct marvin *heap);

/*
 * An object of zeroes; NULL with errno. Its address holds until marvin_free() or marvin_resize().
 */
void *marvin_new(struct marvin *heap, size_t bytes);
/* The same, at a multiple of a power of two up to 1 MiB. */
void *marvin_new_aligned(struct marvin *heap, size_t bytes, size_t align);
/* As realloc(): it may move. NULL with errno: the old object is as it was. */
void *marvin_resize(struct marvin *heap, void *object, size_t bytes);
/* The end of an object. NULL is ignored; an address where none begins is said. */
void marvin_free(struct marvin *heap, void *object);
/* Bytes that an object may use; 0: none begins at that address. */
size_t marvin_size(struct marvin *heap, const void *object);
/* Is an address in the space of the heap? */
bool marvin_owns(struct marvin *heap, const void *at);

/*
 * Memory stays in place until it is unpinned, for system calls where info.system_calls is false. An
 * error of the store is returned here, where an access would be SIGBUS. Pins count.
 */
int marvin_pin(struct marvin *heap, const void *at, size_t bytes);
void marvin_unpin(struct marvin *heap, const void *at, size_t bytes);
/* Reads missing pages now, in large parts. */
int marvin_prefetch(struct marvin *heap, const void *at, size_t bytes);
/* It will not be used for long: the next tick saves and gives it. */
int marvin_cold(struct marvin *heap, const void *at, size_t bytes);

/* Saves old pages, for at most this time, and gives them. The heap's thread does so by itself. */
int marvin_tick(struct marvin *heap, uint32_t budget_ms);
/* Takes about so many bytes that are saved and were given. Returns how many. No I/O. */
uint64_t marvin_drop(struct marvin *heap, uint64_t bytes);
/* Has all of the heap in memory. */
int marvin_fetch(struct marvin *heap);
/* To the background: all is saved, and its memory taken, now. marvind tells a heap the same. */
int marvin_background(struct marvin *heap, bool background);

/* Begin with MARVIN_INFO. */
struct marvin_info {
	size_t size;
	enum marvin_road road;
	bool system_calls;		/* the kernel may use memory that is not pinned */
	bool saves;			/* there is a store, and this process may write to it */
	uint64_t space;			/* bytes of addresses */
	size_t page;			/* bytes */
};

#define MARVIN_INFO MARVIN_SIZED(marvin_info)

/* Fills in as much as info->size says. */
int marvin_info(struct marvin *heap, struct marvin_info *info);
/* "wp", "signal", "none" */
const char *marvin_road_name(enum marvin_road road);

/*
 * Begin with MARVIN_STATS. In bytes unless a comment says otherwise; the second group counts from
 * marvin_open() on.
 */
struct marvin_stats {
	size_t size;
	uint64_t objects;		/* there are so many */
	uint64_t bytes;			/* that they were asked for with */
	uint64_t unsaved;		/* written, and not saved since */
	uint64_t saved;			/* the store has a copy, and the memory is kept */
	uint64_t given;			/* the store has a copy, and the memory may be gone */

	uint64_t ticks;			/* times */
	uint64_t written;		/* to the store */
	uint64_t zeroes;		/* pages: of zeroes, which are not written */
	uint64_t gave;			/* to the kernel */
	uint64_t dropped;		/* memory that this library took back itself */
	uint64_t loads;			/* times that a use waited for the store */
	uint64_t loaded;		/* read from the store */
	uint64_t write_traps;		/* times: the first write to a saved page */
	uint64_t lost;			/* pages that could not be read */
	uint64_t store_errors;		/* times */
	uint64_t full;			/* times that the store had no room */
};

#define MARVIN_STATS MARVIN_SIZED(marvin_stats)

/* Fills in as much as stats->size says. */
int marvin_stats(struct marvin *heap, struct marvin_stats *stats);

/*
 * A pin that ends with the block: MARVIN_PINNED pin = marvin_pinned(heap, at, bytes); pin.err is of
 * marvin_pin().
 */
struct marvin_pinned {
	struct marvin *heap;
	const void *at;
	size_t bytes;
	int err;
};

static inline struct marvin_pinned marvin_pinned(struct marvin *heap, const void *at, size_t bytes)
{
	struct marvin_pinned pinned = { heap, at, bytes, marvin_pin(heap, at, bytes) };

	return pinned;
}

static inline void marvin_pinned_end(struct marvin_pinned *pinned)
{
	if (!pinned->err)
		marvin_unpin(pinned->heap, pinned->at, pinned->bytes);
}

#define MARVIN_PINNED __attribute__((cleanup(marvin_pinned_end))) struct marvin_pinned

#ifdef __cplusplus
}

namespace libmarvin {

/* sized() - a struct with its size, and zeroes */
template <typename T>
T sized()
{
	T now = T();

	now.size = sizeof(T);
	return now;
}

/* pin - holds memory as long as it lives; err() is of marvin_pin() */
class pin {
public:
	pin(struct marvin *heap, const void *at, size_t bytes)
		: pinned_(marvin_pinned(heap, at, bytes))
	{
	}
	~pin() { marvin_pinned_end(&pinned_); }
	pin(const pin &) = delete;
	pin &operator=(const pin &) = delete;
	int err() const { return pinned_.err; }

private:
	struct marvin_pinned pinned_;
};

} // namespace libmarvin
#endif
#pragma GCC visibility pop

#endif
