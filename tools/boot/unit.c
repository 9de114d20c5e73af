// SPDX-License-Identifier: GPL-2.0

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "unit.h"

struct out {
	char *text;
	size_t have;
	size_t size;
	bool cut;
};

static void put(struct out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct out *out, const char *format, ...)
{
	size_t left = out->size - out->have;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(out->text + out->have, left, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= left)
		out->cut = true;
	else
		out->have += (size_t)n;
}

/**
 * unit_quote() - quote a word for ExecStart=
 * @word: the word
 * @to: filled in, with quotes and with systemd's special characters escaped
 * @size: of @to in bytes; UNIT_WORD() suffices
 *
 * Return: does it fit?
 */
bool unit_quote(const char *word, char *to, size_t size)
{
	struct out out = { .text = to, .size = size };

	put(&out, "\"");
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			put(&out, "\\%c", *word);
		else if (*word == '%' || *word == '$')
			put(&out, "%c%c", *word, *word);
		else if ((unsigned char)*word < ' ' || *word == 0x7f)
			put(&out, "\\x%02x", (unsigned int)(unsigned char)*word);
		else
			put(&out, "%c", *word);
	}
	put(&out, "\"");
	return !out.cut;
}

/**
 * unit_name() - the name of a device's service
 * @device: the device
 * @name: buffer of UNIT_NAME bytes
 */
void unit_name(const struct config_device *device, char *name)
{
	snprintf(name, UNIT_NAME, "mtdcompr-setup@mtdcompr%u.service", device->number);
}

/*
 * put_order() - start after the swap units, so that systemd stops our service first at shutdown
 *
 * systemd makes a unit for each active swap. Without an order it would stop the swap while our
 * service does.
 */
static void put_order(struct out *out, const struct config *config, unsigned int at,
		      unsigned int disks)
{
	char name[UNIT_NAME];
	unsigned int i;

	put(out, "After=systemd-modules-load.service systemd-udev-trigger.service\n");
	if (at) {
		unit_name(&config->of[at - 1], name);
		put(out, "# One at a time: each takes the best media that are free then.\n");
		put(out, "After=%s\n", name);
	}
	put(out, "# The service switches the swap off, before systemd would do so.\nAfter=");
	for (i = 0; i < disks; i++)
		put(out, "%sdev-mtdcompr%u.swap", i ? " " : "", i);
	put(out, "\n");
}

static void put_start(struct out *out, const struct config_device *device, const char *program)
{
	static const char *const discards[] = {
		[DISCARD_NONE] = "",
		[DISCARD_BOTH] = " --discard",
		[DISCARD_ONCE] = " --discard=once",
		[DISCARD_PAGES] = " --discard=pages",
	};
	char word[UNIT_WORD(CONFIG_MORE)];

	put(out, "ExecStart=%s swap on --name mtdcompr%u --priority %u%s", program,
	    device->number, device->priority, discards[device->discard]);
	if (device->algorithm[0])
		put(out, " --algorithm %s", device->algorithm);
	if (device->level[0])
		put(out, " --level %s", device->level);
	if (device->sized)
		put(out, " --size %llu", (unsigned long long)(device->mib * 1048576));
	if (device->more[0]) {
		out->cut |= !unit_quote(device->more, word, sizeof(word));
		put(out, " --options %s", word);
	}
	if (device->media[0]) {
		out->cut |= !unit_quote(device->media, word, sizeof(word));
		put(out, " -- %s\n", word);
	} else {
		put(out, " --find\n");
	}
}

/**
 * unit_text() - make the service of a device
 * @config: all devices that get a service
 * @at: index of the device
 * @program: path of mtdcomprctl, without blanks and systemd's special characters
 * @disks: how many disks /dev/mtdcomprN may exist then, at most
 * @text: buffer of UNIT_TEXT bytes
 *
 * Return: does it fit?
 */
bool unit_text(const struct config *config, unsigned int at, const char *program,
	       unsigned int disks, char *text)
{
	const struct config_device *device = &config->of[at];
	struct out out = { .text = text, .size = UNIT_TEXT };

	put(&out, "# Made by mtdcompr-generator at each boot and each daemon-reload.\n\n[Unit]\n");
	put(&out, "Description=Swap on the compressed MTD mtdcompr%u\n", device->number);
	put(&out, "Documentation=man:mtdcompr-generator(8) man:mtdcomprctl(8)\n");
	if (device->source[0] == '/' && !strpbrk(device->source, " %"))
		put(&out, "SourcePath=%s\n", device->source);
	put(&out, "DefaultDependencies=no\n");
	put_order(&out, config, at, disks);
	put(&out, "Before=swap.target shutdown.target\nConflicts=shutdown.target\n");
	put(&out, "\n[Service]\nType=oneshot\nRemainAfterExit=yes\n");
	put_start(&out, device, program);
	put(&out, "ExecStop=%s swap off mtdcompr%u\n", program, device->number);
	put(&out, "TimeoutStartSec=90\n");
	put(&out, "# What is swapped out is read back first.\nTimeoutStopSec=300\n");
	return !out.cut;
}
