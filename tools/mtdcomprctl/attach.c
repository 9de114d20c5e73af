// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "attach.h"
#include "klog.h"
#include "medium.h"
#include "run.h"
#include "sys.h"

#define ATTACH "/sys/devices/" MTDCOMPR_SYSFS_DEVICE "/attach"
#define DETACH "/sys/devices/" MTDCOMPR_SYSFS_DEVICE "/detach"

/* Bytes kept of a message of the module. */
#define REASON 512

/**
 * attach_module() - load the module unless it is loaded
 *
 * Below a prefix (tests) nothing is loaded.
 *
 * Return: true on success; else an error message was printed.
 */
bool attach_module(void)
{
	char *const argv[] = { "modprobe", "mtdcompr", NULL };
	int err;

	if (device_loaded())
		return true;
	err = *sys_root() ? -ENOENT : run_program(argv);
	if (device_loaded())
		return true;
	if (err == -ENOENT)
		warnx("the module mtdcompr is not loaded, and there is no modprobe: load it first");
	else
		warnx("the module mtdcompr cannot be loaded: see dmesg, and is it installed?");
	return false;
}

/* request() - write to a file of the module; @reason gets its message from the kernel log */
static int request(const char *path, const char *text, char *reason, size_t size)
{
	int log = klog_open(), err = sys_write(path, text);

	klog_reason(log, reason, size);
	return err;
}

/**
 * attach_try() - one request to attach, without a retry
 * @text: of spec_text()
 * @reason: the module's message in the kernel log; "" if the log can't be read
 * @size: of @reason in bytes
 *
 * Return: 0, or the negative errno of the module.
 */
int attach_try(const char *text, char *reason, size_t size)
{
	return request(ATTACH, text, reason, size);
}

/* advise() - advice for errors without advice in the module's message */
static const char *advise(int err)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return "; only root may do that";
	case ENODEV:
		return "; /proc/mtd has the names";
	case ENOMEM:
		return "; a smaller --size or --ratio needs less memory";
	default:
		return "";
	}
}

static void complain(const char *what, const char *name, int err, const char *reason)
{
	warnx("%s: %s failed: %s%s", name, what, *reason ? reason : strerror(-err), advise(err));
}

/* The names of the attached devices. */
struct names {
	unsigned int n;
	char of[MTDCOMPR_DEVICES_MAX][MTDCOMPR_NAME_MAX + 1];
};

static int add_name(const char *name, void *arg)
{
	struct names *names = arg;

	if (names->n < MTDCOMPR_DEVICES_MAX && strlen(name) <= MTDCOMPR_NAME_MAX)
		strcpy(names->of[names->n++], name);
	return 0;
}

static void names_read(struct names *names)
{
	names->n = 0;
	sys_each_entry("/proc/" MTDCOMPR_PROC_DIR, add_name, names);
}

static bool has_name(const struct names *names, const char *name)
{
	unsigned int i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->of[i], name))
			return true;
	return false;
}

/* is_on() - is the device on these media? Media carry one device at most */
static bool is_on(const struct device *device, const char *media)
{
	uint64_t wanted, lower;

	if (device_number(media, "", &wanted))
		return parse_key(device->text, "lower_mtd", &lower) && lower == wanted;
	return figure_is(device->text, "lower_name", media);
}

/* read_new() - read the new device; false if it is not clear which one is new */
static bool read_new(const char *media, const struct names *before, struct device *made)
{
	unsigned int i, others = 0;
	const char *other = NULL;
	struct names now;

	names_read(&now);
	for (i = 0; i < now.n; i++) {
		if (has_name(before, now.of[i]) || !device_read(made, now.of[i]))
			continue;
		if (is_on(made, media))
			return true;
		other = now.of[i];
		others++;
	}
	/* Of two new devices either may be ours. */
	return others == 1 && device_read(made, other);
}

/* warn_plain() - warn of plain pages on media that keep them, unless the user wants that */
static void warn_plain(const struct spec *spec, const struct device *made)
{
	/* An older module has no such line. The module has accepted the options: they are right. */
	if (figure_is(made->text, "crypt", "none") && media_keep(made->text) &&
	    !(spec->more && strstr(spec->more, "crypt=off")))
		warnx("warning: %s: pages are not encrypted: the module lacks the cipher",
		      spec->media);
}

static bool made_by(const struct spec *spec, const struct names *before, struct device *made)
{
	if (spec->name ? device_read(made, spec->name) : read_new(spec->media, before, made)) {
		warn_plain(spec, made);
		return true;
	}
	warnx("%s: attached, but /proc/" MTDCOMPR_PROC_DIR " does not show it", spec->media);
	return false;
}

/* fall_back() - after -EOPNOTSUPP, try other compressors */
static bool fall_back(const struct spec *spec, const struct names *before, struct device *made,
		      const char *reason)
{
	char text[SPEC_TEXT], ignored[REASON];
	const char *other, *why;
	unsigned int turn;

	for (turn = 0; spec->algorithm; turn++) {
		other = spec_other(spec->algorithm, turn);
		if (!other)
			break;
		if (!spec_text(spec, other, text, &why) ||
		    attach_try(text, ignored, sizeof(ignored)))
			continue;
		warnx("warning: the module was built without %s: %s is used instead%s",
		      spec->algorithm, other, spec->level ? ", at its own level" : "");
		return made_by(spec, before, made);
	}
	complain("attach", spec->media, -EOPNOTSUPP, reason);
	return false;
}

/**
 * attach() - attach; if the module lacks the compressor, take another one and warn; warn also if it
 * lacks the cipher, and the media keep their contents
 * @spec: the requested device
 * @made: the new device
 *
 * Return: true on success; else an error message was printed and nothing changed.
 */
bool attach(const struct spec *spec, struct device *made)
{
	struct names before;
	char text[SPEC_TEXT], reason[REASON];
	const char *why;
	int err;

	if (!spec_text(spec, spec->algorithm, text, &why)) {
		warnx("%s: %s", spec->media, why);
		return false;
	}
	if (!attach_module())
		return false;
	names_read(&before);
	err = attach_try(text, reason, sizeof(reason));
	if (!err)
		return made_by(spec, &before, made);
	if (err == -EOPNOTSUPP)
		return fall_back(spec, &before, made, reason);
	complain("attach", spec->media, err, reason);
	return false;
}

/**
 * detach() - detach a device; its contents are lost
 * @device: the device
 *
 * Return: true on success; else an error message was printed.
 */
bool detach(const struct device *device)
{
	char reason[REASON];
	int err = request(DETACH, device->name, reason, sizeof(reason));

	if (err)
		complain("detach", device->name, err, reason);
	return !err;
}
