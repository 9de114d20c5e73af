// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that register at a socket, of several users, and what else connects there. The daemon is
 * this process, or a child where its end or its time is measured; each program is a child with a
 * table of its own. The cases with several users need root.
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
#include "../engine.h"
#include "../registry.h"
#include "aside.h"

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

#define ONE 60001U
#define OTHER 60002U
/* Of a program's memory. The kernel counts pages up to some hundred too few or too many. */
#define MEMORY (32UL << 20)
/* How long this process does nothing else than serve, at most. */
#define PATIENCE_MS 20000U

/* Shared with all children. */
static struct {
	_Atomic u64 advised;		/* bytes, by the daemon's helper */
	_Atomic unsigned int calls;	/* connections */
	_Atomic unsigned int turns;	/* of the daemon's loop */
	_Atomic pid_t last;		/* process id of a child's child */
	_Atomic pid_t changes;		/* becomes another program while its memory is taken */
} *shared;

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
	return !strstr(text, "Name:\ttest_registry\n") || strstr(text, "\nUid:\t60002\t");
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
		await_change(shared->changes);
	}
	return done;
}

static struct config config;
static char dir[64], path[96];
static u32 now_ms;

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
	config_default(&config);
	config.mode = MODE_TOLD;
	config.log = 3;
	expect_eq(config_check(&config, message), 0);
	shared->advised = 0;
	shared->calls = 0;
	shared->last = 0;
	shared->changes = 0;
	old_kernel = false;
	now_ms += 10000;
	expect_eq(engine_begin(&config), 0);
}

static void end(void)
{
	engine_end(&config);
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
 * A program. Its connection has the number CONNECTION and its table TABLE, whatever it is; both
 * outlive an exec(), as a program that wants to deceive would have it.
 */
#define CONNECTION 500
#define TABLE 501

struct plan {
	uid_t user;			/* 0: as this process */
	void (*table)(void);		/* NULL: make_table() */
	const char *line;		/* NULL: the number of TABLE */
	size_t bytes;			/* of memory; 0: a page */
	void (*then)(void);		/* after a SIGUSR1; NULL: nothing */
};

struct kid {
	pid_t pid;
	int out;			/* it says "r" when it has sent its line */
};

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
	signalled = 1;
}

static bool dial(int to)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), tries;

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

/* put_table() - in a descriptor: one object of @bytes of memory that the kernel may have */
static void put_table(int fd, size_t bytes, bool seal)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 8192;
	struct marvin_table *table;
	struct marvin_entry *entry;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	struct stat st;

	if (!fstat(fd, &st) && st.st_blksize > (blksize_t)size)
		size = (size_t)st.st_blksize;
	memset(memory, 1, bytes);
	madvise(memory, bytes, MADV_FREE);
	if (ftruncate(fd, (off_t)size))
		_exit(4);
	table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (table == MAP_FAILED)
		_exit(5);
	entry = (struct marvin_entry *)(table + 1);
	table->magic = TABLE_MAGIC;
	table->entry_bytes = sizeof(*entry);
	table->objects = 1;
	table->page_bytes = (u32)page;
	table->space = (uintptr_t)memory;
	table->space_pages = bytes / page;
	strcpy(table->name, "a kid");
	entry->pages = (u32)(bytes / page);
	entry->word = ENTRY_OCCUPIED | ENTRY_LAZY | ENTRY_RESIDENT;
	if (seal)
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
}

static size_t table_bytes;

static void make_any(unsigned int flags, bool seal)
{
	int fd = memfd_create("marvin", flags);

	if (fd < 0 || dup2(fd, TABLE) < 0)
		_exit(6);
	close(fd);
	put_table(TABLE, table_bytes, seal);
}

static void make_table(void)
{
	make_any(MFD_ALLOW_SEALING, true);
}

static void make_unsealed(void)
{
	make_any(MFD_ALLOW_SEALING, false);
}

static void make_huge(void)
{
	make_any(MFD_ALLOW_SEALING | MFD_HUGETLB, true);
}

static void make_pipe(void)
{
	int ends[2];

	if (pipe(ends) || dup2(ends[0], TABLE) < 0)
		_exit(7);
}

static void make_file(void)
{
	int fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);

	if (fd < 0 || dup2(fd, TABLE) < 0)
		_exit(7);
	put_table(TABLE, table_bytes, true);
}

static void make_empty(void)
{
	int fd = memfd_create("marvin", MFD_ALLOW_SEALING);

	if (fd < 0 || dup2(fd, TABLE) < 0)
		_exit(7);
	fcntl(TABLE, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
}

static void make_none(void)
{
	close(TABLE);
}

static void become(uid_t user)
{
	if (user && (setresgid(user, user, user) || setresuid(user, user, user)))
		_exit(8);
	/* As a program that was executed by this user. */
	prctl(PR_SET_DUMPABLE, 1);
}

static void live(const struct plan *plan, int out)
{
	char line[16];
	struct rlimit core = { 0, 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &core);
	signal(SIGUSR1, on_signal);
	become(plan->user);
	table_bytes = plan->bytes ? plan->bytes : (size_t)sysconf(_SC_PAGESIZE);
	(plan->table ? plan->table : make_table)();
	if (!dial(CONNECTION))
		_exit(9);
	snprintf(line, sizeof(line), "%d\n", TABLE);
	say(plan->line ? plan->line : line);
	if (write(out, "r", 1) != 1)
		_exit(10);
	while (!signalled)
		usleep(10000);
	if (plan->then)
		plan->then();
	for (;;)
		pause();
}

/* start() - the daemon has to serve for it to become ready, if many do so at a time */
static struct kid start(const struct plan *plan)
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

static void serve_ms(int ms)
{
	struct pollfd ready = { registry_fd(), POLLIN, 0 };

	if (poll(&ready, 1, ms) > 0)
		registry_serve(&config.never, now_ms);
}

/* serve() - until nothing more comes */
static void serve(void)
{
	struct pollfd ready = { registry_fd(), POLLIN, 0 };
	unsigned int n = 0;

	while (poll(&ready, 1, 100) > 0 && expect(n++ < 10000))
		registry_serve(&config.never, now_ms);
}

/* await() - until a child has written a byte, and the daemon has served its line */
static bool await(const struct kid *kid)
{
	struct pollfd said = { kid->out, POLLIN, 0 };
	unsigned int ms;
	char byte;

	for (ms = 0; ms < PATIENCE_MS && poll(&said, 1, 0) <= 0; ms += 10) {
		serve_ms(10);
		now_ms += 10;
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
		now_ms += 10;
	}
}

static bool known(const struct kid *kid)
{
	return registry_find(kid->pid);
}

static struct marvin_entry *entry_of(const struct kid *kid)
{
	return (struct marvin_entry *)(registry_find(kid->pid)->reclaim.table + 1);
}

/* starts() - a program that is ready, and was served */
static struct kid starts(const struct plan *plan)
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

	for (program = registry_next(NULL); program; program = registry_next(program))
		n += program->caller.user == user;
	return n;
}

/* works() - another program can register */
static bool works(void)
{
	static const struct plan plan;
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
	static const struct plan closes = { .then = hang_up }, ends = { .then = leave_connection };
	struct program *program;
	struct kid kid;

	begin();
	kid = starts(&closes);
	program = registry_find(kid.pid);
	if (expect(!!program)) {
		expect(!strcmp(program->name, "a_kid"));
		expect_eq(program->caller.user, geteuid());
		expect_eq(atomic_load(&program->reclaim.table->reclaimer), getpid());
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
	registry_look(now_ms);
	expect(!known(&kid));
	kill(shared->last, SIGKILL);
	end();
}

static void test_no_table(void)
{
	static const struct { const char *what; struct plan plan; } rows[] = {
		{ "a pipe", { .table = make_pipe } },
		{ "a file", { .table = make_file } },
		{ "no seals", { .table = make_unsealed } },
		{ "nothing in it", { .table = make_empty } },
		{ "closed", { .table = make_none } },
		{ "closed by its number", { .line = "499\n" } },
		{ "its connection", { .line = "500\n" } },
		{ "its standard output", { .line = "1\n" } },
		{ "an empty line", { .line = "\n" } },
		{ "no end of line", { .line = "501" } },
		{ "a word", { .line = "table\n" } },
		{ "a sign", { .line = "+501\n" } },
		{ "two lines", { .line = "501\n501\n" } },
		{ "too large", { .line = "16777217\n" } },
		{ "too long", { .line = "00000000000000000000000000000000000000000000000501\n" } },
	};
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kid kid = starts(&rows[i].plan);

		if (!expect(!known(&kid)) || !expect(!registry_next(NULL)))
			tap_note("%s", rows[i].what);
		stop(&kid);
		now_ms += 1000;
	}
	expect(works());
	end();
}

/* A table on huge pages: a read of it may be a SIGBUS where none are left. */
static void test_huge(void)
{
	static const char *const more = "/proc/sys/vm/nr_overcommit_hugepages";
	static const struct plan plan = { .table = make_huge };
	u64 before = 0;
	FILE *file = fopen(more, "r+");
	struct kid kid;

	if (!file || fscanf(file, "%llu", &before) != 1 || fseek(file, 0, SEEK_SET) ||
	    fprintf(file, "%llu\n", before + 2) < 0 || fflush(file)) {
		tap_note("no huge pages here: left out");
		return;
	}
	begin();
	kid = start(&plan);
	if (await(&kid))
		expect(!known(&kid));
	else
		tap_note("no huge page is free: left out");
	stop(&kid);
	expect(works());
	end();
	rewind(file);
	fprintf(file, "%llu\n", before);
	fclose(file);
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
	static const struct plan silent = { .user = ONE, .line = "", .then = quiet };
	static const struct plan other = { .user = OTHER }, same = { .user = ONE };
	struct kid first, kid;

	if (!has_users())
		return;
	begin();
	/* Before the others fill all places of those that have said nothing. */
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
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

		shared->calls += !connect(fd, (struct sockaddr *)&address, sizeof(address));
		close(fd);
	}
}

static void test_storm(void)
{
	static const struct plan hostile = { .user = ONE, .then = storm };
	static const struct plan other = { .user = OTHER };
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
		now_ms += 5;
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

	for (i = 0; i < 150; i++)
		if (dial(600)) {
			close(600);
			shared->calls++;
		}
}

static void test_often(void)
{
	static const struct plan often = { .then = call_often }, plan;
	struct kid kid, next;

	begin();
	kid = starts(&often);
	kill(kid.pid, SIGUSR1);
	/* The daemon's clock stands still. */
	while (shared->calls < 150)
		serve_ms(10);
	serve();
	expect(known(&kid));
	next = start(&plan);
	usleep(300000);
	serve();
	expect(!known(&next));
	stop(&next);
	now_ms += 1000;
	expect(works());
	stop(&kid);
	serve();
	end();
}

/* talk() - send without end */
static void talk(void)
{
	static char text[100000];

	while (send(CONNECTION, text, sizeof(text), MSG_NOSIGNAL) > 0 || errno == EAGAIN)
		;
	shared->calls++;
}

static void test_talk(void)
{
	static const struct plan plan = { .then = talk };
	struct kid kid;

	begin();
	kid = starts(&plan);
	kill(kid.pid, SIGUSR1);
	await_calls(1);
	expect_eq(shared->calls, 1);
	expect(!known(&kid));
	stop(&kid);
	expect(works());
	end();
}

static void test_share(void)
{
	static const struct plan many = { .user = ONE }, few = { .user = OTHER };
	struct kid kids[100], other[3];
	unsigned int i;

	if (!has_users())
		return;
	begin();
	for (i = 0; i < ARRAY_SIZE(kids); i++) {
		kids[i] = start(&many);
		if (i % 10 == 9) {
			expect(await(&kids[i]));
			now_ms += 1000;
		}
	}
	serve();
	expect_eq(count(ONE), REGISTRY_MAX);
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		other[i] = starts(&few);
		expect(known(&other[i]));
	}
	expect_eq(count(ONE), REGISTRY_MAX - 3);
	expect(works());
	/* The places of the other user stay, though the first one wants more. */
	for (i = 0; i < 10; i++) {
		stop(&kids[i]);
		kids[i] = starts(&many);
		now_ms += 100;
	}
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		expect(known(&other[i]));
		stop(&other[i]);
	}
	for (i = 0; i < ARRAY_SIZE(kids); i++)
		stop(&kids[i]);
	serve();
	expect(!registry_next(NULL));
	end();
}

static void test_taken(void)
{
	static const struct plan plan = { .bytes = MEMORY };
	uint64_t before = engine_taken(), taken;
	struct kid kid;

	begin();
	kid = starts(&plan);
	if (!expect(known(&kid)))
		return;
	expect_eq(engine_back(kid.pid, now_ms, false, &taken), 0);
	expect_eq(shared->advised, MEMORY);
	expect(taken > MEMORY / 2 && taken <= MEMORY);
	expect_eq(engine_taken() - before, taken);
	/* It says so again, and has nothing. */
	entry_of(&kid)->word |= ENTRY_RESIDENT;
	expect_eq(engine_back(kid.pid, now_ms, false, &taken), 0);
	expect(taken < MEMORY / 8);
	stop(&kid);
	serve();
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
static bool is_dropped(const struct plan *plan)
{
	struct kid kid = starts(plan);
	bool is = expect(known(&kid));
	uint64_t taken;

	kill(kid.pid, SIGUSR1);
	await_change(kid.pid);
	serve();
	/* The connection is open: only a look tells. */
	is = expect(known(&kid)) && is;
	is = expect_eq(engine_back(kid.pid, now_ms, false, &taken), -ESRCH) && is;
	is = expect_eq(shared->advised, 0) && is;
	is = expect(!known(&kid)) && is;
	stop(&kid);
	serve();
	return is;
}

static void test_exec(void)
{
	static const struct plan plan = { .then = execute };

	begin();
	is_dropped(&plan);
	expect(works());
	end();
}

static void test_setuid(void)
{
	static const struct plan setuid = { .user = ONE, .then = execute_setuid };
	static const struct plan leaves = { .then = change_user };
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

/* It is another program after the look, while its memory is taken: nothing is told of that. */
static void test_meanwhile(void)
{
	static const struct plan plan = { .then = execute };
	struct kid kid;
	uint64_t taken;

	begin();
	kid = starts(&plan);
	if (!expect(known(&kid)))
		return;
	shared->changes = kid.pid;
	expect_eq(engine_back(kid.pid, now_ms, false, &taken), 0);
	expect_eq(taken, 0);
	expect(shared->advised > 0);
	expect(atomic_load(&entry_of(&kid)->word) & ENTRY_RESIDENT);
	expect_eq(atomic_load(&registry_find(kid.pid)->reclaim.table->counts[COUNT_DROPPED]), 0);
	registry_look(now_ms);
	expect(!known(&kid));
	stop(&kid);
	serve();
	end();
}

/* half() - an effective user of its own */
static void half(void)
{
	make_table();
	if (seteuid(OTHER))
		_exit(8);
}

static void test_mixed(void)
{
	static const struct plan plan = { .table = half };
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
	execl("/proc/self/exe", "test_registry", NULL);
	_exit(11);
}

/* registered_as() - a number in the table; -1: it has none */
static int registered_as(const struct kid *kid)
{
	const struct program *program = registry_find(kid->pid);

	return program ? (int)atomic_load(&program->reclaim.table->counts[0]) : -1;
}

static void test_again(void)
{
	static const struct plan plan = { .then = again };
	struct kid kid;
	u64 until;

	begin();
	kid = starts(&plan);
	expect(known(&kid));
	if (known(&kid))
		atomic_store(&registry_find(kid.pid)->reclaim.table->counts[0], 77);
	kill(kid.pid, SIGUSR1);
	until = clock_ms() + PATIENCE_MS;
	while (clock_ms() < until && registered_as(&kid) == 77)
		serve_ms(10);
	expect_eq(registered_as(&kid), 0);
	stop(&kid);
	kill(shared->last, SIGKILL);
	serve();
	end();
}

/* The descriptor that pass() sends. */
static int passed = -1;

/* pass() - the end of a pipe goes along with the line; false: not with these flags */
static bool pass(const char *text, int flags)
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
	if (sendmsg(CONNECTION, &message, MSG_NOSIGNAL | flags) > 0)
		shared->calls++;
	else if (flags)
		return false;
	close(passed);
	return true;
}

static void pass_line(void)
{
	make_table();
	if (!dial(CONNECTION))
		_exit(9);
	pass("501\n", 0);
	close(CONNECTION);
}

/* Out-of-band bytes take CONFIG_AF_UNIX_OOB, of Linux 5.15 and later. */
static void pass_urgent(void)
{
	make_table();
	if (!dial(CONNECTION))
		_exit(9);
	if (!pass("x", MSG_OOB))
		pass("x", 0);
	/* The daemon may have shut the connection already. */
	send(CONNECTION, "501\n", 4, MSG_NOSIGNAL);
	close(CONNECTION);
}

static void pass_later(void)
{
	pass("x", 0);
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

static void daemon_main(void)
{
	signal(SIGTERM, on_signal);
	while (!signalled) {
		serve_ms(1000);
		now_ms += 10;
		shared->turns++;
	}
	engine_end(&config);
	_exit(0);
}

/* passes() - with the daemon as a child; @fd is the other end of the pipe that is passed */
static void passes(pid_t daemon, int fd)
{
	static const struct plan line = { .table = pass_line, .line = "501\n" };
	static const struct plan later = { .then = pass_later };
	unsigned int turns, tries = 0;
	unsigned long before;
	struct kid kids[2];
	char byte;

	kids[0] = start(&line);
	expect(read(kids[0].out, &byte, 1) == 1);
	kids[1] = start(&later);
	expect(read(kids[1].out, &byte, 1) == 1);
	kill(kids[1].pid, SIGUSR1);
	while (shared->calls < 2 && tries++ < 1000)
		usleep(10000);
	close(passed);
	stop(&kids[0]);
	stop(&kids[1]);
	expect_eq(shared->calls, 2);
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
		say("nonsense\n");
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
	engine_end(&config);
	old_kernel = true;
	daemon = fork();
	if (!daemon) {
		if (engine_begin(&config))
			_exit(1);
		daemon_main();
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

/* The daemon would close the descriptor as it takes the line behind it. */
static void test_urgent(void)
{
	static const struct plan urgent = { .table = pass_urgent, .line = "501\n" };
	int ends[2], status;
	pid_t daemon = start_old(ends);
	struct kid kid = start(&urgent);
	char byte;

	expect(read(kid.out, &byte, 1) == 1);
	close(passed);
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
	static const struct plan plan = { .table = pass_line };
	int ends[2], zero = 0, fd = socket(AF_UNIX, SOCK_STREAM, 0);
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
	bool is = expect(!lstat(path, &before)) && expect_eq(engine_begin(&config), why);

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
	engine_end(&config);
	snprintf(other, sizeof(other), "%s/other", dir);
	close(open(path, O_CREAT | O_WRONLY, 0644));
	refused(-EEXIST);
	unlink(path);
	expect_eq(mkdir(path, 0755), 0);
	refused(-EEXIST);
	rmdir(path);
	/* A link to an old socket, which the daemon would replace. */
	close(bind_at(other, SOCK_STREAM));
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
	fd = bind_at(path, SOCK_STREAM);
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
	expect_eq(engine_begin(&config), 0);
	expect(works());
	end();
}

/* The daemon ends, and begins anew; a program that registers again is known again. */
static void test_anew(void)
{
	static const struct plan plan = { .then = hang_up };
	struct kid kid;

	begin();
	kid = starts(&plan);
	expect(known(&kid));
	registry_set_background(registry_find(kid.pid), true);
	engine_end(&config);
	expect(!known(&kid));
	expect_eq(engine_begin(&config), 0);
	expect(!known(&kid));
	expect(works());
	stop(&kid);
	end();
}

/* "bg" has begun, and then the configuration says that this program is never touched. */
static void test_never(void)
{
	static const struct plan plan = { .bytes = 65536 };
	char message[CONF_MESSAGE];
	struct kid kid;
	uint64_t taken;

	begin();
	kid = starts(&plan);
	if (!expect(known(&kid)))
		return;
	expect_eq(engine_back(kid.pid, now_ms, false, &taken), 0);
	expect_eq(shared->advised, 65536);
	entry_of(&kid)->word |= ENTRY_RESIDENT;
	registry_find(kid.pid)->pending = true;
	expect_eq(conf_set_option(config_keys, &config, "programs.never_name=test_registry",
				  message), 0);
	registry_never(&config.never);
	expect(engine_step(&config, now_ms, false) > 0);
	expect_eq(shared->advised, 65536);
	expect(!registry_find(kid.pid)->pending);
	stop(&kid);
	serve();
	end();
}

static const struct tap_case cases[] = {
	{ "a program registers", test_registers },
	{ "what is no table", test_no_table },
	{ "a table on huge pages", test_huge },
	{ "connections that say nothing", test_silent },
	{ "a user connects without end", test_storm },
	{ "a user connects too often in a second", test_often },
	{ "a program that sends more is dropped", test_talk },
	{ "a user with a hundred programs", test_share },
	{ "memory is taken, and measured", test_taken },
	{ "a program executes another one", test_exec },
	{ "a program becomes another user's", test_setuid },
	{ "a program executes another one meanwhile", test_meanwhile },
	{ "a program of two users", test_mixed },
	{ "a process registers again after exec", test_again },
	{ "descriptors are passed", test_passed },
	{ "descriptors are passed out of band", test_urgent },
	{ "descriptors are refused by the kernel", test_refused },
	{ "something is in the socket's place", test_path },
	{ "the daemon begins anew", test_anew },
	{ "a program is never touched from now on", test_never },
};

int main(int argc, char **argv)
{
	static const struct plan plan;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	/* The program of again(). */
	if (getenv("MARVIN_AGAIN")) {
		strcpy(path, getenv("MARVIN_AGAIN"));
		live(&plan, open("/dev/null", O_WRONLY | O_CLOEXEC));
	}
	return tap_main("registry", cases, ARRAY_SIZE(cases), argc, argv);
}
