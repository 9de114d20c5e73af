// SPDX-License-Identifier: GPL-2.0
/*
 * Attaches and detaches devices while other processes use them: `racer [-s SEED] sysfs|modules
 * CYCLES LOWER MODULE [PARAMETER-FILE]`.
 *
 * sysfs: two processes attach devices to the same MTD, LOWER, and detach them, until one of them
 * has done so CYCLES times. modules: one process loads and unloads MODULE, a file, which attaches a
 * device; with PARAMETER-FILE, it writes 1 or 0 there, so that every other load fails.
 *
 * Meanwhile, one process each: opens the character device, writes and reads; opens and reads
 * mtdblock, and swaps to it; opens and reads the block device, and swaps to it; reads
 * /proc/mtdcompr and /proc/mtd; reads sysfs. They try the numbers that new MTDs get, whether a
 * device exists or not.
 *
 * Prints the outcomes of each operation: `WHAT ok N ERRNO N ...`, `cycles N`, and `wrong N`: reads
 * that gave neither blank nor written data.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pattern.h"

#define ERRNO_MAX	134	/* more than any errno */
#define PAGE		4096
/* Offset for the user of the character device, behind the swap area. */
#define AT		(40 * PAGE)
#define SWAP_PAGES	16

enum what { ATTACH, DETACH, LOAD, UNLOAD, OPEN, USE, BOPEN, BREAD, SWAPON, SWAPOFF, DOPEN, DREAD,
	    DSWAPON, DSWAPOFF, PROC, SYSFS, WHATS };

static const char * const names[WHATS] = {
	"attach", "detach", "load", "unload", "open", "use", "open-block", "read-block",
	"swapon", "swapoff", "open-disk", "read-disk", "swapon-disk", "swapoff-disk", "proc",
	"sysfs",
};

/* A kind of block device. */
struct kind {
	const char *format;
	int first;
	enum what open, read, swapon, swapoff;
};

static struct kind mtdblock = { "/dev/mtdblock%d", 0, BOPEN, BREAD, SWAPON, SWAPOFF };
static struct kind disk = { "/dev/mtdcompr%d", 0, DOPEN, DREAD, DSWAPON, DSWAPOFF };

static struct shared {
	unsigned long count[WHATS][ERRNO_MAX];
	unsigned long cycles, wrong;
	bool stop;
} *shared;

static uint64_t rng;
static int first;
static const char *lower, *module, *fail_file;

static int tried(enum what what, long ret)
{
	int err = ret < 0 ? errno : 0;

	__atomic_add_fetch(&shared->count[what][err < ERRNO_MAX ? err : 0], 1, __ATOMIC_RELAXED);
	return err;
}

static bool stopped(void)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

/* While a process holds a file: pause shortly or not at all. */
static void dawdle(void)
{
	uint64_t r = pat_next(&rng);

	if (r % 4 == 0)
		sched_yield();
	else if (r % 8 == 1)
		usleep((r >> 8) % 200);
	else if (r % 128 == 2)
		usleep((r >> 8) % 3000);
}

/* While a process holds nothing: pause long enough for others to continue. */
static void rest(unsigned int us)
{
	usleep(pat_next(&rng) % us);
}

static long put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), err;
	long ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	errno = err;
	return ret;
}

/* A device number: @from or the next, the two possible ones. */
static const char *node(const char *format, int from)
{
	static char path[96];

	snprintf(path, sizeof(path), format, from + (int)(pat_next(&rng) & 1));
	return path;
}

/* ---------------------------------------------------------------- attach and detach */

static void cycler(int nr, unsigned long cycles)
{
	static const char * const comps[] = { "lz4", "zlib", "lzo", "zstd", "none" };
	unsigned long done = 0;
	char text[128], name[16];

	snprintf(name, sizeof(name), "race%d", nr);
	while (!stopped() && done < cycles) {
		snprintf(text, sizeof(text), "%s,comp=%s,name=%s", lower,
			 comps[pat_next(&rng) % 5], name);
		if (tried(ATTACH, put("/sys/devices/mtdcompr/attach", text))) {
			rest(2000);
			continue;
		}
		/* Let the others find half of the devices; detach the other half at once. */
		if (pat_next(&rng) % 2)
			rest(3000);
		/* EBUSY: another process has the device open, and closes it soon. */
		while (tried(DETACH, put("/sys/devices/mtdcompr/detach", name)) == EBUSY)
			rest(200);
		done++;
		__atomic_add_fetch(&shared->cycles, 1, __ATOMIC_RELAXED);
		dawdle();
	}
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
}

static void loader(unsigned long cycles)
{
	int fd = open(module, O_RDONLY | O_CLOEXEC), err;
	unsigned long done;
	char text[128];

	snprintf(text, sizeof(text), "mtd=%s,name=race", lower);
	for (done = 0; done < cycles; done++) {
		if (fail_file)
			put(fail_file, done & 1 ? "1" : "0");
		err = tried(LOAD, syscall(SYS_finit_module, fd, text, 0));
		__atomic_add_fetch(&shared->cycles, 1, __ATOMIC_RELAXED);
		if (err)
			continue;
		if (pat_next(&rng) % 2)
			rest(3000);
		do {
			err = tried(UNLOAD, syscall(SYS_delete_module, "mtdcompr", O_NONBLOCK));
			if (err)
				rest(200);
		} while (err == EAGAIN || err == EBUSY);
	}
	if (fail_file)
		put(fail_file, "0");
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- users of the devices */

static bool is_all(const uint8_t *data, uint8_t byte)
{
	int i;

	for (i = 0; i < PAGE; i++)
		if (data[i] != byte)
			return false;
	return true;
}

/*
 * The next attachment must not return data of this one. The inode of the directory in sysfs tells
 * attachments apart: it can't go while the device is open.
 */
static void use(int fd, const char *dir)
{
	static ino_t last_node;
	static uint8_t last_tag = 0xff;
	uint8_t data[PAGE], mine[PAGE];
	uint8_t tag = (uint8_t)(pat_next(&rng) % 200);
	struct stat st;

	memset(data, 0x5a, sizeof(data));
	if (stat(dir, &st) || tried(USE, pread(fd, data, PAGE, AT)))
		return;
	if (!is_all(data, 0xff) && (st.st_ino != last_node || !is_all(data, last_tag)))
		__atomic_add_fetch(&shared->wrong, 1, __ATOMIC_RELAXED);
	memset(mine, tag, sizeof(mine));
	if (tried(USE, pwrite(fd, mine, PAGE, AT)))
		return;
	last_node = st.st_ino;
	last_tag = tag;
	dawdle();
	if (!tried(USE, pread(fd, data, PAGE, AT)) && memcmp(data, mine, PAGE))
		__atomic_add_fetch(&shared->wrong, 1, __ATOMIC_RELAXED);
}

static void opener(void)
{
	while (!stopped()) {
		const char *path = node("/dev/mtd%d", first);
		int flags = pat_next(&rng) & 1 ? O_RDWR : O_RDONLY;
		int fd = open(path, flags);
		char dir[128];

		if (!tried(OPEN, fd)) {
			snprintf(dir, sizeof(dir), "/sys/class/mtd/%s/", path + strlen("/dev/"));
			if (flags == O_RDWR)
				use(fd, dir);
			dawdle();
			close(fd);
		}
		rest(1500);
	}
}

static void block_opener(const struct kind *kind)
{
	static uint8_t data[PAGE] __attribute__((aligned(PAGE)));

	while (!stopped()) {
		int fd = open(node(kind->format, kind->first),
			      O_RDONLY | (pat_next(&rng) & 1 ? O_DIRECT : 0));

		if (!tried(kind->open, fd)) {
			tried(kind->read, pread(fd, data, PAGE, AT));
			dawdle();
			close(fd);
		}
		rest(1500);
	}
}

/* Make a swap area of a few pages, as mkswap does. */
static void make_swap(const char *path)
{
	static uint8_t head[PAGE];
	uint32_t info[3] = { 1, SWAP_PAGES - 1, 0 };
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		return;
	memcpy(head + 1024, info, sizeof(info));
	memcpy(head + PAGE - 10, "SWAPSPACE2", 10);
	if (pwrite(fd, head, PAGE, 0) == PAGE)
		fsync(fd);
	close(fd);
}

static void swapper(const struct kind *kind)
{
	while (!stopped()) {
		const char *path = node(kind->format, kind->first);

		make_swap(path);
		if (!tried(kind->swapon, swapon(path, 0))) {
			dawdle();
			tried(kind->swapoff, swapoff(path));
		}
		rest(6000);
	}
}

static long read_file(const char *path)
{
	char text[4096];
	int fd = open(path, O_RDONLY), err;
	long n;

	if (fd < 0)
		return -1;
	do {
		n = read(fd, text, 1 + pat_next(&rng) % sizeof(text));
		if (pat_next(&rng) % 8 == 0)
			dawdle();
	} while (n > 0);
	err = errno;
	close(fd);
	errno = err;
	return n;
}

static void read_dir(const char *path, enum what what)
{
	char file[512];
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir) {
		tried(what, -1);
		return;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_type != DT_REG)
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		tried(what, read_file(file));
	}
	closedir(dir);
}

static void proc_reader(void)
{
	while (!stopped()) {
		read_dir("/proc/mtdcompr", PROC);
		tried(PROC, read_file("/proc/mtd"));
		rest(1000);
	}
}

static void sysfs_reader(void)
{
	while (!stopped()) {
		read_dir(node("/sys/class/mtd/mtd%d", first), SYSFS);
		read_dir(node("/sys/block/mtdblock%d", first), SYSFS);
		read_dir(node("/sys/block/mtdcompr%d", 0), SYSFS);
		rest(1000);
	}
}

static void block_user(void) { block_opener(&mtdblock); }
static void disk_user(void) { block_opener(&disk); }
static void block_swapper(void) { swapper(&mtdblock); }
static void disk_swapper(void) { swapper(&disk); }

/* ---------------------------------------------------------------- start */

static void start(void (*role)(void))
{
	if (!fork()) {
		role();
		_exit(0);
	}
	/* Give each process random numbers of its own. */
	pat_next(&rng);
}

static void print_counts(void)
{
	int what, err;

	for (what = 0; what < WHATS; what++) {
		printf("%s ok %lu", names[what], shared->count[what][0]);
		for (err = 1; err < ERRNO_MAX; err++)
			if (shared->count[what][err])
				printf(" %s %lu", strerrorname_np(err), shared->count[what][err]);
		putchar('\n');
	}
	printf("cycles %lu\nwrong %lu\n", shared->cycles, shared->wrong);
}

int main(int argc, char **argv)
{
	unsigned long cycles;
	uint64_t seed = 1;
	int opt, status, bad = 0;
	bool modules;
	char line[128];
	FILE *list;

	while ((opt = getopt(argc, argv, "s:")) != -1) {
		if (opt != 's')
			return 2;
		seed = strtoull(optarg, NULL, 0);
	}
	if (argc - optind < 4)
		return 2;
	modules = !strcmp(argv[optind], "modules");
	cycles = strtoul(argv[optind + 1], NULL, 0);
	lower = argv[optind + 2];
	module = argv[optind + 3];
	fail_file = argv[optind + 4];
	/* A new MTD gets the lowest free number. */
	list = fopen("/proc/mtd", "r");
	for (first = -1; list && fgets(line, sizeof(line), list); first++)
		;
	if (list)
		fclose(list);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	rng = pat_hash(seed, 99, modules);

	start(opener);
	mtdblock.first = first;
	start(block_user);
	start(block_swapper);
	start(disk_user);
	start(disk_swapper);
	start(proc_reader);
	start(sysfs_reader);
	if (!fork()) {
		if (modules)
			loader(cycles);
		else
			cycler(1, cycles);
		_exit(0);
	}
	pat_next(&rng);
	if (!modules && !fork()) {
		cycler(2, cycles);
		_exit(0);
	}
	while (wait(&status) > 0)
		bad |= status;
	print_counts();
	return bad || shared->wrong ? 1 : 0;
}
