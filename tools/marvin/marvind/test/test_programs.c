// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that register at a socket, of several users, and what else connects there. The daemon is
 * this process, or a child where its end or its time is measured; each program is a child with a
 * heap of its own. The cases with several users need root.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "harness.h"
#include "../reclaim.h"
#include "../programs.h"
#include "../../libmarvin/marvin.h"
#include "../../libmarvin/register.h"
#include "aside.h"
#include "cgroup.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

#define ONE 60001U
#define OTHER 60002U
/* Of a program's memory. The kernel counts pages up to some hundred too few or too many. */
#define MEMORY ((size_t)RECLAIM_CALL_BYTES)
/* How long this process does nothing else than serve, at most. */
#define PATIENCE_MS 20000U

/* Shared with all children. */
static struct {
	_Atomic u64 advised;		/* bytes, by the daemon's helper */
	_Atomic unsigned int calls;	/* connections */
	_Atomic unsigned int turns;	/* of the daemon's loop */
	_Atomic pid_t last;		/* process id of a child's child */
	_Atomic pid_t changes;		/* becomes another program while its memory is taken */
	_Atomic u64 answers;		/* of programs */
} *shared;

/* The system has no descriptor left. */
static bool no_files;

int __real_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	if (!no_files)
		return __real_accept4(fd, address, size, flags);
	errno = ENFILE;
	return -1;
}

/* As before Linux 6.16: the kernel does not refuse descriptors. */
static bool old_kernel;

int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t size);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size);

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	if (!old_kernel || name != SO_PASSRIGHTS)
		return __real_setsockopt(fd, level, name, value, size);
	errno = ENOPROTOOPT;
	return -1;
}

/* is_other() - another program than this one, or a user whose id is not root's */
static bool is_other(pid_t pid)
{
	char name[64], text[2048] = "";
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	file = fopen(name, "r");
	if (!file)
		return true;
	fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	return !strstr(text, "Name:\ttest_programs\n") || strstr(text, "\nUid:\t60002\t");
}

/* await_change() - of a process that has got a SIGUSR1 */
static void await_change(pid_t pid)
{
	unsigned int tries;

	for (tries = 0; tries < 500 && !is_other(pid); tries++)
		usleep(10000);
}

ssize_t __real_sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice);
ssize_t __wrap_sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice);

ssize_t __wrap_sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice)
{
	ssize_t done = __real_sys_process_madvise(pidfd, ranges, n, advice);

	if (done > 0)
		shared->advised += (u64)done;
	if (shared->changes) {
		kill(shared->changes, SIGUSR1);
		kill(shared->changes, SIGCONT);
		await_change(shared->changes);
	}
	return done;
}

static struct config config;
static char dir[64], path[96];
static struct daemon_run run = { .config = &config };

static u64 clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000 + (u64)now.tv_nsec / 1000000;
}

static void begin(void)
{
	char message[CONF_MESSAGE];

	strcpy(dir, "/tmp/marvind-test.XXXXXX");
	expect(!!mkdtemp(dir));
	expect_eq(chmod(dir, 0777), 0);
	snprintf(path, sizeof(path), "%s/reg", dir);
	setenv("MARVIN_REGISTER", path, 1);
	conf_presets(config_keys, &config);
	config.mode = MODE_TOLD;
	config.log = 3;
	expect_eq(config_check(&config, message), 0);
	shared->advised = 0;
	shared->calls = 0;
	shared->last = 0;
	shared->changes = 0;
	shared->answers = 0;
	old_kernel = false;
	run.now_ms += 10000;
	expect_eq(reclaim_begin(&config), 0);
}

static void end(void)
{
	reclaim_end(&run);
	expect(access(path, F_OK) && errno == ENOENT);
	expect_eq(rmdir(dir), 0);
}

static bool has_users(void)
{
	if (!geteuid())
		return true;
	tap_note("not root: left out");
	return false;
}

/*
 * A program. Its connection has the number CONNECTION, which outlives an exec(), as a program that
 * wants to deceive would have it.
 */
#define CONNECTION 500

struct kid_plan {
	uid_t user;			/* 0: as this process */
	uid_t effective;		/* 0: the same */
	const char *line;		/* NULL: as libmarvin does; "": nothing */
	size_t bytes;			/* of memory; 0: a page */
	bool deaf;			/* it does not look at its socket */
	void (*then)(void);		/* after a SIGUSR1; NULL: nothing */
};

struct kid {
	pid_t pid;
	int out;			/* it says "r" when it has sent its line */
};

/* Of this program. */
static struct registration reg;
static struct marvin_stats stats;
static char *memory;
static size_t memory_bytes, gone;

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
	signalled = 1;
}

static bool dial(int to)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0), tries;

	strcpy(address.sun_path, path);
	/* The queue may be full. */
	for (tries = 0; tries < 1000; tries++) {
		if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
			break;
		usleep(10000);
	}
	if (dup2(fd, to) < 0)
		return false;
	close(fd);
	return tries < 1000;
}

static void say(const char *text)
{
	if (send(CONNECTION, text, strlen(text), MSG_NOSIGNAL) < 0)
		_exit(3);
}

static void become(uid_t user)
{
	if (user && (setresgid(user, user, user) || setresuid(user, user, user)))
		_exit(8);
	/* As a program that was executed by this user. */
	prctl(PR_SET_DUMPABLE, 1);
}

/* hello() - what libmarvin says first */
static void hello(const struct kid_plan *plan)
{
	memory_bytes = plan->bytes ? plan->bytes : (size_t)sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	memset(memory, 1, memory_bytes);
	register_begin(&reg, "a kid=\033", memory, memory_bytes, (size_t)sysconf(_SC_PAGESIZE));
	stats.objects = 1;
	stats.bytes = memory_bytes;
	stats.unsaved = memory_bytes;
}

/* obey() - what marvind asks for */
static void obey(void)
{
	enum request request;
	uint64_t seq, bytes;

	while ((request = register_read(&reg, &seq, &bytes)) != REQUEST_NONE) {
		if (request == REQUEST_BG) {
			stats.given = memory_bytes;
			stats.unsaved = 0;
			madvise(memory, memory_bytes, MADV_FREE);
		} else if (request == REQUEST_DROP) {
			bytes = bytes < stats.given - gone ? bytes : stats.given - gone;
			madvise(memory + gone, bytes, MADV_DONTNEED);
			gone += bytes;
			stats.dropped += bytes;
		}
		shared->answers++;
		register_tell(&reg, seq, &stats);
	}
}

static void live(const struct kid_plan *plan, int out)
{
	struct rlimit core = { 0, 0 };
	struct stat st;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &core);
	signal(SIGUSR1, on_signal);
	become(plan->user);
	if (plan->effective && seteuid(plan->effective))
		_exit(8);
	hello(plan);
	if (!dial(CONNECTION) || fstat(CONNECTION, &st))
		_exit(9);
	reg.fd = CONNECTION;
	reg.dev = st.st_dev;
	reg.ino = st.st_ino;
	if (!plan->line || plan->line[0])
		say(plan->line ? plan->line : reg.hello);
	if (write(out, "r", 1) != 1)
		_exit(10);
	while (!signalled) {
		if (!plan->deaf)
			obey();
		usleep(10000);
	}
	if (plan->then)
		plan->then();
	for (;;)
		pause();
}

/* start() - the daemon has to serve for it to become ready, if many do so at a time */
static struct kid start(const struct kid_plan *plan)
{
	struct kid kid;
	int ends[2];

	expect_eq(pipe(ends), 0);
	kid.pid = fork();
	if (!kid.pid) {
		close(ends[0]);
		live(plan, ends[1]);
	}
	close(ends[1]);
	kid.out = ends[0];
	return kid;
}

static void stop(struct kid *kid)
{
	kill(kid->pid, SIGKILL);
	waitpid(kid->pid, NULL, 0);
	close(kid->out);
}

/* wakes() - would something wake the daemon up now? */
static bool wakes(void)
{
	struct pollfd ready = { programs_fd(), POLLIN, 0 };

	return poll(&ready, 1, 300) > 0;
}

static void serve_ms(int ms)
{
	struct pollfd ready = { programs_fd(), POLLIN, 0 };

	poll(&ready, 1, ms);
	reclaim_serve(&run);
}

/* serve() - until nothing more comes */
static void serve(void)
{
	unsigned int n = 0;
	int more;

	do {
		struct pollfd ready = { programs_fd(), POLLIN, 0 };

		more = poll(&ready, 1, 100);
		reclaim_serve(&run);
	} while (more > 0 && expect(n++ < 10000));
}

/* await() - until a child has written a byte, and the daemon has served its line */
static bool await(const struct kid *kid)
{
	struct pollfd said = { kid->out, POLLIN, 0 };
	unsigned int ms;
	char byte;

	for (ms = 0; ms < PATIENCE_MS && poll(&said, 1, 0) <= 0; ms += 10) {
		serve_ms(10);
		run.now_ms += 10;
	}
	serve();
	return poll(&said, 1, 0) > 0 && read(kid->out, &byte, 1) == 1;
}

/* await_calls() - serve until there were so many */
static void await_calls(unsigned int n)
{
	unsigned int ms;

	for (ms = 0; ms < PATIENCE_MS && shared->calls < n; ms += 10) {
		serve_ms(10);
		run.now_ms += 10;
	}
}

static bool known(const struct kid *kid)
{
	return programs_find(kid->pid);
}

/* starts() - a program that is ready, and was served */
static struct kid starts(const struct kid_plan *plan)
{
	struct kid kid = start(plan);

	expect(await(&kid));
	return kid;
}

/* act() - what the plan says, which counts a call at its end */
static void act(const struct kid *kid)
{
	unsigned int before = shared->calls;

	kill(kid->pid, SIGUSR1);
	await_calls(before + 1);
	serve();
}

static unsigned int count(uid_t user)
{
	struct program *program;
	unsigned int n = 0;

	for (program = programs_next(NULL); program; program = programs_next(program))
		n += program->caller.user == user;
	return n;
}

/* works() - another program can register */
static bool works(void)
{
	static const struct kid_plan plan;
	struct kid kid = starts(&plan);
	bool is = known(&kid);

	stop(&kid);
	serve();
	return is;
}

static void hang_up(void)
{
	close(CONNECTION);
	shared->calls++;
}

/* leave_connection() - to a child, and end */
static void leave_connection(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, 0);
		for (;;)
			pause();
	}
	shared->last = pid;
	shared->calls++;
	_exit(0);
}

static void test_registers(void)
{
	static const struct kid_plan closes = { .then = hang_up };
	static const struct kid_plan ends = { .then = leave_connection };
	struct program *program;
	struct kid kid;

	begin();
	kid = starts(&closes);
	program = programs_find(kid.pid);
	if (expect(!!program)) {
		expect(!strcmp(program->heap.name, "a_kid__"));
		expect_eq(program->caller.user, geteuid());
		expect_eq(program->heap.bytes, sysconf(_SC_PAGESIZE));
		expect(!program->background);
	}
	act(&kid);
	expect(!known(&kid));
	stop(&kid);
	kid = starts(&closes);
	expect(known(&kid));
	stop(&kid);
	serve();
	expect(!known(&kid));
	/* It has ended, though another process keeps the connection open. */
	kid = starts(&ends);
	act(&kid);
	expect(known(&kid));
	stop(&kid);
	programs_look();
	expect(!known(&kid));
	kill(shared->last, SIGKILL);
	end();
}

/* Another user has taken all descriptors of the system, for a moment. */
static void test_no_files(void)
{
	static const struct kid_plan plan;
	unsigned int turns = 0;
	struct kid kid;

	begin();
	no_files = true;
	kid = start(&plan);
	expect(!await(&kid) || !known(&kid));
	expect(!known(&kid));
	/* The daemon does not spin meanwhile. */
	programs_look();
	while (wakes() && turns++ < 100)
		reclaim_serve(&run);
	expect_eq(turns, 1);
	no_files = false;
	programs_look();
	serve();
	expect(known(&kid));
	stop(&kid);
	serve();
	end();
}

/* by_another() - the process that has connected says nothing; a child of it does */
static void by_another(void)
{
	pid_t pid = fork();

	if (!pid) {
		say(reg.hello);
		shared->calls++;
		for (;;)
			pause();
	}
	shared->last = pid;
}

/* A process cannot be registered by another one: it may have executed another program since. */
static void test_by_another(void)
{
	static const struct kid_plan first = { .line = "", .then = by_another };
	static const struct kid_plan later = { .then = by_another };
	struct kid kid;

	begin();
	kid = starts(&first);
	act(&kid);
	expect(!known(&kid));
	kill(shared->last, SIGKILL);
	stop(&kid);
	kid = starts(&later);
	expect(known(&kid));
	act(&kid);
	expect(!known(&kid));
	kill(shared->last, SIGKILL);
	stop(&kid);
	expect(works());
	end();
}

static void test_nonsense(void)
{
	static const char *const rows[] = {
		"marvin", "marvin 3 x 1000 4096 4096", "marvin 2 x 1000 4096 1", "501\n",
		"stat 0 0 0 0 0 0 0 0",
	};
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kid_plan plan = { .line = rows[i] };
		struct kid kid = starts(&plan);

		if (!expect(!known(&kid)) || !expect(!programs_next(NULL)))
			tap_note("%s", rows[i]);
		stop(&kid);
		run.now_ms += 1000;
	}
	expect(works());
	end();
}

/* quiet() - open connections, and say nothing */
static void quiet(void)
{
	unsigned int i;

	for (i = 0; i < 300; i++)
		if (dial(600 + (int)i))
			shared->calls++;
}

static void test_silent(void)
{
	static const struct kid_plan silent = { .user = ONE, .line = "", .then = quiet };
	static const struct kid_plan other = { .user = OTHER }, same = { .user = ONE };
	struct kid first, kid;

	if (!has_users())
		return;
	begin();
	/* Before the others fill all places. */
	first = starts(&same);
	kid = starts(&silent);
	kill(kid.pid, SIGUSR1);
	await_calls(300);
	serve();
	expect_eq(shared->calls, 300);
	expect(known(&first));
	stop(&first);
	first = starts(&other);
	expect(known(&first));
	expect(works());
	stop(&first);
	stop(&kid);
	end();
}

/* storm() - connect, and connect anew, without end */
static void storm(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	strcpy(address.sun_path, path);
	for (;;) {
		int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);

		shared->calls += !connect(fd, (struct sockaddr *)&address, sizeof(address));
		close(fd);
	}
}

static void test_storm(void)
{
	static const struct kid_plan hostile = { .user = ONE, .then = storm };
	static const struct kid_plan other = { .user = OTHER };
	struct pollfd said;
	struct kid kid, victim;
	unsigned int turns;
	u64 until;

	if (!has_users())
		return;
	begin();
	kid = starts(&hostile);
	kill(kid.pid, SIGUSR1);
	await_calls(1000);
	expect(shared->calls >= 1000);
	victim = start(&other);
	said = (struct pollfd){ victim.out, POLLIN, 0 };
	/* Each time few connections are taken, so that the daemon does something else between. */
	until = clock_ms() + PATIENCE_MS;
	for (turns = 0; clock_ms() < until && !known(&victim); turns++) {
		serve_ms(10);
		run.now_ms += 5;
	}
	tap_note("%u connections, %u turns", shared->calls, turns);
	expect(known(&victim));
	expect(poll(&said, 1, 1000) > 0);
	stop(&kid);
	serve();
	stop(&victim);
	end();
}

/* call_often() - one connection after the other */
static void call_often(void)
{
	unsigned int i;

	for (i = 0; i < PROGRAMS_CALLS * 3 / 2; i++)
		if (dial(600)) {
			close(600);
			shared->calls++;
		}
}

static void test_often(void)
{
	static const struct kid_plan often = { .then = call_often }, plan;
	struct kid kid, next;

	begin();
	kid = starts(&often);
	kill(kid.pid, SIGUSR1);
	/* The daemon's clock stands still. */
	while (shared->calls < PROGRAMS_CALLS * 3 / 2)
		serve_ms(10);
	serve();
	expect(known(&kid));
	next = start(&plan);
	usleep(300000);
	serve();
	expect(!known(&next));
	stop(&next);
	run.now_ms += 1000;
	expect(works());
	stop(&kid);
	serve();
	end();
}

/* talk() - send without end */
static void talk(void)
{
	while (send(CONNECTION, "stat 0 0 0 0 0 0 0 0", 20, MSG_NOSIGNAL) > 0 || errno == EAGAIN)
		;
	shared->calls++;
}

/* chat() - as much as a program may */
static void chat(void)
{
	unsigned int i;

	for (i = 0; i < PROGRAMS_PACKETS - 1; i++)
		say("stat 0 1 2 3 4 5 6 7");
	shared->calls++;
}

static void test_talk(void)
{
	static const struct kid_plan plan = { .then = talk }, less = { .then = chat };
	struct kid kid;
	unsigned int i;

	begin();
	kid = starts(&plan);
	kill(kid.pid, SIGUSR1);
	/* The daemon's clock stands still. */
	while (!shared->calls)
		serve_ms(10);
	expect_eq(shared->calls, 1);
	expect(!known(&kid));
	stop(&kid);
	run.now_ms += 2000;
	kid = starts(&less);
	kill(kid.pid, SIGUSR1);
	while (shared->calls < 2)
		serve_ms(10);
	/* Until all packets are taken, a few in each call. */
	for (i = 0; i < PROGRAMS_PACKETS; i++)
		reclaim_serve(&run);
	if (expect(known(&kid)))
		expect_eq(programs_find(kid.pid)->told.dropped, 7);
	stop(&kid);
	expect(works());
	end();
}

/* The figures of an idle program wait for the next look; connections and answers do not. */
static void test_idle(void)
{
	static const struct kid_plan plan = { .then = chat };
	struct kid kid, next;

	begin();
	kid = starts(&plan);
	kill(kid.pid, SIGUSR1);
	while (!shared->calls)
		usleep(10000);
	expect(!wakes());
	reclaim_serve(&run);
	expect_eq(programs_find(kid.pid)->told.dropped, 7);
	next = start(&plan);
	expect(wakes());
	expect(await(&next));
	expect(!wakes());
	expect_eq(reclaim_back(next.pid, run.now_ms, false), 0);
	expect(wakes());
	stop(&kid);
	stop(&next);
	serve();
	end();
}

static void test_share(void)
{
	static const struct kid_plan many = { .user = ONE }, few = { .user = OTHER };
	struct kid kids[PROGRAMS_MAX + 30], other[3];
	unsigned int i;

	if (!has_users())
		return;
	begin();
	for (i = 0; i < ARRAY_SIZE(kids); i++) {
		kids[i] = start(&many);
		if (i % 10 == 9) {
			/* A program without a place may be shut before it has sent its packet. */
			expect(await(&kids[i]) || i >= PROGRAMS_MAX);
			run.now_ms += 1000;
		}
	}
	serve();
	expect_eq(count(ONE), PROGRAMS_MAX);
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		other[i] = starts(&few);
		expect(known(&other[i]));
	}
	expect_eq(count(ONE), PROGRAMS_MAX - 3);
	expect(works());
	/* The places of the other user stay, though the first one wants more. */
	for (i = 0; i < 10; i++) {
		stop(&kids[i]);
		kids[i] = starts(&many);
		run.now_ms += 100;
	}
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		expect(known(&other[i]));
		stop(&other[i]);
	}
	for (i = 0; i < ARRAY_SIZE(kids); i++)
		stop(&kids[i]);
	serve();
	expect(!programs_next(NULL));
	end();
}

/* step_ms() - the daemon does nothing else for so long */
static void step_ms(u32 ms)
{
	u64 until = clock_ms() + ms, last = clock_ms(), now;

	while (clock_ms() < until) {
		serve_ms(5);
		now = clock_ms();
		run.now_ms += (u32)(now - last);
		last = now;
		reclaim_step(&run);
	}
}

/* settles() - is "bg" done within this time? */
static bool settles(const struct kid *kid, struct reclaim_state *state)
{
	u64 until = clock_ms() + PATIENCE_MS;

	do {
		step_ms(10);
		if (reclaim_state(kid->pid, state))
			return false;
	} while (state->pending && clock_ms() < until);
	return !state->pending;
}

static void test_taken(void)
{
	static const struct kid_plan plan = { .bytes = MEMORY };
	uint64_t before = reclaim_taken();
	struct reclaim_state state;
	struct program *program;
	struct kid kid;

	begin();
	kid = starts(&plan);
	if (!expect(known(&kid)))
		return;
	program = programs_find(kid.pid);
	expect_eq(reclaim_back(kid.pid, run.now_ms, false), 0);
	expect(program->background && program->ask.pending);
	expect(settles(&kid, &state));
	expect(state.before - state.after > MEMORY / 2 && state.before - state.after <= MEMORY);
	expect_eq(reclaim_taken() - before, state.before - state.after);
	/* It drops its memory itself. */
	expect_eq(shared->advised, 0);
	expect_eq(program->told.dropped, MEMORY);
	/* It says so again, and has nothing. */
	expect_eq(reclaim_back(kid.pid, run.now_ms, false), 0);
	expect(settles(&kid, &state));
	expect(state.before - state.after < MEMORY / 8);
	expect_eq(reclaim_front(&config, kid.pid, run.now_ms, false), 0);
	expect(!program->background);
	step_ms(100);
	/* Twice "bg" and "drop", and "fg". */
	expect_eq(shared->answers, 5);
	expect_eq(reclaim_back(1, run.now_ms, false), -ESRCH);
	stop(&kid);
	serve();
	end();
}

/* A program that runs and does not look at its socket: the daemon does not wait, nor take. */
static void test_deaf(void)
{
	static const struct kid_plan plan = { .bytes = MEMORY, .deaf = true };
	struct reclaim_state state;
	struct kid kid;
	unsigned int i;

	begin();
	kid = starts(&plan);
	if (!expect(known(&kid)))
		return;
	for (i = 0; i < 50; i++) {
		reclaim_back(kid.pid, run.now_ms, false);
		reclaim_front(&config, kid.pid, run.now_ms, false);
	}
	reclaim_back(kid.pid, run.now_ms, false);
	step_ms(RECLAIM_LATE_MS * 3 / 2);
	expect(!reclaim_state(kid.pid, &state) && state.pending);
	expect_eq(shared->advised, 0);
	expect(works());
	expect(known(&kid));
	/* Until the socket has no room any more. */
	alarm(20);
	for (i = 0; i < 3000; i++)
		reclaim_back(kid.pid, run.now_ms, false);
	alarm(0);
	serve();
	expect(!known(&kid));
	expect(works());
	stop(&kid);
	serve();
	end();
}

/* A program that is stopped cannot answer: the kernel takes its memory. */
static void test_stopped(void)
{
	static const struct kid_plan plan = { .bytes = 3 * MEMORY };
	struct reclaim_state state;
	struct program *program;
	struct kid kid;

	begin();
	kid = starts(&plan);
	if (!expect(known(&kid)))
		return;
	program = programs_find(kid.pid);
	/* The kernel drops given memory without a swap. */
	expect_eq(reclaim_back(kid.pid, run.now_ms, false), 0);
	expect(settles(&kid, &state));
	expect_eq(shared->advised, 0);
	kill(kid.pid, SIGSTOP);
	expect_eq(reclaim_back(kid.pid, run.now_ms, false), 0);
	step_ms(RECLAIM_LATE_MS / 2);
	expect_eq(shared->advised, 0);
	step_ms(RECLAIM_LATE_MS * 3 / 2);
	expect_eq(shared->advised, 3 * MEMORY);
	expect(program->outside.done);
	/* All of it once. */
	step_ms(RECLAIM_LATE_MS * 3 / 2);
	expect_eq(shared->advised, 3 * MEMORY);
	expect(!reclaim_state(kid.pid, &state) && state.pending);
	kill(kid.pid, SIGCONT);
	expect(settles(&kid, &state));
	stop(&kid);
	serve();
	end();
}

/* freeze() - a group of version 2; false: not possible here */
static bool freeze(pid_t pid, const char *group, const char *how)
{
	char name[300], text[16];
	FILE *file;
	bool is;

	mkdir(group, 0755);
	snprintf(name, sizeof(name), "%s/cgroup.procs", group);
	snprintf(text, sizeof(text), "%d", (int)pid);
	file = fopen(name, "w");
	is = file && fputs(text, file) > 0 && !fflush(file);
	if (file)
		fclose(file);
	snprintf(name, sizeof(name), "%s/cgroup.freeze", group);
	file = is ? fopen(name, "w") : NULL;
	is = file && fputs(how, file) > 0 && !fflush(file);
	if (file)
		fclose(file);
	return is;
}

static void test_frozen(void)
{
	static const struct kid_plan plan = { .bytes = MEMORY };
	char group[200];
	struct kid kid;

	if (cgroup_find() || !has_users()) {
		tap_note("no control groups: left out");
		return;
	}
	begin();
	kid = starts(&plan);
	snprintf(group, sizeof(group), "%s/marvind-test.%d", cgroup_mount(), (int)getpid());
	if (!freeze(kid.pid, group, "1")) {
		tap_note("cannot freeze: left out");
	} else {
		expect_eq(reclaim_back(kid.pid, run.now_ms, false), 0);
		step_ms(RECLAIM_LATE_MS * 3 / 2);
		expect_eq(shared->advised, MEMORY);
		freeze(kid.pid, group, "0");
	}
	stop(&kid);
	rmdir(group);
	serve();
	end();
}

/* boast() - it has given much, and has nothing */
static void boast(void)
{
	char text[200];

	for (;;) {
		uint64_t seq, bytes;

		snprintf(text, sizeof(text), "stat 0 1 %u 0 0 %u 0 0", 1U << 30, 1U << 30);
		while (register_read(&reg, &seq, &bytes) != REQUEST_NONE)
			snprintf(text, sizeof(text), "stat %llu 1 0 0 0 %u 0 0",
				 (unsigned long long)seq, 1U << 30);
		say(text);
		usleep(200000);
	}
}

/* own() - all of it is given, and it obeys */
static void own(void)
{
	stats.given = memory_bytes;
	register_tell(&reg, 0, &stats);
	for (;;) {
		obey();
		usleep(5000);
	}
}

/* In mode auto one user's lies do not keep the memory of others. */
static void test_auto(void)
{
	static const struct kid_plan liar = { .user = ONE, .then = boast,
					  .line = "marvin 2 liar 100000 1073741824 4096" };
	static const struct kid_plan honest = { .user = OTHER, .then = own, .bytes = MEMORY };
	char message[CONF_MESSAGE];
	uint64_t before = reclaim_taken();
	struct kid kids[4];
	unsigned int i;
	u64 until;

	if (!has_users())
		return;
	begin();
	config.mode = MODE_AUTO;
	config.available = 1000;
	config.pressure = 0;
	config.take = 8 << 20;
	config.foreground = true;
	expect_eq(config_check(&config, message), 0);
	for (i = 0; i < ARRAY_SIZE(kids); i++) {
		kids[i] = starts(i < 3 ? &liar : &honest);
		kill(kids[i].pid, SIGUSR1);
	}
	until = clock_ms() + PATIENCE_MS;
	while (reclaim_taken() - before < MEMORY - (1 << 20) && clock_ms() < until)
		step_ms(100);
	expect(reclaim_taken() - before >= MEMORY - (1 << 20));
	tap_note("%llu ms", (unsigned long long)(PATIENCE_MS - (until - clock_ms())));
	for (i = 0; i < ARRAY_SIZE(kids); i++)
		stop(&kids[i]);
	serve();
	end();
}

/* second() - a heap more of the same process */
static void second(void)
{
	struct registration more;
	uint64_t seq, bytes;

	register_begin(&more, "more", memory, memory_bytes, (size_t)sysconf(_SC_PAGESIZE));
	register_try(&more);
	shared->calls++;
	for (;;) {
		enum request request = register_read(&more, &seq, &bytes);

		if (request != REQUEST_NONE)
			register_tell(&more, seq, &stats);
		obey();
		usleep(5000);
	}
}

static void test_heaps(void)
{
	static const struct kid_plan plan = { .then = second };
	struct reclaim_state state;
	struct kid kid;

	begin();
	kid = starts(&plan);
	act(&kid);
	expect_eq(count(geteuid()), 2);
	expect_eq(reclaim_back(kid.pid, run.now_ms, false), 0);
	expect(programs_next(programs_find(kid.pid))->background);
	expect(settles(&kid, &state));
	expect_eq(reclaim_front(&config, kid.pid, run.now_ms, false), 0);
	expect(!programs_next(programs_find(kid.pid))->background);
	stop(&kid);
	serve();
	expect(!programs_next(NULL));
	end();
}

static void execute(void)
{
	execl("/bin/sleep", "sleep", "1000", NULL);
	_exit(11);
}

static void execute_setuid(void)
{
	char copy[96];

	snprintf(copy, sizeof(copy), "%s/sleep", dir);
	execl(copy, "sleep", "1000", NULL);
	_exit(11);
}

static void change_user(void)
{
	if (setresuid(OTHER, OTHER, OTHER))
		_exit(11);
}

/* is_dropped() - after a SIGUSR1, before any of its memory is taken */
static bool is_dropped(const struct kid_plan *plan)
{
	struct kid kid = starts(plan);
	bool is = expect(known(&kid));

	kill(kid.pid, SIGUSR1);
	await_change(kid.pid);
	serve();
	/* The connection is open: only a look tells. */
	is = expect(known(&kid)) && is;
	is = expect_eq(reclaim_back(kid.pid, run.now_ms, false), -ESRCH) && is;
	is = expect_eq(shared->advised, 0) && is;
	is = expect(!known(&kid)) && is;
	stop(&kid);
	serve();
	return is;
}

static void test_exec(void)
{
	static const struct kid_plan plan = { .then = execute };

	begin();
	is_dropped(&plan);
	expect(works());
	end();
}

static void test_setuid(void)
{
	static const struct kid_plan setuid = { .user = ONE, .then = execute_setuid };
	static const struct kid_plan leaves = { .then = change_user };
	char copy[96], command[256];
	struct statvfs fs;

	if (!has_users())
		return;
	begin();
	is_dropped(&leaves);
	snprintf(copy, sizeof(copy), "%s/sleep", dir);
	snprintf(command, sizeof(command), "cp -L /bin/sleep %s && chmod 4755 %s", copy, copy);
	expect_eq(system(command), 0);
	if (!statvfs(dir, &fs) && fs.f_flag & ST_NOSUID)
		tap_note("no setuid in %s: left out", dir);
	else
		is_dropped(&setuid);
	unlink(copy);
	end();
}

/* It is another program after the first part of its memory was taken: no further part is. */
static void test_meanwhile(void)
{
	static const struct kid_plan plan = { .then = execute, .bytes = 3 * MEMORY };
	struct kid kid;

	begin();
	kid = starts(&plan);
	if (!expect(known(&kid)))
		return;
	kill(kid.pid, SIGSTOP);
	shared->changes = kid.pid;
	expect_eq(reclaim_back(kid.pid, run.now_ms, false), 0);
	step_ms(RECLAIM_LATE_MS * 3 / 2);
	expect_eq(shared->advised, MEMORY);
	expect(!known(&kid));
	stop(&kid);
	serve();
	end();
}

/* The same with a user's program: neither root's, in a later place, nor fd 0 is touched. */
static void test_meanwhile_users(void)
{
	static const struct kid_plan plan = { .user = ONE, .then = execute, .bytes = 3 * MEMORY };
	static const struct kid_plan roots = { .bytes = MEMORY };
	struct kid kid, root;

	if (!has_users())
		return;
	begin();
	kid = starts(&plan);
	root = starts(&roots);
	if (!expect(known(&kid) && known(&root)))
		return;
	kill(kid.pid, SIGSTOP);
	shared->changes = kid.pid;
	expect_eq(reclaim_back(kid.pid, run.now_ms, false), 0);
	step_ms(RECLAIM_LATE_MS * 3 / 2);
	expect(!known(&kid));
	expect(known(&root));
	expect(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	stop(&kid);
	stop(&root);
	serve();
	end();
}

static void test_mixed(void)
{
	static const struct kid_plan plan = { .effective = OTHER };
	struct kid kid;

	if (!has_users())
		return;
	begin();
	kid = starts(&plan);
	expect(!known(&kid));
	stop(&kid);
	serve();
	end();
}

/* again() - as another program of this process, while another process has its connection */
static void again(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	shared->last = pid;
	close(CONNECTION);
	setenv("MARVIN_AGAIN", path, 1);
	execl("/proc/self/exe", "test_programs", NULL);
	_exit(11);
}

static void test_again(void)
{
	static const struct kid_plan plan = { .then = again };
	struct program *program;
	struct kid kid;
	u64 until, stack;

	begin();
	kid = starts(&plan);
	program = programs_find(kid.pid);
	if (!expect(!!program))
		return;
	stack = program->stack;
	kill(kid.pid, SIGUSR1);
	until = clock_ms() + PATIENCE_MS;
	do {
		serve_ms(10);
		programs_look();
		program = programs_find(kid.pid);
	} while (clock_ms() < until && (!program || program->stack == stack));
	expect(program && program->stack != stack);
	expect_eq(count(geteuid()), 1);
	stop(&kid);
	kill(shared->last, SIGKILL);
	serve();
	end();
}

/* The descriptor that pass() sends. */
static int passed = -1;

/* pass() - the end of a pipe goes along with the text */
static void pass(const char *text)
{
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct iovec data = { (void *)text, strlen(text) };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &passed, sizeof(int));
	if (sendmsg(CONNECTION, &message, MSG_NOSIGNAL) >= 0)
		shared->calls++;
	close(passed);
}

static void pass_first(void)
{
	pass(reg.hello);
	close(CONNECTION);
}

/* Behind packets that are empty, as the end of a connection is. */
static void pass_behind(void)
{
	unsigned int i;

	for (i = 0; i < 50; i++)
		send(CONNECTION, "", 0, MSG_NOSIGNAL);
	pass("");
	close(CONNECTION);
}

static void pass_later(void)
{
	pass("x");
	close(CONNECTION);
}

static bool has_file(pid_t pid, int fd)
{
	char name[64], text[64] = "", wanted[64] = "";
	int i;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	expect(readlink(name, wanted, sizeof(wanted) - 1) > 0);
	for (i = 0; i < 1024; i++) {
		memset(text, 0, sizeof(text));
		snprintf(name, sizeof(name), "/proc/%d/fd/%d", pid, i);
		if (readlink(name, text, sizeof(text) - 1) > 0 && !strcmp(text, wanted))
			return true;
	}
	return false;
}

static bool is_open(int fd, int ms)
{
	struct pollfd other = { fd, POLLIN, 0 };

	return poll(&other, 1, ms) == 0;
}

/* ticks() - of the processor that a process has had */
static unsigned long ticks(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char name[64];
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	file = fopen(name, "r");
	if (file && fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			   &user, &system) != 2)
		user = 0;
	if (file)
		fclose(file);
	return user + system;
}

static void run_daemon(void)
{
	signal(SIGTERM, on_signal);
	while (!signalled) {
		serve_ms(1000);
		run.now_ms += 10;
		shared->turns++;
	}
	reclaim_end(&run);
	_exit(0);
}

/* passes() - with the daemon as a child; @fd is the other end of the pipe that is passed */
static void passes(pid_t daemon, int fd)
{
	static const struct kid_plan plans[] = {
		{ .then = pass_first, .line = "" },
		{ .then = pass_later },
	};
	unsigned int turns, tries = 0, i;
	struct kid kids[ARRAY_SIZE(plans)];
	unsigned long before;
	char byte;

	for (i = 0; i < ARRAY_SIZE(plans); i++) {
		kids[i] = start(&plans[i]);
		expect(read(kids[i].out, &byte, 1) == 1);
		kill(kids[i].pid, SIGUSR1);
	}
	while (shared->calls < ARRAY_SIZE(plans) && tries++ < 1000)
		usleep(10000);
	close(passed);
	for (i = 0; i < ARRAY_SIZE(plans); i++)
		stop(&kids[i]);
	expect_eq(shared->calls, ARRAY_SIZE(plans));
	usleep(300000);
	before = ticks(daemon);
	turns = shared->turns;
	/* Of the programs nothing is left, and the daemon has the pipe's end in a queue only. */
	expect(is_open(fd, 1500));
	/* On a busy machine a daemon that spins has few ticks, too. */
	turns = shared->turns - turns;
	expect(turns < 10);
	expect(ticks(daemon) - before < 20);
	tap_note("%lu ticks and %u turns in 1500 ms", ticks(daemon) - before, turns);
	expect(!has_file(daemon, fd));
}

/* answers() - a daemon in a child serves: it shuts a connection that says nonsense */
static bool answers(void)
{
	struct pollfd ready = { .events = POLLIN };
	int status;
	pid_t pid = fork();

	if (!pid) {
		become(geteuid() ? 0 : OTHER);
		if (!dial(CONNECTION))
			_exit(1);
		say("nonsense");
		ready.fd = CONNECTION;
		_exit(poll(&ready, 1, 10000) != 1);
	}
	return waitpid(pid, &status, 0) == pid && !status;
}

/* start_old() - a daemon in a child, on an old kernel; and a pipe to be passed */
static pid_t start_old(int ends[2])
{
	pid_t daemon;

	begin();
	reclaim_end(&run);
	old_kernel = true;
	daemon = fork();
	if (!daemon) {
		if (reclaim_begin(&config))
			_exit(1);
		run_daemon();
	}
	usleep(300000);
	expect_eq(pipe(ends), 0);
	passed = ends[1];
	return daemon;
}

static void test_passed(void)
{
	int ends[2], status;
	pid_t daemon = start_old(ends);
	u64 before;

	passes(daemon, ends[0]);
	expect(answers());
	before = clock_ms();
	kill(daemon, SIGTERM);
	expect_eq(waitpid(daemon, &status, 0), daemon);
	expect_eq(status, 0);
	expect(clock_ms() - before < 3000);
	/* It was closed by a process that may wait. */
	expect(!is_open(ends[0], 5000));
	close(ends[0]);
	expect_eq(rmdir(dir), 0);
}

/*
 * A descriptor behind empty packets only: the daemon would close the connection, and with it the
 * descriptor, if it took the first one for the end.
 */
static void test_behind(void)
{
	static const struct kid_plan plan = { .then = pass_behind, .line = "" };
	int ends[2], status;
	pid_t daemon = start_old(ends);
	struct kid kid = start(&plan);
	unsigned int tries = 0;
	char byte;

	expect(read(kid.out, &byte, 1) == 1);
	/* All of it is in the queue before the daemon looks. */
	kill(daemon, SIGSTOP);
	kill(kid.pid, SIGUSR1);
	close(passed);
	while (!shared->calls && tries++ < 1000)
		usleep(10000);
	kill(daemon, SIGCONT);
	stop(&kid);
	expect_eq(shared->calls, 1);
	expect(is_open(ends[0], 1500));
	kill(daemon, SIGTERM);
	expect_eq(waitpid(daemon, &status, 0), daemon);
	expect_eq(status, 0);
	close(ends[0]);
	expect_eq(rmdir(dir), 0);
}

/* Linux 6.16 and later refuse the descriptor: the daemon keeps no connection. */
static void test_refused(void)
{
	static const struct kid_plan plan = { .then = pass_later };
	int ends[2], zero = 0, fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	bool can = !__real_setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &zero, sizeof(zero));
	struct kid kid;

	close(fd);
	if (!can) {
		tap_note("this kernel does not refuse descriptors: left out");
		return;
	}
	begin();
	expect_eq(pipe(ends), 0);
	passed = ends[1];
	kid = starts(&plan);
	close(passed);
	kill(kid.pid, SIGUSR1);
	usleep(300000);
	expect_eq(shared->calls, 0);
	expect(!is_open(ends[0], 1000));
	expect(known(&kid));
	stop(&kid);
	serve();
	close(ends[0]);
	end();
}

/* refused() - and the daemon changes nothing there */
static bool refused(int why)
{
	struct stat before, after;
	bool is = expect(!lstat(path, &before)) && expect_eq(reclaim_begin(&config), why);

	return is && expect(!lstat(path, &after)) && expect_eq(before.st_ino, after.st_ino) &&
	       expect_eq(before.st_mode, after.st_mode);
}

static int bind_at(const char *name, int kind)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, kind, 0);

	strcpy(address.sun_path, name);
	expect_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void test_path(void)
{
	char other[96];
	int fd;

	begin();
	reclaim_end(&run);
	snprintf(other, sizeof(other), "%s/other", dir);
	close(open(path, O_CREAT | O_WRONLY, 0644));
	refused(-EEXIST);
	unlink(path);
	expect_eq(mkdir(path, 0755), 0);
	refused(-EEXIST);
	rmdir(path);
	/* A link to an old socket, which the daemon would replace. */
	close(bind_at(other, SOCK_SEQPACKET));
	expect_eq(symlink(other, path), 0);
	refused(-EEXIST);
	expect_eq(access(other, F_OK), 0);
	unlink(path);
	unlink(other);
	/* Of another program: one that has much to do, and one of another kind. */
	fd = bind_at(path, SOCK_DGRAM);
	refused(-EADDRINUSE);
	close(fd);
	unlink(path);
	fd = bind_at(path, SOCK_SEQPACKET);
	listen(fd, 0);
	if (dial(CONNECTION))
		refused(-EADDRINUSE);
	close(CONNECTION);
	close(fd);
	/* An old socket is replaced, but not another user's. */
	if (!geteuid()) {
		expect_eq(chown(path, ONE, ONE), 0);
		refused(-EEXIST);
		expect_eq(chown(path, 0, 0), 0);
	}
	expect_eq(reclaim_begin(&config), 0);
	expect(works());
	end();
}

/* The daemon ends, and begins anew; a program that registers again is known again. */
static void test_anew(void)
{
	static const struct kid_plan plan = { .then = hang_up };
	struct kid kid;

	begin();
	kid = starts(&plan);
	expect(known(&kid));
	reclaim_end(&run);
	expect(!known(&kid));
	expect_eq(reclaim_begin(&config), 0);
	expect(!known(&kid));
	expect(works());
	stop(&kid);
	end();
}

/* "bg" has begun, and then the configuration says that this program is never touched. */
static void test_never(void)
{
	static const struct kid_plan plan = { .bytes = MEMORY };
	char message[CONF_MESSAGE];
	struct kid kid;

	begin();
	kid = starts(&plan);
	if (!expect(known(&kid)))
		return;
	kill(kid.pid, SIGSTOP);
	expect_eq(reclaim_back(kid.pid, run.now_ms, false), 0);
	expect_eq(conf_set_option(config_keys, &config, "programs.never_name=test_programs",
				  message), 0);
	programs_never(&config.never);
	step_ms(RECLAIM_LATE_MS * 3 / 2);
	expect_eq(shared->advised, 0);
	expect(!programs_find(kid.pid)->ask.pending);
	expect_eq(reclaim_back(kid.pid, run.now_ms, false), -EACCES);
	/* It goes on, and answers "bg": no "drop" comes. */
	kill(kid.pid, SIGCONT);
	step_ms(500);
	expect_eq(shared->answers, 1);
	expect_eq(programs_find(kid.pid)->told.dropped, 0);
	stop(&kid);
	serve();
	end();
}

static const struct tap_case cases[] = {
	{ "a program registers", test_registers },
	{ "no descriptors are left for a moment", test_no_files },
	{ "another process sends", test_by_another },
	{ "nonsense", test_nonsense },
	{ "connections that say nothing", test_silent },
	{ "a user connects without end", test_storm },
	{ "a user connects too often in a second", test_often },
	{ "a program that sends too much is dropped", test_talk },
	{ "an idle program does not wake the daemon up", test_idle },
	{ "a user with more programs than places", test_share },
	{ "memory is taken, and measured", test_taken },
	{ "a program does not read", test_deaf },
	{ "a program is stopped", test_stopped },
	{ "a program is frozen", test_frozen },
	{ "a user lies", test_auto },
	{ "a program with two heaps", test_heaps },
	{ "a program executes another one", test_exec },
	{ "a program becomes another user's", test_setuid },
	{ "a program executes another one meanwhile", test_meanwhile },
	{ "and root's program beside it stays", test_meanwhile_users },
	{ "a program of two users", test_mixed },
	{ "a process registers again after exec", test_again },
	{ "descriptors are passed", test_passed },
	{ "a descriptor behind empty packets", test_behind },
	{ "descriptors are refused by the kernel", test_refused },
	{ "something is in the socket's place", test_path },
	{ "the daemon begins anew", test_anew },
	{ "a program is never touched from now on", test_never },
};

int main(int argc, char **argv)
{
	static const struct kid_plan plan;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	/* The program of again(). */
	if (getenv("MARVIN_AGAIN")) {
		strcpy(path, getenv("MARVIN_AGAIN"));
		live(&plan, open("/dev/null", O_WRONLY | O_CLOEXEC));
	}
	return tap_main("programs", cases, ARRAY_SIZE(cases), argc, argv);
}
