// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cgroup.h"
#include "knob.h"
#include "log.h"
#include "undo.h"

enum undo_kind {
	UNDO_NONE,
	UNDO_TEXT,			/* write the text back into the file */
	UNDO_STOP,			/* let the process go on */
	UNDO_GROUP,			/* move its processes up, remove the group */
	UNDO_KNOB,			/* knob_reset(): its registry has the text */
};

/*
 * The fields before @kind are written before it, and it says that they are whole. @until_ms is
 * written last and cleared first: while it is not 0, the fields describe that stop.
 */
struct undo_entry {
	atomic_int kind;
	atomic_uint until_ms;		/* stopped or frozen until then; 0: no limit any more */
	struct proc_id id;		/* pid 0: the file is not one of a process */
	uint64_t order;			/* what came later is undone first */
	char path[UNDO_PATH];
	char text[64];
};

struct undo_list {
	char magic[8];			/* a file of another layout is not taken for one */
	uint64_t order;
	struct undo_entry entries[UNDO_MAX];
};

/* A process in the midst of a system call freezes when that ends; it is moved all the same. */
#define FREEZE_TRIES 20
#define FREEZE_WAIT_US 5000
/* A write that takes longer waits for a program that holds its lock. */
#define WRITE_TRIES 100
#define WRITE_WAIT_US 5000

static const char magic[8] = "undo-2";
static struct undo_list *list;
static int list_fd = -1;
static char list_path[SYS_PATH];
static unsigned int hold_ms;

static int map_list(int fd)
{
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	/* The one before has removed it since it was opened. */
	if (!st.st_nlink)
		return -EWOULDBLOCK;
	if (st.st_size != 0 && st.st_size != sizeof(*list))
		return -EINVAL;
	/* All of it now: a write to a part that /run has no room for would be a SIGBUS. */
	err = posix_fallocate(fd, 0, sizeof(*list));
	if (err)
		return -err;
	list = mmap(NULL, sizeof(*list), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (list == MAP_FAILED) {
		list = NULL;
		return -errno;
	}
	/* All zero: whoever made it has died before this. */
	if (!list->magic[0] && !list->order)
		memcpy(list->magic, magic, sizeof(magic));
	if (memcmp(list->magic, magic, sizeof(magic))) {
		munmap(list, sizeof(*list));
		list = NULL;
		return -EINVAL;
	}
	return 0;
}

/**
 * undo_open() - open the list, and undo what one that was left says
 * @path: the file, on a file system that does not survive a reboot
 *
 * The file is locked as long as a process has it: a second daemon of the kind is refused.
 *
 * Return: changes that were undone; -EWOULDBLOCK, if another one has it; -EINVAL, if the file
 * is not such a list; or another negative errno.
 */
int undo_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), n, err;

	if (fd < 0)
		return -errno;
	/* A lock of the open file, so that the guardian has it, too. */
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_OFD_SETLK, &lock)) {
		err = errno == EACCES ? -EWOULDBLOCK : -errno;
		close(fd);
		return err;
	}
	err = map_list(fd);
	if (err) {
		close(fd);
		return err;
	}
	snprintf(list_path, sizeof(list_path), "%s", path);
	knob_open(path);
	list_fd = fd;
	n = undo_count();
	if (n)
		undo_all();
	return n;
}

/**
 * undo_close() - remove the list, which is empty
 *
 * The daemon and its guardian both do so, the second of them when the next daemon may have its own.
 */
void undo_close(void)
{
	struct stat st;

	if (list && !undo_count() && !fstat(list_fd, &st) && st.st_nlink)
		unlink(list_path);
}

/**
 * undo_leave() - in a child that may outlive the daemon: let go of the list, and so of its lock
 */
void undo_leave(void)
{
	if (list)
		munmap(list, sizeof(*list));
	if (list_fd >= 0)
		close(list_fd);
	list = NULL;
	list_fd = -1;
}

/**
 * undo_count() - number of changes that would have to be undone
 */
int undo_count(void)
{
	int i, n = 0;

	for (i = 0; list && i < UNDO_MAX; i++)
		n += atomic_load(&list->entries[i].kind) != UNDO_NONE;
	return n;
}

static struct undo_entry *find(enum undo_kind kind, const char *path, struct proc_id id)
{
	int i;

	for (i = 0; list && i < UNDO_MAX; i++) {
		struct undo_entry *entry = &list->entries[i];

		if (atomic_load(&entry->kind) != (int)kind)
			continue;
		if (path ? !strcmp(entry->path, path) :
			   entry->id.pid == id.pid && entry->id.start == id.start)
			return entry;
	}
	return NULL;
}

/* has_room() - for one more of that kind, without that others lack it */
static bool has_room(enum undo_kind kind, struct proc_id id)
{
	int i, n = 0, most = kind == UNDO_STOP ? UNDO_STOPS_MAX :
			     kind == UNDO_TEXT && id.pid ? UNDO_FILES_MAX : UNDO_MAX;

	for (i = 0; most < UNDO_MAX && list && i < UNDO_MAX; i++)
		n += atomic_load(&list->entries[i].kind) == (int)kind &&
		     !!list->entries[i].id.pid == !!id.pid;
	return n < most;
}

/* now_ms() - of 32 bits: a processor such as the PXA270 has no atomic variable of 64 */
static unsigned int now_ms(void)
{
	return (unsigned int)(sys_now_us() / 1000);
}

/* holds() - does this change keep a program from running? */
static bool holds(enum undo_kind kind, const char *path)
{
	static const char freeze[] = "/cgroup.freeze";
	size_t len = path ? strlen(path) : 0, n = sizeof(freeze) - 1;

	return kind == UNDO_STOP ||
	       (kind == UNDO_TEXT && len > n && !strcmp(path + len - n, freeze));
}

/* limit() - a stop ends by itself, from now on */
static void limit(struct undo_entry *entry, enum undo_kind kind, const char *path)
{
	if (hold_ms && holds(kind, path))
		atomic_store(&entry->until_ms, (now_ms() + hold_ms) | 1);
}

/* add() - write a change down, before it is made */
static struct undo_entry *add(enum undo_kind kind, const char *path, const char *text,
			      struct proc_id id)
{
	struct undo_entry *entry;
	int i;

	if (!has_room(kind, id))
		return NULL;
	if ((path && strlen(path) >= sizeof(entry->path)) ||
	    (text && strlen(text) >= sizeof(entry->text)))
		return NULL;
	for (i = 0; list && i < UNDO_MAX; i++) {
		entry = &list->entries[i];
		if (atomic_load(&entry->kind) != UNDO_NONE)
			continue;
		snprintf(entry->path, sizeof(entry->path), "%s", path ? path : "");
		snprintf(entry->text, sizeof(entry->text), "%s", text ? text : "");
		entry->id = id;
		entry->order = ++list->order;
		atomic_store(&entry->kind, (int)kind);
		limit(entry, kind, path);
		return entry;
	}
	return NULL;
}

static void drop(struct undo_entry *entry)
{
	atomic_store(&entry->until_ms, 0);
	atomic_store(&entry->kind, UNDO_NONE);
}

static const struct proc_id nobody;

/* write_noted() - write to a file, when it is written down how it is put back */
static int write_noted(struct undo_entry *entry, const char *path, const char *text,
		       const char *back, struct proc_id id)
{
	bool first = !entry;
	int err;

	if (first)
		entry = add(UNDO_TEXT, path, back, id);
	if (!entry)
		return -ENOSPC;
	/* The guardian may have ended the freeze before this one. */
	if (!first)
		limit(entry, UNDO_TEXT, path);
	err = sys_write(path, text);
	if (err && first)
		drop(entry);
	return err;
}

/**
 * undo_write_back() - write to a file that is put back by another text than it holds
 * @path: the file, such as a list of switches: each of its changes is put back by itself
 * @text: what to write
 * @back: what to write to undo it
 *
 * Return: 0; -ENOSPC, if there are too many changes; or another negative errno: then nothing
 * is changed.
 */
int undo_write_back(const char *path, const char *text, const char *back)
{
	struct undo_entry *entry = NULL;
	int i;

	for (i = 0; list && i < UNDO_MAX && !entry; i++) {
		entry = &list->entries[i];
		if (atomic_load(&entry->kind) != UNDO_TEXT || strcmp(entry->path, path) ||
		    strcmp(entry->text, back))
			entry = NULL;
	}
	return write_noted(entry, path, text, back, nobody);
}

/* write_knob() - one that other daemons may set, too */
static int write_knob(const char *path, const char *text)
{
	struct undo_entry *entry = find(UNDO_KNOB, path, nobody);
	bool first = !entry;
	int err;

	if (first)
		entry = add(UNDO_KNOB, path, NULL, nobody);
	if (!entry)
		return -ENOSPC;
	err = knob_set(path, text);
	if (err && first)
		drop(entry);
	return err;
}

/**
 * undo_write() - write to a file of /proc, /sys or a control group; what it held is kept
 * @path: the file; it holds one short line
 * @text: what to write
 *
 * Return: as undo_write_back(); -EINVAL, if the file holds more than that; or as knob_set().
 */
int undo_write(const char *path, const char *text)
{
	char old[64];
	int err;

	if (knob_is_shared(path))
		return write_knob(path, text);
	err = sys_read_line(path, old, sizeof(old));
	return err ? err : write_noted(find(UNDO_TEXT, path, nobody), path, text, old, nobody);
}

/**
 * undo_write_proc() - the same with a file of a process, which may end
 * @id: the process
 * @file: in /proc/PID
 * @text: what to write
 * @back: what to write to undo it; NULL: what the file holds
 *
 * Return: as undo_write().
 */
int undo_write_proc(struct proc_id id, const char *file, const char *text, const char *back)
{
	struct undo_entry *entry;
	char path[SYS_PATH], old[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/%s", id.pid, file);
	err = sys_read_line(path, old, sizeof(old));
	if (!err && !proc_alive(id))
		err = -ESRCH;
	if (err)
		return err;
	entry = find(UNDO_TEXT, path, nobody);
	if (entry && entry->id.start != id.start) {
		/* Of one that had this id before. */
		drop(entry);
		entry = NULL;
	}
	return write_noted(entry, path, text, back ? back : old, id);
}

/* write_aside() - by a child; -ETIMEDOUT, if that waits for somebody */
static int write_aside(const char *path, const char *text)
{
	unsigned int tries;
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		undo_leave();
		sys_close_all_but(NULL, 0);
		_exit(-sys_write(path, text) & 0xff);
	}
	for (tries = 0; tries < WRITE_TRIES; tries++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
		usleep(WRITE_WAIT_US);
	}
	kill(pid, SIGKILL);
	return -ETIMEDOUT;
}

/*
 * may_wait() - to switch DAMON off, the kernel waits for its thread; a program that holds its
 * mmap_lock holds that
 */
static bool may_wait(const struct undo_entry *entry)
{
	static const char damon[] = "/sys/kernel/mm/damon/";

	return !strncmp(entry->path, damon, sizeof(damon) - 1);
}

/*
 * is_used() - is a controller to be switched off that another program uses by now? Its groups would
 * lose their limits.
 */
static bool is_used(const struct undo_entry *entry)
{
	static const char file[] = "/cgroup.subtree_control";
	size_t len = strlen(entry->path), n = sizeof(file) - 1;

	if (entry->text[0] != '-' || len < n || strcmp(entry->path + len - n, file))
		return false;
	return cgroup_used_below(entry->path, len - n, entry->text + 1);
}

/* rewrite() - a file that is gone, or one of a process that has ended, needs no undoing */
static int rewrite(struct undo_entry *entry)
{
	int err = 0;

	if (is_used(entry))
		log_info("%s: %s stays on, because other groups use it", entry->path,
			 entry->text + 1);
	else if (atomic_load(&entry->kind) == UNDO_KNOB)
		err = knob_reset(entry->path);
	else if (may_wait(entry))
		err = write_aside(entry->path, entry->text);
	else if (!entry->id.pid || proc_alive(entry->id))
		err = sys_write(entry->path, entry->text);
	if (err == -ENOENT || err == -ENODEV || err == -ESRCH)
		err = 0;
	if (!err)
		drop(entry);
	return err;
}

/* find_proc() - the change of a file of that process, and of no earlier one of its id */
static struct undo_entry *find_proc(struct proc_id id, const char *file)
{
	struct undo_entry *entry;
	char path[SYS_PATH];

	snprintf(path, sizeof(path), "/proc/%d/%s", id.pid, file);
	entry = find(UNDO_TEXT, path, nobody);
	return entry && entry->id.start == id.start ? entry : NULL;
}

/**
 * undo_rewrite_proc() - write back what a file of a process held
 * @id: the process
 * @file: in /proc/PID
 *
 * Return: 0, also if it was not changed; or a negative errno.
 */
int undo_rewrite_proc(struct proc_id id, const char *file)
{
	struct undo_entry *entry = find_proc(id, file);

	return entry ? rewrite(entry) : 0;
}

/**
 * undo_read_proc() - what a file of a process held before undo_write_proc()
 * @id: the process
 * @file: in /proc/PID
 * @text: filled in
 * @size: of @text in bytes
 *
 * Return: 0; -ENOENT, if it was not changed.
 */
int undo_read_proc(struct proc_id id, const char *file, char *text, size_t size)
{
	const struct undo_entry *entry = find_proc(id, file);

	if (!entry)
		return -ENOENT;
	snprintf(text, size, "%s", entry->text);
	return 0;
}

/**
 * undo_read_same() - what a file of a process held, if it held the same for all changed processes
 * @file: in /proc/PID
 * @text: filled in
 * @size: of @text in bytes
 *
 * Return: false, if it was changed for none, or held different texts.
 */
bool undo_read_same(const char *file, char *text, size_t size)
{
	bool found = false;
	int i;

	for (i = 0; list && i < UNDO_MAX; i++) {
		const struct undo_entry *entry = &list->entries[i];
		const char *name = strrchr(entry->path, '/');

		if (atomic_load(&entry->kind) != UNDO_TEXT || !entry->id.pid || !name ||
		    strcmp(name + 1, file))
			continue;
		if (found && strcmp(text, entry->text))
			return false;
		snprintf(text, size, "%s", entry->text);
		found = true;
	}
	return found;
}

/* is_gone() - the process, or the file, such as that of a group that was removed */
static bool is_gone(const struct undo_entry *entry)
{
	if (entry->id.pid)
		return !proc_alive(entry->id);
	return atomic_load(&entry->kind) == UNDO_TEXT && !sys_exists(entry->path);
}

/**
 * undo_forget_ended() - there is nothing to undo for processes that have ended, and for files that
 *	are gone
 */
void undo_forget_ended(void)
{
	int i;

	for (i = 0; list && i < UNDO_MAX; i++) {
		struct undo_entry *entry = &list->entries[i];

		if (atomic_load(&entry->kind) != UNDO_NONE && is_gone(entry))
			drop(entry);
	}
}

/**
 * undo_write_u64() - the same with a number
 * @path: the file
 * @value: the number; UINT64_MAX is "max"
 *
 * Return: as undo_write().
 */
int undo_write_u64(const char *path, uint64_t value)
{
	char text[32];

	if (value == UINT64_MAX)
		return undo_write(path, "max");
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return undo_write(path, text);
}

/**
 * undo_rewrite() - write back what a file held before undo_write()
 * @path: the file
 *
 * Return: 0, also if it was not changed; or a negative errno.
 */
int undo_rewrite(const char *path)
{
	struct undo_entry *entry = find(knob_is_shared(path) ? UNDO_KNOB : UNDO_TEXT, path, nobody);

	return entry ? rewrite(entry) : 0;
}

/**
 * undo_note() - write down what a file holds, because another thread will change it
 * @path: the file
 *
 * Return: as undo_write().
 */
int undo_note(const char *path)
{
	char old[64];
	int err = sys_read_line(path, old, sizeof(old));

	if (err || find(UNDO_TEXT, path, nobody))
		return err;
	return add(UNDO_TEXT, path, old, nobody) ? 0 : -ENOSPC;
}

/**
 * undo_hold() - write a number again where another program has written to the file
 * @path: the file
 * @value: the number
 * @written: the number that was written last; 0: none. Filled in
 *
 * What another program has written is put back at the end.
 *
 * Return: true, if another program has written.
 */
bool undo_hold(const char *path, uint64_t value, uint64_t *written)
{
	uint64_t now;
	bool other;

	if (sys_read_u64(path, &now))
		return false;
	other = *written && now != *written;
	if (other)
		undo_forget(path);
	if (now != value && !undo_write_u64(path, value))
		*written = value;
	return other;
}

/**
 * undo_forget() - somebody else has written to the file since, and that stays
 * @path: the file
 */
void undo_forget(const char *path)
{
	struct undo_entry *entry = find(UNDO_TEXT, path, nobody);

	if (entry)
		drop(entry);
}

/**
 * undo_stop() - stop a process
 * @id: the process
 *
 * Return: 0; -ENOSPC, if there are too many changes; -ESRCH; or another negative errno.
 */
int undo_stop(struct proc_id id)
{
	struct undo_entry *entry;
	struct proc_stat stat;
	int err;

	/* Nor the first process. */
	if (id.pid <= 1)
		return -ESRCH;
	if (undo_stopped(id))
		return 0;
	/* By somebody else, who lets it go on when he likes. */
	if (!proc_read(id.pid, &stat) && stat.start == id.start && stat.state == 'T')
		return 0;
	entry = add(UNDO_STOP, NULL, NULL, id);
	if (!entry)
		return -ENOSPC;
	err = proc_signal(id, SIGSTOP);
	if (err)
		drop(entry);
	return err;
}

/**
 * undo_cont() - let a process go on that undo_stop() has stopped
 * @id: the process
 *
 * Return: 0, also if it was not stopped, or has ended; or a negative errno.
 */
int undo_cont(struct proc_id id)
{
	struct undo_entry *entry = find(UNDO_STOP, NULL, id);
	int err = entry ? proc_signal(id, SIGCONT) : 0;

	if (err == -ESRCH)
		err = 0;
	if (entry && !err)
		drop(entry);
	return err;
}

/**
 * undo_cont_all() - let all processes go on that undo_stop() has stopped
 *
 * Return: 0, or a negative errno of one for which that failed.
 */
int undo_cont_all(void)
{
	int i, err, last = 0;

	for (i = 0; list && i < UNDO_MAX; i++) {
		if (atomic_load(&list->entries[i].kind) != UNDO_STOP)
			continue;
		err = undo_cont(list->entries[i].id);
		if (err)
			last = err;
	}
	return last;
}

/**
 * undo_hold_most() - for how long the daemon stops or freezes programs at a time
 * @ms: milliseconds, fewer than 2^31; 0: without a limit
 *
 * Later calls of undo_stop() and undo_write() get this limit. Choose it longer than the daemon
 * itself needs to let programs go on.
 */
void undo_hold_most(unsigned int ms)
{
	hold_ms = ms;
}

/* let_go() - a program that is held for too long goes on */
static int let_go(const struct undo_entry *entry)
{
	if (atomic_load(&entry->kind) == UNDO_STOP)
		return proc_signal(entry->id, SIGCONT);
	return sys_write(entry->path, entry->text);
}

/* expire() - end a stop whose limit is @until_ms, unless the daemon has just done so */
static bool expire(struct undo_entry *entry, unsigned int until_ms)
{
	struct undo_entry copy = *entry;

	/* If the time limit is still the same, the copy is whole. */
	return atomic_compare_exchange_strong(&entry->until_ms, &until_ms, 0) && !let_go(&copy);
}

/**
 * undo_expire() - in the guardian: end what is longer than undo_hold_most()
 * @expired: filled in: the number of programs and groups that go on
 *
 * The daemon, which is late, may change the list meanwhile. So the entry stays, without its time
 * limit. When the daemon runs again, it finds that the time is over and ends the stop, too.
 *
 * Return: milliseconds until the next program has to go on; UINT_MAX without one.
 */
unsigned int undo_expire(unsigned int *expired)
{
	unsigned int now = now_ms(), next = UINT_MAX;
	int i;

	*expired = 0;
	for (i = 0; list && i < UNDO_MAX; i++) {
		struct undo_entry *entry = &list->entries[i];
		unsigned int until_ms = atomic_load(&entry->until_ms), left = until_ms - now;

		if (!until_ms)
			continue;
		if ((int)left <= 0)
			*expired += expire(entry, until_ms);
		else if (left < next)
			next = left;
	}
	return next;
}

/**
 * undo_stopped() - has undo_stop() stopped it?
 * @id: the process
 */
bool undo_stopped(struct proc_id id)
{
	return !!find(UNDO_STOP, NULL, id);
}

/**
 * undo_make_group() - make a control group
 * @group: the group
 *
 * Return: 0, also if it was there; -ENOSPC, if there are too many changes; or another negative
 * errno.
 */
int undo_make_group(const char *group)
{
	struct undo_entry *entry;
	char path[SYS_PATH];
	int err = cgroup_file(path, group, "");

	if (err || sys_exists(path))
		return err;
	entry = add(UNDO_GROUP, group, NULL, nobody);
	if (!entry)
		return -ENOSPC;
	err = sys_mkdir(path);
	if (err)
		drop(entry);
	return err;
}

/* remove_group() - its processes go to the group above, as if it had never been */
static int remove_group(const char *group)
{
	char path[SYS_PATH], above[SYS_PATH];
	unsigned int tries;
	char *slash;
	int err = cgroup_file(path, group, "");

	if (err || !sys_exists(path))
		return err;
	snprintf(above, sizeof(above), "%s", group);
	slash = strrchr(above, '/');
	if (!slash)
		return -EINVAL;
	slash[slash == above] = '\0';
	/* None of them forks while they are moved; who is moved goes on. */
	cgroup_freeze(group, true);
	for (tries = 0; tries < FREEZE_TRIES && !cgroup_frozen(group); tries++)
		usleep(FREEZE_WAIT_US);
	err = cgroup_move_all(group, above);
	cgroup_freeze(group, false);
	if (err)
		log_warn("%s: not all processes could be moved to %s: %s", group, above,
			 strerror(-err));
	return sys_rmdir(path);
}

/**
 * undo_remove_group() - remove a group that undo_make_group() has made
 * @group: the group; its processes go to the one above
 *
 * Return: 0, also if it was not made; or a negative errno.
 */
int undo_remove_group(const char *group)
{
	struct undo_entry *entry = find(UNDO_GROUP, group, nobody);
	int err = entry ? remove_group(group) : 0;

	if (entry && !err)
		drop(entry);
	return err;
}

static int undo_one(struct undo_entry *entry)
{
	switch (atomic_load(&entry->kind)) {
	case UNDO_TEXT:
	case UNDO_KNOB:
		return rewrite(entry);
	case UNDO_STOP:
		return undo_cont(entry->id);
	case UNDO_GROUP:
		return undo_remove_group(entry->path);
	}
	return 0;
}

/* newest() - the last change that is left and may wait, or not; but none that has been tried */
static struct undo_entry *newest(uint64_t before, bool waits)
{
	struct undo_entry *found = NULL;
	int i;

	for (i = 0; list && i < UNDO_MAX; i++) {
		struct undo_entry *entry = &list->entries[i];

		if (atomic_load(&entry->kind) != UNDO_NONE && entry->order < before &&
		    may_wait(entry) == waits && (!found || entry->order > found->order))
			found = entry;
	}
	return found;
}

/* undo_these() - all changes that may wait, or all others; returns how many could not be undone */
static int undo_these(bool waits)
{
	struct undo_entry *entry;
	uint64_t before = UINT64_MAX;
	int failed = 0;

	while ((entry = newest(before, waits))) {
		char what[SYS_PATH];
		int err;

		before = entry->order;
		snprintf(what, sizeof(what), "%s", entry->path);
		err = undo_one(entry);
		if (err) {
			failed++;
			log_error("%s: could not be put back as it was: %s", what, strerror(-err));
		}
	}
	return failed;
}

/**
 * undo_all() - undo all changes, the last first; but let processes go on before anything else, and
 *	write to files whose writers may have to wait after everything else
 *
 * What fails is logged, and is tried by the next start again.
 *
 * Return: number of changes that could not be undone.
 */
int undo_all(void)
{
	int failed;

	undo_cont_all();
	failed = undo_these(false);
	return failed + undo_these(true);
}
