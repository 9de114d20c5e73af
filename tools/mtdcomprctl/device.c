// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "device.h"
#include "lines.h"
#include "sys.h"

/**
 * device_loaded() - is the module loaded?
 */
bool device_loaded(void)
{
	return sys_exists("/sys/devices/" MTDCOMPR_SYSFS_DEVICE);
}

/**
 * device_read() - read the statistics of one device
 * @device: filled in, without its users
 * @name: name of its MTD
 *
 * Return: is there such a device?
 */
bool device_read(struct device *device, const char *name)
{
	char path[SYS_PATH];

	if (strlen(name) >= sizeof(device->name))
		return false;
	snprintf(path, sizeof(path), "/proc/" MTDCOMPR_PROC_DIR "/%s", name);
	memset(device, 0, sizeof(*device));
	if (sys_read(path, device->text, sizeof(device->text)) <= 0)
		return false;
	snprintf(device->name, sizeof(device->name), "%s", name);
	if (!figure_is(device->text, "disk", "none"))
		figure_word(device->text, "disk", device->disk, sizeof(device->disk));
	device->mtd = figure_there(device->text, "mtd") ? figure(device->text, "mtd") : UINT64_MAX;
	return true;
}

/**
 * device_file() - the path of a device's disk
 * @device: the device
 * @text: buffer of DEVICE_FILE bytes
 *
 * Return: @text: the path, or the device's name if it has no disk.
 */
const char *device_file(const struct device *device, char *text)
{
	snprintf(text, DEVICE_FILE, "%s%s", device->disk[0] ? "/dev/" : "",
		 device->disk[0] ? device->disk : device->name);
	return text;
}

/**
 * device_number() - parse a number after a prefix, as in "mtd3"
 * @text: prefix and digits, without anything else
 * @prefix: the required prefix, or ""
 * @number: the number
 *
 * Return: has @text this form?
 */
bool device_number(const char *text, const char *prefix, uint64_t *number)
{
	size_t len = strlen(prefix);

	return !strncmp(text, prefix, len) &&
	       strspn(text + len, "0123456789") == strlen(text + len) &&
	       !parse_decimal(text + len, 0, number);
}

static int add_device(const char *name, void *arg)
{
	struct devices *devices = arg;

	/* Skip a device that was detached just now. */
	if (devices->n < MTDCOMPR_DEVICES_MAX && device_read(&devices->of[devices->n], name))
		devices->n++;
	return 0;
}

static bool is_before(const struct device *one, const struct device *other)
{
	return figure(one->text, "device") < figure(other->text, "device");
}

/* sort() - by MTD number; insertion sort, because there are few devices */
static void sort(struct devices *devices)
{
	static struct device one;
	unsigned int i, at;

	for (i = 1; i < devices->n; i++) {
		one = devices->of[i];
		for (at = i; at && is_before(&one, &devices->of[at - 1]); at--)
			devices->of[at] = devices->of[at - 1];
		devices->of[at] = one;
	}
}

/* is_at() - is a file the device's disk or the mtdblock disk of its MTD? */
static bool is_at(const struct device *device, const char *file)
{
	char path[DEVICE_FILE];
	uint64_t mtd;

	return (device->disk[0] && !strcmp(file, device_file(device, path))) ||
	       (device_number(file, "/dev/mtdblock", &mtd) && mtd == device->mtd);
}

static bool add_swap(char *line, void *arg)
{
	struct devices *devices = arg;
	struct swap_line swap;
	unsigned int i;

	parse_swap(line, &swap);
	for (i = 0; i < devices->n && swap.name[0]; i++) {
		struct device *device = &devices->of[i];

		if (is_at(device, swap.name)) {
			device->swapped = true;
			device->swap = swap;
			snprintf(device->mount, sizeof(device->mount), "[SWAP]");
		}
	}
	return true;
}

/* is_disk() - are these the device numbers of its disk or of the mtdblock disk of its MTD? */
static bool is_disk(const struct device *device, const char *numbers)
{
	char path[SYS_PATH], own[32];
	uint64_t mtd;

	if (device_number(numbers, LINES_MTDBLOCK, &mtd))
		return mtd == device->mtd;
	snprintf(path, sizeof(path), "/sys/block/%s/dev", device->disk);
	if (!device->disk[0] || sys_read(path, own, sizeof(own)) <= 0)
		return false;
	own[strcspn(own, "\n")] = '\0';
	return !strcmp(numbers, own);
}

static bool add_mount(char *line, void *arg)
{
	const char *where, *disk = lines_mount(line, &where);
	struct devices *devices = arg;
	unsigned int i;

	for (i = 0; i < devices->n; i++)
		if (!devices->of[i].mount[0] && is_disk(&devices->of[i], disk))
			snprintf(devices->of[i].mount, sizeof(devices->of[i].mount), "%s", where);
	return true;
}

/**
 * devices_read() - read all devices, sorted by MTD number
 * @devices: filled in
 *
 * Without the module the list is empty.
 *
 * Return: 0, or a negative errno.
 */
int devices_read(struct devices *devices)
{
	int err;

	devices->n = 0;
	err = sys_each_entry("/proc/" MTDCOMPR_PROC_DIR, add_device, devices);
	if (err && err != -ENOENT)
		return err;
	sort(devices);
	/* A kernel without swap has no such file. */
	lines_each("/proc/swaps", add_swap, devices);
	lines_each(LINES_MOUNTS, add_mount, devices);
	return 0;
}

static bool matches(const struct device *device, const char *what)
{
	uint64_t number;

	if (strncmp(what, "/dev/", 5))
		return !strcmp(what, device->name);
	return is_at(device, what) ||
	       (device_number(what, "/dev/mtd", &number) && number == device->mtd);
}

/**
 * devices_find() - find a device by any of its names
 * @devices: all devices
 * @what: a path in /dev (disk, MTD or mtdblock disk); the name of its MTD; the name of
 *	its disk unless an MTD has that name; or the MTD's number
 *
 * Return: the device, or NULL.
 */
const struct device *devices_find(const struct devices *devices, const char *what)
{
	uint64_t number;
	unsigned int i;

	for (i = 0; i < devices->n; i++)
		if (matches(&devices->of[i], what))
			return &devices->of[i];
	for (i = 0; i < devices->n; i++)
		if ((*what && !strcmp(what, devices->of[i].disk)) ||
		    ((device_number(what, "", &number) || device_number(what, "mtd", &number)) &&
		     number == devices->of[i].mtd))
			return &devices->of[i];
	return NULL;
}
