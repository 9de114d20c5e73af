// SPDX-License-Identifier: GPL-2.0
/*
 * The list of changes is a file in /run that is mapped into memory, shared by the daemon and its
 * guardian (guard.h). An entry is written before its change is made, and dropped after it is
 * undone: change, crash and undo may come in any order. If both end at once the file is left, and
 * the next start undoes its changes. The kind of an entry says how its change is made and undone.
 */
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
	UNDO_KINDS,
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

/* 100 ms: a process freezes when its system call ends; it is moved all the same. A guess. */
#define FREEZE_TRIES 20
#define FREEZE_WAIT_US 5000
/* 500 ms: a write that takes longer waits for a program that holds its lock. A guess. */
#define WRITE_TRIES 100
#define WRITE_WAIT_US 5000

static const char magic[8] = "undo-2";
static const struct proc_id nobody;
static struct undo_list *list;
static int list_fd = -1;
static char list_path[SYS_PATH];
static unsigned int hold_ms;

static enum undo_kind kind_of(const struct undo_entry *entry)
{
	int kind = atomic_load(&entry->kind);

	return kind > 0 && kind < UNDO_KINDS ? (enum undo_kind)kind : UNDO_NONE;
}

/* next() - the change after one; after NULL the first */
static struct undo_entry *next(struct undo_entry *entry)
{
	if (!list)
		return NULL;
	entry = entry ? entry + 1 : list->entries;
	while (entry < list->entries + UNDO_MAX && kind_of(entry) == UNDO_NONE)
		entry++;
	return entry < list->entries + UNDO_MAX ? entry : NULL;
}

/* map_list() - lock the file, so that a second daemon is refused, and map it */
static int map_list(void)
{
	/* A lock of the open file, so that the guardian has it, too. */
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct stat st;
	void *map;
	int err;

	if (fcntl(list_fd, F_OFD_SETLK, &lock))
		return errno == EACCES ? -EWOULDBLOCK : -errno;
	if (fstat(list_fd, &st))
		return -errno;
	/* The one before has removed it since it was opened. */
	if (!st.st_nlink)
		return -EWOULDBLOCK;
	if (st.st_size != 0 && st.st_size != sizeof(*list))
		return -EINVAL;
	/* All of it now: a write to a part that /run has no room for would be a SIGBUS. */
	err = posix_fallocate(list_fd, 0, sizeof(*list));
	if (err)
		return -err;
	map = mmap(NULL, sizeof(*list), PROT_READ | PROT_WRITE, MAP_SHARED, list_fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	list = map;
	/* All zero: the daemon that made it has died before this. */
	if (!list->magic[0] && !list->order)
		memcpy(list->magic, magic, sizeof(magic));
	return memcmp(list->magic, magic, sizeof(magic)) ? -EINVAL : 0;
}

/**
 * undo_open() - open the list, and undo the changes of one that was left
 * @path: the file, on a file system that does not survive a reboot
 *
 * The file is locked as long as a process has it: a second daemon of the kind is refused.
 *
 * Return: changes that were undone; -EWOULDBLOCK, if another one has it; -EINVAL, if the file
 * is not such a list; or another negative errno.
 */
int undo_open(const char *path)
{
	int n, err;

	list_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	err = list_fd < 0 ? -errno : map_list();
	if (err) {
		undo_leave();
		return err;
	}
	snprintf(list_path, sizeof(list_path), "%s", path);
	knob_open(path);
	n = undo_count();
	if (n)
		undo_all();
	return n;
}

/** undo_close() - remove the list if it is empty; daemon and guardian both do so */
void undo_close(void)
{
	struct stat st;

	if (list && !undo_count() && !fstat(list_fd, &st) && st.st_nlink)
		unlink(list_path);
}

/** undo_leave() - let go of the list and its lock, in a child that may outlive the daemon */
void undo_leave(void)
{
	if (list)
		munmap(list, sizeof(*list));
	if (list_fd >= 0)
		close(list_fd);
	list = NULL;
	list_fd = -1;
}

/** undo_count() - number of changes that would have to be undone */
int undo_count(void)
{
	struct undo_entry *entry;
	int n = 0;

	for (entry = next(NULL); entry; entry = next(entry))
		n++;
	return n;
}

/* find() - a change of that kind and path; @back, @id: NULL, or pid 0: whatever it has */
static struct undo_entry *find(enum undo_kind kind, const char *path, const char *back,
			       struct proc_id id)
{
	struct undo_entry *entry;

	for (entry = next(NULL); entry; entry = next(entry))
		if (kind_of(entry) == kind && !strcmp(entry->path, path) &&
		    (!back || !strcmp(entry->text, back)) &&
		    (!id.pid || (entry->id.pid == id.pid && entry->id.start == id.start)))
			return entry;
	return NULL;
}

/* now_ms() - of 32 bits: a processor such as the PXA270 has no atomic variable of 64 */
static unsigned int now_ms(void)
{
	return (unsigned int)(sys_now_us() / 1000);
}

/* limit() - what keeps a program from running ends by itself, from now on */
static void limit(struct undo_entry *entry)
{
	enum undo_kind kind = kind_of(entry);

	if (hold_ms && (kind == UNDO_STOP ||
			(kind == UNDO_TEXT && parse_ends_with(entry->path, "/cgroup.freeze"))))
		atomic_store(&entry->until_ms, (now_ms() + hold_ms) | 1);
}

/* add() - write a change down, before it is made; NULL: it would take a place that others need */
static struct undo_entry *add(enum undo_kind kind, const char *path, const char *back,
			      struct proc_id id)
{
	int i, left = kind == UNDO_STOP ? UNDO_STOPS_MAX : id.pid ? UNDO_FILES_MAX : UNDO_MAX;
	struct undo_entry *entry, *place = NULL;

	if (strlen(path) >= sizeof(entry->path) || strlen(back) >= sizeof(entry->text))
		return NULL;
	for (i = 0; list && i < UNDO_MAX; i++) {
		entry = &list->entries[i];
		if (atomic_load(&entry->kind) == UNDO_NONE)
			place = place ? place : entry;
		else if (kind_of(entry) == kind && !entry->id.pid == !id.pid)
			left--;
	}
	if (!place || left <= 0)
		return NULL;
	strcpy(place->path, path);
	strcpy(place->text, back);
	place->id = id;
	place->order = ++list->order;
	atomic_store(&place->kind, (int)kind);
	return place;
}

static void drop(struct undo_entry *entry)
{
	atomic_store(&entry->until_ms, 0);
	atomic_store(&entry->kind, UNDO_NONE);
}

/* write_aside() - by a child; -ETIMEDOUT, if that waits for another program */
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
	char parent[UNDO_PATH];

	if (entry->text[0] != '-' || !parse_ends_with(entry->path, file))
		return false;
	strcpy(parent, entry->path);
	parent[strlen(parent) - strlen(file)] = '\0';
	return cgroup_used_below(parent, entry->text + 1);
}

static int put_back_text(const struct undo_entry *entry)
{
	if (is_used(entry)) {
		log_info("%s: %s stays on, because other groups use it", entry->path,
			 entry->text + 1);
		return 0;
	}
	if (may_wait(entry))
		return write_aside(entry->path, entry->text);
	return !entry->id.pid || proc_alive(entry->id) ? sys_write(entry->path, entry->text) : 0;
}

static int make_group(const char *group)
{
	char path[SYS_PATH];
	int err = cgroup_file(path, group, "");

	return err ? err : sys_mkdir(path);
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

/* apply() - make a change; with @text NULL undo it */
static int apply(const struct undo_entry *entry, const char *text)
{
	switch (kind_of(entry)) {
	case UNDO_TEXT:
		return text ? sys_write(entry->path, text) : put_back_text(entry);
	case UNDO_STOP:
		return proc_signal(entry->id, text ? SIGSTOP : SIGCONT);
	case UNDO_GROUP:
		return text ? make_group(entry->path) : remove_group(entry->path);
	case UNDO_KNOB:
		return text ? knob_set(entry->path, text) : knob_reset(entry->path);
	default:
		return -EINVAL;
	}
}

/*
 * change() - make a change, after writing down how it is undone; @entry: where it is already;
 * @text NULL: another thread makes it
 */
static int change(struct undo_entry *entry, enum undo_kind kind, const char *path,
		  const char *text, const char *back, struct proc_id id)
{
	bool first = !entry;
	int err;

	if (first)
		entry = add(kind, path, back, id);
	if (!entry)
		return -ENOSPC;
	/* Anew: the guardian may have ended the freeze before this one. */
	limit(entry);
	err = text ? apply(entry, text) : 0;
	if (err && first)
		drop(entry);
	return err;
}

/* undo() - a change, if there is one */
static int undo(struct undo_entry *entry)
{
	int err = entry ? apply(entry, NULL) : 0;

	/* A file that is gone, or a process that has ended, needs no undoing. */
	if (err == -ENOENT || err == -ENODEV || err == -ESRCH)
		err = 0;
	if (entry && !err)
		drop(entry);
	return err;
}

/**
 * undo_write_back() - write to a file that is put back by another text than it holds
 * @path: the file, such as a list of switches: each of its changes is put back by itself
 * @text: to write now
 * @back: to write when it is undone
 *
 * Return: 0; -ENOSPC, if there are too many changes; or another negative errno: then nothing
 * is changed.
 */
int undo_write_back(const char *path, const char *text, const char *back)
{
	return change(find(UNDO_TEXT, path, back, nobody), UNDO_TEXT, path, text, back, nobody);
}

static enum undo_kind kind_of_file(const char *path)
{
	return knob_is_shared(path) ? UNDO_KNOB : UNDO_TEXT;
}

/* write_noted() - @text NULL: only note how it is undone; @back NULL: by its present text */
static int write_noted(const char *path, const char *text, const char *back, struct proc_id id)
{
	enum undo_kind kind = kind_of_file(path);
	char old[64];
	int err = sys_read_line(path, old, sizeof(old));

	if (!err && id.pid && !proc_alive(id))
		err = -ESRCH;
	return err ? err : change(find(kind, path, NULL, id), kind, path, text, back ? back : old,
				  id);
}

/**
 * undo_write() - write to a file of /proc, /sys or a control group, and keep its old text
 *
 * Return: as undo_write_back(); -EINVAL, if the file holds more than one short line; as knob_set().
 */
int undo_write(const char *path, const char *text)
{
	return write_noted(path, text, NULL, nobody);
}

/** undo_note() - as undo_write(), but another thread will change the file */
int undo_note(const char *path)
{
	return write_noted(path, NULL, NULL, nobody);
}

/** undo_write_u64() - undo_write() with a number; UINT64_MAX is "max" */
int undo_write_u64(const char *path, uint64_t value)
{
	char text[SYS_NUMBER];

	return undo_write(path, sys_number(text, value));
}

/** undo_rewrite() - write the text back that the file held before undo_write(), if any */
int undo_rewrite(const char *path)
{
	return undo(find(kind_of_file(path), path, NULL, nobody));
}

/** undo_rewrite_group() - undo_rewrite() with a file of a control group */
int undo_rewrite_group(const char *group, const char *file)
{
	char path[SYS_PATH];
	int err = cgroup_file(path, group, file);

	return err ? err : undo_rewrite(path);
}

/* find_file() - the change of a file of that process, and of no earlier one of its id */
static struct undo_entry *find_file(struct proc_id id, const char *file)
{
	char path[SYS_PATH];

	snprintf(path, sizeof(path), "/proc/%d/%s", id.pid, file);
	return find(UNDO_TEXT, path, NULL, id);
}

/**
 * undo_write_proc() - undo_write() with a file of a process, which may end
 * @file: in /proc/PID
 * @back: to write when it is undone; NULL: the text that the file holds
 */
int undo_write_proc(struct proc_id id, const char *file, const char *text, const char *back)
{
	char path[SYS_PATH];

	snprintf(path, sizeof(path), "/proc/%d/%s", id.pid, file);
	return write_noted(path, text, back, id);
}

/** undo_rewrite_proc() - undo_rewrite() with a file of a process */
int undo_rewrite_proc(struct proc_id id, const char *file)
{
	return undo(find_file(id, file));
}

/** undo_read_proc() - the text before undo_write_proc(); -ENOENT, if it was not changed */
int undo_read_proc(struct proc_id id, const char *file, char *text, size_t size)
{
	const struct undo_entry *entry = find_file(id, file);

	if (!entry)
		return -ENOENT;
	snprintf(text, size, "%s", entry->text);
	return 0;
}

/** undo_read_same() - the old text of a file of all changed processes; false, if it differs */
bool undo_read_same(const char *file, char *text, size_t size)
{
	struct undo_entry *entry;
	bool found = false;

	for (entry = next(NULL); entry; entry = next(entry)) {
		const char *name = strrchr(entry->path, '/');

		if (kind_of(entry) != UNDO_TEXT || !entry->id.pid || !name ||
		    strcmp(name + 1, file))
			continue;
		if (found && strcmp(text, entry->text))
			return false;
		snprintf(text, size, "%s", entry->text);
		found = true;
	}
	return found;
}

/**
 * undo_seized() - has another program written a number to a file?
 * @now: the number that it holds
 * @written: the number that was written last; 0: none. Cleared, if that is another one
 *
 * Then the other program's number stays at the end.
 */
bool undo_seized(const char *path, uint64_t now, uint64_t *written)
{
	struct undo_entry *entry = find(UNDO_TEXT, path, NULL, nobody);

	if (!*written || *written == now)
		return false;
	*written = 0;
	if (entry)
		drop(entry);
	return true;
}

/**
 * undo_hold() - write a number, also where another program has written since
 * @value: the number, not 0
 * @written: as for undo_seized()
 */
void undo_hold(const char *path, uint64_t value, uint64_t *written)
{
	uint64_t now;

	if (sys_read_u64(path, &now))
		return;
	undo_seized(path, now, written);
	if (now != value && !undo_write_u64(path, value))
		*written = value;
}

/** undo_forget_ended() - drop the changes of ended processes and of files that are gone */
void undo_forget_ended(void)
{
	struct undo_entry *entry;

	for (entry = next(NULL); entry; entry = next(entry))
		if (entry->id.pid ? !proc_alive(entry->id) :
				    kind_of(entry) == UNDO_TEXT && !sys_exists(entry->path))
			drop(entry);
}

/** undo_make_group() - make a control group, unless it is there; -ENOSPC, if the list is full */
int undo_make_group(const char *group)
{
	if (cgroup_has(group, ""))
		return 0;
	return change(find(UNDO_GROUP, group, NULL, nobody), UNDO_GROUP, group, "", "", nobody);
}

/** undo_remove_group() - if undo_make_group() made it; its processes go to the group above */
int undo_remove_group(const char *group)
{
	return undo(find(UNDO_GROUP, group, NULL, nobody));
}

/** undo_stop() - stop a process; -ENOSPC, if there are too many changes; -ESRCH */
int undo_stop(struct proc_id id)
{
	struct proc_stat stat;

	/* Nor the first process. */
	if (id.pid <= 1)
		return -ESRCH;
	if (find(UNDO_STOP, "", NULL, id))
		return 0;
	/* Another program has stopped it, and will let it go on. */
	if (!proc_read(id.pid, &stat) && stat.start == id.start && stat.state == 'T')
		return 0;
	return change(NULL, UNDO_STOP, "", "", "", id);
}

/** undo_cont() - let a process go on, if undo_stop() has stopped it */
int undo_cont(struct proc_id id)
{
	return undo(find(UNDO_STOP, "", NULL, id));
}

/** undo_cont_all() - undo_cont() with all processes; the last error */
int undo_cont_all(void)
{
	struct undo_entry *entry;
	int err, last = 0;

	for (entry = next(NULL); entry; entry = next(entry)) {
		err = kind_of(entry) == UNDO_STOP ? undo(entry) : 0;
		if (err)
			last = err;
	}
	return last;
}

/**
 * undo_hold_most() - the longest stop or freeze by later calls; 0 ms: without a limit
 *
 * Choose it longer than the daemon itself needs to let programs go on.
 */
void undo_hold_most(unsigned int ms)
{
	hold_ms = ms;
}

/* expire() - end a stop whose limit is @until_ms, unless the daemon has just done so */
static bool expire(struct undo_entry *entry, unsigned int until_ms)
{
	struct undo_entry copy = *entry;

	/* If the time limit is still the same, the copy is whole. */
	return atomic_compare_exchange_strong(&entry->until_ms, &until_ms, 0) &&
	       !apply(&copy, NULL);
}

/**
 * undo_expire() - in the guardian: end stops that are longer than undo_hold_most()
 * @expired: filled in: the number of programs and groups that go on
 *
 * The daemon, which is late, may change the list meanwhile. So the entry stays, without its time
 * limit. When the daemon runs again, it finds that the time is over and ends the stop, too.
 *
 * Return: milliseconds until the next program has to go on; UINT_MAX without one.
 */
unsigned int undo_expire(unsigned int *expired)
{
	unsigned int now = now_ms(), next_ms = UINT_MAX;
	struct undo_entry *entry;

	*expired = 0;
	for (entry = next(NULL); entry; entry = next(entry)) {
		unsigned int until_ms = atomic_load(&entry->until_ms), left = until_ms - now;

		if (!until_ms)
			continue;
		if ((int)left <= 0)
			*expired += expire(entry, until_ms);
		else if (left < next_ms)
			next_ms = left;
	}
	return next_ms;
}

/* newest() - the last change that is left and may wait, or not; but none that has been tried */
static struct undo_entry *newest(uint64_t before, bool waits)
{
	struct undo_entry *entry, *found = NULL;

	for (entry = next(NULL); entry; entry = next(entry))
		if (entry->order < before && may_wait(entry) == waits &&
		    (!found || entry->order > found->order))
			found = entry;
	return found;
}

/* undo_these() - all changes that may wait, or all others; returns how many could not be undone */
static int undo_these(bool waits)
{
	struct undo_entry *entry;
	uint64_t before = UINT64_MAX;
	int failed = 0;

	while ((entry = newest(before, waits))) {
		int err = undo(entry);

		before = entry->order;
		if (err) {
			failed++;
			log_error("%s: could not be put back as it was: %s", entry->path,
				  strerror(-err));
		}
	}
	return failed;
}

/**
 * undo_all() - undo all changes, the last first
 *
 * Processes go on before anything else. Writes that may wait for another program come last. The
 * next start tries failed ones, which are logged, again.
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
