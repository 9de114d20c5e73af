// SPDX-License-Identifier: GPL-2.0
/*
 * Files below a prefix: numbers, entries of directories, missing files, lines, processes.
 */
#include <errno.h>
#include <sys/mman.h>
#include "aside.h"
#include "proc.h"
#include "push.h"
#include "tree.h"

static void test_prefix(void)
{
	char text[16];

	tree_make();
	tree_put("/sys/a", "hello\n");
	expect_text(sys_root(), tree);
	expect(sys_exists("/sys/a"));
	expect(sys_exists("/sys"));
	expect(!sys_exists("/sys/b"));
	expect(!sys_exists("/proc/self/stat"));
	expect(sys_writable("/sys/a"));
	expect_eq(sys_read("/sys/a", text, sizeof(text)), 6);
	expect_text(text, "hello\n");
	sys_set_root("");
	expect_text(sys_root(), "");
	expect(sys_exists("/proc/self/stat"));
	expect(!sys_exists("/sys/a"));
	tree_remove();
}

static void test_read(void)
{
	char text[16];
	int fd;

	tree_make();
	tree_put("/a", "0123456789");
	memset(text, 'x', sizeof(text));
	expect_eq(sys_read("/a", text, 4), 3);
	expect_text(text, "012");
	expect_eq(text[4], 'x');
	expect_eq(sys_read("/a", text, 11), 10);
	expect_text(text, "0123456789");
	expect_eq(sys_read("/a", text, 1), 0);
	expect_text(text, "");
	text[0] = 'x';
	expect_eq(sys_read("/none", text, sizeof(text)), -ENOENT);
	expect_text(text, "");
	expect_eq(sys_read("/", text, sizeof(text)), -EISDIR);
	fd = sys_open("/a", O_RDONLY);
	expect(fd >= 0);
	expect(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	expect_eq(sys_reread(fd, text, sizeof(text)), 10);
	tree_put("/a", "anew");
	expect_eq(sys_reread(fd, text, sizeof(text)), 4);
	expect_text(text, "anew");
	close(fd);
	tree_remove();
}

static void test_write(void)
{
	char number[SYS_NUMBER];

	tree_make();
	tree_put("/a", "12345\n");
	expect_eq(sys_write("/a", "7"), 0);
	expect_file("/a", "7");
	/* sys_write() writes files of the kernel, so it never makes a file. */
	expect_eq(sys_write("/b", "7"), -ENOENT);
	expect(!sys_exists("/b"));
	expect_eq(sys_write("/a", sys_number(number, 0)), 0);
	expect_file("/a", "0");
	expect_eq(sys_write("/a", sys_number(number, UINT64_MAX - 1)), 0);
	expect_file("/a", "18446744073709551614");
	expect_eq(sys_write("/a", sys_number(number, UINT64_MAX)), 0);
	expect_file("/a", "max");
	tree_remove();
}

static void test_numbers(void)
{
	static const struct {
		const char *text;
		u64 value;
	} good[] = {
		{ "0", 0 }, { "0\n", 0 }, { "1000\n", 1000 }, { "18446744073709551615\n", UINT64_MAX },
		{ "max\n", UINT64_MAX }, { "max", UINT64_MAX }, { "9223372036854771712\n",
		9223372036854771712ULL },
	};
	static const char *const bad[] = {
		"", "\n", "-1\n", "+1\n", " 1\n", "x\n", "1x\n", "1 2\n", "0x10\n", "1.5\n",
		"18446744073709551616\n", "maximum\n", "maxx\n", "1\n2\n", "ma\n",
		"00000000000000000000000000000000000000000000000000000000000000000000000001\n",
	};
	uint64_t value = 0;
	unsigned int i;

	tree_make();
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		tree_put("/n", good[i].text);
		expect_eq(sys_read_u64("/n", &value), 0);
		if (!expect(value == good[i].value))
			tap_note("%s", good[i].text);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		tree_put("/n", bad[i]);
		if (!expect_eq(sys_read_u64("/n", &value), -EINVAL))
			tap_note("%s", bad[i]);
	}
	expect_eq(sys_read_u64("/none", &value), -ENOENT);
	tree_remove();
}

struct seen {
	unsigned int n;
	unsigned int end_after;
	u64 sum;
};

static int see(const char *name, void *arg)
{
	struct seen *seen = arg;

	seen->n++;
	seen->sum += strlen(name);
	return seen->n == seen->end_after ? 42 : 0;
}

static int see_pid(pid_t pid, void *arg)
{
	struct seen *seen = arg;

	seen->n++;
	seen->sum += pid;
	return seen->n == seen->end_after ? 42 : 0;
}

static void test_entries(void)
{
	struct seen seen = { 0 };
	char path[64];
	unsigned int i;

	tree_make();
	tree_mkdir("/empty");
	expect_eq(sys_each_entry("/empty", see, &seen), 0);
	expect_eq(seen.n, 0);
	/* More entries than fit into one buffer. */
	for (i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "/d/%030u", i);
		tree_put(path, "");
	}
	expect_eq(sys_each_entry("/d", see, &seen), 0);
	expect_eq(seen.n, 300);
	expect_eq(seen.sum, 300 * 30);
	seen = (struct seen){ .end_after = 7 };
	expect_eq(sys_each_entry("/d", see, &seen), 42);
	expect_eq(seen.n, 7);
	expect_eq(sys_each_entry("/none", see, &seen), -ENOENT);
	expect_eq(sys_each_entry("/d/000000000000000000000000000000", see, &seen), -ENOTDIR);
	tree_remove();
}

static void test_pids(void)
{
	static const char *const names[] = {
		"/proc/1", "/proc/77", "/proc/4194304", "/proc/self", "/proc/0", "/proc/12a",
		"/proc/-5", "/proc/meminfo", "/proc/5x", "/proc/01",
	};
	struct seen seen = { 0 };
	unsigned int i;

	tree_make();
	expect_eq(sys_each_pid(see_pid, &seen), -ENOENT);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		tree_mkdir(names[i]);
	expect_eq(sys_each_pid(see_pid, &seen), 0);
	expect_eq(seen.n, 3);
	expect_eq(seen.sum, 1 + 77 + 4194304);
	tree_remove();
}

static void test_directories(void)
{
	tree_make();
	expect_eq(sys_mkdir("/g"), 0);
	expect_eq(sys_mkdir("/g"), 0);
	expect(sys_exists("/g"));
	expect_eq(sys_mkdir("/no/g"), -ENOENT);
	tree_put("/g/file", "");
	expect_eq(sys_rmdir("/g"), -ENOTEMPTY);
	remove(tree_path("/g/file"));
	expect_eq(sys_rmdir("/g"), 0);
	expect_eq(sys_rmdir("/g"), 0);
	tree_remove();
}

/* A path that does not fit is refused, not cut to another one. */
static void test_long(void)
{
	char path[3 * SYS_PATH], text[16];
	uint64_t value;

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	expect_eq(sys_open(path, O_RDONLY), -ENAMETOOLONG);
	expect_eq(sys_read(path, text, sizeof(text)), -ENAMETOOLONG);
	expect_eq(sys_write(path, ""), -ENAMETOOLONG);
	expect_eq(sys_read_u64(path, &value), -ENAMETOOLONG);
	expect_eq(sys_mkdir(path), -ENAMETOOLONG);
	expect_eq(sys_rmdir(path), -ENAMETOOLONG);
	expect(!sys_exists(path));
	expect(!sys_writable(path));
}

struct lines {
	char text[256];
	unsigned int n, end_at;
};

/* take_line() - note a line's first letter, or "-" for a line that is too long */
static int take_line(const char *line, void *arg)
{
	struct lines *lines = arg;

	lines->text[lines->n++] = line ? (*line ? *line : '.') : '-';
	lines->text[lines->n] = '\0';
	if (line)
		expect(strlen(line) < SYS_LINE);
	return lines->n == lines->end_at ? 42 : 0;
}

/* lines_of() - the letters of all lines of a text */
static const char *lines_of(const char *text, unsigned int end_at)
{
	static struct lines lines;
	int fd;

	tree_put("/lines", text);
	fd = sys_open("/lines", O_RDONLY);
	memset(&lines, 0, sizeof(lines));
	lines.end_at = end_at;
	expect_eq(sys_each_line(fd, take_line, &lines), end_at ? 42 : 0);
	close(fd);
	return lines.text;
}

static void test_lines(void)
{
	static char text[5 * SYS_LINE];
	struct lines lines = { 0 };
	int len, fd;

	tree_make();
	expect_text(lines_of("", 0), "");
	expect_text(lines_of("\n", 0), ".");
	expect_text(lines_of("a\n\nb1 b2\nc", 0), "a.b");
	expect_text(lines_of("a\nb\nc\n", 2), "ab");
	/* The end of the buffer at each place of a line. */
	for (len = 1; len < 4 * SYS_LINE; len += len % SYS_LINE > 5 && len % SYS_LINE < SYS_LINE - 9 ? 7 : 1) {
		snprintf(text, sizeof(text), "first\nx%0*d\nlast\n", len - 1, 0);
		if (len == 1)
			strcpy(text, "first\nx\nlast\n");
		if (!expect_text(lines_of(text, 0), len < SYS_LINE ? "fxl" : "f-l"))
			tap_note("a line of %d bytes", len);
	}
	/* A long line at the end of the text, with and without a newline. */
	snprintf(text, sizeof(text), "a\n%0*d\n", 2 * SYS_LINE, 0);
	expect_text(lines_of(text, 0), "a-");
	expect_text(lines_of(text, 2), "a-");
	snprintf(text, sizeof(text), "a\n%0*d", 2 * SYS_LINE, 0);
	expect_text(lines_of(text, 0), "a");
	fd = sys_open("/", O_RDONLY);
	expect_eq(sys_each_line(fd, take_line, &lines), -EISDIR);
	close(fd);
	tree_remove();
}

/* Lines that come from a pipe in pieces. */
static void test_lines_pieces(void)
{
	static const char *const pieces[] = { "a", "1\nb", "\n", "", "c\nd" };
	struct lines lines = { 0 };
	int fds[2], status;
	unsigned int i;
	pid_t pid;

	expect_eq(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		for (i = 0; i < ARRAY_SIZE(pieces); i++) {
			if (write(fds[1], pieces[i], strlen(pieces[i])) < 0)
				_exit(1);
			sleep_ms(2);
		}
		_exit(0);
	}
	close(fds[1]);
	expect_eq(sys_each_line(fds[0], take_line, &lines), 0);
	expect_text(lines.text, "abc");
	close(fds[0]);
	expect(waitpid(pid, &status, 0) == pid && !status);
}

static void test_system(void)
{
	u64 before = sys_now_us();
	int fd;

	sleep_ms(2);
	expect(sys_now_us() >= before + 2000);
	expect_eq(sys_page_size(), sysconf(_SC_PAGESIZE));
	fd = sys_pidfd_open(getpid());
	if (!expect(fd >= 0))
		return;
	expect_eq(sys_pidfd_signal(fd, 0), 0);
	expect_eq(sys_pidfd_signal(fd, 9999), -EINVAL);
	close(fd);
	expect_eq(sys_pidfd_signal(fd, 0), -EBADF);
	expect(sys_pidfd_open(0) < 0);
}

static const char *proc_file(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", getpid(), name);
	return path;
}

/* A very long file name in the maps: the program's other mappings are found all the same. */
static void test_long_map(void)
{
	static char text[16384];
	const size_t size = 16 * 4096;
	struct proc_stat stat;
	uint64_t from = 0;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int have;

	expect_eq(proc_read(getpid(), &stat), 0);
	expect(sys_read(proc_file("stat"), text, sizeof(text)) > 0);
	tree_make();
	tree_put(proc_file("stat"), text);
	tree_put(proc_file("status"), "Uid:\t0\t0\t0\t0\n");
	have = sprintf(text, "1000-2000 r--p 00000000 00:00 1 /%05000d\n", 0);
	sprintf(text + have, "%lx-%lx rw-p 00000000 00:00 0 \n", (unsigned long)memory,
		(unsigned long)memory + size);
	tree_put(proc_file("maps"), text);
	memset(memory, 1, size);
	expect_eq(push_process((struct proc_id){ getpid(), stat.start }, UINT64_MAX, &from), size);
	expect_eq(from, 0);
	aside_stop();
	tree_remove();
	munmap(memory, size);
}

static const struct tap_case cases[] = {
	{ "paths are looked up below a prefix", test_prefix },
	{ "files are read, and read anew", test_read },
	{ "files are written, and never made", test_write },
	{ "numbers and max", test_numbers },
	{ "entries of a directory", test_entries },
	{ "processes", test_pids },
	{ "directories are made and removed", test_directories },
	{ "paths that are too long", test_long },
	{ "a mapping of a file with a long name", test_long_map },
	{ "lines of a file", test_lines },
	{ "lines that come in pieces", test_lines_pieces },
	{ "clock, pages, processes by descriptors", test_system },
};

int main(int argc, char **argv)
{
	return tap_main("sys", cases, ARRAY_SIZE(cases), argc, argv);
}
