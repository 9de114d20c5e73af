// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of figures printed as texts, figures read from texts, and tables.
 */
#include "tree.h"
#include "figure.h"
#include "human.h"
#include "klog.h"
#include "lines.h"
#include "table.h"

static void test_size(void)
{
	static const struct {
		u64 bytes;
		const char *text;
	} cases[] = {
		{ 0, "0B" }, { 834, "834B" }, { 1023, "1023B" }, { 1024, "1K" }, { 1536, "1.5K" },
		{ 1024 + 51, "1K" }, { 1024 + 52, "1.1K" }, { 2047, "2K" },
		{ (1 << 20) - 1, "1M" }, { 1 << 20, "1M" }, { 64 << 20, "64M" },
		{ (64 << 20) + 1, "64M" }, { 3ULL << 40, "3T" }, { U64_MAX, "16E" },
	};
	char text[HUMAN_TEXT];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		expect_text(human_size(cases[i].bytes, text), cases[i].text);
}

static void test_time(void)
{
	static const struct {
		u64 ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" }, { 999, "999 ns" }, { 1000, "1.0 us" }, { 12345, "12.3 us" },
		{ 999999, "999.9 us" }, { 1000000, "1.0 ms" }, { 1234567890, "1.2 s" },
		{ 1ULL << 63, "9223372036.8 s" },
	};
	char text[HUMAN_TEXT];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		expect_text(human_time(cases[i].ns, text), cases[i].text);
}

static u64 exact_share(u64 amount, u64 part, u64 whole)
{
	if (!whole)
		return 0;
	if ((__uint128_t)amount * part / whole > U64_MAX)
		return U64_MAX;
	return (u64)((__uint128_t)amount * part / whole);
}

/* Compare with 128-bit arithmetic; exact unless the product exceeds 64 bits. */
static void test_share(void)
{
	char text[HUMAN_TEXT];
	u64 i;

	expect_eq(human_share(100, 1, 3), 33);
	expect_eq(human_share(100, 7, 0), 0);
	expect(human_share(U64_MAX, U64_MAX, 1) == U64_MAX);
	expect(human_share(100, U64_MAX, U64_MAX) == 100);
	for (i = 0; i < (quick() ? 10000 : 1000000); i++) {
		u64 amount = random_u64() >> (32 + random_below(32));
		u64 part = random_u64() >> random_below(64);
		u64 whole = random_u64() >> random_below(64);
		u64 want = exact_share(amount, part, whole), got = human_share(amount, part, whole);

		/* Only two large factors lose bits. */
		if ((got > want ? got - want : want - got) > want / 1000000 + 1) {
			tap.bad++;
			tap_note("%llu * %llu / %llu: %llu instead of %llu", amount, part, whole, got,
				 want);
			return;
		}
	}
	expect_text(human_ratio(261, 100, text), "2.61");
	expect_text(human_ratio(1, 0, text), "-");
	expect_text(human_percent(1, 3, text), "33%");
	expect_text(human_percent(0, 0, text), "-");
}

static const char inplace[] =
	"version: 1\nname: mtdcompr0\nmtd: 2\nlower_mtd: 0\nlower_name: odd: \"name\"\nstate: ok\n"
	"page_bytes: 4096\npages_stored: 100\nstore: inplace\nwear_region_bytes: 458752\n"
	"wear_max_bytes: 917504\nerr_checksum: 1\nerr_decompress: 2\nerr_media_read: 3\n"
	"err_media_write: 4\nerr_gone: 5\nerr_full: 99\ncache: 0\n";

static void test_figure(void)
{
	char word[32], few[4];

	expect_eq(figure(inplace, "mtd"), 2);
	expect_eq(figure(inplace, "lower_mtd"), 0);
	expect_eq(figure(inplace, "nothing"), 0);
	expect(!figure_there(inplace, "nothing"));
	expect(!figure_there(inplace, "state"));
	expect(figure_there("mtd: 1\n", "mtd"));
	/* A truncated text may have lost digits of its last number. */
	expect(!figure_there("mtd: 1", "mtd"));
	expect(figure_word(inplace, "lower_name", word, sizeof(word)));
	expect_text(word, "odd: \"name\"");
	expect(figure_word(inplace, "lower_name", few, sizeof(few)));
	expect_text(few, "odd");
	expect(!figure_word(inplace, "lower", word, sizeof(word)));
	expect_text(word, "");
	expect(figure_is(inplace, "store", "inplace"));
	expect(!figure_is(inplace, "store", "in"));
	expect_eq(figure_stored(inplace), 409600);
	expect_eq(figure_errors(inplace), 15);
}

static void test_wear(void)
{
	expect_eq(figure_wear(inplace), 200);
	expect_eq(figure_wear("store: log\nerases_most: 7\nwear_max_bytes: 5\n"), 700);
	expect_eq(figure_wear("store: inplace\ncache: 1\nblocks: 4\nblock_erases: 6\n"), 150);
	expect_eq(figure_wear("store: inplace\ncache: 1\nblocks: 0\nblock_erases: 6\n"), 0);
	expect_eq(figure_wear(""), 0);
}

static bool count_line(const char *key, const char *value, void *arg)
{
	unsigned int *n = arg;

	++*n;
	return strcmp(key, "state") || strcmp(value, "ok");
}

static void test_each(void)
{
	unsigned int n = 0;

	expect(!figure_each(inplace, count_line, &n));
	expect_eq(n, 6);
	n = 0;
	expect(figure_each("no line\n: x\na:b\nc: d\n", count_line, &n));
	expect_eq(n, 2);
}

static char *printed(const struct table *table)
{
	static char text[4096];
	FILE *out = fmemopen(text, sizeof(text), "w");

	memset(text, 0, sizeof(text));
	table_print(out, table);
	fclose(out);
	return text;
}

static void test_table(void)
{
	static const struct table_head heads[] = { { "NAME", true }, { "SIZE", false } };
	struct cell cells[6];
	struct table table = { "things", TABLE_PLAIN, false, heads, 2, cells, 3 };

	memset(cells, 0, sizeof(cells));
	cell_text(&cells[0], "one");
	cell_number(&cells[1], 5);
	cell_text(&cells[2], "t\xc3\xa4\xc3\xb6 \"x");
	cell_text(&cells[3], "1.5M");
	cell_text(&cells[4], "");
	expect_text(printed(&table), "NAME   SIZE\none       5\nt\xc3\xa4\xc3\xb6 \"x 1.5M\n           \n");
	table.noheadings = true;
	table.form = TABLE_RAW;
	expect_text(printed(&table), "one 5\nt\xc3\xa4\xc3\xb6\\x20\"x 1.5M\n- -\n");
	table.form = TABLE_JSON;
	table.rows = 2;
	expect_text(printed(&table),
		    "{\n   \"things\": [\n      {\n         \"name\": \"one\",\n         \"size\": 5\n"
		    "      },{\n         \"name\": \"t\xc3\xa4\xc3\xb6 \\\"x\",\n         \"size\": \"1.5M\"\n"
		    "      }\n   ]\n}\n");
	cell_size(&cells[1], 1536, true);
	cell_size(&cells[3], 1536, false);
	expect_text(cells[1].text, "1536");
	expect_text(cells[3].text, "1.5K");
	expect(cells[1].number && !cells[3].number);
	cell_time(&cells[1], 12345, true);
	cell_time(&cells[3], 12345, false);
	expect_text(cells[1].text, "12345");
	expect_text(cells[3].text, "12.3 us");
	expect(cells[1].number && !cells[3].number);
	table.rows = 0;
	expect_text(printed(&table), "{\n   \"things\": []\n}\n");
	table.form = TABLE_PLAIN;
	expect_text(printed(&table), "");
}

static void test_json_text(void)
{
	static const struct {
		const char *text;
		const char *json;
	} cases[] = {
		{ "", "\"\"" }, { "a\\b\"c", "\"a\\\\b\\\"c\"" }, { "\n\x1b\x7f", "\"\\u000a\\u001b\\u007f\"" },
		{ "\xff", "\"\\ufffd\"" }, { "\xc3", "\"\\ufffd\"" }, { "\xc0\xaf", "\"\\ufffd\\ufffd\"" },
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" }, { "\xe2\x82\xac", "\"\xe2\x82\xac\"" },
		{ "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" }, { "\xf4\x90\x80\x80x", "\"\\ufffd\\ufffd\\ufffd\\ufffdx\"" },
	};
	char text[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		FILE *out = fmemopen(text, sizeof(text), "w");

		memset(text, 0, sizeof(text));
		table_json_text(out, cases[i].text);
		fclose(out);
		expect_text(text, cases[i].json);
	}
}

static void test_klog(void)
{
	char text[64] = "";

	klog_message("6,339,5140900,-;other: hello\n", text, sizeof(text));
	expect_text(text, "");
	klog_message("no record", text, sizeof(text));
	expect_text(text, "");
	klog_message("3,1,2,-;mtdcompr: can't attach \"ext,ratio=5000\": ratio= goes from 1 to 1000\n SUBSYSTEM=x\n",
		     text, sizeof(text));
	expect_text(text, "ratio= goes from 1 to 1000");
	klog_message("3,1,2,-;mtdcompr: mtdcompr0: can't be", text, 16);
	expect_text(text, "mtdcompr0: can'");
}

static char seen[8192];

static bool keep_line(char *line, void *arg)
{
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "[%s]", line);
	return strcmp(line, "end");
}

static void test_lines(void)
{
	static char large[3 * LINES_MAX];
	char line[] = " one  two\tthree", *rest = line;

	tree_make();
	tree_put("/some", "a\n\nb c\nlast");
	seen[0] = '\0';
	expect_eq(lines_each("/some", keep_line, NULL), 0);
	expect_text(seen, "[a][][b c][last]");
	tree_put("/some", "a\nend\nb\n");
	seen[0] = '\0';
	expect_eq(lines_each("/some", keep_line, NULL), 0);
	expect_text(seen, "[a][end]");
	memset(large, 'x', sizeof(large) - 1);
	tree_put("/some", large);
	seen[0] = '\0';
	expect_eq(lines_each("/some", keep_line, NULL), 0);
	expect_eq(strlen(seen), LINES_MAX - 1 + 2);
	tree_put("/some", "");
	expect_eq(lines_each("/some", keep_line, NULL), 0);
	expect(lines_each("/none", keep_line, NULL) < 0);
	tree_remove();
	expect_text(lines_word(&rest), "one");
	expect_text(lines_word(&rest), "two");
	expect_text(lines_word(&rest), "three");
	expect_text(lines_word(&rest), "");
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "sizes", test_size },
		{ "times", test_time },
		{ "shares, at random", test_share },
		{ "figures of a text", test_figure },
		{ "wear, by the store", test_wear },
		{ "each line", test_each },
		{ "a table in its forms", test_table },
		{ "strings of JSON", test_json_text },
		{ "messages of the kernel's log", test_klog },
		{ "lines of files, and words", test_lines },
	};

	return tap_main("text", cases, ARRAY_SIZE(cases), argc, argv);
}
