// SPDX-License-Identifier: GPL-2.0
/*
 * Calls in the helper process: results, descriptors, programs that block or crash the helper, and
 * descriptors that it must not inherit from the daemon. And which programs and users are barred.
 */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include "aside.h"
#include "bars.h"
#include "log.h"
#include "sys.h"
#include "tree.h"
#include "undo.h"

struct sum {
	int a;
	int b;
	int sum;
};

static struct proc_id self(void)
{
	struct proc_stat stat;

	expect_eq(proc_read(getpid(), &stat), 0);
	return (struct proc_id){ getpid(), stat.start };
}

static int64_t add(void *arg)
{
	struct sum *sum = arg;

	sum->sum = sum->a + sum->b;
	return getpid();
}

/* hold() - block for ever, as on a lock that a program does not release */
static int64_t hold(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

static int64_t crash(void *arg)
{
	(void)arg;
	/* The default action, without the sanitizer's report. */
	signal(SIGABRT, SIG_DFL);
	abort();
}

static int64_t own_end(void *arg)
{
	(void)arg;
	kill(getpid(), SIGKILL);
	return 0;
}

static int64_t count_files(void *arg)
{
	int fd, n = 0;

	(void)arg;
	for (fd = 3; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* slow() - a call that takes long, but makes progress */
static int64_t slow(void *arg)
{
	unsigned int i;

	for (i = 0; i < *(unsigned int *)arg; i++)
		usleep(100000);
	return i;
}

static int64_t nested(void *arg)
{
	return aside(self(), add, arg, sizeof(struct sum));
}

static void test_call(void)
{
	struct sum sum = { 2, 3, 0 };
	int64_t pid = aside(self(), add, &sum, sizeof(sum));

	expect_eq(sum.sum, 5);
	expect(pid > 0 && pid != getpid());
	expect_eq(pid, aside_pid());
	sum.a = 7;
	expect_eq(aside(self(), add, &sum, sizeof(sum)), pid);
	expect_eq(sum.sum, 10);
	sum.a = 8;
	expect_eq(aside(self(), nested, &sum, sizeof(sum)), pid);
	expect_eq(sum.sum, 11);
	expect(aside_cpu_us() > 0);
	aside_stop();
	expect_eq(aside(self(), add, &sum, sizeof(sum)), -EINTR);
}

/* At its end the helper must not have the lowest priority, or it would keep memory for long. */
static void test_end_in_time(void)
{
	pid_t pid;

	expect_eq(aside_start(), 0);
	pid = aside_pid();
	expect_eq(sys_nice(pid, 19), 0);
	aside_stop();
	/* The child may be a zombie by now; a zombie has a priority, too. */
	expect_eq(getpriority(PRIO_PROCESS, (id_t)pid), geteuid() ? 19 : 0);
	/* And the daemon does not end before it. */
	aside_end();
	expect(kill(pid, 0) && errno == ESRCH);
}

/* The helper has no copies of the daemon's descriptors, so closing them has its full effect. */
static void test_nothing_kept(void)
{
	int ends[2], next;
	char byte;

	tree_make();
	expect_eq(symlink("/proc", tree_path("/proc")), 0);
	expect_eq(undo_open(tree_path("/state")), 0);
	expect_eq(pipe(ends), 0);
	expect_eq(aside_start(), 0);
	expect_eq(aside(self(), count_files, NULL, 0), 2);
	close(ends[1]);
	expect_eq(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	/* The lock of the list is free as soon as this process releases it. */
	undo_leave();
	next = undo_open(tree_path("/state"));
	expect_eq(next, 0);
	undo_leave();
	aside_stop();
	tree_remove();
}

static void test_slow(void)
{
	unsigned int tenths = getenv("QUICK") ? 10 : 70;

	expect_eq(aside_start(), 0);
	expect_eq(aside(self(), slow, &tenths, sizeof(tenths)), tenths);
	aside_stop();
}

static pid_t other_program(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static struct proc_id id_of(pid_t pid)
{
	struct proc_stat stat;

	expect_eq(proc_read(pid, &stat), 0);
	return (struct proc_id){ pid, stat.start };
}

/* A program that blocks the helper costs some seconds, once; other programs are still handled. */
static void test_held(void)
{
	pid_t pid = other_program(), helper;
	struct sum sum = { 1, 1, 0 };
	struct proc_id id = id_of(pid);
	u64 begun = now_ms();

	expect_eq(aside_start(), 0);
	helper = aside_pid();
	expect_eq(aside(id, hold, NULL, 0), -EBUSY);
	expect(now_ms() - begun >= 4000);
	begun = now_ms();
	expect(aside_barred(id));
	expect_eq(aside(id, add, &sum, sizeof(sum)), -EBUSY);
	expect(now_ms() - begun < 2000);
	expect(!aside_barred(self()));
	expect(aside(self(), add, &sum, sizeof(sum)) > 0);
	expect_eq(sum.sum, 2);
	expect(aside_pid() != helper);
	aside_stop();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_crash(void)
{
	pid_t pid = other_program();
	struct proc_id id = id_of(pid);
	struct sum sum = { 1, 2, 0 };

	expect_eq(aside_start(), 0);
	/* If a signal ends the helper, the program is not barred. */
	expect_eq(aside(id, own_end, NULL, 0), -EAGAIN);
	expect(!aside_barred(id));
	expect_eq(aside(id, crash, NULL, 0), -EBUSY);
	expect(aside_barred(id));
	expect(aside(self(), add, &sum, sizeof(sum)) > 0);
	expect_eq(sum.sum, 3);
	aside_stop();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A daemon that is told to end does not wait for a call. */
static void test_term(void)
{
	sigset_t set;
	u64 begun = now_ms();
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	expect_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	expect_eq(aside_start(), 0);
	kill(getpid(), SIGTERM);
	expect_eq(aside(self(), hold, NULL, 0), -EINTR);
	expect_eq(aside(self(), hold, NULL, 0), -EINTR);
	expect(now_ms() - begun < 2000);
	expect(!aside_barred(self()));
	expect_eq(sigwait(&set, &sig), 0);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	aside_stop();
}

static void test_bars(void)
{
	static struct bars bars;
	struct proc_id one = { 100, 1 }, later = { 100, 2 }, two = { 101, 5 };
	unsigned int i;

	expect(!bars_has(&bars, one, 1000));
	bars_add(&bars, one, 1000);
	expect(bars_has(&bars, one, 1000));
	expect(bars_has(&bars, one, 0));
	expect(!bars_has(&bars, later, 1000));
	expect(!bars_has(&bars, two, 1000));
	expect(!bars_has_user(&bars, 1000));
	bars_add(&bars, two, 1000);
	expect(bars_has_user(&bars, 1000));
	expect(bars_has(&bars, later, 1000));
	expect(!bars_has(&bars, later, 1001));
	/* Barred programs of root do not bar root's other programs. */
	memset(&bars, 0, sizeof(bars));
	for (i = 0; i < 3 * BARS; i++)
		bars_add(&bars, (struct proc_id){ (pid_t)i + 1, 1 }, 0);
	expect(!bars_has_user(&bars, 0));
	expect(bars_has(&bars, (struct proc_id){ 3 * BARS, 1 }, 0));
	expect(!bars_has(&bars, (struct proc_id){ 1, 1 }, 0));
}

static pid_t victim;

/* hold_and_say() - store the process's id, then block */
static int64_t hold_and_say(void *arg)
{
	atomic_store((atomic_int *)arg, getpid());
	return hold(NULL);
}

static int64_t release(void *arg)
{
	int fd = sys_pidfd_open(victim);

	atomic_store((atomic_int *)arg, sys_process_mrelease(fd));
	return 0;
}

/* aside_leave() frees the memory of a killed program without waiting for that. */
static void test_leave(void)
{
	atomic_int *result = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u64 begun = now_ms();

	expect_eq(aside_leave(hold_and_say, result), 0);
	expect(aside_left());
	/* Just one such call at a time, so that blocked processes do not become many. */
	expect_eq(aside_leave(hold, NULL), -EBUSY);
	expect(now_ms() - begun < 2000);
	while (!*result && now_ms() - begun < 20000)
		sleep_ms(2);
	expect(*result && !kill(*result, SIGKILL));
	while (aside_left() && now_ms() - begun < 20000)
		sleep_ms(2);
	expect(!aside_left());
	victim = other_program();
	*result = 1;
	expect_eq(aside_leave(release, result), 0);
	while (aside_left() && now_ms() - begun < 20000)
		sleep_ms(2);
	/* An error: the victim was not killed, or the kernel lacks process_mrelease(). */
	expect(*result < 0);
	kill(victim, SIGKILL);
	*result = 1;
	expect_eq(aside_leave(release, result), 0);
	while (aside_left() && now_ms() - begun < 20000)
		sleep_ms(2);
	expect(*result <= 0 && *result != -EINVAL);
	waitpid(victim, NULL, 0);
	munmap(result, 4096);
}

static const struct tap_case cases[] = {
	{ "calls, and calls in calls", test_call },
	{ "a child of low priority ends in time", test_end_in_time },
	{ "the helper keeps no descriptor of the daemon", test_nothing_kept },
	{ "slow calls", test_slow },
	{ "a program that blocks the helper", test_held },
	{ "a program that crashes the helper", test_crash },
	{ "the end of the daemon", test_term },
	{ "programs and users that are left alone", test_bars },
	{ "a call that is not waited for", test_leave },
};

int main(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* Errors in the log are expected here. */
	if (!getenv("NOISY") && null >= 0)
		dup2(null, STDERR_FILENO);
	log_open("test", false, LOG_LEVEL_ERROR);
	return tap_main("aside", cases, ARRAY_SIZE(cases), argc, argv);
}
