// SPDX-License-Identifier: GPL-2.0
/*
 * Random system calls on everything that the driver shows to user space: `sysfuzz [-s SEED] [-t
 * SECONDS] [-n CALLS] [-j PROCESSES] [-w SECONDS] [-l] -m NAME... -a STRING...`.
 *
 * It uses the MTDs whose names begin with one of the NAMEs after -m and, once they are attached,
 * mtdcompr0 and so on, but no others; so the data on other MTDs can be checked meanwhile. It uses
 * them as block devices (mtdblock, and the driver's own except the first) and as character devices,
 * and their files in /proc/mtdcompr, /sys/devices/mtdcompr and /sys/class/mtd/. A third of the
 * arguments is valid, a third at a limit, a third wild. Strings for attach and detach are valid
 * ones (-a STRING, each) with changes.
 *
 * The only requirement is that each call returns; the script checks the kernel's log and the data
 * of others. If a process makes no call for -w seconds (60), sysfuzz prints the last calls of all
 * processes, and its exit status is 1. The last line has the number of calls, and the number of
 * successful ones. -l writes each call to the kernel's log first, to find a call that crashes the
 * kernel.
 *
 * Not called: system calls that only destroy the machine under test or bypass the driver (swapon,
 * mounting, and BLKBSZSET, which races with readers in the kernel itself).
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <mtd/mtd-user.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "pattern.h"

#define FILES		12
#define PROCESSES_MAX	16
#define HISTORY		16
#define BUFFER		(256 * 1024)
#define NAMES_MAX	16
#define STRING_MAX	4200

enum kind { BLOCK, CHAR, PROC, CLASS, ATTRIBUTE, KINDS };

struct file {
	int fd;
	enum kind kind;
	uint64_t size;
	uint8_t *map;
	size_t map_len;
};

/* A process, in memory shared by all. */
struct process {
	pid_t pid;
	uint64_t calls, good;
	char history[HISTORY][160];
};

static struct file files[FILES];
static struct process *processes, *self;
static const char *names[NAMES_MAX], *strings[NAMES_MAX];
static unsigned int nnames, nstrings, nprocesses = 3;
static uint64_t rng, seed = 1, most_calls = UINT64_MAX;
static unsigned int seconds = 10, patience = 60;
static uint8_t *buffer;
static int log_fd = -1;
static sigjmp_buf escape;
static volatile sig_atomic_t mapped;

static uint64_t below(uint64_t n)
{
	return pat_next(&rng) % n;
}

static bool one_in(unsigned int n)
{
	return !below(n);
}

/* Note the next call. */
static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
	char *line = self->history[self->calls++ % HISTORY];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(self->history[0]), format, args);
	va_end(args);
	if (log_fd < 0)
		return;
	if (len >= (int)sizeof(self->history[0]))
		len = sizeof(self->history[0]) - 1;
	if (write(log_fd, line, len) < 0)
		log_fd = -1;
}

static void came(long result)
{
	if (result >= 0)
		self->good++;
}

/* A number that is valid, at a limit, or wild. */
static uint64_t any_number(uint64_t limit)
{
	static const uint64_t borders[] = {
		0, 1, 2, 511, 512, 513, 4095, 4096, 4097, 0x7fff, 0x8000, 0xffff, 0x10000,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, INT64_MAX - 4096, INT64_MAX,
		1ULL << 63, UINT64_MAX - 4095, UINT64_MAX,
	};
	uint64_t n;

	switch (below(6)) {
	case 0:
	case 1:
		return limit ? below(limit) : 0;
	case 2:
		n = below(9) * 512;
		return limit + (one_in(2) ? n : -n);
	case 3:
		return limit + below(5) - 2;
	case 4:
		return borders[below(sizeof(borders) / sizeof(borders[0]))];
	default:
		return pat_next(&rng) >> below(64);
	}
}

static size_t any_length(void)
{
	switch (below(5)) {
	case 0:
		return 512 * below(17);
	case 1:
		return 4096 * below(17);
	case 2:
		return below(64);
	default:
		return below(BUFFER);
	}
}

static uint64_t any_place(const struct file *file, size_t len)
{
	uint64_t at;

	if (one_in(4))
		return any_number(file->size);
	at = file->size > len ? below(file->size - len + 1) : 0;
	return one_in(2) ? at & ~511ULL : at;
}

/* An address without memory: the kernel's data there would crash the program. */
static void *bad_address(void)
{
	static const uint64_t addresses[] = {
		0, 8, 4095, 0x7ffffffff000, 0x7fffffffffff, 0x800000000000, 1ULL << 63,
		0xffff888000000000, 0xffffffff81000000, UINT64_MAX - 4095, UINT64_MAX,
	};

	return (void *)(uintptr_t)addresses[below(sizeof(addresses) / sizeof(addresses[0]))];
}

/* Mostly a valid address, and mostly aligned for O_DIRECT. */
static void *any_buffer(size_t len)
{
	if (one_in(40))
		return bad_address();
	if (len > BUFFER)
		len = BUFFER;
	return buffer + (one_in(3) ? below(BUFFER - len + 1) : 0);
}

static void any_contents(size_t len)
{
	size_t i;

	if (len > BUFFER)
		len = BUFFER;
	if (one_in(3)) {
		memset(buffer, below(256), len);
		return;
	}
	for (i = 0; i + 8 <= len; i += 8) {
		uint64_t word = pat_next(&rng);

		if (one_in(2))
			word &= 0x0f0f;
		memcpy(buffer + i, &word, sizeof(word));
	}
}

static void on_signal(int sig)
{
	if (sig == SIGBUS && mapped)
		siglongjmp(escape, 1);
	_exit(3);
}

static bool is_ours(const char *name)
{
	unsigned int i;

	for (i = 0; i < nnames; i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return !strncmp(name, "mtdcompr", 8);
}

/* The number of one of the MTDs in use, or -1. */
static int any_mtd(void)
{
	char line[256], name[128];
	int number, chosen = -1;
	unsigned int n = 0;
	FILE *list = fopen("/proc/mtd", "re");

	while (list && fgets(line, sizeof(line), list))
		if (sscanf(line, "mtd%d: %*s %*s \"%127[^\"]", &number, name) == 2 &&
		    is_ours(name) && one_in(++n))
			chosen = number;
	if (list)
		fclose(list);
	return chosen;
}

/* A random file in a directory or its subdirectories. */
static bool any_entry(char *path, size_t room)
{
	unsigned int depth;

	for (depth = 0; depth < 2; depth++) {
		DIR *dir = opendir(path);
		struct dirent *entry;
		char name[256] = "";
		unsigned int n = 0;
		size_t len = strlen(path);

		while (dir && (entry = readdir(dir)))
			if (*entry->d_name != '.' && entry->d_type != DT_LNK && one_in(++n))
				strcpy(name, entry->d_name);
		if (dir)
			closedir(dir);
		if (!*name || len + strlen(name) + 2 > room)
			return depth;
		path[len] = '/';
		strcpy(path + len + 1, name);
	}
	return true;
}

static bool any_path(enum kind kind, char *path, size_t room)
{
	int number;

	if (kind == PROC) {
		snprintf(path, room, "/proc/mtdcompr");
		return any_entry(path, room);
	}
	if (kind == ATTRIBUTE) {
		snprintf(path, room, "/sys/devices/mtdcompr");
		return any_entry(path, room);
	}
	/* The first block device belongs to another user, so skip it. */
	if (kind == BLOCK && one_in(3)) {
		snprintf(path, room, "/dev/mtdcompr%u", 1 + (unsigned int)below(5));
		return true;
	}
	number = any_mtd();
	if (number < 0)
		return false;
	if (kind == CLASS) {
		snprintf(path, room, "/sys/class/mtd/mtd%d", number);
		return any_entry(path, room);
	}
	snprintf(path, room, kind == BLOCK ? "/dev/mtdblock%d" : one_in(5) ? "/dev/mtd%dro" :
		 "/dev/mtd%d", number);
	return true;
}

static void close_file(struct file *file)
{
	if (file->map) {
		note("munmap %p %zu", (void *)file->map, file->map_len);
		came(munmap(file->map, file->map_len));
		file->map = NULL;
	}
	note("close %d", file->fd);
	came(close(file->fd));
	file->fd = -1;
}

static void open_file(struct file *file)
{
	static const int modes[] = { O_RDWR, O_RDWR, O_RDONLY, O_WRONLY };
	static const int more[] = { 0, 0, O_DIRECT, O_DIRECT, O_SYNC, O_NONBLOCK, O_EXCL };
	char path[300];
	struct stat info;
	int flags;

	file->kind = below(8) < 6 ? below(2) : PROC + below(KINDS - PROC);
	if (!any_path(file->kind, path, sizeof(path)))
		return;
	flags = modes[below(4)] | (file->kind == BLOCK ? more[below(7)] : 0);
	note("open %s 0%o", path, flags);
	/* Opening one of these files must never wait. */
	file->fd = open(path, flags | O_CLOEXEC);
	came(file->fd);
	if (file->fd < 0)
		return;
	file->size = 4096;
	if (file->kind == BLOCK) {
		if (ioctl(file->fd, BLKGETSIZE64, &file->size))
			file->size = 4096;
	} else if (file->kind == CHAR) {
		struct mtd_info_user mi;

		if (!ioctl(file->fd, MEMGETINFO, &mi))
			file->size = mi.size;
	} else if (!fstat(file->fd, &info) && !S_ISREG(info.st_mode)) {
		close(file->fd);
		file->fd = -1;
	}
}

static void do_read(struct file *file)
{
	size_t len = one_in(20) ? any_number(BUFFER) : any_length();
	uint64_t at = any_place(file, len);
	void *to = any_buffer(len);

	/* A length beyond the buffer needs a bad address. */
	if (len > BUFFER)
		to = (void *)8;
	note("pread %d %zu at %llu to %p", file->fd, len, (unsigned long long)at, to);
	came(one_in(3) ? read(file->fd, to, len) : pread(file->fd, to, len, at));
}

static void do_write(struct file *file)
{
	size_t len = any_length();
	uint64_t at = any_place(file, len);
	void *from = any_buffer(len);

	/* Long writes to attributes of the MTD core test nothing of the driver. */
	if (file->kind == CLASS)
		len = below(20);
	any_contents(len);
	note("pwrite %d %zu at %llu from %p", file->fd, len, (unsigned long long)at, from);
	came(one_in(3) ? write(file->fd, from, len) : pwrite(file->fd, from, len, at));
}

static void do_vector(struct file *file)
{
	static const int flags[] = { 0, 0, RWF_NOWAIT, RWF_HIPRI, RWF_DSYNC, RWF_SYNC, RWF_APPEND };
	struct iovec iov[6];
	int n = below(7), flag = flags[below(7)], i;
	uint64_t at = any_place(file, BUFFER);
	bool out = one_in(2) && file->kind != CLASS;

	for (i = 0; i < n; i++) {
		iov[i].iov_len = any_length() / 4;
		iov[i].iov_base = any_buffer(iov[i].iov_len);
	}
	note("%s %d vector %d at %llu flags %d", out ? "pwritev2" : "preadv2", file->fd, n,
	     (unsigned long long)at, flag);
	came(out ? pwritev2(file->fd, iov, n, at, flag) : preadv2(file->fd, iov, n, at, flag));
}

static void do_seek(struct file *file)
{
	static const int whence[] = { SEEK_SET, SEEK_CUR, SEEK_END, SEEK_DATA, SEEK_HOLE, 77 };
	uint64_t at = any_number(file->size);
	int from = whence[below(6)];

	note("lseek %d %llu %d", file->fd, (unsigned long long)at, from);
	came(lseek(file->fd, at, from));
}

static void do_sync(struct file *file)
{
	uint64_t at = any_number(file->size), len = any_number(file->size);
	unsigned int how = below(8);

	note("sync %d %u %llu %llu", file->fd, how, (unsigned long long)at,
	     (unsigned long long)len);
	switch (how) {
	case 0:
		came(fsync(file->fd));
		break;
	case 1:
		came(fdatasync(file->fd));
		break;
	case 2:
		came(sync_file_range(file->fd, at, len, below(8)));
		break;
	case 3:
		came(posix_fadvise(file->fd, at, len, below(7)) ? -1 : 0);
		break;
	case 4:
		came(readahead(file->fd, at, len));
		break;
	default:
		came(sync_file_range(file->fd, at, len, SYNC_FILE_RANGE_WRITE));
	}
}

static void do_fallocate(struct file *file)
{
	int mode = one_in(3) ? (int)any_number(256) :
		(int)(below(2) * FALLOC_FL_KEEP_SIZE | (one_in(2) ? FALLOC_FL_PUNCH_HOLE :
							FALLOC_FL_ZERO_RANGE));
	uint64_t at = any_place(file, 0), len = any_number(file->size);

	note("fallocate %d %d %llu %llu", file->fd, mode, (unsigned long long)at,
	     (unsigned long long)len);
	came(fallocate(file->fd, mode, at, len));
	if (one_in(4))
		came(ftruncate(file->fd, at));
}

/* Touch some bytes of a mapping; an unreadable page gives a signal. */
static void touch(volatile uint8_t *map, size_t len, int prot)
{
	volatile size_t i;

	mapped = 1;
	if (!sigsetjmp(escape, 1)) {
		for (i = below(4096); i < len; i += 1 + below(8192)) {
			if (prot & PROT_WRITE)
				map[i] = i;
			else if (prot & PROT_READ)
				(void)map[i];
		}
	}
	mapped = 0;
}

static bool map_file(struct file *file, int prot)
{
	size_t len = 4096 * (1 + below(16));
	uint64_t at = one_in(5) ? any_number(file->size) : any_place(file, len) & ~4095ULL;
	int flags = one_in(3) ? MAP_PRIVATE : MAP_SHARED;
	void *map;

	note("mmap %d %zu at %llu prot %d flags %d", file->fd, len, (unsigned long long)at, prot,
	     flags);
	map = mmap(NULL, len, prot, flags, file->fd, at);
	came(map == MAP_FAILED ? -1 : 0);
	if (map == MAP_FAILED)
		return false;
	file->map = map;
	file->map_len = len;
	return true;
}

static void do_map(struct file *file)
{
	int prot = PROT_READ | PROT_WRITE;

	if (!file->map) {
		prot = below(4);
		if (!map_file(file, prot))
			return;
	} else if (mprotect(file->map, file->map_len, prot)) {
		return;
	}
	touch(file->map, file->map_len, prot);
	if (one_in(3)) {
		note("msync %p %zu", (void *)file->map, file->map_len);
		came(msync(file->map, file->map_len,
			   one_in(2) ? MS_SYNC : MS_ASYNC | MS_INVALIDATE));
	}
	if (one_in(2)) {
		note("madvise and munmap %p", (void *)file->map);
		came(madvise(file->map, file->map_len, below(22)));
		came(munmap(file->map, file->map_len));
		file->map = NULL;
	}
}

/* Copy from one file to another within the kernel. */
static void do_copy(struct file *file)
{
	struct file *to = &files[below(FILES)];
	loff_t in = any_place(file, 0), out;
	size_t len = any_length();
	unsigned int how = below(3);
	int ends[2];

	if (to->fd < 0 || to->kind == CLASS || to->kind == ATTRIBUTE)
		return;
	out = any_place(to, 0);
	note("copy %u %d at %lld to %d at %lld, %zu", how, file->fd, (long long)in, to->fd,
	     (long long)out, len);
	if (how == 0) {
		came(sendfile(to->fd, file->fd, one_in(2) ? &in : NULL, len));
	} else if (how == 1) {
		came(copy_file_range(file->fd, &in, to->fd, &out, len, 0));
	} else if (!pipe2(ends, O_NONBLOCK | O_CLOEXEC)) {
		came(splice(file->fd, &in, ends[1], NULL, len, SPLICE_F_NONBLOCK));
		came(splice(ends[0], NULL, to->fd, &out, len, SPLICE_F_NONBLOCK));
		close(ends[0]);
		close(ends[1]);
	}
}

static long with_argument(struct file *file, unsigned long request, void *argument)
{
	note("ioctl %d %#lx", file->fd, request);
	if (one_in(30))
		argument = bad_address();
	return ioctl(file->fd, request, argument);
}

static void block_ioctl(struct file *file)
{
	static const unsigned long readers[] = {
		BLKROGET, BLKGETSIZE, BLKRAGET, BLKFRAGET, BLKSSZGET, BLKBSZGET, BLKGETSIZE64,
		BLKIOMIN, BLKIOOPT, BLKALIGNOFF, BLKPBSZGET, BLKDISCARDZEROES, BLKROTATIONAL,
		BLKSECTGET, BLKGETDISKSEQ, 0x301 /* HDIO_GETGEO */, FIBMAP, FIGETBSZ,
	};
	static const unsigned long ranges[] = { BLKDISCARD, BLKSECDISCARD, BLKZEROOUT };
	uint64_t range[2] = { any_place(file, 0), any_number(file->size) };
	struct blkpg_partition part = { .start = range[0], .length = range[1], .pno = below(4) };
	struct blkpg_ioctl_arg pg = { .op = below(5), .datalen = sizeof(part), .data = &part };
	uint64_t room[64] = { 0 };
	int number = one_in(2) ? 0 : (int)any_number(1);

	switch (below(8)) {
	case 0:
	case 1:
		came(with_argument(file, readers[below(sizeof(readers) / sizeof(readers[0]))],
				   room));
		break;
	case 2:
	case 3:
		if (one_in(2)) {
			range[0] &= ~511ULL;
			range[1] = 512 * below(64);
		}
		came(with_argument(file, ranges[below(3)], range));
		break;
	case 4:
		came(with_argument(file, BLKPG, &pg));
		break;
	case 5:
		note("ioctl %d BLKRRPART or BLKFLSBUF", file->fd);
		came(ioctl(file->fd, one_in(2) ? BLKRRPART : BLKFLSBUF, 0));
		break;
	case 6:
		came(with_argument(file, BLKROSET, &number));
		break;
	default:
		note("ioctl %d BLKRASET", file->fd);
		came(ioctl(file->fd, one_in(2) ? BLKRASET : BLKFRASET, any_number(4096)));
	}
}

/* Add and delete partitions with names of this program. */
static long partition(struct file *file)
{
	struct blkpg_partition part = { .start = any_place(file, 0) & ~4095ULL };
	struct blkpg_ioctl_arg pg = { .datalen = sizeof(part), .data = &part };

	pg.op = one_in(3) ? BLKPG_ADD_PARTITION : BLKPG_DEL_PARTITION;
	if (one_in(10))
		pg.op = below(10);
	part.length = one_in(2) ? 4096 * (1 + below(64)) : any_number(file->size);
	part.pno = below(40);
	snprintf(part.devname, sizeof(part.devname), "%s-p%llu", names[0],
		 (unsigned long long)below(20));
	return with_argument(file, BLKPG, &pg);
}

static long requests(struct file *file)
{
	struct mtd_write_req write_req = {
		.start = any_place(file, 4096),
		.len = one_in(4) ? any_number(file->size) : any_length(),
		.ooblen = one_in(2) ? 0 : any_number(64),
		.usr_data = (uintptr_t)any_buffer(BUFFER),
		.usr_oob = (uintptr_t)any_buffer(4096), .mode = below(5),
	};
	struct mtd_read_req read_req = {
		.start = write_req.start, .len = write_req.len, .ooblen = write_req.ooblen,
		.usr_data = (uintptr_t)any_buffer(BUFFER),
		.usr_oob = (uintptr_t)any_buffer(4096), .mode = write_req.mode,
	};
	struct mtd_oob_buf oob = {
		.start = write_req.start, .length = write_req.ooblen, .ptr = buffer,
	};
	struct mtd_oob_buf64 oob64 = {
		.start = write_req.start, .length = write_req.ooblen,
		.usr_ptr = (uintptr_t)buffer,
	};

	/* Both requests transfer as many bytes as they say. */
	if (write_req.len > BUFFER || write_req.ooblen > 4096) {
		write_req.usr_data = 8;
		write_req.usr_oob = 8;
		read_req.usr_data = 8;
		read_req.usr_oob = 8;
		oob.ptr = (void *)8;
		oob64.usr_ptr = 8;
	}
	switch (below(6)) {
	case 0:
		return with_argument(file, MEMWRITE, &write_req);
	case 1:
		return with_argument(file, MEMREAD, &read_req);
	case 2:
		return with_argument(file, MEMWRITEOOB, &oob);
	case 3:
		return with_argument(file, MEMREADOOB, &oob);
	case 4:
		return with_argument(file, MEMWRITEOOB64, &oob64);
	default:
		return with_argument(file, MEMREADOOB64, &oob64);
	}
}

static void char_ioctl(struct file *file)
{
	static const unsigned long others[] = {
		MEMGETINFO, MEMGETREGIONCOUNT, MEMGETREGIONINFO, MEMGETOOBSEL, OTPGETREGIONCOUNT,
		OTPGETREGIONINFO, OTPLOCK, OTPERASE, ECCGETLAYOUT, ECCGETSTATS, BLKRRPART,
		MEMGETBADBLOCK, MEMSETBADBLOCK, OTPSELECT,
	};
	uint64_t start = any_place(file, 4096), len = any_number(file->size);
	struct erase_info_user erase;
	struct erase_info_user64 erase64;
	uint64_t room[512] = { start };

	if (one_in(2)) {
		start &= ~4095ULL;
		len = 4096 * (1 + below(32));
	}
	erase = (struct erase_info_user) { start, len };
	erase64 = (struct erase_info_user64) { start, len };
	switch (below(12)) {
	case 0:
	case 1:
		came(with_argument(file, MEMERASE, &erase));
		break;
	case 2:
		came(with_argument(file, MEMERASE64, &erase64));
		break;
	case 3:
		came(with_argument(file, one_in(3) ? MEMLOCK : one_in(2) ? MEMUNLOCK : MEMISLOCKED,
				   &erase));
		break;
	case 4:
		came(partition(file));
		break;
	case 5:
		note("ioctl %d MTDFILEMODE", file->fd);
		came(ioctl(file->fd, MTDFILEMODE, below(6)));
		break;
	case 6:
		/* An unknown ioctl. */
		came(with_argument(file, pat_next(&rng) & 0xffffffff, room));
		break;
	case 7 ... 9:
		came(requests(file));
		break;
	default:
		room[0] = one_in(2) ? below(4) : start;
		came(with_argument(file, others[below(sizeof(others) / sizeof(others[0]))],
				   room));
	}
}

/* A valid string, with some changes. */
static size_t any_string(char *text)
{
	static const char * const pieces[] = {
		",", "=", "\n", "size=", ",level=", ",name=", ",ratio=", "-1", "99999999999", "K",
		"\xff", "mtd=", ",cache=1", ",comp=zstd", ",alloc=best", "%s%n", "/",
	};
	unsigned int changes = one_in(3) ? 0 : 1 + below(4);
	size_t len = snprintf(text, STRING_MAX, "%s", strings[below(nstrings)]), at, n;
	const char *piece;

	while (changes--) {
		at = below(len + 1);
		switch (below(5)) {
		case 0:
			if (len)
				text[below(len)] ^= 1 << below(8);
			break;
		case 1:
			len = at;
			break;
		case 2:
			piece = pieces[below(sizeof(pieces) / sizeof(pieces[0]))];
			n = strlen(piece);
			memmove(text + at + n, text + at, len - at);
			memcpy(text + at, piece, n);
			len += n;
			break;
		case 3:
			n = one_in(10) ? below(4000) : below(40);
			if (len + n >= STRING_MAX - 100)
				break;
			memmove(text + at + n, text + at, len - at);
			memset(text + at, 'a' + below(26), n);
			len += n;
			break;
		default:
			if (at < len)
				memmove(text + at, text + at + 1, --len - at);
		}
		if (len > STRING_MAX - 200)
			break;
	}
	if (one_in(4))
		text[len++] = '\n';
	return len;
}

static void attach_or_detach(void)
{
	static const char * const attributes[] = { "attach", "detach" };
	const char *attribute = attributes[below(2)];
	char text[STRING_MAX + 200], path[64];
	size_t len = any_string(text);
	int fd;

	if (one_in(2) && *attribute == 'd')
		len = sprintf(text, "%s", one_in(2) ? names[below(nnames)] :
			      one_in(2) ? "mtdcompr0" : "mtdcompr1");
	snprintf(path, sizeof(path), "/sys/devices/mtdcompr/%s", attribute);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	note("%s \"%.*s\"", attribute, (int)(len > 100 ? 100 : len), text);
	came(one_in(20) ? pwrite(fd, text, len, any_number(4096)) : write(fd, text, len));
	if (fd >= 0)
		close(fd);
}

static void call(void)
{
	struct file *file = &files[below(FILES)];

	/* These may cause messages of the kernel. */
	if (one_in(40)) {
		attach_or_detach();
		return;
	}
	if (file->fd < 0) {
		open_file(file);
		return;
	}
	switch (below(22)) {
	case 0 ... 4:
		do_read(file);
		break;
	case 5 ... 8:
		/* Write to attach only rarely. */
		if (file->kind != ATTRIBUTE || one_in(20))
			do_write(file);
		break;
	case 9 ... 10:
		if (file->kind != ATTRIBUTE)
			do_vector(file);
		break;
	case 11:
		do_seek(file);
		break;
	case 12:
		do_sync(file);
		break;
	case 13:
		do_fallocate(file);
		break;
	case 14 ... 15:
		do_map(file);
		break;
	case 16:
		do_copy(file);
		break;
	case 17 ... 19:
		if (file->kind == BLOCK)
			block_ioctl(file);
		else
			char_ioctl(file);
		break;
	default:
		close_file(file);
	}
}

static void work(unsigned int nr)
{
	struct timespec now;
	time_t end;
	unsigned int i;

	self = &processes[nr];
	rng = seed * 1000003 + nr;
	for (i = 0; i < FILES; i++)
		files[i].fd = -1;
	signal(SIGBUS, on_signal);
	signal(SIGSEGV, on_signal);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (posix_memalign((void **)&buffer, 4096, BUFFER))
		_exit(2);
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + seconds;
	while (self->calls < most_calls && now.tv_sec < end) {
		call();
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
	for (i = 0; i < FILES; i++)
		if (files[i].fd >= 0)
			close_file(&files[i]);
	_exit(0);
}

static void say_last(void)
{
	unsigned int i;
	uint64_t k;

	for (i = 0; i < nprocesses; i++) {
		const struct process *p = &processes[i];

		printf("process %u, %llu calls, the last ones:\n", i, (unsigned long long)p->calls);
		for (k = p->calls > HISTORY ? p->calls - HISTORY : 0; k < p->calls; k++)
			printf("  %s\n", p->history[k % HISTORY]);
	}
}

/* Wait for all processes; a call that does not return is a finding. */
static int watch(void)
{
	uint64_t seen[PROCESSES_MAX] = { 0 };
	unsigned int idle[PROCESSES_MAX] = { 0 }, left = nprocesses, i;
	struct timespec second = { 1, 0 };
	int status, bad = 0;

	while (left) {
		pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid > 0) {
			for (i = 0; i < nprocesses; i++)
				if (processes[i].pid == pid)
					processes[i].pid = 0;
			left--;
			if (status) {
				printf("a process ended with status %#x\n", status);
				bad = 1;
			}
			continue;
		}
		nanosleep(&second, NULL);
		for (i = 0; i < nprocesses; i++) {
			idle[i] = processes[i].calls == seen[i] ? idle[i] + 1 : 0;
			seen[i] = processes[i].calls;
			if (!processes[i].pid || idle[i] < patience)
				continue;
			printf("process %u has been in one call for %u s\n", i, patience);
			bad = 1;
			left = 0;
		}
	}
	if (!bad)
		return 0;
	say_last();
	/* Kill the processes that can be killed; a hung call stays for the report. */
	for (i = 0; i < nprocesses; i++)
		if (processes[i].pid)
			kill(processes[i].pid, SIGKILL);
	return 1;
}

int main(int argc, char **argv)
{
	uint64_t calls = 0, good = 0;
	unsigned int i;
	int opt, bad;

	while ((opt = getopt(argc, argv, "s:t:n:j:w:m:a:l")) != -1) {
		switch (opt) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			most_calls = strtoull(optarg, NULL, 0);
			break;
		case 'j':
			nprocesses = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			patience = strtoul(optarg, NULL, 0);
			break;
		case 'm':
			if (nnames < NAMES_MAX)
				names[nnames++] = optarg;
			break;
		case 'a':
			if (nstrings < NAMES_MAX)
				strings[nstrings++] = optarg;
			break;
		case 'l':
			log_fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
			break;
		default:
			return 2;
		}
	}
	if (!nnames || !nstrings || !nprocesses || nprocesses > PROCESSES_MAX)
		return 2;
	processes = mmap(NULL, sizeof(*processes) * PROCESSES_MAX, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (processes == MAP_FAILED)
		return 2;
	printf("sysfuzz: seed %llu, %u processes, %u s\n", (unsigned long long)seed, nprocesses,
	       seconds);
	fflush(stdout);
	for (i = 0; i < nprocesses; i++) {
		processes[i].pid = fork();
		if (!processes[i].pid)
			work(i);
		if (processes[i].pid < 0)
			return 2;
	}
	bad = watch();
	for (i = 0; i < nprocesses; i++) {
		calls += processes[i].calls;
		good += processes[i].good;
	}
	printf("sysfuzz: %llu calls, %llu of them good\n", (unsigned long long)calls,
	       (unsigned long long)good);
	return bad;
}
