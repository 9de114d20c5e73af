// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lines.h"
#include "medium.h"
#include "sys.h"

#define CLASS "/sys/class/mtd"

/* Flags in /sys/class/mtd/mtdN/flags. */
#define WRITEABLE 0x400
#define NO_ERASE 0x1000

/* Start of the names that the driver block2mtd gives. */
#define BLOCK2MTD "block2mtd: "

/* The module's minimum, pages. */
#define PAGES_MIN 4

static void attribute(const struct medium *medium, const char *name, char *text, size_t size)
{
	char path[SYS_PATH];

	snprintf(path, sizeof(path), CLASS "/mtd%u/%s", medium->mtd, name);
	if (sys_read(path, text, size) < 0)
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

static bool number(const struct medium *medium, const char *name, int base, uint64_t *value)
{
	char text[32], *end;

	attribute(medium, name, text, sizeof(text));
	errno = 0;
	*value = strtoull(text, &end, base);
	return text[0] && !*end && !errno;
}

static int add_medium(const char *name, void *arg)
{
	struct media *media = arg;
	struct medium *medium = &media->of[media->n];
	uint64_t mtd;

	/* Skip mtd0ro, which is listed beside mtd0. */
	if (media->n == MEDIA_MAX || !device_number(name, "mtd", &mtd) || mtd > INT32_MAX)
		return 0;
	memset(medium, 0, sizeof(*medium));
	medium->mtd = (unsigned int)mtd;
	attribute(medium, "name", medium->name, sizeof(medium->name));
	attribute(medium, "type", medium->type, sizeof(medium->type));
	medium->found = number(medium, "size", 10, &medium->size) &&
			number(medium, "flags", 16, &medium->flags);
	media->n++;
	return 0;
}

static void sort(struct media *media)
{
	struct medium one;
	unsigned int i, at;

	for (i = 1; i < media->n; i++) {
		one = media->of[i];
		for (at = i; at && one.mtd < media->of[at - 1].mtd; at--)
			media->of[at] = media->of[at - 1];
		media->of[at] = one;
	}
}

static struct medium *by_mtd(struct media *media, uint64_t mtd)
{
	unsigned int i;

	for (i = 0; i < media->n; i++)
		if (media->of[i].mtd == mtd)
			return &media->of[i];
	return NULL;
}

static void used(struct medium *medium, const char *how, const char *who)
{
	if (medium && !medium->user[0])
		snprintf(medium->user, sizeof(medium->user), "%s %s", how, who);
}

static void used_by_devices(struct media *media, const struct devices *devices)
{
	unsigned int i;

	for (i = 0; i < devices->n; i++) {
		const struct device *device = &devices->of[i];
		uint64_t mtd;

		if (parse_key(device->text, "lower_mtd", &mtd))
			used(by_mtd(media, mtd), "has", device->name);
	}
}

static bool used_by_swap(char *line, void *arg)
{
	uint64_t mtd;

	if (device_number(lines_word(&line), "/dev/mtdblock", &mtd))
		used(by_mtd(arg, mtd), "is", "swap");
	return true;
}

/*
 * used_by_mount() - note file systems on mtdblock or, like JFFS2, on the MTD itself
 *
 * used_by_ubi() handles file systems on UBI.
 */
static bool used_by_mount(char *line, void *arg)
{
	const char *where, *disk = lines_mount(line, &where);
	uint64_t mtd;

	if (device_number(disk, LINES_MTDBLOCK, &mtd))
		used(by_mtd(arg, mtd), "is mounted at", where);
	return true;
}

static int used_by_ubi(const char *name, void *arg)
{
	char path[SYS_PATH];
	uint64_t mtd;

	snprintf(path, sizeof(path), "/sys/class/ubi/%s/mtd_num", name);
	if (!sys_read_u64(path, &mtd))
		used(by_mtd(arg, mtd), "has", name);
	return 0;
}

/* used_by_part() - a used partition makes the parent used; skip nvmem's device of the same name */
static int used_by_part(const char *name, void *arg)
{
	struct medium *medium = arg;
	uint64_t mtd;

	if (device_number(name, "mtd", &mtd) && mtd != medium->mtd)
		used(medium, "has the partition", name);
	return 0;
}

static void used_by_parts(struct media *media)
{
	char path[SYS_PATH];
	unsigned int i;

	for (i = 0; i < media->n; i++) {
		snprintf(path, sizeof(path), CLASS "/mtd%u", media->of[i].mtd);
		sys_each_entry(path, used_by_part, &media->of[i]);
	}
}

/* used_by_log() - note MTDs that module parameters (number or name) give to mtdoops or mtdpstore */
static void used_by_log(struct media *media, const char *module)
{
	char path[SYS_PATH], what[80];

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/mtddev", module);
	if (sys_read(path, what, sizeof(what)) <= 0)
		return;
	what[strcspn(what, "\n")] = '\0';
	used((struct medium *)media_find(media, what), "is for", module);
}

/**
 * media_read() - read all MTDs, sorted by number
 * @media: filled in
 * @devices: all devices
 *
 * The kernel does not tell who has an MTD open; this finds only the users looked up here.
 *
 * Return: 0, or a negative errno; -ENOENT: the kernel has no MTDs.
 */
int media_read(struct media *media, const struct devices *devices)
{
	int err;

	media->n = 0;
	err = sys_each_entry(CLASS, add_medium, media);
	if (err)
		return err;
	sort(media);
	used_by_devices(media, devices);
	lines_each("/proc/swaps", used_by_swap, media);
	lines_each(LINES_MOUNTS, used_by_mount, media);
	sys_each_entry("/sys/class/ubi", used_by_ubi, media);
	used_by_parts(media);
	used_by_log(media, "mtdoops");
	used_by_log(media, "mtdpstore");
	return 0;
}

/**
 * media_find() - find an MTD by number or name, like the module
 * @media: all MTDs
 * @what: "3", "ext", "mtd3" or "/dev/mtd3"
 *
 * Return: the MTD, or NULL.
 */
const struct medium *media_find(const struct media *media, const char *what)
{
	unsigned int i;
	uint64_t mtd;

	if (device_number(what, "", &mtd) || device_number(what, "/dev/mtd", &mtd))
		return by_mtd((struct media *)media, mtd);
	for (i = 0; i < media->n; i++)
		if (!strcmp(media->of[i].name, what))
			return &media->of[i];
	return device_number(what, "mtd", &mtd) ? by_mtd((struct media *)media, mtd) : NULL;
}

/**
 * media_word() - the word for an MTD in a command line
 * @media: all MTDs
 * @medium: one of them
 * @word: buffer of MEDIA_WORD bytes
 *
 * Return: @word: its name; or its number if shell, option parser or module would misread the
 * name or take it for another MTD.
 */
const char *media_word(const struct media *media, const struct medium *medium, char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:+@%";

	if (medium->name[0] && strspn(medium->name, plain) == strlen(medium->name) &&
	    media_find(media, medium->name) == medium)
		snprintf(word, MEDIA_WORD, "%s", medium->name);
	else
		snprintf(word, MEDIA_WORD, "%u", medium->mtd);
	return word;
}

/**
 * medium_kind() - how well an MTD suits swap
 * @medium: the MTD
 */
enum medium_kind medium_kind(const struct medium *medium)
{
	if (!medium->found || !(medium->flags & WRITEABLE))
		return MEDIUM_UNFIT;
	if (!(medium->flags & NO_ERASE))
		return MEDIUM_FLASH;
	return strcmp(medium->type, "ram") ? MEDIUM_REWRITE : MEDIUM_RAM;
}

/**
 * medium_keeps() - does an MTD keep its contents without power?
 * @type: its type; "" if unknown, which counts as yes
 * @name: its name, because a disk behind block2mtd has the type of RAM
 */
bool medium_keeps(const char *type, const char *name)
{
	return strcmp(type, "ram") || !strncmp(name, BLOCK2MTD, strlen(BLOCK2MTD));
}

/**
 * media_keep() - do a device's media keep their contents without power?
 * @text: statistics of the device
 *
 * As the module sees it, which takes RAM with wearlevel= for another kind of memory.
 */
bool media_keep(const char *text)
{
	struct medium medium;
	uint64_t mtd;

	/* Only a UBI volume has no MTD below it. */
	if (!parse_key(text, "lower_mtd", &mtd) || figure(text, "wearlevel"))
		return true;
	medium.mtd = (unsigned int)mtd;
	attribute(&medium, "type", medium.type, sizeof(medium.type));
	figure_word(text, "lower_name", medium.name, sizeof(medium.name));
	return medium_keeps(medium.type, medium.name);
}

/**
 * medium_unfit() - why we must not choose an MTD that the user did not name
 * @medium: the MTD
 * @devices: all devices
 *
 * Return: the reason; NULL: the MTD may be chosen.
 */
const char *medium_unfit(const struct medium *medium, const struct devices *devices)
{
	unsigned int i;

	for (i = 0; i < devices->n; i++)
		if (devices->of[i].mtd == medium->mtd)
			return "is a compressed MTD itself";
	if (medium->user[0])
		return medium->user;
	if (!medium->found || !(medium->flags & WRITEABLE))
		return "is read-only";
	if (medium->size < PAGES_MIN * sys_page_size())
		return "is smaller than four pages";
	if (!strcmp(medium->name, "mtdram test device"))
		return "is the kernel's own memory, for tests";
	if (!strncmp(medium->name, BLOCK2MTD, strlen(BLOCK2MTD)))
		return "is a block device, which may swap itself";
	/* It may hold data that the user needs. */
	if (medium_kind(medium) == MEDIUM_FLASH && !strstr(medium->name, "swap"))
		return "is flash without \"swap\" in its name";
	return NULL;
}

/**
 * media_choose() - choose the best MTD if the user named none
 * @media: all MTDs
 * @devices: all devices
 *
 * Prefers MTDs that do not wear, then larger ones.
 *
 * Return: the MTD, or NULL if none may be chosen.
 */
const struct medium *media_choose(const struct media *media, const struct devices *devices)
{
	const struct medium *best = NULL;
	unsigned int i;

	for (i = 0; i < media->n; i++) {
		const struct medium *medium = &media->of[i];

		if (medium_unfit(medium, devices))
			continue;
		if (!best || medium_kind(medium) < medium_kind(best) ||
		    (medium_kind(medium) == medium_kind(best) && medium->size > best->size))
			best = medium;
	}
	return best;
}
