/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of the lock protocol: one object, two threads that use it, the saver, the reclaimer,
 * which is another process, and the kernel. Nobody may use bytes that are gone, or old. See heap.c,
 * saver.c and ../../marvind/reclaim.c; spin.sh runs it, and shows that each of these is found out:
 *
 *	NO_PIN		a user does not set a pin before it looks at the lock
 *	NO_WAIT		it sets a pin, but does not wait for the lock
 *	NO_POPULATE	it does not make the pages dirty before it looks at them
 *	NO_HASH		it takes RESIDENT for the truth
 *	NO_GATE		the saver gives an object to the kernel while somebody may use it
 *	NO_CHECK	the saver does not see that an object was changed while it was saved
 *	NO_STEAL	a user waits for a lock without end, whose owner has died
 *
 * HARD is a kernel that drops pages that were written, too, as the shim in test_lock.c does: there
 * the lock alone protects what is used, and nobody may take it away (NO_STEAL, and IMMORTAL: the
 * reclaimer does not die).
 */

#define GONE 0			/* contents: zeroes; 1 and 2 are what the program writes */

/* The word of the entry, and the stub */
bool locked, resident = true, lazy, dirty = true, busy;
byte pins;
bool reading = true, writing = true;

/* The memory, and what is in the store. */
byte memory = 1;
bool given;			/* MADV_FREE */
bool written = true;		/* since then */
byte copy, hash;

byte truth = 1;			/* what the program has written last */

/* Locks. */
bool heap;
bool shut;
byte inside;

#define lock_heap	atomic { !heap -> heap = true }
#define unlock_heap	heap = false
#define enter		atomic { !shut -> inside++ }
#define leave		inside--

#ifdef NO_GATE
#define shut_gate	skip
#define open_gate	skip
#else
#define shut_gate	atomic { !shut -> shut = true }; inside == 0
#define open_gate	shut = false
#endif

/* The kernel takes what it was given and what was not written since, whenever it likes. */
inline drop()
{
	if
#ifdef HARD
	:: true -> memory = GONE
#else
	:: given && !written -> memory = GONE
	:: else
#endif
	fi
}

inline bring_back()
{
#ifndef NO_PIN
	pins++;
#endif
#ifndef NO_WAIT
	do
	:: locked ->
#ifdef NO_STEAL
		!locked
#else
		/* Its owner is dead, or patience is over; or it is done by then. */
		locked = false
#endif
	:: else -> break
	od;
#endif
#ifndef NO_POPULATE
	written = true;
#endif
	if
#ifdef NO_HASH
	:: resident
#else
	:: resident && memory == hash
#endif
	:: else ->
		d_step { memory = copy; written = true }
	fi;
	resident = true;
	lazy = false;
#ifndef NO_PIN
	pins--;
#endif
}

/* marvin_claim(), with its caller inside. */
inline claim(write)
{
	lock_heap;
	if
	:: lazy -> bring_back()
	:: else
	fi;
	d_step {
		dirty = dirty || write;
		reading = true;
		writing = writing || write
	}
	unlock_heap
}

inline check()
{
	assert(memory == truth)
}

/* A write makes its page dirty; so does one that finds no page. */
inline change()
{
	d_step {
		assert(memory == truth);
		truth = 3 - truth;
		memory = truth;
		written = true
	}
}

active [2] proctype user()
{
end:	do
	:: enter;
		if
		:: reading
		:: !reading -> claim(false)
		fi;
		check();
		check();
		leave
	:: enter;
		if
		:: writing
		:: !writing -> claim(true)
		fi;
		change();
		leave
	:: enter;
		claim(true);
		pins++;
		leave;
		check();
		change();
		pins--
	od
}

active proctype saver()
{
	byte bounce;

end:	do
	:: shut_gate;
		/* copy() */
		if
		:: dirty && !lazy && !busy && pins == 0 ->
			d_step { writing = false; dirty = false; busy = true; bounce = memory }
			open_gate;
			copy = bounce;
			shut_gate;
			d_step { hash = bounce; busy = false }
		:: else
		fi;
		open_gate
	:: shut_gate;
		/* give_batch() */
		lock_heap;
		if
#ifdef NO_CHECK
		:: !lazy && !busy && pins == 0 && hash != 0 ->
#else
		:: !dirty && !lazy && !busy && pins == 0 ->
#endif
			d_step { lazy = true; reading = false; writing = false }
			open_gate;
			d_step { given = true; written = false }
		:: else ->
			open_gate
		fi;
		unlock_heap
	od
}

active proctype reclaimer()
{
end:	do
	:: atomic {
			lazy && resident && !locked && !dirty && !busy && pins == 0 ->
			locked = true
		}
		/* While it has the lock, nobody uses the object. */
		atomic { assert(!locked || lazy); drop() }
		atomic { assert(!locked || lazy); drop() }
#ifndef IMMORTAL
		if
		:: true
		:: true -> break
		fi;
#endif
		d_step {
			if
			:: locked -> locked = false; resident = false
			:: else
			fi
		}
	od
}

#ifndef HARD
active proctype kernel()
{
end:	do
	:: atomic { given && !written && memory != GONE -> drop() }
	od
}
#endif
