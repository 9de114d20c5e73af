// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the services' texts, read the way systemd reads them.
 */
#include "harness.h"
#include "unit.h"

static bool text_is(const char *got, const char *want)
{
	bool same = !strcmp(got, want);

	if (!expect(same))
		tap_note("\"%s\", not \"%s\"", got, want);
	return same;
}

static void test_quote(void)
{
	static const struct {
		const char *word, *quoted;
	} cases[] = {
		{ "", "\"\"" }, { "ext", "\"ext\"" }, { "two words", "\"two words\"" },
		{ "100%", "\"100%%\"" }, { "$HOME", "\"$$HOME\"" }, { "a\"b'c", "\"a\\\"b'c\"" },
		{ "back\\slash", "\"back\\\\slash\"" }, { "\x01", "\"\\x01\"" },
		{ "\xc3\xa4", "\"\xc3\xa4\"" },
	};
	char text[64], *tight;
	unsigned int i;
	size_t size;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		expect(unit_quote(cases[i].word, text, sizeof(text)));
		text_is(text, cases[i].quoted);
		for (size = 1; size < strlen(cases[i].quoted) + 2; size++) {
			tight = test_alloc(size);
			expect_eq(unit_quote(cases[i].word, tight, size),
				  size > strlen(cases[i].quoted));
			free(tight);
		}
	}
}

/* line() - the value of a key in a unit */
static const char *line(const char *text, const char *key)
{
	static char value[2048];
	const char *at = strstr(text, key);

	value[0] = '\0';
	if (at && at > text && at[-1] == '\n')
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, "\n"), at);
	return value;
}

static void test_lines(void)
{
	static struct config config = {
		.n = 2,
		.of = {
			{ .number = 0, .priority = 100, .source = "/etc/a.conf" },
			{ .number = 4, .priority = 7, .media = "odd %name", .algorithm = "zstd",
			  .level = "3", .more = "store=log", .sized = true, .mib = 1.5,
			  .discard = DISCARD_PAGES, .source = "/etc/a b.conf" },
		},
	};
	char text[UNIT_TEXT], name[UNIT_NAME];

	unit_name(&config.of[1], name);
	text_is(name, "mtdcompr-setup@mtdcompr4.service");
	expect(unit_text(&config, 0, "/sbin/ctl", 2, text));
	text_is(line(text, "ExecStart="),
		"ExecStart=/sbin/ctl swap on --name mtdcompr0 --priority 100 --find");
	text_is(line(text, "ExecStop="), "ExecStop=/sbin/ctl swap off mtdcompr0");
	text_is(line(text, "SourcePath="), "SourcePath=/etc/a.conf");
	text_is(line(text, "After=dev"), "After=dev-mtdcompr0.swap dev-mtdcompr1.swap");
	text_is(line(text, "After=mtdcompr"), "");
	expect(unit_text(&config, 1, "/sbin/ctl", 2, text));
	expect(strstr(text, " swap on --name mtdcompr4 --priority 7 --discard=pages"));
	expect(strstr(text, " --algorithm zstd --level 3 --size 1572864"));
	expect(strstr(text, " --options \"store=log\" -- \"odd %%name\"\n"));
	text_is(line(text, "After=mtdcompr"), "After=mtdcompr-setup@mtdcompr0.service");
	text_is(line(text, "SourcePath="), "");
}

/* The longest possible service fits. */
static void test_longest(void)
{
	static struct config config = { .n = MTDCOMPR_DEVICES_MAX };
	struct config_device *device = &config.of[1];
	char text[UNIT_TEXT];

	*device = (struct config_device){
		.number = 999, .priority = 32767, .sized = true, .mib = CONFIG_MIB_MAX,
		.discard = DISCARD_PAGES, .algorithm = "lzo-rle", .level = "64",
	};
	memset(device->media, '\x01', sizeof(device->media) - 1);
	memset(device->more, '%', sizeof(device->more) - 1);
	memset(device->source, 'x', sizeof(device->source) - 1);
	device->source[0] = '/';
	expect(unit_text(&config, 1, "/usr/local/sbin/mtdcomprctl", 2 * MTDCOMPR_DEVICES_MAX,
			 text));
	expect(strstr(text, " --size 8388608000000000000 "));
	expect(strstr(text, "TimeoutStopSec="));
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "words for ExecStart=", test_quote },
		{ "the lines of services", test_lines },
		{ "the longest one", test_longest },
	};

	return tap_main("unit", cases, ARRAY_SIZE(cases), argc, argv);
}
