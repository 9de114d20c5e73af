// SPDX-License-Identifier: GPL-2.0
/*
 * A daemon's requests, looked up in a table of verbs.
 */
#include "control.h"
#include "harness.h"
#include "json_check.h"
#include "verb.h"

static int calls;
static struct daemon_run run;

static void expect_text(const char *got, const char *want)
{
	if (!expect(!strcmp(got, want)))
		tap_note("%s instead of %s", got, want);
}

static void answer_status(struct writer *writer, const struct control_request *request)
{
	expect(request->run == &run && !*request->argument && !strcmp(request->verb, "status"));
	calls++;
	put(writer, "mode: %s\n", "auto");
}

static void answer_front(struct writer *writer, const struct control_request *request)
{
	if (!strcmp(request->argument, "nobody"))
		put_error(writer, "no app %s", request->argument);
	else
		put(writer, "front: %s\n", request->argument);
}

static void answer_big(struct writer *writer, const struct control_request *request)
{
	unsigned int i;

	for (i = 0; i < CONTROL_REPLY; i++)
		put_number(writer, "key", i);
}

/* answer_wrong() - the longest error that fits */
static void answer_wrong(struct writer *writer, const struct control_request *request)
{
	put_error(writer, "%0*d", CONTROL_REPLY - 8, 1);
}

static void answer_pid(struct writer *writer, const struct control_request *request)
{
	put(writer, "pid: %d\n", request->pid);
}

static const struct control_verb verbs[] = {
	{ "status", NULL, answer_status },
	{ "fg", "NAME", answer_front },
	{ "fg?", "NAME", answer_front },
	{ "big", NULL, answer_big },
	{ "wrong", NULL, answer_wrong },
	{ "of", "PID", answer_pid },
	{ NULL, NULL, NULL },
};

/* answered() - the reply in a buffer of just its size, for ASan; valid for one more call */
static const char *answered(const char *request)
{
	static char *replies[2];
	static unsigned int turn;

	turn = !turn;
	free(replies[turn]);
	replies[turn] = malloc(CONTROL_REPLY);
	control_answer(verbs, request, replies[turn], &run);
	return replies[turn];
}

static void test_answers(void)
{
	calls = 0;
	expect_text(answered("status"), "ok\nmode: auto\n");
	expect_text(answered("json status"), "ok\n{\n  \"mode\":\"auto\"\n}\n");
	expect_eq(calls, 2);
	expect_text(answered("fg app0"), "ok\nfront: app0\n");
	expect_text(answered("fg? app0"), "ok\nfront: app0\n");
	expect_text(answered("fg two words"), "ok\nfront: two words\n");
	expect_text(answered("fg json"), "ok\nfront: json\n");
	expect_text(answered("json fg status"), "ok\n{\n  \"front\":\"status\"\n}\n");
}

static void test_refused(void)
{
	static const char *const bad[] = {
		"", " ", "stat", "statusx", "status ", "status now", "fg", "fg ", "fgapp", "json",
		"json ", "json json status", "fg?", "Status", " status",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		expect_text(answered(bad[i]),
			    "error not one of: status, fg NAME, fg? NAME, big, wrong, of PID\n");
	expect_text(answered("fg nobody"), "error no app nobody\n");
	expect_text(answered("json fg nobody"), "error no app nobody\n");
}

/* A reply that does not fit becomes an error; neither text nor JSON is cut. */
static void test_big(void)
{
	const char *wrong = answered("wrong");

	expect_eq(strlen(wrong), CONTROL_REPLY - 1);
	expect(!strncmp(wrong, "error 000", 9) && !strcmp(wrong + CONTROL_REPLY - 4, "01\n"));
	expect_text(answered("big"), "error the answer has more than 36864 bytes\n");
	expect_text(answered("json big"), "error the answer has more than 36864 bytes\n");
}

static void test_pid(void)
{
	static const char *const bad[] = { "0", "-1", "x", "1x", " 1", "1 ", "2147483648",
					   "99999999999999999999", "1.5" };
	char request[64], want[64];
	unsigned int i;

	expect_text(answered("of 2147483647"), "ok\npid: 2147483647\n");
	expect_text(answered("of 1"), "ok\npid: 1\n");
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(request, sizeof(request), "of %s", bad[i]);
		snprintf(want, sizeof(want), "error %s: not the id of a process\n", bad[i]);
		expect_text(answered(request), want);
	}
}

static const struct tap_case cases[] = {
	{ "answers as text and as JSON", test_answers },
	{ "wrong requests", test_refused },
	{ "a reply that is too long", test_big },
	{ "process ids", test_pid },
};

int main(int argc, char **argv)
{
	return tap_main("verb", cases, ARRAY_SIZE(cases), argc, argv);
}
