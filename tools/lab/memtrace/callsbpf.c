// SPDX-License-Identifier: GPL-2.0

#ifdef HAVE_LIBBPF
#include <err.h>
#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "bpf.h"
#include "calls.skel.h"

static struct calls *skeleton;
static struct bpf_link *links[CALLS];

static int attach(unsigned int call, struct bpf_program *program)
{
	int err = -ENOENT;
	size_t i;

	for (i = 0; !links[call] && i < CALL_NAMES && call_names[call][i]; i++) {
		links[call] = bpf_program__attach_kprobe(program, false, call_names[call][i]);
		if (!links[call])
			err = -errno;
	}
	if (links[call])
		return 0;
	warnx("no BPF on %s: %s", call_names[call][0], strerror(-err));
	return err;
}

static int attach_all(void)
{
	struct bpf_program *const programs[CALLS] = {
		[CALL_ACCESSED] = skeleton->progs.count_accessed,
		[CALL_ADDED] = skeleton->progs.count_added,
		[CALL_DIRTIED] = skeleton->progs.count_dirtied,
		[CALL_BUFFERS] = skeleton->progs.count_buffers,
	};
	unsigned int call;
	int err = 0;

	for (call = 0; !err && call < CALLS; call++)
		err = attach(call, programs[call]);
	return err;
}

/**
 * callsbpf_open() - begin to count calls
 *
 * Return: 0; or a negative errno, and the reason was said. Close it in either case.
 */
int callsbpf_open(void)
{
	int err;

	if (!bpf_there())
		return -ENOENT;
	/* The reason is said by us, in one line. */
	libbpf_set_print(NULL);
	skeleton = calls__open_and_load();
	err = skeleton ? 0 : -errno;
	if (err)
		warnx("no BPF: the kernel does not take the program: %s", strerror(-err));
	else
		err = attach_all();
	/* libbpf has read the kernel's description of itself, some MiB. */
	malloc_trim(0);
	return err;
}

/**
 * callsbpf_read() - calls since the beginning
 * @calls: the figures
 *
 * Return: 0.
 */
int callsbpf_read(struct cache_calls *calls)
{
	const volatile struct calls__bss *counted = skeleton->bss;

	calls->accessed = counted->accessed;
	calls->added = counted->added;
	calls->dirtied = counted->dirtied;
	calls->buffers = counted->buffers;
	return 0;
}

/**
 * callsbpf_close() - the end of it
 */
void callsbpf_close(void)
{
	unsigned int call;

	for (call = 0; call < CALLS; call++) {
		bpf_link__destroy(links[call]);
		links[call] = NULL;
	}
	calls__destroy(skeleton);
	skeleton = NULL;
}
#endif
