// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/swap.h>
#include <unistd.h>
#include "cluster.h"
#include "human.h"
#include "node.h"
#include "run.h"
#include "signature.h"
#include "swap.h"
#include "sys.h"

/* Flags of swapon(); not every libc defines them. */
#define FLAG_PREFER 0x8000
#define FLAG_DISCARD 0x10000
#define FLAG_DISCARD_ONCE 0x20000
#define FLAG_DISCARD_PAGES 0x40000

/* The largest page of any architecture that Linux runs on. */
#define PAGE_MAX 262144

/**
 * swap_discard() - translate the policy of --discard
 * @policy: "once", "pages", or NULL for both, as in swapon(8)
 * @flags: for swapon()
 *
 * Return: is the policy known?
 */
bool swap_discard(const char *policy, int *flags)
{
	*flags = FLAG_DISCARD;
	if (!policy)
		return true;
	if (!strcmp(policy, "once"))
		*flags |= FLAG_DISCARD_ONCE;
	else if (!strcmp(policy, "pages"))
		*flags |= FLAG_DISCARD_PAGES;
	else
		return false;
	return true;
}

/* write_signature() - write the swap header where mkswap is missing */
static int write_signature(const struct device *device, const char *path)
{
	size_t page_bytes = (size_t)sys_page_size();
	static unsigned char page[PAGE_MAX];
	int fd, err;

	if (page_bytes > sizeof(page))
		return -EINVAL;
	err = signature_make(page, page_bytes, figure(device->text, "size_bytes"));
	fd = err ? -1 : open(path, O_WRONLY | O_EXCL | O_CLOEXEC);
	if (!err && fd < 0)
		err = -errno;
	if (!err && (pwrite(fd, page, page_bytes, 0) != (ssize_t)page_bytes || fsync(fd)))
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

static bool make_signature(const struct device *device, const char *path)
{
	char *const argv[] = { "mkswap", (char *)path, NULL };
	int err = run_program(argv);

	if (err == -ENOENT)
		err = write_signature(device, path);
	if (err)
		warnx("%s: the swap signature cannot be written: %s", path,
		      err == -EIO ? "see above" : strerror(-err));
	return !err;
}

/**
 * swap_on() - write the swap header, start swap, set vm.page-cluster
 * @device: the device; its contents are lost
 * @options: priority, discard policy, vm.page-cluster
 *
 * Return: true on success; else an error message was printed.
 */
bool swap_on(const struct device *device, const struct swap_options *options)
{
	char path[64];
	int err;

	if (device->mount[0]) {
		warnx("%s: it is in use already: %s", device->name, device->mount);
		return false;
	}
	if (!node_there(device, path, sizeof(path)) || !make_signature(device, path))
		return false;
	if (swapon(path, FLAG_PREFER | options->priority | options->discard)) {
		warn("%s: swapon failed", path);
		return false;
	}
	err = cluster_set(options->cluster);
	if (err)
		warnx("warning: vm.page-cluster is left as it is: %s", strerror(-err));
	return true;
}

static bool any_swap(void)
{
	static struct devices devices;
	unsigned int i;

	devices_read(&devices);
	for (i = 0; i < devices.n; i++)
		if (devices.of[i].swapped)
			return true;
	return false;
}

/**
 * swap_off() - stop swap; after the last one restore vm.page-cluster
 * @device: the device
 *
 * The kernel reads all swapped-out pages back, which may take long.
 *
 * Return: true on success; else an error message was printed.
 */
bool swap_off(const struct device *device)
{
	char size[HUMAN_TEXT];
	int err;

	if (swapoff(device->swap.name)) {
		if (errno == ENOMEM)
			warnx("%s: no memory for the %s that are swapped out: end programs first",
			      device->swap.name,
			      human_size(device->swap.used_kib << 10, size));
		else
			warn("%s: swapoff failed", device->swap.name);
		return false;
	}
	err = any_swap() ? 0 : cluster_restore();
	if (err)
		warnx("warning: vm.page-cluster is left as it is: %s", strerror(-err));
	return true;
}
