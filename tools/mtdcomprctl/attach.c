// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "attach.h"
#include "klog.h"
#include "run.h"
#include "sys.h"

#define ATTACH "/sys/devices/" MTDCOMPR_SYSFS_DEVICE "/attach"
#define DETACH "/sys/devices/" MTDCOMPR_SYSFS_DEVICE "/detach"

/* Of a message of the module's. */
#define REASON 512

/**
 * attach_module() - see to it that the module is there
 *
 * It is loaded, if it is not; below a prefix nothing is.
 *
 * Return: is it there? Else the reason was said.
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

/* request() - write to a file of the module's, with its answer in the kernel's log */
static int request(const char *path, const char *text, char *reason, size_t size)
{
	int log = klog_open(), err = sys_write(path, text);

	klog_reason(log, reason, size);
	return err;
}

/**
 * attach_try() - one request to attach, as it is
 * @text: of spec_text()
 * @reason: what the kernel's log says of it; "", if it can't be read
 * @size: of @reason in bytes
 *
 * Return: 0, or the negative errno of the module.
 */
int attach_try(const char *text, char *reason, size_t size)
{
	return request(ATTACH, text, reason, size);
}

/* advise() - what to do about an error, where the module's message does not say it */
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

/* The names of the devices that there are. */
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

/* is_on() - media have one device at most */
static bool is_on(const struct device *device, const char *media)
{
	uint64_t wanted, lower;

	if (device_number(media, "", &wanted))
		return parse_key(device->text, "lower_mtd", &lower) && lower == wanted;
	return figure_is(device->text, "lower_name", media);
}

/* read_new() - others may attach at the same time; a name with odd characters is not found */
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
	/* Of two it may be the other's. */
	return others == 1 && device_read(made, other);
}

static bool made_by(const struct spec *spec, const struct names *before, struct device *made)
{
	if (spec->name ? device_read(made, spec->name) : read_new(spec->media, before, made))
		return true;
	warnx("%s: attached, but /proc/" MTDCOMPR_PROC_DIR " does not show it", spec->media);
	return false;
}

/* fall_back() - what was asked for is not supported: is that the compressor's fault? */
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
 * attach() - attach; with another compressor and a warning where the module lacks one
 * @spec: what is asked for
 * @made: the new device
 *
 * Return: is it done? If not, the reason was said, and nothing was changed.
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
 * detach() - take a device away; its contents are lost
 * @device: the device
 *
 * Return: is it done? If not, the reason was said.
 */
bool detach(const struct device *device)
{
	char reason[REASON];
	int err = request(DETACH, device->name, reason, sizeof(reason));

	if (err)
		complain("detach", device->name, err, reason);
	return !err;
}
