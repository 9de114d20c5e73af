// SPDX-License-Identifier: GPL-2.0
/*
 * First process of the test guest.
 *
 * The initramfs has this program and a few modules: it loads them, mounts the host's root file
 * system (9p, read-only) with a RAM overlay on top, moves there, writes "up" to the second serial
 * port, and runs qemu/init.sh of the checkout in a child. If the child exits with 0, it writes
 * "success" there as its last action. This is the only way for a guest run to pass.
 *
 * On the kernel command line: mtdc_top=PATH of the checkout and mtdc_run=PATH of the directory that
 * describes this run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* Leave QEMU, which runs with -no-reboot. A poweroff would need ACPI. */
static void __attribute__((noreturn)) leave(void)
{
	sync();
	tcdrain(STDOUT_FILENO);
	reboot(RB_AUTOBOOT);
	_exit(1);
}

static void __attribute__((noreturn, format(printf, 1, 2)))
fail(const char *format, ...)
{
	int error = errno;
	va_list args;

	va_start(args, format);
	printf("init: ");
	vprintf(format, args);
	printf(": %s\n", strerror(error));
	va_end(args);
	leave();
}

static void load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail("open %s", path);
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		fail("load %s", path);
	close(fd);
	/* Free the RAM of the initramfs for the tests. */
	unlink(path);
}

static void load_modules(void)
{
	FILE *list = fopen("/modules", "re");
	char path[256];

	if (!list)
		fail("open /modules");
	while (fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = '\0';
		load_module(path);
	}
	fclose(list);
	unlink("/modules");
}

static void mount_or_fail(const char *what, const char *where,
			  const char *type, unsigned long flags,
			  const char *options)
{
	if (mount(what, where, type, flags, options))
		fail("mount %s on %s", what, where);
}

static void make_link(const char *to, const char *path)
{
	if (symlink(to, path) && errno != EEXIST)
		fail("link %s", path);
}

static void make_root(void)
{
	mkdir("/host", 0755);
	mkdir("/ram", 0755);
	mkdir("/root", 0755);

	/* cache=loose: the host does not change these files while the guest runs. */
	mount_or_fail("host", "/host", "9p", MS_RDONLY,
		      "trans=virtio,version=9p2000.L,cache=loose,msize=262144");
	mount_or_fail("tmpfs", "/ram", "tmpfs", 0, "mode=0755");
	mkdir("/ram/upper", 0755);
	mkdir("/ram/work", 0755);
	mount_or_fail("overlay", "/root", "overlay", 0,
		      "lowerdir=/host,upperdir=/ram/upper,workdir=/ram/work");

	mount_or_fail("proc", "/root/proc", "proc", 0, NULL);
	mount_or_fail("sysfs", "/root/sys", "sysfs", 0, NULL);
	mount_or_fail("devtmpfs", "/root/dev", "devtmpfs", 0, NULL);
	mount_or_fail("tmpfs", "/root/run", "tmpfs", 0, "mode=0755");
	mkdir("/root/dev/pts", 0755);
	mkdir("/root/dev/shm", 01777);
	mount_or_fail("devpts", "/root/dev/pts", "devpts", 0, NULL);
	mount_or_fail("tmpfs", "/root/dev/shm", "tmpfs", 0, NULL);
	mount_or_fail("debugfs", "/root/sys/kernel/debug", "debugfs", 0, NULL);
	mount_or_fail("tracefs", "/root/sys/kernel/tracing", "tracefs", 0, NULL);
	/* Links that udev would make; bash's <( ) needs /dev/fd, for example. */
	make_link("/proc/self/fd", "/root/dev/fd");
	make_link("/proc/self/fd/0", "/root/dev/stdin");
	make_link("/proc/self/fd/1", "/root/dev/stdout");
	make_link("/proc/self/fd/2", "/root/dev/stderr");

	/*
	 * This process must move its root itself: the kernel's threads share its root directory,
	 * and look for modprobe there.
	 */
	if (chdir("/root") || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		fail("enter the root");
}

static void use_console(void)
{
	int fd = open("/dev/ttyS0", O_RDWR);

	if (fd < 0)
		fail("open the console");
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

static int run_script(const char *top)
{
	char script[4096];
	pid_t child, pid;
	int status;

	snprintf(script, sizeof(script), "%s/qemu/init.sh", top);
	child = fork();
	if (child < 0)
		fail("fork");
	if (!child) {
		setsid();
		execl("/bin/bash", "bash", script, NULL);
		fail("start %s", script);
	}

	/* Reap orphans, too, until the script has ended. */
	do {
		pid = waitpid(-1, &status, 0);
		if (pid < 0 && errno != EINTR)
			fail("wait");
	} while (pid != child);

	if (WIFSIGNALED(status)) {
		printf("init: script killed by signal %d\n", WTERMSIG(status));
		return 1;
	}
	return WEXITSTATUS(status);
}

/* Send guest.sh a word on the second serial port. */
static void report(const char *text)
{
	int fd = open("/dev/ttyS1", O_WRONLY | O_NOCTTY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || tcdrain(fd))
		fail("report");
	close(fd);
}

int main(void)
{
	const char *top = getenv("mtdc_top");

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (getpid() != 1) {
		fprintf(stderr, "init: to be run as the first process\n");
		return 1;
	}
	if (!top) {
		printf("init: no mtdc_top= on the command line\n");
		leave();
	}

	load_modules();
	make_root();
	report("up\n");
	use_console();
	if (!run_script(top)) {
		sync();
		report("success\n");
	}
	leave();
}
