// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that take locks of another process: process_madvise(), reads of maps, smaps and pagemap,
 * the close of a descriptor that another program made. A program can hold its mmap_lock for ever,
 * for instance by a page of a FUSE file that no server delivers. The caller of such a call then
 * waits for ever, often in a way that not even SIGKILL ends.
 *
 * So a child process makes these calls, one at a time. If the child stands still for some seconds
 * the daemon kills and forgets it, and leaves the program alone from then on. The child has no
 * descriptor of the daemon: neither the guardian's lifeline nor the lock on the list of changes
 * (undo.h) waits for its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "aside.h"
#include "bars.h"
#include "guard.h"
#include "log.h"
#include "sys.h"
#include "undo.h"

/* How often the daemon looks whether it has to end, and whether the child gets on: a guess. */
#define LOOK_MS 100
/*
 * A child that did not run for so long is held. A child that reads or writes a slow medium runs
 * again after each request; an SD card under load pauses for about a second. A guess with a margin
 * of 5.
 */
#define HELD_MS 5000
/* A child that is not held ends within milliseconds, on a slow board perhaps in a tenth of this. */
#define END_MS 300
/* Killed children that have not ended; with more, the daemon looks at root's only. A guess. */
#define LOST 8

/*
 * Pipes, because a board may have no sockets (CONFIG_UNIX), take the function's address to the
 * child, a fork with the same functions, and this back. The argument lies in the shared area.
 */
struct reply {
	int64_t result;
	uint64_t cpu_us;		/* time of the processor that the child has had */
};

static struct {
	atomic_int pid;			/* 0: no child */
	atomic_bool stopped;		/* aside_stop() was called */
	int to;				/* pipes */
	int from;
	void *area;			/* ASIDE_BYTES, shared with the child */
	uint64_t cpu_us;		/* as of its last reply */
	uint64_t cpu_before_us;		/* of those before it */
} child = { .to = -1, .from = -1 };

static struct bars bars;
static pid_t lost[LOST];
/* Of aside_leave(). */
static pid_t left;
/* This process is the child. */
static bool inside;

/* leave_daemon() - the child lets go of all that others might wait for */
static void leave_daemon(int from, int to)
{
	const int kept[] = { from, to, log_fd() };
	sigset_t none;

	sys_close_all_but(kept, sizeof(kept) / sizeof(kept[0]));
	undo_leave();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "aside");
	guard_protect();
}

static void serve(int from, int to, void *area, pid_t daemon)
{
	struct reply reply;
	aside_fn fn;

	leave_daemon(from, to);
	inside = true;
	/* The daemon may be gone already. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != daemon)
		_exit(0);
	while (read(from, &fn, sizeof(fn)) == (ssize_t)sizeof(fn)) {
		reply.result = fn(area);
		reply.cpu_us = sys_cpu_us();
		if (write(to, &reply, sizeof(reply)) != (ssize_t)sizeof(reply))
			break;
	}
	_exit(0);
}

/* reap() - of the children that were killed, those that have ended; returns how many have not */
static unsigned int reap(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < LOST; i++) {
		if (lost[i] && waitpid(lost[i], NULL, WNOHANG))
			lost[i] = 0;
		n += !!lost[i];
	}
	return n;
}

/*
 * end_child() - kill it. The caller may have the lowest priority, and so has the child: on a busy
 * processor it would keep all memory of a program that it looks at until long after that has ended.
 */
static void end_child(pid_t pid)
{
	sys_nice(pid, 0);
	kill(pid, SIGKILL);
}

/* lose() - kill the child, and forget it */
static void lose(void)
{
	unsigned int i;

	end_child(child.pid);
	reap();
	for (i = 0; i < LOST - 1 && lost[i]; i++)
		;
	lost[i] = child.pid;
	close(child.to);
	close(child.from);
	/* The kernel may still write for the old child's call: the next child has another area. */
	munmap(child.area, ASIDE_BYTES);
	child.cpu_before_us += child.cpu_us;
	child.cpu_us = 0;
	atomic_store(&child.pid, 0);
}

/* start() - the child, unless it runs, with pipes to it and from it */
static int start(void)
{
	int to[2] = { -1, -1 }, from[2] = { -1, -1 }, err = 0;
	pid_t daemon = getpid(), pid;

	if (child.pid || inside)
		return 0;
	/* A child that has ended is seen by the error. */
	signal(SIGPIPE, SIG_IGN);
	child.area = mmap(NULL, ASIDE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			  -1, 0);
	if (child.area == MAP_FAILED)
		return -errno;
	pid = pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) ? -1 : fork();
	if (!pid)
		serve(to[0], from[1], child.area, daemon);
	if (pid > 0) {
		child.to = to[1];
		child.from = from[0];
		atomic_store(&child.pid, pid);
	} else {
		err = -errno;
		close(to[1]);
		close(from[0]);
		munmap(child.area, ASIDE_BYTES);
	}
	close(to[0]);
	close(from[1]);
	return err;
}

/**
 * aside_start() - start the child, unless it runs
 *
 * The first call starts it, too; but an early fork copies less.
 */
int aside_start(void)
{
	/* Clear away the child that aside_stop() has killed. */
	if (atomic_exchange(&child.stopped, false) && child.pid)
		lose();
	return start();
}

/* has_to_end() - a signal that ends the daemon is pending, or aside_stop() was called */
static bool has_to_end(void)
{
	sigset_t pending;

	return atomic_load(&child.stopped) ||
	       (!sigpending(&pending) && (sigismember(&pending, SIGTERM) > 0 ||
					  sigismember(&pending, SIGINT) > 0));
}

/* runs() - how often the child has gone to sleep; one more each time while it does not sleep */
static uint64_t runs(uint64_t before)
{
	char text[2048];
	const char *state;
	uint64_t n;

	if (proc_text(child.pid, "status", text, sizeof(text)) <= 0)
		return before;
	state = strstr(text, "\nState:\t");
	if ((state && state[8] == 'R') || !parse_key(text, "voluntary_ctxt_switches", &n))
		return before + 1;
	return n;
}

/* await() - an answer. -EINTR: the daemon has to end; -ETIMEDOUT: the child is held */
static int await(void)
{
	struct pollfd ready = { .fd = child.from, .events = POLLIN };
	uint64_t ran = 0, now, since_us = sys_now_us();
	int n;

	while ((n = poll(&ready, 1, LOOK_MS)) <= 0) {
		if (n < 0 && errno != EINTR)
			return -errno;
		if (has_to_end())
			return -EINTR;
		/* Another thread than the daemon's own has nothing to do with its health. */
		if (sys_gettid() == getpid())
			guard_beat();
		now = runs(ran);
		if (now != ran)
			since_us = sys_now_us();
		ran = now;
		if (sys_now_us() - since_us > HELD_MS * 1000ull)
			return -ETIMEDOUT;
	}
	return 0;
}

/* has_crashed() - the child has ended by itself, not by SIGKILL */
static bool has_crashed(void)
{
	siginfo_t info = { 0 };
	unsigned int tries;

	/* A process closes its pipes some time before it has ended. */
	for (tries = 0; tries < 100 && !info.si_pid; tries++) {
		if (waitid(P_PID, (id_t)child.pid, &info, WEXITED | WNOWAIT | WNOHANG))
			return false;
		if (!info.si_pid)
			usleep(1000);
	}
	return info.si_pid && !(info.si_code == CLD_KILLED && info.si_status == SIGKILL);
}

/* blame() - the child is held at a program, or has crashed there */
static void blame(struct proc_id id, bool held)
{
	uid_t user = 0;
	bool known;

	proc_uid(id.pid, &user);
	known = bars_has_user(&bars, user);
	bars_add(&bars, id, user);
	log_warn("process %d is left alone from now on: %s", (int)id.pid, held ?
		 "calls that look at its memory do not return" :
		 "the helper crashed as it looked at its memory");
	if (!known && bars_has_user(&bars, user))
		log_warn("all programs of user %u are left alone: %d of them did so", user,
			 BARS_OF_USER);
}

/* exchange() - the call itself; 0, or a negative errno without a result */
static int exchange(aside_fn fn, void *arg, size_t size, int64_t *result)
{
	struct reply reply;
	int err;

	if (size)
		memcpy(child.area, arg, size);
	if (write(child.to, &fn, sizeof(fn)) < 0)
		return -EPIPE;
	err = await();
	if (err)
		return err;
	if (read(child.from, &reply, sizeof(reply)) != (ssize_t)sizeof(reply))
		return -ECHILD;
	child.cpu_us = reply.cpu_us;
	*result = reply.result;
	if (size)
		memcpy(arg, child.area, size);
	return 0;
}

/**
 * aside_barred() - is a process left alone, because it or its user's programs held the child?
 *
 * Return: true also for a program of another user than root while LOST children have not ended.
 */
bool aside_barred(struct proc_id id)
{
	uid_t user;

	/* Nearly always: then nothing more has to be known of the process. */
	if (!bars.next)
		return false;
	if (proc_uid(id.pid, &user))
		return true;
	return bars_has(&bars, id, user) || (user && reap() == LOST);
}

static int64_t call(struct proc_id id, aside_fn fn, void *arg, size_t size)
{
	int64_t result;
	bool crashed;
	int err;

	if (aside_barred(id))
		return -EBUSY;
	err = has_to_end() ? -EINTR : start();
	if (err)
		return err;
	err = exchange(fn, arg, size, &result);
	if (!err)
		return result;
	crashed = err == -ECHILD && has_crashed();
	lose();
	if (atomic_load(&child.stopped))
		return -EINTR;
	/* SIGKILL from outside: the next call starts another child. */
	if (err != -ETIMEDOUT && !crashed)
		return err == -EINTR ? err : -EAGAIN;
	blame(id, err == -ETIMEDOUT);
	return -EBUSY;
}

/**
 * aside() - call a function that may be held, in the child
 * @id: the process whose locks it takes
 * @fn: the function; its result is not negative, or an errno
 * @arg: of @fn
 * @size: of @arg in bytes, at most ASIDE_BYTES
 *
 * Context: one thread at a time. Waits as long as @fn gets on.
 *
 * Return: the result of @fn; -EBUSY: the process holds its callers, now or before, and is left
 * alone; -EAGAIN: the child was killed; -EINTR: the daemon has to end; -ESRCH; or another negative
 * errno.
 */
int64_t aside(struct proc_id id, aside_fn fn, void *arg, size_t size)
{
	return inside ? fn(arg) : call(id, fn, arg, size);
}

/** aside_left() - does the child of aside_leave() still run? */
bool aside_left(void)
{
	if (left > 0 && waitpid(left, NULL, WNOHANG))
		left = 0;
	return left > 0;
}

/**
 * aside_leave() - call a function in a child of its own, and do not wait for it
 * @fn: the function; it may be held for ever
 * @arg: of @fn
 *
 * Context: the daemon's own thread.
 *
 * Return: 0; -EBUSY, if the child of the last call still runs; or another negative errno.
 */
int aside_leave(aside_fn fn, void *arg)
{
	if (aside_left())
		return -EBUSY;
	left = fork();
	if (!left) {
		leave_daemon(-1, -1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fn(arg);
		_exit(0);
	}
	return left < 0 ? -errno : 0;
}

/** aside_pid() - the child's process id; 0 without a child */
pid_t aside_pid(void)
{
	return atomic_load(&child.pid);
}

/** aside_cpu_us() - microseconds of the processor that the calls have cost */
uint64_t aside_cpu_us(void)
{
	return child.cpu_before_us + child.cpu_us;
}

/**
 * aside_stop() - end the child, and a call that is under way in another thread
 *
 * The caller does not wait for the child's end. Until aside_start() all calls fail with -EINTR.
 */
void aside_stop(void)
{
	pid_t pid = atomic_load(&child.pid);

	atomic_store(&child.stopped, true);
	if (pid)
		end_child(pid);
}

/**
 * aside_end() - end the child, and wait for its end, for END_MS at most
 *
 * A child that is killed in a call keeps the memory of a program that has ended meanwhile. Whoever
 * waits for the daemon's end, for instance to switch swap off, needs that memory.
 */
void aside_end(void)
{
	unsigned int ms, waits = reap();

	if (child.pid)
		lose();
	/* Those that were lost before are held, and do not end. */
	for (ms = 0; ms < END_MS && reap() > waits; ms += 10)
		usleep(10000);
}
