// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "proc.h"
#include "sys.h"
#include "tracefs.h"

/* The program: its events are a group of this name, and the name of its trace buffer begins so. */
static const char *owner = "policy";

/* What is left of programs that were killed, to be removed. */
struct leftover {
	const char *const *events;
	size_t n;
};

static int path_of(char *path, size_t size, const char *file)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	size_t i;
	int n;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		n = snprintf(path, size, "%s/trace_clock", places[i]);
		if (n < 0 || (size_t)n >= size)
			return -ENAMETOOLONG;
		if (!sys_exists(path))
			continue;
		n = snprintf(path, size, "%s/%s", places[i], file);
		return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
	}
	return -ENOENT;
}

static int write_file(const char *file, const char *value)
{
	char path[SYS_PATH];
	int err = path_of(path, sizeof(path), file);

	return err ? err : sys_write(path, value);
}

/**
 * tracefs_name() - say what the things that we make are called after
 * @name: the program's name: letters, digits and underscores
 */
void tracefs_name(const char *name)
{
	owner = name;
}

/**
 * tracefs_there() - are the tracing files mounted, and may they be used?
 *
 * Return: true, if both.
 */
bool tracefs_there(void)
{
	char path[SYS_PATH];

	return path_of(path, sizeof(path), "trace_clock") == 0 && sys_writable(path);
}

/**
 * tracefs_has() - is there a file?
 * @file: the file, below the directory of tracing
 *
 * Return: true, if there is.
 */
bool tracefs_has(const char *file)
{
	char path[SYS_PATH];

	return path_of(path, sizeof(path), file) == 0 && sys_exists(path);
}

/**
 * tracefs_read() - read a file
 * @file: the file, below the directory of tracing
 * @buf: where to; a zero byte ends it
 * @size: of @buf in bytes
 *
 * Return: bytes read, or a negative errno.
 */
ssize_t tracefs_read(const char *file, char *buf, size_t size)
{
	char path[SYS_PATH];
	int err = path_of(path, sizeof(path), file);

	return err ? err : sys_read(path, buf, size);
}

static void instance_file(char *buf, size_t size, pid_t pid, const char *file)
{
	snprintf(buf, size, "instances/%s-%d%s%s", owner, pid, file[0] ? "/" : "", file);
}

/**
 * tracefs_instance_add() - make a trace buffer of our own
 *
 * Return: 0, or a negative errno.
 */
int tracefs_instance_add(void)
{
	char file[128], path[SYS_PATH];
	int err;

	instance_file(file, sizeof(file), getpid(), "");
	err = path_of(path, sizeof(path), file);
	return err ? err : sys_mkdir(path);
}

/**
 * tracefs_instance_write() - write to a file of our trace buffer
 * @file: the file
 * @value: what to write
 *
 * Return: 0, or a negative errno.
 */
int tracefs_instance_write(const char *file, const char *value)
{
	char name[SYS_PATH];

	instance_file(name, sizeof(name), getpid(), file);
	return write_file(name, value);
}

/**
 * tracefs_open_pipe() - read what is traced into our buffer, without waiting
 *
 * Return: a descriptor, or a negative errno.
 */
int tracefs_open_pipe(void)
{
	char file[128], path[SYS_PATH];
	int err;

	instance_file(file, sizeof(file), getpid(), "trace_pipe");
	err = path_of(path, sizeof(path), file);
	return err ? err : sys_open(path, O_RDONLY | O_NONBLOCK);
}

/**
 * tracefs_open_raw() - read the pages of our buffer that a processor has filled, without waiting
 * @cpu: the processor
 *
 * Return: a descriptor, or a negative errno.
 */
int tracefs_open_raw(unsigned int cpu)
{
	char name[64], file[128], path[SYS_PATH];
	int err;

	snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	instance_file(file, sizeof(file), getpid(), name);
	err = path_of(path, sizeof(path), file);
	return err ? err : sys_open(path, O_RDONLY | O_NONBLOCK);
}

/* Its events are switched off with it. */
static void remove_instance(pid_t pid)
{
	char file[128], path[SYS_PATH];

	instance_file(file, sizeof(file), pid, "");
	if (path_of(path, sizeof(path), file) == 0)
		sys_rmdir(path);
}

/**
 * tracefs_instance_remove() - remove our trace buffer; nothing may be open in it
 */
void tracefs_instance_remove(void)
{
	remove_instance(getpid());
}

/**
 * tracefs_probe_name() - the name that an event has in tracing
 * @event: the event
 * @name: its name there
 * @size: of @name in bytes
 */
void tracefs_probe_name(const char *event, char *name, size_t size)
{
	snprintf(name, size, "%s_%d", event, getpid());
}

/**
 * tracefs_probe_add() - an event for each call of a function of the kernel
 * @event: the event
 * @when: 'p': at its beginning; 'r': at its end
 * @function: the function, and what is to be written down, as Documentation/trace/kprobetrace.rst
 *            of the kernel has it
 *
 * Return: 0; or a negative errno, as where the kernel has no such function.
 */
int tracefs_probe_add(const char *event, char when, const char *function)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%c:%s/%s_%d %s\n", when, owner, event, getpid(),
			 function);

	return (size_t)n >= sizeof(line) ? -E2BIG : write_file("kprobe_events", line);
}

static void probe_file(char *buf, size_t size, const char *event, const char *file)
{
	snprintf(buf, size, "events/%s/%s_%d/%s", owner, event, getpid(), file);
}

/**
 * tracefs_probe_read() - read a file of an event
 * @event: the event
 * @file: the file: id, format
 * @buf: where to; a zero byte ends it
 * @size: of @buf in bytes
 *
 * Return: 0, or a negative errno.
 */
int tracefs_probe_read(const char *event, const char *file, char *buf, size_t size)
{
	char name[128];
	ssize_t n;

	probe_file(name, sizeof(name), event, file);
	n = tracefs_read(name, buf, size);
	return n < 0 ? (int)n : 0;
}

/**
 * tracefs_probe_write() - write to a file of an event in our trace buffer
 * @event: the event
 * @file: the file: enable, filter
 * @value: what to write
 *
 * Return: 0, or a negative errno.
 */
int tracefs_probe_write(const char *event, const char *file, const char *value)
{
	char name[128];

	probe_file(name, sizeof(name), event, file);
	return tracefs_instance_write(name, value);
}

static void remove_probe(const char *event, pid_t pid)
{
	char line[256];

	snprintf(line, sizeof(line), "-:%s/%s_%d\n", owner, event, pid);
	write_file("kprobe_events", line);
}

/**
 * tracefs_probe_remove() - remove an event; it may not be there
 * @event: the event, which no trace buffer may have switched on
 */
void tracefs_probe_remove(const char *event)
{
	remove_probe(event, getpid());
}

static int clean_entry(const char *name, void *arg)
{
	const struct leftover *leftover = arg;
	size_t len = strlen(owner), i;
	struct proc_stat stat;
	pid_t pid;

	if (strncmp(name, owner, len) || name[len] != '-')
		return 0;
	pid = (pid_t)strtol(name + len + 1, NULL, 10);
	/* One that has ended and that nobody has waited for has a state still. */
	if (pid <= 0 || pid == getpid() || (!proc_read(pid, &stat) && stat.state != 'Z'))
		return 0;
	remove_instance(pid);
	for (i = 0; i < leftover->n; i++)
		remove_probe(leftover->events[i], pid);
	return 0;
}

/**
 * tracefs_clean() - remove what one of our name left that was killed
 * @events: its events
 * @n: how many
 */
void tracefs_clean(const char *const *events, size_t n)
{
	struct leftover leftover = { events, n };
	char path[SYS_PATH];

	if (path_of(path, sizeof(path), "instances") == 0)
		sys_each_entry(path, clean_entry, &leftover);
}
