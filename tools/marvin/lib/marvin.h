/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libmarvin: objects whose memory can be taken back without I/O.
 *
 * A program keeps its large data in objects. libmarvin saves those that are not written any more
 * to a store ahead of time, and gives the memory of those that are not used to the kernel, which
 * takes it when it needs some. An object that is used again is there, or is read from the store;
 * it has the right bytes, or the use fails.
 *
 *	struct marvin_options options = { .store = "/var/tmp/" };
 *	marvin_ref ref;
 *
 *	marvin_open(&options);
 *	ref = marvin_new(1 << 20);
 *	marvin_enter();
 *	uint8_t *bytes = marvin_write(ref);	// NULL: it is lost, see errno
 *	...					// the pointer holds until marvin_leave()
 *	marvin_leave();
 *	marvin_free(ref);
 *
 * Objects are used between marvin_enter() and marvin_leave(), as short as a loop: nothing can be
 * saved meanwhile. A pin holds an object for as long as it takes. There is one heap in a process.
 *
 * All functions may be called by any thread, but not by a signal handler. A thread may be
 * cancelled, if not asynchronously: none of them is a place where that happens. One that returns
 * int gives 0 or a negative errno.
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

/* An object of fewer bytes stays in memory. */
#define MARVIN_SMALL 2048

struct marvin_options {
	/*
	 * A block device, whose contents are lost; a file; or a directory with a slash at its end,
	 * where a file without a name is made. NULL: no object is saved. Objects are stored
	 * as they are, not encrypted. A file is made with mode 0600. An existing one is refused
	 * if it is a symbolic link (-ELOOP), has several names (-EMLINK), belongs to another user
	 * or may be opened by others (-EPERM), or is neither empty nor libmarvin's (-EEXIST).
	 */
	const char *store;
	uint64_t space;			/* bytes of address space; 0: 512 MiB, on 32 bits 128 */
	uint32_t objects;		/* at most; 0: 60,000 */
	uint32_t foreground_ms;		/* from tick to tick; 0: 5,000 */
	uint32_t background_ms;		/* the same in the background; 0: 30,000 */
	bool no_thread;			/* only marvin_tick() saves */
	const char *name;		/* for marvinctl; NULL: the program's own */
	/*
	 * Called for what is to be said: the store is full, an object is lost. NULL: standard
	 * error. It must not use objects, nor fork. Any thread may call it, from marvin_new(), too.
	 */
	void (*say)(const char *text);
};

/*
 * What stands for an object: a stub. It is the caller's, or made by marvin_new(); it is never taken
 * back, so references to other objects that are kept beside it are there when the object is not.
 * libmarvin writes to it, and it must not move. What changes while others look is read and written
 * by the compiler's __atomic functions alone: C++ has no _Atomic.
 */
struct marvin_stub {
	void *reading;			/* atomic: the object, if it was read since the last tick */
	void *writing;			/* the same, written; each may be NULL at any time */
	void *data;
	size_t bytes;
	uint32_t *word;			/* of its entry, which is atomic; NULL: freed */
};

typedef struct marvin_stub *marvin_ref;

int marvin_open(const struct marvin_options *options);
int marvin_close(void);

/*
 * While hardly any memory is left, marvin_new() and marvin_init() may wait for up to 5 seconds for
 * each MiB, until objects are saved: not where the caller is between marvin_enter() and
 * marvin_leave().
 */
marvin_ref marvin_new(size_t bytes);
void marvin_free(marvin_ref ref);
int marvin_init(struct marvin_stub *stub, size_t bytes);
void marvin_fini(struct marvin_stub *stub);

/* A thread that uses objects. */
struct marvin_thread {
	uint32_t inside;		/* atomic: how deep */
	bool known;
	struct marvin_thread *next;
};

extern __thread struct marvin_thread marvin_thread;
extern uint32_t marvin_gate;		/* atomic */
void marvin_wait_for_gate(void);
void *marvin_claim(marvin_ref ref, bool write);

/*
 * The saver shuts the gate, then looks who is inside; the kernel orders the two for all
 * (membarrier).
 */
#ifdef __SANITIZE_THREAD__
#define MARVIN_ENTER_ORDER __ATOMIC_SEQ_CST
#define MARVIN_GATE_ORDER __ATOMIC_SEQ_CST
#define MARVIN_DATA_ORDER __ATOMIC_ACQUIRE
#else
#define MARVIN_ENTER_ORDER __ATOMIC_RELAXED
/* What is looked at behind the gate is not looked at before. */
#define MARVIN_GATE_ORDER __ATOMIC_ACQUIRE
/* The bytes are found by the pointer, which is order enough for processors. */
#define MARVIN_DATA_ORDER __ATOMIC_RELAXED
#endif

/**
 * marvin_enter() - objects are used from here on
 *
 * Calls may nest. It waits while the saver looks at objects, which is far below a millisecond; up
 * to ten, while another thread stays inside.
 */
static inline void marvin_enter(void)
{
	uint32_t inside = __atomic_load_n(&marvin_thread.inside, __ATOMIC_RELAXED);

	__atomic_store_n(&marvin_thread.inside, inside + 1, MARVIN_ENTER_ORDER);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!inside && (__builtin_expect(!marvin_thread.known, 0) ||
			__atomic_load_n(&marvin_gate, MARVIN_GATE_ORDER)))
		marvin_wait_for_gate();
}

/**
 * marvin_leave() - to here
 */
static inline void marvin_leave(void)
{
	uint32_t inside = __atomic_load_n(&marvin_thread.inside, __ATOMIC_RELAXED);

	__atomic_store_n(&marvin_thread.inside, inside - 1, __ATOMIC_RELEASE);
}

/**
 * marvin_read() - the bytes of an object, to be read
 * @ref: the object
 *
 * Context: between marvin_enter() and marvin_leave(); may sleep, if the object is not there.
 *
 * Return: its first byte, which holds until marvin_leave(); NULL, if it is lost, with errno: EIO,
 * the store could not be read; EBADMSG, the store had other bytes; ESTALE, it is its parent's;
 * EINVAL, it was freed.
 */
static inline const void *marvin_read(marvin_ref ref)
{
	void *data = __atomic_load_n(&ref->reading, MARVIN_DATA_ORDER);

	return __builtin_expect(data != NULL, 1) ? data : marvin_claim(ref, false);
}

/**
 * marvin_write() - the same, to be written, too
 * @ref: the object
 */
static inline void *marvin_write(marvin_ref ref)
{
	void *data = __atomic_load_n(&ref->writing, MARVIN_DATA_ORDER);

	return __builtin_expect(data != NULL, 1) ? data : marvin_claim(ref, true);
}

void *marvin_pin(marvin_ref ref, bool write);
void marvin_unpin(marvin_ref ref);

int marvin_tick(uint32_t budget_ms);
uint64_t marvin_drop(uint64_t bytes);
int marvin_fetch(void);

struct marvin_stats {
	uint64_t objects, bytes;	/* that there are */
	uint64_t ticks;
	uint64_t saved, saved_bytes;	/* written to the store; in sum, as all below */
	uint64_t lazy;			/* given to the kernel */
	uint64_t claimed;		/* used again, and still there */
	uint64_t loaded, loaded_bytes;	/* used again, and read from the store */
	uint64_t dropped;		/* taken back by marvin_drop() or marvind */
	uint64_t broken;		/* lost */
	uint64_t store_errors, full;	/* failed attempts to save: other errors; store full */
};

void marvin_stats(struct marvin_stats *stats);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
