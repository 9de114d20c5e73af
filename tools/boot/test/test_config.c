// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of sections and keys: right lines are taken, each wrong line is skipped with a message, a
 * device whose media may have been named in a wrong line never gets media of our choice, and a
 * device whose options are wrong is refused.
 */
#include "harness.h"
#include "cmdline.h"
#include "config.h"

static struct config config;
static unsigned int messages;
static char last[CONFIG_MESSAGE];

static void say(const char *message)
{
	messages++;
	snprintf(last, sizeof(last), "%s", message);
}

static void begin(void)
{
	memset(&config, 0, sizeof(config));
	config.ram = 1024;
	config.say = say;
	messages = 0;
	last[0] = '\0';
}

static void more(const char *path, const char *text)
{
	char *copy = test_alloc(strlen(text) + 1);

	strcpy(copy, text);
	config_text(&config, path, copy);
	free(copy);
}

/* of() - parse a text with one device */
static const struct config_device *of(const char *text)
{
	begin();
	more("/etc/x.conf", text);
	expect_eq(config.n, 1);
	return &config.of[0];
}

static bool text_is(const char *got, const char *want)
{
	bool same = !strcmp(got, want);

	if (!expect(same))
		tap_note("\"%s\", not \"%s\"", got, want);
	return same;
}

static void test_keys(void)
{
	static const char text[] =
		"# a comment\n; another\n\n  [mtdcompr3]  \r\n"
		"media = odd name; = 3\n"
		"\tsize = min(ram / 2, 4096)\r\n"
		"compression-algorithm=zstd(level=3)\n"
		"swap-priority = 7\n"
		"options = discard=once,store=log,spread=64,crypt=off,wipe=0,nofail\n"
		"host-memory-limit = 2048";
	const struct config_device *device = of(text);

	expect_eq(messages, 0);
	expect_eq(device->number, 3);
	text_is(device->media, "odd name; = 3");
	expect(device->sized && device->mib == 512);
	text_is(device->algorithm, "zstd");
	text_is(device->level, "3");
	expect_eq(device->priority, 7);
	expect_eq(device->discard, DISCARD_ONCE);
	text_is(device->more, "store=log,spread=64,crypt=off,wipe=0");
	expect_eq(device->limit, 2048);
	text_is(device->source, "/etc/x.conf");
	expect(!device->doubtful);
}

static void test_defaults(void)
{
	const struct config_device *device = of("\xef\xbb\xbf[mtdcompr0]");

	expect_eq(messages, 0);
	text_is(device->media, "");
	expect(!device->sized);
	text_is(device->algorithm, "");
	expect_eq(device->priority, 100);
	expect_eq(device->discard, DISCARD_NONE);
	expect(device->limit == CONFIG_NO_LIMIT);
	expect(!device->doubtful);
}

/* A later file overrides the keys that it has; an empty value restores the default. */
static void test_later(void)
{
	begin();
	more("/a", "[mtdcompr0]\nmedia = a\nsize = 5\nswap-priority = 1\noptions=discard\n"
		   "compression-algorithm = lz4\nhost-memory-limit = 1\n[mtdcompr1]\n");
	more("/b", "[mtdcompr1]\nmedia = b\n[mtdcompr0]\nsize = 6\n");
	expect_eq(config.n, 2);
	text_is(config.of[0].media, "a");
	expect(config.of[0].mib == 6);
	text_is(config.of[1].media, "b");
	text_is(config.of[0].source, "/b");
	more("/c", "[mtdcompr0]\nmedia=\nsize=\nswap-priority=\noptions=\n"
		   "compression-algorithm=\nhost-memory-limit=none\n");
	text_is(config.of[0].media, "");
	expect(!config.of[0].sized);
	text_is(config.of[0].algorithm, "");
	expect_eq(config.of[0].priority, 100);
	expect_eq(config.of[0].discard, DISCARD_NONE);
	expect(config.of[0].limit == CONFIG_NO_LIMIT);
	expect_eq(messages, 0);
	/* Sorted by number. */
	more("/d", "[mtdcompr10]\n[mtdcompr2]\n");
	expect_eq(config.n, 4);
	expect_eq(config.of[2].number, 2);
	expect_eq(config.of[3].number, 10);
}

/* Each of these gives a message and leaves the device its defaults. */
static void test_bad_values(void)
{
	static const char *const bad[] = {
		"size = 512M", "size = ram /", "size = 9000000000000", "swap-priority = -1",
		"swap-priority = 32768", "swap-priority = 5 ", "swap-priority = x",
		"swap-priority = 1.5",
		"compression-algorithm = lz77", "compression-algorithm = zstd(level=)",
		"compression-algorithm = zstd(level=0)", "compression-algorithm = zstd(level=65)",
		"compression-algorithm = zstd(level=3", "compression-algorithm = zstd(dict=a)",
		"compression-algorithm = zstd lz4", "compression-algorithm = zstd(level=3) lz4",
		"host-memory-limit = much",
		"host-memory-limit = -1", "host-memory-limit = 99999999999999999999",
	};
	char text[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct config_device *device;

		snprintf(text, sizeof(text), "[mtdcompr0]\n%s\nmedia = a\n", bad[i]);
		device = of(text);
		/* A trailing blank is not part of the value. */
		if (!expect_eq(messages, strcmp(bad[i], "swap-priority = 5 ") ? 1 : 0) ||
		    !expect(!messages || strstr(last, "/etc/x.conf:2: ")) ||
		    !expect(!device->sized && !device->algorithm[0] && !device->level[0] &&
			    !device->more[0] && device->discard == DISCARD_NONE &&
			    device->limit == CONFIG_NO_LIMIT))
			tap_note("%s: %s", bad[i], last);
		expect(device->priority == (messages ? 100 : 5));
		text_is(device->media, "a");
		expect(!device->doubtful);
	}
}

/* Nothing is set up without its options: the pages could be plain. */
static void test_bad_options(void)
{
	static const char *const bad[] = {
		"options = noatime", "options = discard,,spread", "options = spread=",
		"options = discard=never", "options = store=log spread=3", "options = pri=x",
		"options = mtd=5", "options = name=x", "options = crypt=", "options = crytp=on",
		"options = crypt = on", "options = wipe=1 crypt=on", "options = crypt",
		"options = Crypt=on", "options = wipe=1, crypt=on", "options = crypt=on;",
		/* Mistyped keys */
		"otpions = crypt=on", "option = crytp=on", "Options = spread=8", "crypt = on",
		"options crypt=on", "options: crypt", "WIPE=1",
	};
	char text[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct config_device *device;

		snprintf(text, sizeof(text), "[mtdcompr0]\nmedia = a\noptions = spread=5\n%s\n",
			 bad[i]);
		device = of(text);
		/* "crypt=on;" is for the module to refuse. */
		if (!strcmp(bad[i], "options = crypt=on;")) {
			text_is(device->more, "crypt=on;");
			text_is(device->refused, "");
			continue;
		}
		if (!expect(strstr(device->refused, "/etc/x.conf:4: ") &&
			    strstr(device->refused, bad[i]) &&
			    strstr(device->refused, "; correct the line")) ||
		    !expect_eq(messages, 0))
			tap_note("%s: %s", bad[i], device->refused);
		text_is(config.refused, "");
		/* Others are not concerned, and a later right line replaces it. */
		more("/b", "[mtdcompr1]\nmedia = b\n");
		text_is(config.of[1].refused, "");
		more("/c", "[mtdcompr0]\noptions = crypt=on\n");
		text_is(config.of[0].refused, "");
		text_is(config.of[0].more, "crypt=on");
		expect_eq(messages, 1);
		expect(strstr(last, "/etc/x.conf:4: ") && strstr(last, "a later one replaces it"));
	}
}

/* Keys that there are, with a wrong value: these are no options, whatever is in them. */
static void test_no_options(void)
{
	const struct config_device *device =
		of("[mtdcompr0]\nmedia = crypt\nsize = option\nswap-priority = wipe\nmdeia = x\n");

	text_is(device->refused, "");
	expect_eq(messages, 3);
	text_is(device->media, "crypt");
}

/* Options that may be each device's, and options too long for a line. */
static void test_options_outside(void)
{
	static const char *const bad[] = {
		"options = crypt=on\n[mtdcompr0]\nmedia = a\n",
		"[mtdcompr0]\nmedia = a\n[mtdcompr1\noptions = crypt=on\n",
		"[mtdcompr0]\nmedia = a\n[mtdcompr]\ncrypt=on\n",
	};
	char text[1024];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!expect(!of(bad[i])->refused[0]) ||
		    !expect(strstr(config.refused, "/etc/x.conf:")))
			tap_note("%s: %s", bad[i], config.refused);
		expect_eq(messages, 1);
	}
	i = snprintf(text, sizeof(text), "[mtdcompr0]\nmedia = a\noptions = crypt=on");
	memset(text + i, ',', sizeof(text) - 1 - i);
	text[sizeof(text) - 1] = '\0';
	expect(strstr(of(text)->refused, "/etc/x.conf:3: "));
	text_is(config.refused, "");
}

/* Wrong lines that may have been meant to name the media. */
static void test_doubtful(void)
{
	static const char *const bad[] = {
		"mdeia = a", "media", "media: a", "a", "= a", "media = a,b", "media = a\tb\x01",
		"media = 1234567890123456789012345678901234567890123456789012345678901234",
		"MEDIA = a", "zram-size = 3",
	};
	char text[8192];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(text, sizeof(text), "[mtdcompr0]\n%s\n", bad[i]);
		if (!expect(of(text)->doubtful && !config.of[0].media[0]) ||
		    !expect_eq(messages, 1))
			tap_note("%s: %s", bad[i], last);
		/* Also after a valid media line. */
		if (strncmp(bad[i], "media = ", 8))
			continue;
		snprintf(text, sizeof(text), "[mtdcompr0]\nmedia = b\n%s\n", bad[i]);
		if (!expect(of(text)->doubtful && !config.of[0].media[0]))
			tap_note("%s", bad[i]);
	}
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text, "[mtdcompr0]\n", 12);
	expect(of(text)->doubtful);
	expect_eq(messages, 1);
	more("/b", "[mtdcompr0]\nmedia = c\n");
	text_is(config.of[0].media, "c");
}

/* Keys below a broken or a foreign heading belong to none of our devices. */
static void test_headings(void)
{
	static const char *const bad[] = {
		"[mtdcompr1", "[mtdcompr]", "[mtdcomprx]", "[mtdcompr1x]", "[mtdcompr-1]",
		"[mtdcompr01]", "[mtdcompr1000]", "[MTDCOMPR1]", "[zram0]", "[]", "[",
		"[mtdcompr1] x", "[ mtdcompr1 ]", "[mtdcompr18446744073709551617]",
	};
	char text[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(text, sizeof(text), "[mtdcompr0]\nmedia = a\n%s\nmedia = b\nx\n", bad[i]);
		text_is(of(text)->media, "a");
		if (!expect_eq(messages, 1) || !expect(config.doubtful))
			tap_note("%s: %s", bad[i], last);
		/* Without lines below it the heading can't have named media. */
		snprintf(text, sizeof(text), "[mtdcompr0]\n%s\n# x\n[mtdcompr0]\nmedia\n", bad[i]);
		if (!expect(of(text)->doubtful && !config.doubtful))
			tap_note("%s", bad[i]);
	}
	begin();
	more("/a", "media = a\n[mtdcompr0]\n");
	expect_eq(messages, 1);
	text_is(config.of[0].media, "");
	expect(config.doubtful);
}

static void test_long_outside(void)
{
	char text[1024];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	begin();
	more("/a", text);
	expect_eq(messages, 1);
	expect(config.doubtful);
}

static void test_many(void)
{
	char text[64];
	unsigned int i;

	begin();
	for (i = 0; i < MTDCOMPR_DEVICES_MAX + 1; i++) {
		snprintf(text, sizeof(text), "[mtdcompr%u]\nmedia = m%u\n", 100 - i, 100 - i);
		more("/a", text);
	}
	expect_eq(config.n, MTDCOMPR_DEVICES_MAX);
	expect_eq(messages, 1);
	expect_eq(config.of[0].number, 100 - MTDCOMPR_DEVICES_MAX + 1);
	for (i = 0; i < config.n; i++) {
		snprintf(text, sizeof(text), "m%u", config.of[i].number);
		text_is(config.of[i].media, text);
	}
}

static void test_cmdline(void)
{
	static const struct {
		const char *line;
		enum cmdline_swap swap;
		unsigned int devices;
	} cases[] = {
		{ "", CMDLINE_SILENT, 0 }, { "root=/dev/sda quiet\n", CMDLINE_SILENT, 0 },
		{ "quiet systemd.mtdcompr=0\n", CMDLINE_OFF, 0 },
		{ "systemd.mtdcompr\n", CMDLINE_ON, 0 }, { "systemd.mtdcompr=1", CMDLINE_ON, 0 },
		{ "systemd.mtdcompr=1 systemd.mtdcompr=no x", CMDLINE_OFF, 0 },
		{ "systemd.mtdcompr=off systemd.mtdcompr=yes", CMDLINE_ON, 0 },
		{ "systemd.mtdcompr=maybe", CMDLINE_SILENT, 0 },
		{ "xsystemd.mtdcompr=0 systemd.mtdcompr=00", CMDLINE_SILENT, 0 },
		{ "a=\"b systemd.mtdcompr=0\" c", CMDLINE_SILENT, 0 },
		{ "mtdcompr.mtd=a mtdcompr.mtd=b,ratio=3 mtdcompr.mtd=", CMDLINE_SILENT, 2 },
	};
	struct cmdline cmdline;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		cmdline_parse(cases[i].line, &cmdline);
		if (!expect_eq(cmdline.swap, cases[i].swap) ||
		    !expect_eq(cmdline.devices, cases[i].devices))
			tap_note("%s", cases[i].line);
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "each key", test_keys },
		{ "a section without keys", test_defaults },
		{ "later files count more", test_later },
		{ "values that are wrong", test_bad_values },
		{ "options that are wrong", test_bad_options },
		{ "words of options in other keys", test_no_options },
		{ "options in no section, and long ones", test_options_outside },
		{ "lines that may have named the media", test_doubtful },
		{ "headings that are wrong", test_headings },
		{ "a long line in no section", test_long_outside },
		{ "as many devices as the module takes", test_many },
		{ "the kernel's command line", test_cmdline },
	};

	return tap_main("config", cases, ARRAY_SIZE(cases), argc, argv);
}
