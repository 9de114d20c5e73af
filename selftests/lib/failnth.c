// SPDX-License-Identifier: GPL-2.0
/*
 * Repeats an operation whose first, then second, then third, ... allocation fails, until it ends
 * before the fault: `failnth [-l LOWER] [-o LOG] [-f FIRST] [-n MOST] [-e EVERY] [-u FUNCTION]
 * OPERATION ARGUMENT...`. LOWER is the module whose users are counted, NAME the name of the device
 * that OPTIONS or PARAMETERS make. With EVERY, only the first of EVERY allocations fails.
 *
 *   attach NAME OPTIONS		by sysfs
 *   detach NAME OPTIONS		by sysfs, after an attach without faults
 *   show NAME OPTIONS		open and read the device's file in procfs
 *   char NAME OPTIONS		open, write, read and sync /dev/mtdN
 *   block NAME OPTIONS		open, write, read and sync /dev/mtdblockN
 *   disk NAME OPTIONS		the same with /dev/mtdcomprN, and discard a page
 *   insmod NAME FILE PARAMETERS	load the module; "-" for no device
 *   rmmod NAME FILE PARAMETERS	unload it
 *
 * /proc/thread-self/fail-nth counts the allocations of this task only, including those in the MTD
 * core, procfs and the driver core. After each fault: a failed operation must leave nothing behind;
 * the result of a successful operation must work, with a fault or without; and the kernel's log
 * must have the right messages and no splat.
 *
 * The allocators themselves allocate when they need to, so a number need not hit the same
 * allocation twice, and an allocation may be skipped. With FUNCTION the whole run is repeated up to
 * ten times, until a fault has hit below FUNCTION.
 *
 * LOG gets a line for each fault: number, outcome, messages of the driver, and the functions on the
 * stack, from the allocator upwards (empty if the caller used __GFP_NOWARN). Findings go to
 * standard error. The last line on standard output is, with at least one outcome,
 *   faults N wrong N OUTCOME N...
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <mtd/mtd-user.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "mtdnum.h"

#define SYS		"/sys/devices/mtdcompr/"
#define PAGE		4096
#define MTD_MAJOR	90

static const char *lower = "";
static const char *name;
static char *until;		/* name of a function in said.chain, or NULL */
static bool was_below;		/* a fault has hit below @until */
static char **args;
static unsigned int fault;	/* number of the present fault */
static unsigned int wrong;
static int nth_fd, kmsg_fd;

/* Messages in the kernel's log since the operation began. */
static struct {
	unsigned int ours;	/* messages of the driver */
	bool dumped;		/* the stack of the fault is in the log */
	bool in_driver;		/* a function of the driver is on that stack */
	char chain[1600];
} said;

static void complain(const char *format, ...)
{
	va_list list;

	wrong++;
	fprintf(stderr, "fault %u: ", fault);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fprintf(stderr, "%s%s\n", *said.chain ? ": " : "", said.chain);
}

/* ---------------------------------------------------------------- the kernel's log */

static bool has_splat(const char *line)
{
	static const char * const splats[] = {
		"WARNING", "BUG", "Oops", "Call Trace", "blocked for more than",
		"Kernel panic", "general protection", "UBSAN", "KASAN",
		"circular locking", "suspicious RCU", "allocation failure",
		"kmemleak: ", "ODEBUG",
	};
	unsigned int i;

	/* kmemleak then scans more memory, which does no harm. */
	if (strstr(line, "kmemleak: Cannot allocate a scan area"))
		return false;
	for (i = 0; i < sizeof(splats) / sizeof(splats[0]); i++)
		if (strstr(line, splats[i]))
			return true;
	return false;
}

/* " kmalloc+0x12/0x34 [module]": a function on the stack. Skip unreliable entries ("?"). */
static void add_frame(const char *line)
{
	const char *plus = strstr(line, "+0x");
	size_t used = strlen(said.chain);

	while (*line == ' ')
		line++;
	if (!plus || *line == '?' || plus < line)
		return;
	if (strstr(line, "[mtdcompr]"))
		said.in_driver = true;
	snprintf(said.chain + used, sizeof(said.chain) - used, "%s%.*s%s",
		 used ? " " : "", (int)(plus - line), line,
		 strstr(line, "[mtdcompr]") ? "[mtdcompr]" : "");
}

/*
 * The kernel logs a stack for each fault, and for a vmalloc() that fails because of it. These are
 * no splats.
 */
static void read_log(void)
{
	bool reporting = false, of_fault = false;
	char record[8192];
	ssize_t n;

	memset(&said, 0, sizeof(said));
	for (;;) {
		char *line;

		n = read(kmsg_fd, record, sizeof(record) - 1);
		if (n < 0 && errno == EPIPE) {
			complain("the log was overrun");
			continue;
		}
		if (n <= 0)
			return;
		record[n] = '\0';
		line = strchr(record, ';');
		if (!line)
			continue;
		line[strcspn(line, "\n")] = '\0';
		line++;
		if (strstr(line, "FAULT_INJECTION: forcing a failure")) {
			reporting = true;
			of_fault = !said.dumped;
			said.dumped = true;
		} else if (strstr(line, "vmalloc error: ")) {
			reporting = true;
			of_fault = false;
		} else if (reporting) {
			if (strstr(line, "</TASK>"))
				reporting = false;
			else if (of_fault)
				add_frame(line);
		} else if (has_splat(line)) {
			complain("the kernel says \"%s\"", line);
		} else if (!strncmp(line, "mtdcompr: ", 10)) {
			said.ours++;
		}
	}
}

/* ---------------------------------------------------------------- state of the system */

static void append(char *text, size_t size, const char *file, bool dir)
{
	size_t used = strlen(text);

	if (dir) {
		struct dirent *entry;
		DIR *stream = opendir(file);

		while (stream && (entry = readdir(stream))) {
			used = strlen(text);
			snprintf(text + used, size - used, "%s/%s\n", file, entry->d_name);
		}
		if (stream)
			closedir(stream);
	} else {
		int fd = open(file, O_RDONLY);
		ssize_t n;

		while (fd >= 0 && (n = read(fd, text + used, size - used - 1)) > 0)
			used += n;
		text[used] = '\0';
		if (fd >= 0)
			close(fd);
	}
}

/* Collect every file and number that shows an attached device. */
static void take_stock(char *text, size_t size)
{
	char file[128];

	*text = '\0';
	append(text, size, "/proc/mtd", false);
	append(text, size, "/proc/mtdcompr", true);
	append(text, size, "/sys/class/mtd", true);
	append(text, size, "/sys/class/block", true);
	append(text, size, "/sys/bus/nvmem/devices", true);
	append(text, size, "/sys/kernel/debug/mtd", true);
	append(text, size, "/sys/devices/mtdcompr", true);
	snprintf(file, sizeof(file), "/sys/module/%s/refcnt", lower);
	append(text, size, file, false);
	snprintf(file, sizeof(file), "/sys/module/mtdcompr/refcnt");
	append(text, size, file, false);
}

static char before[65536], after[65536];

static void compare_stock(const char *what)
{
	const char *a = before, *b = after;

	take_stock(after, sizeof(after));
	if (!strcmp(before, after))
		return;
	while (*a == *b) {
		a++;
		b++;
	}
	while (a > before && a[-1] != '\n') {
		a--;
		b--;
	}
	complain("%s, and not all is as before: \"%.*s\", not \"%.*s\"", what,
		 (int)strcspn(b, "\n"), b, (int)strcspn(a, "\n"), a);
}

/* ---------------------------------------------------------------- the device */

static int write_and_read(int fd, off_t at)
{
	static uint8_t out[PAGE] __attribute__((aligned(PAGE)));
	static uint8_t in[PAGE] __attribute__((aligned(PAGE)));
	unsigned int i;

	for (i = 0; i < PAGE; i++)
		out[i] = i / 3 + (i % 16 ? 0 : fault) + fault % 7;
	if (pwrite(fd, out, PAGE, at) != PAGE)
		return -1;
	if (pread(fd, in, PAGE, at) != PAGE)
		return -1;
	if (memcmp(in, out, PAGE)) {
		complain("WRONG DATA");
		errno = EILSEQ;
		return -1;
	}
	return 0;
}

static char char_node[64], block_node[64], disk_node[64];
static int mtd_number;

static void find_nodes(void)
{
	char file[128], line[128], disk[32];
	FILE *stats;

	mtd_number = mtd_num(name);
	snprintf(char_node, sizeof(char_node), "/dev/mtd%d", mtd_number);
	snprintf(block_node, sizeof(block_node), "/dev/mtdblock%d", mtd_number);
	*disk_node = '\0';
	snprintf(file, sizeof(file), "/proc/mtdcompr/%s", name);
	stats = fopen(file, "r");
	while (stats && fgets(line, sizeof(line), stats))
		if (sscanf(line, "disk: %31s", disk) == 1)
			snprintf(disk_node, sizeof(disk_node), "/dev/%s", disk);
	if (stats)
		fclose(stats);
}

/* If devtmpfs had no memory for the node, make a node to open. */
static int open_char_surely(void)
{
	char file[64];
	int fd;

	find_nodes();
	fd = open(char_node, O_RDWR);
	if (fd >= 0 || errno != ENOENT || mtd_number < 0)
		return fd;
	snprintf(file, sizeof(file), "/run/failnth.%d", getpid());
	if (mknod(file, S_IFCHR | 0600, makedev(MTD_MAJOR, mtd_number * 2)))
		return -1;
	fd = open(file, O_RDWR);
	unlink(file);
	return fd;
}

/* Read all statistics: the last key must be there. */
static int show(void)
{
	char file[128], text[16384];
	ssize_t n;
	size_t used = 0;
	int fd;

	snprintf(file, sizeof(file), "/proc/mtdcompr/%s", name);
	fd = open(file, O_RDONLY);
	if (fd < 0)
		return -1;
	while ((n = read(fd, text + used, sizeof(text) - used - 1)) > 0)
		used += n;
	close(fd);
	text[used] = '\0';
	if (n < 0)
		return -1;
	if (!strstr(text, "\nblock_bad_units:")) {
		complain("the statistics are not complete");
		errno = EILSEQ;
		return -1;
	}
	return 0;
}

static void must_work(void)
{
	int fd;

	if (!strcmp(name, "-"))
		return;
	fd = open_char_surely();
	if (fd < 0) {
		complain("it can't be opened (%s)", strerrorname_np(errno));
		return;
	}
	if (write_and_read(fd, (fault % 64) * PAGE))
		complain("it can't be used (%s)", strerrorname_np(errno));
	close(fd);
	if (show())
		complain("it is not in procfs (%s)", strerrorname_np(errno));
}

static void must(int ret, const char *what)
{
	if (ret) {
		complain("without a fault, %s fails with %s", what,
			 strerrorname_np(errno));
		exit(1);
	}
}

/* ---------------------------------------------------------------- the operations */

static int attach_fd, detach_fd, module_fd;

static int write_all(int fd, const char *text)
{
	ssize_t n = pwrite(fd, text, strlen(text), 0);

	if (n >= 0 && (size_t)n != strlen(text)) {
		errno = EILSEQ;
		return -1;
	}
	return n < 0 ? -1 : 0;
}

static int attach(void)
{
	return write_all(attach_fd, args[0]);
}

static int detach(void)
{
	return write_all(detach_fd, name);
}

static void attach_surely(void)
{
	must(attach(), "attach");
	find_nodes();
}

static void detach_surely(void)
{
	must(detach(), "detach");
}

/* The detach failed, so the device must still work. */
static void detach_again(void)
{
	must_work();
	detach_surely();
}

static int insmod(void)
{
	return syscall(SYS_finit_module, module_fd, args[1], 0);
}

static int rmmod(void)
{
	return syscall(SYS_delete_module, "mtdcompr", O_NONBLOCK);
}

static void insmod_surely(void)
{
	must(insmod(), "insmod");
}

static void rmmod_surely(void)
{
	must(rmmod(), "rmmod");
}

static void rmmod_again(void)
{
	must_work();
	rmmod_surely();
}

static int use_char(void)
{
	struct erase_info_user64 erase = { 9 * PAGE, PAGE };
	struct mtd_info_user info;
	int fd = open(char_node, O_RDWR), ret;

	if (fd < 0)
		return -1;
	ret = write_and_read(fd, 5 * PAGE);
	if (!ret)
		ret = ioctl(fd, MEMGETINFO, &info);
	if (!ret)
		ret = ioctl(fd, MEMERASE64, &erase);
	close(fd);
	return ret;
}

static int use_node(const char *node, bool discard)
{
	uint64_t range[2] = { 7 * PAGE, PAGE };
	int fd = open(node, O_RDWR | O_DIRECT), ret;

	if (fd < 0)
		return -1;
	ret = write_and_read(fd, 7 * PAGE);
	if (!ret)
		ret = fsync(fd);
	if (!ret && discard)
		ret = ioctl(fd, BLKDISCARD, range);
	close(fd);
	return ret;
}

static int use_block(void)
{
	return use_node(block_node, false);
}

static int use_disk(void)
{
	return use_node(disk_node, true);
}

static void nothing(void)
{
}

/*
 * An operation: preparation, the operation itself, and the steps after a success or a failure. The
 * last step restores the state before. Each device that comes or goes causes one message.
 */
static const struct op {
	const char *name;
	int args;
	void (*before)(void);
	int (*run)(void);
	void (*succeeded)(void);
	void (*failed)(void);
	unsigned int messages;
} ops[] = {
	{ "attach", 1, nothing, attach, detach_again, nothing, 1 },
	{ "detach", 1, attach_surely, detach, nothing, detach_again, 1 },
	{ "show", 1, attach_surely, show, detach_again, detach_again, 0 },
	{ "char", 1, attach_surely, use_char, detach_again, detach_again, 0 },
	{ "block", 1, attach_surely, use_block, detach_again, detach_again, 0 },
	{ "disk", 1, attach_surely, use_disk, detach_again, detach_again, 0 },
	{ "insmod", 2, nothing, insmod, rmmod_again, nothing, 1 },
	{ "rmmod", 2, insmod_surely, rmmod, nothing, rmmod_again, 1 },
};

static unsigned int outcomes[256];

/*
 * A failed allocation gives ENOMEM, with an exception in the driver core: without memory for the
 * name of a device, it returns EINVAL.
 */
static bool is_clean(int err)
{
	if (err == EINVAL)
		return strstr(said.chain, " kobject_set_name_vargs ");
	return !err || err == ENOMEM;
}

static void arm(unsigned int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(nth_fd, text, n, 0) != n)
		err(2, "fail-nth");
}

/* Return: the rest of the count; 0 if the fault was used. */
static unsigned int disarm(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) < 0)
		err(2, "fail-nth");
	arm(0);
	return strtoul(text, NULL, 10);
}

/* Number of devices that come or go. */
static unsigned int devices(const struct op *op)
{
	const char *option = args[1];
	unsigned int n = 0;

	if (op->args != 2)
		return op->messages;
	for (; (option = strstr(option, "mtd=")); option++)
		n++;
	return n;
}

/*
 * Number of messages of the driver: one for each device, and one for a refusal by the driver. A
 * module that fails to load gives a reason only if a device failed; devices before that one have
 * come and gone.
 */
static void judge_messages(const struct op *op, int err)
{
	unsigned int least = devices(op);
	unsigned int most = least;

	if (err && op->args == 2) {
		least = 0;
		most = 2 * most + 1;
	} else if (err) {
		most = 1;
		least = said.in_driver && op->messages;
	}
	if (said.ours < least || said.ours > most)
		complain("%u messages of ours with %s", said.ours,
			 err ? strerrorname_np(err) : "ok");
}

/* A run with one fault; false if the operation did not use it. */
static bool one(const struct op *op, FILE *log)
{
	unsigned int left;
	int err;

	op->before();
	lseek(kmsg_fd, 0, SEEK_END);
	errno = 0;
	arm(fault);
	err = op->run() ? errno : 0;
	left = disarm();
	read_log();
	if (until && !left && strstr(said.chain, until))
		was_below = true;
	if (log && !left)
		fprintf(log, "%u %s %u %s\n", fault, err ? strerrorname_np(err) : "ok",
			said.ours, said.chain);
	judge_messages(op, err);
	if (!is_clean(err))
		complain("it fails with %s", strerrorname_np(err));
	if (err)
		op->failed();
	else
		op->succeeded();
	compare_stock(err ? "it failed" : "it is undone");
	if (left && err)
		complain("without a fault, it fails with %s", strerrorname_np(err));
	if (!left)
		outcomes[err & 255]++;
	return !left;
}

static int open_or_die(const char *file, int flags)
{
	int fd = open(file, flags);

	if (fd < 0)
		err(2, "%s", file);
	return fd;
}

/*
 * Skip the allocations before the loader parses the parameters. They are the kernel's own, and one
 * of them warns: event_define_fields() does so for any module with tracepoints. A load with an
 * empty mtd= ends there, and gives their number. It varies, because kmemleak and KASAN allocate as
 * they need, so take the largest of three, and ten more.
 */
static void skip_loader(void)
{
	const unsigned int many = 1000000, more = 10;
	unsigned int i, used;

	for (i = 0; i < 3; i++) {
		arm(many);
		if (!syscall(SYS_finit_module, module_fd, "mtd=", 0))
			errx(2, "an empty mtd= is taken");
		used = many - disarm();
		if (fault < used + more)
			fault = used + more;
	}
	printf("loader %u\n", fault);
}

static void set_up(const struct op *op)
{
	nth_fd = open_or_die("/proc/thread-self/fail-nth", O_RDWR);
	kmsg_fd = open_or_die("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (op->args == 2) {
		module_fd = open_or_die(args[0], O_RDONLY);
		if (op->run == insmod)
			skip_loader();
	} else {
		attach_fd = open_or_die(SYS "attach", O_WRONLY);
		detach_fd = open_or_die(SYS "detach", O_WRONLY);
	}
}

int main(int argc, char **argv)
{
	unsigned int i, first, rounds = 0, most = 100000, every = 1, faults = 0;
	const struct op *op = NULL;
	FILE *log = NULL;
	int opt;

	fault = 1;
	while ((opt = getopt(argc, argv, "+l:o:f:n:e:u:")) != -1) {
		switch (opt) {
		case 'l':
			lower = optarg;
			break;
		case 'o':
			log = fopen(optarg, "w");
			break;
		case 'f':
			fault = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			most = strtoul(optarg, NULL, 0);
			break;
		case 'e':
			every = strtoul(optarg, NULL, 0);
			break;
		case 'u':
			if (asprintf(&until, " %s[mtdcompr]", optarg) < 0)
				err(2, "%s", optarg);
			break;
		default:
			return 2;
		}
	}
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]) && optind + 1 < argc; i++)
		if (!strcmp(argv[optind], ops[i].name) &&
		    argc - optind == ops[i].args + 2)
			op = &ops[i];
	if (!op)
		errx(2, "unknown operation or wrong number of arguments");
	name = argv[optind + 1];
	args = argv + optind + 2;
	set_up(op);
	take_stock(before, sizeof(before));
	first = fault;
	do {
		for (fault = first; faults < most && one(op, log); fault += every)
			faults++;
	} while (until && !was_below && ++rounds < 10);
	printf("faults %u wrong %u", faults, wrong);
	for (i = 0; i < 256; i++)
		if (outcomes[i])
			printf(" %s %u", i ? strerrorname_np(i) : "ok", outcomes[i]);
	printf("\n");
	return wrong || faults == most;
}
