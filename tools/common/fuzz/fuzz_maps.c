// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of a process by any lines of maps and smaps; the mounts; and small files of processes
 * and control groups. All of these files have the same text, the input.
 *
 * The first byte selects the page size and the size of the pieces that read() returns; the rest are
 * lines. A byte 1 and a number N stand for 32 * N letters, because users choose the length of
 * names. An empty line begins a new layout, which takes over the knowledge of the old one.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>
#include "fuzz.h"
#include "cgroup.h"
#include "chunks.h"
#include "layout.h"
#include "pages.h"
#include "proc.h"
#include "push.h"
#include "refs.h"
#include "wrap.h"

/* push_process() makes a system call for each 4 MiB. */
#define LIMIT (256ULL << 20)

static const struct proc_id process = { 7, 9 };
static struct chunk chunks[2][LAYOUT_CHUNKS];

/* The contents of every file that is opened. */
static struct {
	const char *text;
	size_t bytes;
	size_t at;
	size_t piece;			/* bytes that a read() gives at most */
	int fd;				/* -1: not open */
	u64 page;
	u64 left;			/* bytes that may still be advised */
} file = { .fd = -1 };

int __wrap_sys_open(const char *path, int flags)
{
	file.at = 0;
	file.fd = open("/dev/null", flags | O_CLOEXEC);
	must_be(file.fd >= 0);
	return file.fd;
}

ssize_t __wrap_read(int fd, void *buf, size_t bytes)
{
	if (file.fd < 0 || fd != file.fd)
		return __real_read(fd, buf, bytes);
	if (bytes > file.piece)
		bytes = file.piece;
	if (bytes > file.bytes - file.at)
		bytes = file.bytes - file.at;
	memcpy(buf, file.text + file.at, bytes);
	file.at += bytes;
	return bytes;
}

/* /proc/PID/stat always has a process; any other file is the input. */
ssize_t __wrap_sys_read(const char *path, char *buf, size_t size)
{
	static const char stat[] = "7 (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9 0 1 1 1\n";
	bool is_stat = !strcmp(path, "/proc/7/stat");
	size_t bytes = is_stat ? sizeof(stat) - 1 : file.bytes;

	if (bytes > size - 1)
		bytes = size - 1;
	memcpy(buf, is_stat ? stat : file.text, bytes);
	buf[bytes] = '\0';
	return bytes;
}

/* The page table: any bits, with the same end as the file. */
ssize_t __wrap_pread(int fd, void *buf, size_t bytes, off_t at)
{
	if (file.fd < 0 || fd != file.fd)
		return __real_pread(fd, buf, bytes, at);
	must_be(bytes && bytes % 8 == 0 && at >= 0 && at % 8 == 0);
	memset(buf, file.bytes ? file.text[(size_t)at % file.bytes] : 0, bytes);
	return file.piece < 1000 ? 0 : bytes;
}

uint64_t __wrap_sys_page_size(void)
{
	return file.page;
}

int __wrap_sys_pidfd_open(pid_t pid)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

ssize_t __wrap_sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice)
{
	ssize_t done = 0;
	size_t i;

	must_be(n);
	for (i = 0; i < n; i++) {
		must_be(ranges[i].iov_len && ranges[i].iov_len <= file.left);
		file.left -= ranges[i].iov_len;
		done += ranges[i].iov_len;
	}
	return done;
}

/* Call @fn here, with a copy of just @size bytes, so that ASan sees reads behind it. */
int64_t __wrap_aside(struct proc_id id, aside_fn fn, void *arg, size_t size)
{
	void *copy = exact_copy(arg, size);
	int64_t ret;

	must_be(size <= ASIDE_BYTES);
	ret = fn(copy);
	memcpy(arg, copy, size);
	free(copy);
	return ret;
}

/* check_range() - check its chunks, or some of them if there are many; returns their number */
static u32 check_range(const struct layout *layout, const struct range *range, u64 page)
{
	u64 chunk = page * CHUNK_PAGES, left = range->end - range->start;
	u32 n = (left + chunk - 1) / chunk, i;

	for (i = 0; i < n; i++, left -= chunk) {
		u32 nr = range->first + i;

		if (i > 8 && i + 8 < n && i % 61)
			continue;
		must_be(layout_range(layout, nr) == range);
		must_be(layout_bytes(layout, nr, page) == (left < chunk ? left : chunk));
		must_be(layout_address(layout, nr, page) == range->end - left);
	}
	return n;
}

/* check() - ranges may overlap, as lines come in any order, but chunks are numbered without gaps */
static void check(const struct layout *layout, u64 page)
{
	u32 nr = 0, i;

	must_be(layout->n <= LAYOUT_RANGES && layout->n_chunks <= LAYOUT_CHUNKS);
	for (i = 0; i < layout->n; i++) {
		const struct range *range = &layout->ranges[i];

		must_be(range->end > range->start && range->first == nr);
		nr += check_range(layout, range, page);
	}
	must_be(nr == layout->n_chunks);
	must_be(layout_same(layout, layout));
}

static void lines(const char *text, u64 page)
{
	static struct layout layout, before;
	unsigned int now = 0;
	const char *line;
	u32 i;

	layout_clear(&layout);
	for (line = text; line; line = parse_next_line(line)) {
		struct map_line map;

		if (!parse_map(line, &map))
			layout_add(&layout, &map, page);
		if (*line != '\n')
			continue;
		check(&layout, page);
		layout_keep(&layout, &before, chunks[now], chunks[!now], sizeof(chunks[0][0]));
		for (i = 0; i < layout.n_chunks; i++)
			must_be(chunks[now][i].in == 0 || chunks[now][i].in == 1);
		for (i = 0; i < layout.n_chunks; i++)
			chunks[now][i].in = 1;
		now = !now;
		before = layout;
		layout_clear(&layout);
	}
	check(&layout, page);
	layout_keep(&layout, &before, chunks[now], chunks[!now], sizeof(chunks[0][0]));
	layout_clear(&before);
}

/* model() - the layout and the first cgroup2 mount, of complete lines that are not too long */
static void model(struct layout *layout, struct mount_line *mount)
{
	const char *at = file.text, *end;
	size_t left = file.bytes;

	layout_clear(layout);
	memset(mount, 0, sizeof(*mount));
	for (; (end = memchr(at, '\n', left)); left -= end + 1 - at, at = end + 1) {
		char *line = strndup(at, end - at);
		struct mount_line found;
		struct map_line map;

		if (end - at < SYS_LINE && !parse_map(line, &map))
			layout_add(layout, &map, file.page);
		if (end - at < SYS_LINE && !mount->type[0] && !parse_mount(line, &found) &&
		    !strcmp(found.type, "cgroup2"))
			*mount = found;
		free(line);
	}
}

/* is_due() - choose some chunks */
static bool is_due(uint32_t nr, void *arg)
{
	return nr % 300 < 40;
}

static void see_pages(uint32_t nr, uint32_t in, uint32_t out, void *arg)
{
	const struct layout *layout = arg;

	must_be(nr < layout->n_chunks && nr % 300 < 40);
}

/* page_table() - read the page table, if all ranges have whole pages as the kernel's have */
static void page_table(const struct layout *layout)
{
	u32 i;
	int err;

	for (i = 0; i < layout->n; i++)
		if (layout->ranges[i].start % file.page || layout->ranges[i].end % file.page)
			return;
	err = pages_each(process, layout, is_due, see_pages, (void *)layout);
	must_be(!err || err == -ESRCH);
}

static int see_pid(pid_t pid, void *arg)
{
	must_be(pid > 0);
	return 0;
}

/* small_files() - readers of files that are read at once */
static void small_files(void)
{
	uint64_t value;
	uid_t uid;
	size_t size;
	int err;

	for (size = 2; size < 300; size += 99) {
		char *path = malloc(size);

		must_be(path);
		if (!proc_cgroup(7, path, size))
			must_be(path[0] == '/' && strlen(path) < size);
		free(path);
	}
	proc_uid(7, &uid);
	proc_swapped(7, &value);
	/* A long mount point may leave no room for a file's name. */
	err = cgroup_each_pid("/", see_pid, NULL);
	must_be(!err || (err == -ENAMETOOLONG && strlen(cgroup_mount()) > SYS_PATH - 20));
	if (!cgroup_stat("/", "anon", &value))
		must_be(file.bytes > 5);
}

/* files() - all readers of files with lines */
static void files(void)
{
	unsigned int *permille = malloc(LAYOUT_RANGES * sizeof(*permille));
	static struct layout layout, wanted;
	struct mount_line mount;
	uint64_t from = 0;
	int64_t done;

	if (!permille)
		abort();
	model(&wanted, &mount);
	must_be(!pages_layout(process, &layout));
	must_be(!memcmp(&layout, &wanted, sizeof(layout)));
	page_table(&layout);
	must_be(!refs_read(process, &layout, permille));
	must_be(!cgroup_find() == !!mount.type[0]);
	must_be(!strcmp(cgroup_mount(), mount.point));
	small_files();
	file.left = LIMIT;
	done = push_process(process, LIMIT, &from);
	must_be(done >= 0 && (u64)done == LIMIT - file.left);
	free(permille);
	file.fd = -1;
}

/* expand() - replace each byte 1 and its number by letters */
static char *expand(const u8 *data, size_t bytes, size_t *len)
{
	char *text, *to;
	size_t i;

	for (*len = 0, i = 0; i < bytes && *len < 8 * SYS_LINE; i++)
		*len += data[i] == 1 && i + 1 < bytes ? 32 * data[++i] : 1;
	bytes = i;
	text = malloc(*len + 1);
	if (!text)
		abort();
	for (to = text, i = 0; i < bytes; i++) {
		if (data[i] != 1 || i + 1 == bytes) {
			*to++ = data[i];
			continue;
		}
		memset(to, 'x', 32 * data[++i]);
		to += 32 * data[i];
	}
	*to = '\0';
	return text;
}

int fuzz_one(const u8 *data, size_t bytes)
{
	static const u64 pages[] = { 4096, 16384, 65536 };
	size_t len;
	char *text;
	u8 how;

	if (!bytes)
		return 0;
	how = data[0] / ARRAY_SIZE(pages);
	file.page = pages[data[0] % ARRAY_SIZE(pages)];
	text = expand(data + 1, bytes - 1, &len);
	lines(text, file.page);
	file.text = text;
	file.bytes = len;
	file.piece = how ? 50 * how : SIZE_MAX;
	files();
	free(text);
	return 0;
}
