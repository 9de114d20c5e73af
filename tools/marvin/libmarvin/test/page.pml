/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of page.h: one page, its place in the store, two threads that read, write, pin and free
 * it, two threads that answer traps and prefetch, the saver, the kernel, and a child after fork().
 * A reader sees what was written last, and a load fails only if the medium does. spin.sh runs it,
 * and shows that spin finds each of these:
 *
 *	NO_SAVING	the saver does not look whether a write came while it wrote to the store
 *	NO_PROTECT	it protects the page after it has copied it
 *	NO_KEEP		a write to a given page makes its copy void: the kernel may drop the page
 *			after the trap and before the write
 *	NO_COMPARE	it overwrites the copy of a page that nobody has written since, and that the
 *			kernel may drop meanwhile
 *	NO_LOCK		the saver gives the page without the lock
 *	ASYNC		userfaultfd's asynchronous write protection: the kernel lets a write through
 *			by itself, and PAGEMAP_SCAN tells of it later
 *	GIVE_KEPT	the saver gives a page that is not CLEAN
 *	DROP_KEPT	it drops one
 *	NO_SUM		a load does not compare the sum of what it has read
 *	NO_LOOK		a load does not look whether the copy that it has read still counts
 *	FREE_LOADING	a second load may begin while the first one reads, if the page was freed
 *	TRUST_CLEAN	a load takes a page that is CLEAN, and not GIVEN, for one that is there
 *	OVER		what a load has read, or a page of zeroes, replaces a page that is there
 *	CAME		a load that finds the page there says that it is CLEAN
 *	LATE_PUNCH	free() punches the place of the page after it has dropped the lock
 *	NO_PINS		the saver saves a page that is pinned
 *	NO_TOUCH	a pin does not make the page dirty
 *	PUNCH_SHARED	the saver punches a place that a child reads
 *	SAVE_SHARED	it overwrites one
 *	NO_KIN		it gives a page that a child has, too, and of which the child has no copy
 *
 * With EIO a read of the store fails now and then; with FOREIGN another program writes to it.
 */

#define TORN 3			/* 0 is zeroes; the program writes 1 and 2 */

/* What page.h has of the page. */
bool mapped, copy, clean, given, saving, loading, zero, shared, stale;
byte sum, pins;
bool lock;
bool saver_lock;		/* the saver has it for a whole save */

/* The memory. */
bool present, protected;
bool lazy;			/* MADV_FREE, and not written since */
byte memory;

byte place;			/* what the store has */
byte truth;			/* what the program has written last */
bool failed;			/* a load failed: the use that waits for it gets SIGBUS */

byte inside;			/* threads that use the page */
bool freeing;

/*
 * The child: what it has of the page since fork(). Its memory is the parent's until that is written
 * or is new; the kernel may take it for clean.
 */
bool child, child_present, child_lazy, child_copy, common;
bool kin;			/* it was not CLEAN at fork() */
byte child_memory, child_sum, child_truth;

mtype = { MISSING, WRITE };
chan traps = [0] of { mtype };

#if defined(EIO) || defined(FOREIGN)
#define may_fail	true
#else
#define may_fail	false
#endif

/* What is atomic and has looked at the lock has it; it is taken where others come between. */
#define drop_lock	lock = false
#define next(value)	((value) % 2 + 1)

/* read_place() - a write that comes meanwhile makes a mix of it */
inline read_place(got)
{
	got = place;
	if
	:: atomic { got != place -> got = TORN }
	:: atomic { got == place -> skip }
#ifdef EIO
	:: got = TORN
#endif
	fi
}

/* put() - UFFDIO_COPY, UFFDIO_ZEROPAGE */
inline put(value, protect)
{
	there = present;
#ifdef OVER
	there = false;
#endif
	if
	:: !there ->
		present = true;
		memory = value;
		protected = protect;
		lazy = false;
		common = false;
		kin = false
	:: else
	fi
}

/* came() - the copy was read. With the lock */
inline came()
{
	loading = false;
	if
#ifndef NO_LOOK
	:: !copy
#endif
#ifndef NO_SUM
#ifndef NO_LOOK
	:: copy && got != sum ->
#else
	:: got != sum ->
#endif
		assert(may_fail);
		failed = true
#endif
	:: else ->
		put(got, true);
#ifdef CAME
		there = false;
#endif
		if
		:: !there -> mapped = true; clean = true; given = false
		:: else
		fi
	fi
}

/*
 * answer() - to a fault at a page that is missing, or was; @ahead: a prefetch, or a neighbour of
 * such a page, which mincore() has not seen: it may be in the swap
 */
inline answer(ahead)
{
	atomic {
		!lock ->
		if
		:: !loading && copy && !zero && (!present || given || ahead) ->
#ifdef TRUST_CLEAN
			assert(present || !clean || given);
#endif
			loading = true;
			loads = true
		:: !loading && !(copy && !zero) && !ahead ->
			put(0, false);
			if
			:: !there ->
				mapped = true;
				copy = false;
				clean = false;
				given = false;
				saving = false;
				zero = false
			:: else
			fi
		:: else
		fi
	}
	if
	:: loads ->
		read_place(got);
		atomic { !lock -> came(); loads = false; got = 0; there = false }
	:: else
	fi
}

active [HANDLERS] proctype handler()
{
	byte got;
	bool there, loads;

end:	do
	:: traps?MISSING -> answer(false)
	:: traps?WRITE ->
		atomic {
			!lock ->
			lock = true;
#ifdef NO_KEEP
			copy = false;
#endif
			clean = false;
			given = false;
			saving = false
		}
		atomic { protected = false; drop_lock }
	:: copy && !zero && !loading -> answer(true)
	od
}

/* trap() - what the processor and the kernel do if an access cannot go on */
#ifdef ASYNC
#define trap_write	atomic { present && protected -> protected = false }
#else
#define trap_write	atomic { present && protected -> traps!WRITE }
#endif
#define trap_missing	atomic { !present -> traps!MISSING }
#define trap_fails	atomic { failed -> failed = false; break }

inline read_page()
{
	do
	:: atomic { present -> assert(memory == truth); break }
	:: trap_missing
	:: trap_fails
	od
}

inline write_page()
{
	do
	:: atomic {
			present && !protected ->
			/* It writes some bytes of the page; the others have to be right. */
			assert(memory == truth);
			truth = next(truth);
			memory = truth;
			lazy = false;
			common = false;
			break
		}
	:: trap_write
	:: trap_missing
	:: trap_fails
	od
}

/* A pin, and a write by a device, which no protection stops. */
inline pin_page()
{
	atomic { !lock -> pins++ }
	do
	:: atomic {
			present && !protected ->
#ifndef NO_TOUCH
			lazy = false;
#endif
			device = true;
			break
		}
	:: trap_write
	:: trap_missing
	:: trap_fails
	od;
	if
	:: device ->
		atomic {
			assert(present && memory == truth);
			truth = next(truth);
			memory = truth;
			lazy = false;
			common = false;
			device = false
		}
	:: else
	fi;
	atomic { !lock -> pins-- }
}

/* free() - of the last object in the page. The memory that comes after it reads as zeroes */
inline free_page()
{
	atomic {
		!lock ->
		punch = copy && !zero && !shared;
		stale = stale || (copy && !zero);
		mapped = false;
		copy = false;
		clean = false;
		given = false;
		saving = false;
#ifdef FREE_LOADING
		loading = false;
#endif
		zero = false;
		/* MADV_DONTNEED */
		present = false;
		protected = false;
		lazy = false;
		common = false;
		kin = false;
		truth = 0;
		freeing = false
	}
#ifdef LATE_PUNCH
	if
	:: punch -> place = 0
	:: else
	fi;
#endif
	punch = false
}

active [USERS] proctype user()
{
	bool device, punch;

end:	do
	:: atomic { !freeing -> inside++ }
		if
		:: read_page()
		:: write_page()
		:: pin_page()
		fi;
		inside--
	:: atomic { !freeing && inside == 0 && mapped -> freeing = true }
		free_page()
	od
}

/* scan() - PAGEMAP_SCAN; with synchronous protection there is nothing to learn */
inline scan()
{
#ifdef ASYNC
	d_step {
		if
		:: present && !protected -> clean = false; given = false; saving = false
		:: else
		fi
	}
#endif
	skip
}

#ifdef NO_PINS
#define no_pins		true
#else
#define no_pins		pins == 0
#endif
#ifdef NO_KIN
#define not_kin		true
#else
#define not_kin		!kin
#endif
#ifdef SAVE_SHARED
#define not_shared	true
#else
#define not_shared	!shared
#endif

#ifdef NO_COMPARE
#define same		false
#else
#define same		(copy && sum == bounce && !zero)
#endif

/* copied() - the page was protected, and is in @bounce: is there anything to write? */
inline copied()
{
	scan();
	if
	:: saving && (bounce == TORN || loading) -> saving = false
	:: saving && bounce != TORN && !loading && (bounce == 0 || same) ->
		stale = stale || (bounce == 0 && copy && !zero);
		saving = false;
		copy = true;
		clean = true;
		zero = (bounce == 0);
		sum = bounce
	:: saving && bounce != TORN && !loading && bounce != 0 && !same ->
		copy = false;
		stale = true;
		writes = true
	:: else
	fi
}

/* wrote() - the store has it */
inline wrote()
{
	scan();
	if
#ifdef NO_SAVING
	:: mapped ->
#else
	:: saving ->
#endif
		zero = false;
		stale = false;
		copy = true;
		clean = true;
		sum = bounce
	:: else
	fi;
	saving = false
}

/* save() - the page is SAVING */
inline save()
{
	do
	:: atomic { present -> bounce = memory; break }
	:: trap_missing
	:: atomic { failed -> failed = false; bounce = TORN; break }
	od;
	atomic {
		!lock ->
#ifdef NO_PROTECT
		protected = present;
#endif
		copied()
	}
	if
	:: writes ->
		place = TORN;
		if
		:: place = bounce; atomic { !lock -> wrote() }
		:: atomic { !lock -> saving = false }
		fi
	:: else
	fi;
	atomic { bounce = 0; writes = false; saver_lock = false }
}

active proctype saver()
{
	byte bounce;
	bool writes;

end:	do
	:: atomic {
			mapped && !clean && !loading && no_pins && not_shared && !saver_lock && !lock ->
			saver_lock = true;
			saving = true;
#ifndef NO_PROTECT
			protected = present
#endif
		}
		save()
#ifdef NO_LOCK
	:: clean && !given && !loading && no_pins ->
		atomic { lazy = present; given = true }
#else
	:: atomic {
			!lock ->
			lock = true;
			scan()
		}
		if
#ifdef GIVE_KEPT
		:: copy && !given && !loading && no_pins ->
#else
		:: clean && !given && !loading && no_pins && not_kin ->
#endif
			/* MADV_FREE */
			atomic {
				lazy = present;
				child_lazy = child_lazy || (present && common);
				given = true;
				scan()
			}
		:: else
		fi;
		drop_lock
#endif
#ifdef DROP_KEPT
	:: atomic {
			copy && !loading && no_pins && !lock ->
#else
	:: atomic {
			clean && !loading && no_pins && !lock ->
#endif
			/* MADV_DONTNEED */
			scan();
			if
#ifdef ASYNC
			:: !clean
#endif
			:: else ->
				present = false;
				protected = false;
				lazy = false;
				common = false;
				given = true
			fi
		}
#ifdef PUNCH_SHARED
	:: atomic { stale && !saver_lock && !lock -> stale = false; place = 0 }
#else
	:: atomic { stale && !shared && !saver_lock && !lock -> stale = false; place = 0 }
#endif
	:: atomic { (shared || kin) && !child && !lock -> shared = false; kin = false }
	od
}

/* The kernel drops what it was given, and what was not written since, in any process. */
active proctype kernel()
{
end:	do
	:: d_step { present && lazy -> present = false; protected = false; lazy = false }
#ifdef FORK
	:: d_step { child_present && child_lazy -> child_present = false; child_lazy = false }
#endif
#ifdef FOREIGN
	:: place = 1
	:: place = TORN
#endif
	od
}

/* It reads the page, or its place in the parent's store. */
inline read_in_child()
{
	if
	:: atomic { child_present -> assert(child_memory == child_truth) }
	:: !child_present && child_copy ->
		read_place(got);
		assert(got == child_sum || may_fail);
		assert(got == child_truth || got != child_sum)
	:: atomic { !child_present && !child_copy -> assert(child_truth == 0) }
	fi;
	got = 0
}

#ifdef FORK
active proctype forked()
{
	byte got;

end:	do
	:: atomic {
			/* Even while the saver works. */
			mapped && !child && !lock ->
			child = true;
			child_present = present;
			common = present;
			kin = kin || !clean;
			child_lazy = lazy;
			child_memory = memory;
			child_copy = copy && !zero;
			child_sum = sum;
			child_truth = truth;
			shared = shared || copy
		}
		do
		:: read_in_child()
		:: break
		od;
		atomic {
			child_present = false;
			common = false;
			child_lazy = false;
			child_copy = false;
			child_memory = 0;
			child_sum = 0;
			child_truth = 0;
			child = false
		}
	od
}
#endif
