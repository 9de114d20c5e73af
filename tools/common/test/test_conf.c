// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration: each type, each message, options, lists, INI files.
 */
#include <errno.h>
#include "conf.h"
#include "tree.h"

struct config {
	bool flag;
	unsigned int number;
	unsigned int other;
	unsigned int part;
	uint64_t size;
	struct conf_amount amount;
	unsigned int mode;
	char text[16];
	char list[24];
	unsigned int guard;		/* must not change */
};

static const char *const modes[] = { "slow", "fast", "fastest", NULL };

static const struct conf_key keys[] = {
	{ CONF_KEY("main", "flag", BOOL, flag), .preset = "yes" },
	{ CONF_KEY("main", "number", UINT, number), .min = 10, .max = 4294967295, .unit = "ms",
	  .preset = "11" },
	{ CONF_KEY("main", "part", PERMILLE, part), .min = 10, .max = 955, .preset = "62.5" },
	{ CONF_KEY("main", "size", BYTES, size), .min = 4096, .max = 1 << 30, .preset = "64K" },
	{ CONF_KEY("main", "amount", AMOUNT, amount), .min = 10, .max = 955, .preset = "80MiB" },
	{ CONF_KEY("main", "mode", CHOICE, mode), .choices = modes, .preset = "fastest" },
	{ CONF_KEY("other", "text", TEXT, text), .preset = "a text" },
	{ CONF_KEY("other", "list", LIST, list) },
	{ CONF_KEY("other", "number", UINT, other), .max = 5, .preset = "3" },
	{ .name = NULL },
};

static struct config values;
static char message[CONF_MESSAGE];

static void fresh(void)
{
	memset(&values, 0, sizeof(values));
	values.guard = 0x5a5a5a5a;
	strcpy(message, "none");
}

static bool set(const char *section, const char *name, const char *text)
{
	if (!conf_set(keys, &values, section, name, text, message))
		return true;
	tap.bad++;
	tap_note("%s", message);
	return false;
}

/* refused() - check that a value is refused with this message, and nothing changes */
static void refused(const char *section, const char *name, const char *text, const char *why)
{
	struct config before = values;
	int err;

	strcpy(message, "none");
	err = conf_set(keys, &values, section, name, text, message);
	if (!expect_eq(err, -EINVAL))
		tap_note("%s = %s", name, text);
	else
		expect_text(message, why);
	expect(!memcmp(&before, &values, sizeof(before)));
	values = before;
}

static void test_bool(void)
{
	fresh();
	set("main", "flag", "yes");
	expect(values.flag);
	set("main", "flag", "no");
	expect(!values.flag);
	refused("main", "flag", "", "flag = : not yes or no");
	refused("main", "flag", "Yes", "flag = Yes: not yes or no");
	refused("main", "flag", "1", "flag = 1: not yes or no");
	refused("main", "flag", "yes ", "flag = yes : not yes or no");
}

static void test_uint(void)
{
#define WHY ": not a number from 10 to 4294967295 ms"
	fresh();
	set("main", "number", "10");
	expect_eq(values.number, 10);
	set("main", "number", "4294967295");
	expect_eq(values.number, 4294967295);
	refused("main", "number", "9", "number = 9" WHY);
	refused("main", "number", "4294967296", "number = 4294967296" WHY);
	refused("main", "number", "18446744073709551626", "number = 18446744073709551626" WHY);
	refused("main", "number", "-1", "number = -1" WHY);
	refused("main", "number", "", "number = " WHY);
	refused("main", "number", "50%", "number = 50%" WHY);
	refused("main", "number", "5.5", "number = 5.5" WHY);
	refused("main", "number", "0x20", "number = 0x20" WHY);
	refused("main", "number", "20ms", "number = 20ms" WHY);
	refused("other", "number", "6", "number = 6: not a number from 0 to 5");
}

/* A number with text behind it is refused: "20 s" is not 20 ms. */
static void test_uint_rest(void)
{
	fresh();
	refused("main", "number", "20 s", "number = 20 s" WHY);
	refused("main", "number", "20 ", "number = 20 " WHY);
	refused("main", "number", "0000000000000000000000000000100000",
		"number = 0000000000000000000000000000100000" WHY);
	refused("main", "number", "20                                    30",
		"number = 20                                    30" WHY);
}

static void test_permille(void)
{
#undef WHY
#define WHY ": not a percentage from 1.0 to 95.5"
	fresh();
	set("main", "part", "1");
	expect_eq(values.part, 10);
	set("main", "part", "62.5");
	expect_eq(values.part, 625);
	set("main", "part", "95.5%");
	expect_eq(values.part, 955);
	set("main", "part", "5 %");
	expect_eq(values.part, 50);
	refused("main", "part", "95.6", "part = 95.6" WHY);
	refused("main", "part", "0.9", "part = 0.9" WHY);
	refused("main", "part", "62.55", "part = 62.55" WHY);
	refused("main", "part", "62.", "part = 62." WHY);
	refused("main", "part", "5%%", "part = 5%%" WHY);
	refused("main", "part", "5% ", "part = 5% " WHY);
	refused("main", "part", "%", "part = %" WHY);
	refused("main", "part", "", "part = " WHY);
	refused("main", "part", "18446744073709551615", "part = 18446744073709551615" WHY);
	refused("main", "part", "5 of 10 %", "part = 5 of 10 %" WHY);
}

static void amount(const char *text, unsigned int permille, uint64_t bytes)
{
	set("main", "amount", text);
	expect_eq(values.amount.permille, permille);
	expect_eq(values.amount.bytes, bytes);
}

static void test_amount(void)
{
#undef WHY
#define WHY ": not a percentage from 1.0 to 95.5, or a size such as 80MiB"
	fresh();
	amount("70", 700, 0);
	amount("80MiB", 0, 80 << 20);
	amount("62.5 %", 625, 0);
	amount("80 MiB", 0, 80 << 20);
	amount("512K", 0, 512 << 10);
	amount("3G", 0, 3ULL << 30);
	amount("3GiB", 0, 3ULL << 30);
	expect_eq(conf_amount_of(&values.amount, 1000), 3ULL << 30);
	amount("95.5", 955, 0);
	expect_eq(conf_amount_of(&values.amount, 2000), 1910);
	refused("main", "amount", "95.6", "amount = 95.6" WHY);
	refused("main", "amount", "0", "amount = 0" WHY);
	refused("main", "amount", "0M", "amount = 0M" WHY);
	refused("main", "amount", "80MB", "amount = 80MB" WHY);
	refused("main", "amount", "80Mi", "amount = 80Mi" WHY);
	refused("main", "amount", "80  M", "amount = 80  M" WHY);
	refused("main", "amount", "M", "amount = M" WHY);
	refused("main", "amount", "", "amount = " WHY);
	refused("main", "amount", "1.5M", "amount = 1.5M" WHY);
	refused("main", "amount", "80MiB # mine", "amount = 80MiB # mine" WHY);
	refused("main", "amount", "18446744073709551615G", "amount = 18446744073709551615G" WHY);
	refused("main", "amount", "00000000000000000000000000000000001M",
		"amount = 00000000000000000000000000000000001M" WHY);
}

static void test_bytes(void)
{
#undef WHY
#define WHY ": not a size such as 64M (4096 to 1073741824 bytes) or auto"
	fresh();
	set("main", "size", "4096");
	expect_eq(values.size, 4096);
	set("main", "size", "4K");
	expect_eq(values.size, 4096);
	set("main", "size", "1G");
	expect_eq(values.size, 1 << 30);
	set("main", "size", "auto");
	expect_eq(values.size, 0);
	refused("main", "size", "4095", "size = 4095" WHY);
	refused("main", "size", "1073741825", "size = 1073741825" WHY);
	refused("main", "size", "17179869185G", "size = 17179869185G" WHY);
	refused("main", "size", "1.5M", "size = 1.5M" WHY);
	refused("main", "size", "Auto", "size = Auto" WHY);
	refused("main", "size", "", "size = " WHY);
	refused("main", "size", "64 M", "size = 64 M" WHY);
}

static void test_choice(void)
{
	fresh();
	set("main", "mode", "fast");
	expect_eq(values.mode, 1);
	set("main", "mode", "fastest");
	expect_eq(values.mode, 2);
	set("main", "mode", "slow");
	expect_eq(values.mode, 0);
	refused("main", "mode", "fas", "mode = fas: not one of: slow fast fastest");
	refused("main", "mode", "", "mode = : not one of: slow fast fastest");
	refused("main", "mode", "1", "mode = 1: not one of: slow fast fastest");
}

static void test_text(void)
{
	fresh();
	set("other", "text", "a text");
	expect_text(values.text, "a text");
	set("other", "text", "");
	expect_text(values.text, "");
	/* The longest text fits with its zero byte. */
	set("other", "text", "fifteen letters");
	refused("other", "text", "it is too long!!", "text = it is too long!!: too long");
	expect_text(values.text, "fifteen letters");
	set("other", "list", "one");
	set("other", "list", "two three");
	expect_text(values.list, "one two three");
	set("other", "list", "12345678");
	expect_text(values.list, "one two three 12345678");
	refused("other", "list", "4", "list = 4: too long");
	fresh();
	set("other", "list", "one");
	refused("other", "list", "56789012345678901234", "list = 56789012345678901234: too long");
	set("other", "list", "5678901234567890123");
	refused("other", "list", "5", "list = 5: too long");
	expect_text(values.list, "one 5678901234567890123");
	expect_eq(values.guard, 0x5a5a5a5a);
	fresh();
	set("other", "list", "one\ttwo");
	set("other", "list", "three");
	expect_text(values.list, "one two three");
}

static void test_list(void)
{
	expect(conf_list_has("one two three", "one"));
	expect(conf_list_has("one two three", "two"));
	expect(conf_list_has("one two three", "three"));
	expect(conf_list_has("one  two ", "two"));
	expect(conf_list_has("one", "one"));
	expect(!conf_list_has("one two three", "tw"));
	expect(!conf_list_has("one two three", "wo"));
	expect(!conf_list_has("one two three", "threes"));
	expect(!conf_list_has("one two three", "one two"));
	expect(!conf_list_has("", "one"));
	expect(!conf_list_has("one two", ""));
	expect(!conf_list_has("", ""));
	expect(!conf_list_has("one ", ""));
}

/* A program's name may be empty. A space too many must not match it. */
static void test_list_empty_word(void)
{
	expect(!conf_list_has(" one", ""));
	expect(conf_list_has(" one", "one"));
}

static void test_unknown(void)
{
	char name[2 * CONF_MESSAGE];

	fresh();
	expect_eq(conf_set(keys, &values, "main", "none", "1", message), -ENOENT);
	expect_text(message, "no key \"none\" in [main]; there are: flag number part size amount mode");
	expect_eq(conf_set(keys, &values, "none", "flag", "yes", message), -ENOENT);
	expect_text(message, "no section [none]; there are: main other");
	expect_eq(conf_set(keys, &values, "main", "text", "1", message), -ENOENT);
	expect_eq(conf_set(keys, &values, "", "", "", message), -ENOENT);
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	expect_eq(conf_set(keys, &values, "main", name, "1", message), -ENOENT);
	expect_eq(strlen(message), CONF_MESSAGE - 1);
	expect_eq(conf_set(keys, &values, name, "flag", "1", message), -ENOENT);
	expect_eq(conf_set(keys, &values, "main", "mode", name, message), -EINVAL);
	expect_eq(strlen(message), CONF_MESSAGE - 1);
	expect_eq(conf_set(keys, &values, "main", "number", name, message), -EINVAL);
	expect_eq(conf_set(keys, &values, "other", "list", name, message), -EINVAL);
	expect_eq(values.guard, 0x5a5a5a5a);
}

/* Presets replace all earlier values, also the words of a list. */
static void test_presets(void)
{
	memset(&values, 0xaa, sizeof(values));
	values.guard = 0x5a5a5a5a;
	strcpy(values.list, "one two");
	conf_presets(keys, &values);
	expect(values.flag);
	expect_eq(values.number, 11);
	expect_eq(values.other, 3);
	expect_eq(values.part, 625);
	expect_eq(values.size, 65536);
	expect_eq(values.amount.permille, 0);
	expect_eq(values.amount.bytes, 80 << 20);
	expect_eq(values.mode, 2);
	expect_text(values.text, "a text");
	expect_text(values.list, "");
	expect_eq(values.guard, 0x5a5a5a5a);
	expect_eq(conf_level(0), 3);
	expect_eq(conf_level(3), 7);
}

static int option(const char *text)
{
	strcpy(message, "none");
	return conf_set_option(keys, &values, text, message);
}

static void test_option(void)
{
	static const char *const bad[] = {
		"", "=", ".=", "main", "main.flag", "main=yes", "main.=yes", ".flag=yes", "flag=yes",
	};
	unsigned int i;

	fresh();
	expect_eq(option("main.flag=yes"), 0);
	expect(values.flag);
	expect_eq(option("other.text=a=b.c"), 0);
	expect_text(values.text, "a=b.c");
	expect_eq(option("other.text="), 0);
	expect_text(values.text, "");
	expect_eq(option("other.list=a"), 0);
	expect_eq(option("other.list=b"), 0);
	expect_text(values.list, "a b");
	expect_eq(option("main.number=1"), -EINVAL);
	expect_text(message, "number = 1: not a number from 10 to 4294967295 ms");
	expect_eq(option("main.none=1"), -ENOENT);
	expect_text(message, "no key \"none\" in [main]; there are: flag number part size amount mode");
	expect(option("main.flag =yes") < 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		char want[64];

		snprintf(want, sizeof(want), "%s: not SECTION.KEY=VALUE", bad[i]);
		expect_eq(option(bad[i]), -EINVAL);
		expect_text(message, want);
	}
	/* Names as long as the buffer, and longer. */
	expect(option("main.flagggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggg=no") < 0);
	expect(option("mainnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.flag=no") < 0);
	expect(values.flag);
}

static int load(const char *text)
{
	tree_put("/conf", text);
	fresh();
	return conf_load(keys, &values, "/conf", message);
}

/* load_fails() - check that a file is refused with this message behind its name */
static void load_fails(const char *text, const char *why)
{
	char want[CONF_MESSAGE];

	expect_eq(load(text), -EINVAL);
	snprintf(want, sizeof(want), "/conf:%s", why);
	expect_text(message, want);
}

static void test_file(void)
{
	tree_make();
	expect_eq(load("# a comment\n; another one\n\n[main]\nflag = yes\nnumber=20 ; one more\n"
		       "part\t=  12.5 %\nmode = fast\n[other]\nlist = a b\nlist = c\n"
		       "text: colon\n\n[main]\nsize = 8K"), 0);
	expect(values.flag);
	expect_eq(values.number, 20);
	expect_eq(values.part, 125);
	expect_eq(values.mode, 1);
	expect_text(values.list, "a b c");
	expect_text(values.text, "colon");
	expect_eq(values.size, 8192);
	expect_eq(load(""), 0);
	expect_eq(load("\xef\xbb\xbf[main]\r\nnumber = 30\r\n"), 0);
	expect_eq(values.number, 30);
	expect_eq(values.guard, 0x5a5a5a5a);
	tree_remove();
}

static void test_file_bad(void)
{
#define SYNTAX " not \"[section]\", \"key = value\" or \"# comment\""
	tree_make();
	load_fails("[main]\n\nflag = maybe\n", "3: flag = maybe: not yes or no");
	load_fails("[main]\n# x\nspeed = 3\n",
		   "3: no key \"speed\" in [main]; there are: flag number part size amount mode");
	load_fails("[main]\nflag = yes\n[mian]\nnumber = 7\n",
		   "3: no section [mian]; there are: main other");
	/* An unknown section without keys; an indented line, which continues no other line. */
	load_fails("[mian]\n[main]\nflag = yes\n", "1: no section [mian]; there are: main other");
	load_fails("[other]\nlist = a\n  b\n", "3:" SYNTAX);
	load_fails("[main] x\nflag = yes\n", "1:" SYNTAX);
	load_fails("flag = yes\n", "1: a key before the first [section]; there are: main other");
	load_fails("[main]\nflag\n", "2:" SYNTAX);
	load_fails("[main\n", "1:" SYNTAX);
	load_fails("hello\n", "1:" SYNTAX);
	fresh();
	expect_eq(conf_load(keys, &values, "/none", message), -ENOENT);
	expect_text(message, "/none: No such file or directory");
	tree_remove();
}

/* With two wrong lines, the message has number and reason of the same line. */
static void test_file_two(void)
{
	tree_make();
	load_fails("[main]\nflag = maybe\nnumber = 5\n", "2: flag = maybe: not yes or no");
	load_fails("[main]\nflag\nnumber = 5\n", "2:" SYNTAX);
	load_fails("[main\nflag = yes\n", "1:" SYNTAX);
	tree_remove();
}

/* An unreadable file is an error, and so is one with a NUL or one that is too large. */
static void test_file_unreadable(void)
{
	static const char nul[] = "[main]\nflag = yes\n\0number = 20\n";
	char *large = calloc(1, 70000);

	tree_make();
	fresh();
	expect(conf_load(keys, &values, "/", message) < 0);
	tree_put_bytes("/conf", nul, sizeof(nul) - 1);
	expect_eq(conf_load(keys, &values, "/conf", message), -EINVAL);
	expect_text(message, "/conf: not a text");
	memset(large, '\n', 69999);
	expect_eq(load(large), -EINVAL);
	expect_text(message, "/conf: too large");
	free(large);
	tree_remove();
}

/* load_stops_at() - check that a file is refused with a message about this line */
static void load_stops_at(const char *text, unsigned int line)
{
	char want[256];

	expect_eq(load(text), -EINVAL);
	snprintf(want, sizeof(want), "/conf:%u: ", line);
	if (!expect(!strncmp(message, want, strlen(want))))
		tap_note("%s", message);
}

/*
 * A line longer than the buffer is an error or is taken as a whole. Its rest never counts as the
 * next line.
 */
static void test_file_long(void)
{
	char text[1024];

	tree_make();
	snprintf(text, sizeof(text), "[main]\nflag = yes %0250d\nnumber = 5\n", 0);
	load_stops_at(text, 2);
	snprintf(text, sizeof(text), "[main]\n# %0197dnumber = 50\nnumber = 5\n", 0);
	if (load(text) == -EINVAL && !strstr(message, ":3: number = 5"))
		load_stops_at(text, 2);
	expect_eq(values.number, 0);
	/* A line as long as a list of programs may become. */
	snprintf(text, sizeof(text), "[main]\nflag = yes\n[other]\n%0198d\nlist = a\n", 0);
	load_stops_at(text, 4);
	/* The limit for lines holds for comments, too. */
	snprintf(text, sizeof(text), "[main]\n#%0510d\nnumber = 20\n", 0);
	expect_eq(load(text), 0);
	expect_eq(values.number, 20);
	snprintf(text, sizeof(text), "[main]\n#%0511d\nnumber = 20\n", 0);
	load_fails(text, "2: the line is too long");
	snprintf(text, sizeof(text), "[other]\ntext = short ;%0170d\nlist = a\n", 0);
	expect_eq(load(text), 0);
	expect_text(values.text, "short");
	expect_text(values.list, "a");
	tree_remove();
}

static const struct tap_case cases[] = {
	{ "yes and no", test_bool },
	{ "numbers", test_uint },
	{ "numbers with something behind them", test_uint_rest },
	{ "percentages", test_permille },
	{ "percentages or sizes", test_amount },
	{ "sizes", test_bytes },
	{ "choices", test_choice },
	{ "texts and lists", test_text },
	{ "words of a list", test_list },
	{ "a list that begins with a space", test_list_empty_word },
	{ "unknown keys, values that are too long", test_unknown },
	{ "defaults", test_presets },
	{ "options of the command line", test_option },
	{ "files", test_file },
	{ "wrong files, with the number of the line", test_file_bad },
	{ "files with two wrong lines", test_file_two },
	{ "files that cannot be read", test_file_unreadable },
	{ "files with long lines", test_file_long },
};

int main(int argc, char **argv)
{
	return tap_main("conf", cases, ARRAY_SIZE(cases), argc, argv);
}
