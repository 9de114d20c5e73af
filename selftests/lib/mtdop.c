// SPDX-License-Identifier: GPL-2.0
/*
 * Single operations for the guest scripts.  Prints `ok` or the symbolic errno
 * (`ENOSPC`) on one line: a script can then compare exactly, which the error
 * texts of cat, dd and modprobe do not allow.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <mtd/mtd-user.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int say(long ret)
{
	if (ret >= 0) {
		puts("ok");
		return 0;
	}
	puts(errno ? strerrorname_np(errno) : "short");
	return 0;
}

static int opened(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd < 0) {
		say(-1);
		exit(0);
	}
	return fd;
}

static uint64_t number(const char *s)
{
	return strtoull(s, NULL, 0);
}

/* put FILE STRING: one write(2), as a sysfs attribute wants it */
static int op_put(char **arg)
{
	size_t len = strlen(arg[1]);
	int fd = opened(arg[0], O_WRONLY);
	ssize_t n = write(fd, arg[1], len);

	errno = n >= 0 && (size_t)n < len ? 0 : errno;
	return say(n == (ssize_t)len ? 0 : -1);
}

/* insmod FILE PARAMETERS */
static int op_insmod(char **arg)
{
	int fd = opened(arg[0], O_RDONLY);

	return say(syscall(SYS_finit_module, fd, arg[1], 0));
}

/* erase DEV OFFSET LENGTH */
static int op_erase(char **arg)
{
	struct erase_info_user ei = { number(arg[1]), number(arg[2]) };

	return say(ioctl(opened(arg[0], O_RDWR), MEMERASE, &ei));
}

/* erase64 DEV OFFSET LENGTH */
static int op_erase64(char **arg)
{
	struct erase_info_user64 ei = { number(arg[1]), number(arg[2]) };

	return say(ioctl(opened(arg[0], O_RDWR), MEMERASE64, &ei));
}

/* part DEV NAME OFFSET LENGTH: add a partition */
static int op_part(char **arg)
{
	struct blkpg_partition part = { .start = number(arg[2]), .length = number(arg[3]) };
	struct blkpg_ioctl_arg add = {
		.op = BLKPG_ADD_PARTITION, .datalen = sizeof(part), .data = &part,
	};

	snprintf(part.devname, sizeof(part.devname), "%s", arg[1]);
	return say(ioctl(opened(arg[0], O_RDWR), BLKPG, &add));
}

/* flush BLOCKDEV: write back and drop its page cache */
static int op_flush(char **arg)
{
	int fd = opened(arg[0], O_RDONLY);

	if (fsync(fd))
		return say(-1);
	return say(ioctl(fd, BLKFLSBUF, 0));
}

/* fill DEV OFFSET LENGTH BYTE: one pwrite */
static int op_fill(char **arg)
{
	size_t len = number(arg[2]);
	uint8_t *buf = malloc(len + 1);
	ssize_t n;

	memset(buf, (int)number(arg[3]), len);
	errno = 0;
	n = pwrite(opened(arg[0], O_WRONLY), buf, len, number(arg[1]));
	return say(n == (ssize_t)len ? 0 : -1);
}

/* is DEV OFFSET LENGTH BYTE: `ok` if all bytes have this value, else `differs` */
static int op_is(char **arg)
{
	size_t len = number(arg[2]), i;
	uint8_t *buf = calloc(1, len + 1);
	ssize_t n;

	memset(buf, ~(int)number(arg[3]), len);
	errno = 0;
	n = pread(opened(arg[0], O_RDONLY), buf, len, number(arg[1]));
	if (n != (ssize_t)len)
		return say(-1);
	for (i = 0; i < len; i++) {
		if (buf[i] != (uint8_t)number(arg[3])) {
			puts("differs");
			return 0;
		}
	}
	return say(0);
}

/* xor DEV OFFSET MASK: flip bits of one byte */
static int op_xor(char **arg)
{
	int fd = opened(arg[0], O_RDWR);
	uint8_t byte;

	errno = 0;
	if (pread(fd, &byte, 1, number(arg[1])) != 1)
		return say(-1);
	byte ^= (uint8_t)number(arg[2]);
	return say(pwrite(fd, &byte, 1, number(arg[1])) == 1 ? 0 : -1);
}

/* info DEV: the fields of MEMGETINFO */
static int op_info(char **arg)
{
	struct mtd_info_user mi;

	if (ioctl(opened(arg[0], O_RDONLY), MEMGETINFO, &mi))
		return say(-1);
	printf("type=%u flags=0x%x size=%u erasesize=%u writesize=%u\n",
	       mi.type, mi.flags, mi.size, mi.erasesize, mi.writesize);
	return 0;
}

static const struct {
	const char *name;
	int args;
	int (*run)(char **arg);
} op[] = {
	{ "put", 2, op_put },
	{ "insmod", 2, op_insmod },
	{ "erase", 3, op_erase },
	{ "erase64", 3, op_erase64 },
	{ "part", 4, op_part },
	{ "flush", 1, op_flush },
	{ "fill", 4, op_fill },
	{ "is", 4, op_is },
	{ "xor", 3, op_xor },
	{ "info", 1, op_info },
};

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; i < sizeof(op) / sizeof(op[0]); i++)
		if (argc > 1 && !strcmp(argv[1], op[i].name) && argc == op[i].args + 2)
			return op[i].run(argv + 2);
	fprintf(stderr, "mtdop: unknown operation or wrong number of arguments\n");
	return 2;
}
