// SPDX-License-Identifier: GPL-2.0
/*
 * Single operations for the guest scripts: `mtdop OPERATION ARGUMENT...`, for example those on NAND
 * that read(2) and write(2) of an MTD hide, and measurements of time. Prints `ok`, the symbolic
 * errno (`ENOSPC`) or a figure, on one line. So a script can compare exactly, unlike with the error
 * texts of cat, dd and modprobe.
 */
#define _GNU_SOURCE
#include <err.h>
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
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int say(long ret)
{
	puts(ret >= 0 ? "ok" : errno ? strerrorname_np(errno) : "short");
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

static void *buffer(size_t len, int byte)
{
	void *buf = malloc(len + 1);

	if (!buf)
		err(2, "malloc");
	return memset(buf, byte, len + 1);
}

static unsigned int differing(const uint8_t *buf, size_t len, uint8_t byte)
{
	unsigned int n = 0;

	while (len--)
		n += buf[len] != byte;
	return n;
}

/* put FILE STRING: one write(2), as a sysfs attribute needs */
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

/* fill DEV OFFSET LENGTH BYTE: one pwrite() */
static int op_fill(char **arg)
{
	size_t len = number(arg[2]);
	uint8_t *buf = buffer(len, number(arg[3]));
	ssize_t n;

	errno = 0;
	n = pwrite(opened(arg[0], O_WRONLY), buf, len, number(arg[1]));
	return say(n == (ssize_t)len ? 0 : -1);
}

/* is DEV OFFSET LENGTH BYTE: `ok` if all bytes have this value, else `differs` */
static int op_is(char **arg)
{
	size_t len = number(arg[2]);
	int byte = number(arg[3]);
	uint8_t *buf = buffer(len, ~byte);
	ssize_t n;

	errno = 0;
	n = pread(opened(arg[0], O_RDONLY), buf, len, number(arg[1]));
	if (n != (ssize_t)len)
		return say(-1);
	puts(differing(buf, len, byte) ? "differs" : "ok");
	return 0;
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

static uint8_t mode(const char *s)
{
	if (!strcmp(s, "raw"))
		return MTD_OPS_RAW;
	return strcmp(s, "place") ? MTD_OPS_AUTO_OOB : MTD_OPS_PLACE_OOB;
}

/*
 * read DEV MODE OFFSET LENGTH OOBLENGTH BYTE: `ok` or the errno; the numbers of data bytes and of
 * out-of-band bytes that differ from BYTE; then, if not 0, the most bits corrected in one step
 */
static int op_read(char **arg)
{
	size_t len = number(arg[3]), ooblen = number(arg[4]);
	int byte = number(arg[5]);
	uint8_t *data = buffer(len, ~byte), *oob = buffer(ooblen, ~byte);
	struct mtd_read_req req = {
		.start = number(arg[2]), .len = len, .ooblen = ooblen,
		.usr_data = len ? (uintptr_t)data : 0,
		.usr_oob = ooblen ? (uintptr_t)oob : 0,
		.mode = mode(arg[1]),
	};
	int ret = ioctl(opened(arg[0], O_RDONLY), MEMREAD, &req);

	printf("%s %u %u", ret ? strerrorname_np(errno) : "ok",
	       differing(data, len, byte), differing(oob, ooblen, byte));
	if (req.ecc_stats.max_bitflips)
		printf(" flips %u", req.ecc_stats.max_bitflips);
	printf("\n");
	return 0;
}

/* write DEV MODE OFFSET LENGTH OOBLENGTH BYTE */
static int op_write(char **arg)
{
	size_t len = number(arg[3]), ooblen = number(arg[4]);
	uint8_t *data = buffer(len, number(arg[5]));
	uint8_t *oob = buffer(ooblen, number(arg[5]));
	struct mtd_write_req req = {
		.start = number(arg[2]), .len = len, .ooblen = ooblen,
		.usr_data = len ? (uintptr_t)data : 0,
		.usr_oob = ooblen ? (uintptr_t)oob : 0,
		.mode = mode(arg[1]),
	};

	return say(ioctl(opened(arg[0], O_RDWR), MEMWRITE, &req));
}

/* isbad DEV OFFSET: 0, 1 or the errno */
static int op_isbad(char **arg)
{
	loff_t at = number(arg[1]);
	int ret = ioctl(opened(arg[0], O_RDONLY), MEMGETBADBLOCK, &at);

	if (ret < 0)
		return say(ret);
	printf("%d\n", ret);
	return 0;
}

/* markbad DEV OFFSET */
static int op_markbad(char **arg)
{
	loff_t at = number(arg[1]);

	return say(ioctl(opened(arg[0], O_RDWR), MEMSETBADBLOCK, &at));
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * time OPERATION DEV LENGTH COUNT: nanoseconds for COUNT operations (read, write or erase) of
 * LENGTH bytes, in order from the beginning
 */
static int op_time(char **arg)
{
	size_t len = number(arg[2]), count = number(arg[3]), i;
	int fd = opened(arg[1], O_RDWR);
	uint8_t *buf = buffer(len, 0);
	uint64_t begun = now();
	long ret = 0;

	for (i = 0; i < count && ret >= 0; i++) {
		struct erase_info_user64 ei = { i * len, len };

		errno = 0;
		switch (*arg[0]) {
		case 'r':
			ret = pread(fd, buf, len, i * len);
			break;
		case 'w':
			ret = pwrite(fd, buf, len, i * len);
			break;
		default:
			ret = ioctl(fd, MEMERASE64, &ei);
		}
	}
	if (ret < 0)
		return say(ret);
	printf("%llu\n", (unsigned long long)(now() - begun));
	return 0;
}

/* stop halt|off|restart: stop the machine at once */
static int op_stop(char **arg)
{
	return say(reboot(!strcmp(arg[0], "halt") ? RB_HALT_SYSTEM :
			  !strcmp(arg[0], "off") ? RB_POWER_OFF : RB_AUTOBOOT));
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
	{ "read", 6, op_read },
	{ "write", 6, op_write },
	{ "isbad", 2, op_isbad },
	{ "markbad", 2, op_markbad },
	{ "time", 4, op_time },
	{ "stop", 1, op_stop },
};

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; i < sizeof(op) / sizeof(op[0]); i++)
		if (argc > 1 && !strcmp(argv[1], op[i].name) && argc == op[i].args + 2)
			return op[i].run(argv + 2);
	errx(2, "unknown operation or wrong number of arguments");
}
