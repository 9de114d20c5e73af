// SPDX-License-Identifier: GPL-2.0
/*
 * A status as text and as JSON.
 */
#include "harness.h"
#include "json.h"
#include "json_check.h"
#include "writer.h"

static char text[4096];
static struct writer writer;

static void expect_text(const char *got, const char *want)
{
	if (!expect(!strcmp(got, want)))
		tap_note("\n%s\ninstead of\n%s", got, want);
}

static void begin(bool json)
{
	memset(text, 'x', sizeof(text));
	writer_begin(&writer, text, sizeof(text), "", json);
}

/* put_all() - each type, and rows of two keys */
static void put_all(void)
{
	static const int pids[] = { 7, 12, -1 };

	put(&writer, "mode: %s\nmost: %llu\nleast: %lld\n", "auto", (unsigned long long)UINT64_MAX,
	    (long long)INT64_MIN);
	put(&writer, "stopped: %hhu\nlate: %hhu\n", true, false);
	put_list(&writer, "pids", pids, ARRAY_SIZE(pids));
	put_list(&writer, "nobody", pids, 0);
	put_number(&writer, "number", UINT64_MAX);
	put(&writer, "process: pid=%d name=%s\n", -7, "two words");
	put(&writer, "process: front=%hhu\n", true);
	put(&writer, "processes: n=%u\nprocesses: n=%u\n", 1, UINT32_MAX);
	put(&writer, "last: %s\n", "a \"quoted\\ name: x\"");
}

static void test_text(void)
{
	begin(false);
	put_all();
	expect(writer_end(&writer));
	expect_text(text,
		    "mode: auto\n"
		    "most: 18446744073709551615\n"
		    "least: -9223372036854775808\n"
		    "stopped: yes\n"
		    "late: no\n"
		    "pids: 7 12 -1\n"
		    "nobody:\n"
		    "number: 18446744073709551615\n"
		    "process: pid=-7 name=two_words\n"
		    "process: front=yes\n"
		    "processes: n=1\n"
		    "processes: n=4294967295\n"
		    "last: a \"quoted\\ name: x\"\n");
	expect_eq(writer.have, strlen(text));
}

static void test_json(void)
{
	begin(true);
	put_all();
	expect(writer_end(&writer));
	expect_text(text,
		    "{\n"
		    "  \"mode\":\"auto\",\n"
		    "  \"most\":18446744073709551615,\n"
		    "  \"least\":-9223372036854775808,\n"
		    "  \"stopped\":true,\n"
		    "  \"late\":false,\n"
		    "  \"pids\":[7,12,-1],\n"
		    "  \"nobody\":[],\n"
		    "  \"number\":18446744073709551615,\n"
		    "  \"process\":[\n"
		    "    {\"pid\":-7,\"name\":\"two_words\"},\n"
		    "    {\"front\":true}\n"
		    "  ],\n"
		    "  \"processes\":[\n"
		    "    {\"n\":1},\n"
		    "    {\"n\":4294967295}\n"
		    "  ],\n"
		    "  \"last\":\"a \\\"quoted\\\\ name: x\\\"\"\n"
		    "}\n");
	expect(json_is_right(text));
}

static void test_empty(void)
{
	begin(false);
	expect(writer_end(&writer));
	expect_text(text, "");
	begin(true);
	expect(writer_end(&writer));
	expect_text(text, "{\n}\n");
	/* An array at the end. */
	begin(true);
	put(&writer, "app: n=%u\n", 1);
	expect(writer_end(&writer));
	expect_text(text, "{\n  \"app\":[\n    {\"n\":1}\n  ]\n}\n");
}

/* Users choose names of programs; no name can look like another line or value. */
static void test_names(void)
{
	static const char name[] = "x\npid: 1\033[31m a=\"b\\\303\244\177{";

	begin(false);
	put(&writer, "app: name=%s none=%s n=%d\n", name, "", 1);
	expect_text(text, "app: name=x_pid:_1_[31m_a_\"b\\___{ none=_ n=1\n");
	begin(true);
	put(&writer, "app: name=%s none=%s n=%d\n", name, "", 1);
	put(&writer, "last: %s\nnone: %s\n", "x\npid: 1\033[31m a=\"b\\\303\244\377\177", "");
	expect(writer_end(&writer));
	expect_text(text,
		    "{\n"
		    "  \"app\":[\n"
		    "    {\"name\":\"x_pid:_1_[31m_a_\\\"b\\\\___{\",\"none\":\"_\",\"n\":1}\n"
		    "  ],\n"
		    "  \"last\":\"x\\u000apid: 1\\u001b[31m a=\\\"b\\\\\303\244\\ufffd\\u007f\",\n"
		    "  \"none\":\"\"\n"
		    "}\n");
	expect(json_is_right(text));
	/* A text that looks like a number or a bool stays a string. */
	begin(true);
	put(&writer, "app: name=%s\napp: name=%s\nlast: %s\n", "42", "yes", "no");
	expect(writer_end(&writer));
	expect_text(text,
		    "{\n  \"app\":[\n    {\"name\":\"42\"},\n    {\"name\":\"yes\"}\n  ],\n"
		    "  \"last\":\"no\"\n}\n");
}

/* For each size of the buffer: no write behind it, and a cut text is reported. */
static void test_full(void)
{
	static char all[2][sizeof(text)];
	size_t size;
	int json;

	for (json = 0; json < 2; json++) {
		begin(json);
		put_all();
		writer_end(&writer);
		strcpy(all[json], text);
		for (size = 1; size < strlen(all[json]) + 10; size++) {
			char *small = malloc(size);

			writer_begin(&writer, small, size, "", json);
			put_all();
			if (!expect_eq(writer_end(&writer), size > strlen(all[json])))
				tap_note("%zu bytes", size);
			expect_eq(strlen(small), writer.have);
			expect(!strncmp(all[json], small, writer.have));
			free(small);
		}
	}
}

static void test_fail(void)
{
	int json;

	for (json = 0; json < 2; json++) {
		begin(json);
		put_all();
		put_error(&writer, "no process %d", 12);
		expect(writer_end(&writer));
		expect(writer.error);
		expect_text(text, "error no process 12\n");
	}
	/* An error also replaces a text that did not fit. */
	writer_begin(&writer, text, 16, "ok\n", true);
	put_all();
	expect(!writer_end(&writer));
	put_error(&writer, "too long");
	expect_text(text, "error too long\n");
}

static void test_line(void)
{
	begin(false);
	put_raw(&writer, "%4s %s\n", "PID", "NAME");
	put_raw(&writer, "%4d %s\n", 12, "x");
	expect(writer_end(&writer));
	expect_text(text, " PID NAME\n  12 x\n");
}

/* json_check.h itself, because other tests use it. */
static void test_checker(void)
{
	static const char *const good[] = {
		"{}\n", "{\n}\n", "[]\n", "[1,-2, 0]\n", "{\"a\":{\"b\":[true,false]}}\n",
		"\"\\u00ff\"\n",
	};
	static const char *const bad[] = {
		"", "{}", "{\n", "[1,]\n", "{\"a\"}\n", "{\"a\":}\n", "{a:1}\n", "[1 2]\n", "{}}\n",
		"\"\\x\"\n", "\"a\n\"\n", "01\n", "-\n", "{\"a\":1,\"b\n", "\"\\", "tru\n",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		if (!expect(json_is_right(good[i])))
			tap_note("row %u", i);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!expect(!json_is_right(bad[i])))
			tap_note("row %u", i);
}

static const struct tap_case cases[] = {
	{ "as text", test_text },
	{ "as JSON", test_json },
	{ "nothing", test_empty },
	{ "names of any bytes", test_names },
	{ "a buffer that is too small", test_full },
	{ "an error instead", test_fail },
	{ "a table for people", test_line },
	{ "the checker of JSON", test_checker },
};

int main(int argc, char **argv)
{
	return tap_main("writer", cases, ARRAY_SIZE(cases), argc, argv);
}
