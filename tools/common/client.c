// SPDX-License-Identifier: GPL-2.0
/* A control tool: sends a request to its daemon, and prints the answer, text or JSON, as it is. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "client.h"
#include "control.h"
#include "parse.h"
#include "version.h"

/* From one answer of "top" to the next, a guess; and how many there can be, in 23 days. */
#define TOP_SECONDS 2
#define TOP_TIMES 1000000
/* By then a daemon has settled its answer, or says that it is pending. */
#define PENDING_MS 2500
/* Between two questions, while the answer is pending: users do not notice it. */
#define PENDING_NAP_MS 20
/* Bytes of a name: two of them fit into CONTROL_REQUEST. */
#define NAME_MOST 60

/* A request, of the command line. */
struct question {
	const struct client *client;
	const char *path;		/* of the socket */
	const char *verb;
	const char *argument;		/* "": none */
	bool json;
};

/* fetch() - get the answer to a question; false: it failed, and the reason is printed */
static bool fetch(const struct question *question, const char *how_far, char *reply)
{
	const struct client *client = question->client;
	char request[CONTROL_REQUEST];
	int err;

	snprintf(request, sizeof(request), "%s%.60s%s%s%.60s", question->json ? CONTROL_JSON : "",
		 question->verb, how_far, question->argument[0] ? " " : "", question->argument);
	err = control_ask(question->path, request, reply, CONTROL_REPLY);
	if (!err && !strncmp(reply, "ok\n", 3))
		return true;
	if (err == -EACCES || err == -EPERM)
		fprintf(stderr, "%s: %s: it is root's: %s has to be started by root\n",
			client->name, question->path, client->name);
	else if (err)
		fprintf(stderr, "%s: no %s answers at %s: %s\n", client->name, client->daemon,
			question->path, strerror(-err));
	else
		fprintf(stderr, "%s: %s", client->name,
			strncmp(reply, "error ", 6) ? reply : reply + 6);
	return false;
}

/* is_pending() - does the daemon still work on it? A line of the answer says so. */
static bool is_pending(const char *reply)
{
	return strstr(reply, "\npending: yes\n") || strstr(reply, "\n  \"pending\":true");
}

/* ask() - print the answer; while it is pending, "VERB?" asks how far it is */
static int ask(const struct question *question)
{
	const char *how_far = strchr(question->verb, '?') ? "" : "?";
	unsigned int tries = PENDING_MS / PENDING_NAP_MS;
	static char reply[CONTROL_REPLY];
	bool good = fetch(question, "", reply);

	while (good && is_pending(reply) && tries--) {
		usleep(PENDING_NAP_MS * 1000);
		good = fetch(question, how_far, reply);
	}
	if (good)
		fputs(reply + 3, stdout);
	return good ? 0 : 1;
}

static void print_usage(const struct client *client, FILE *out)
{
	unsigned int i;

	fprintf(out, "usage: %s [-s SOCKET] [--json] ", client->name);
	for (i = 0; client->requests[i]; i++)
		fprintf(out, "%s%s", i ? " | " : "", client->requests[i]);
	fputs("\n", out);
	if (client->top)
		fprintf(out, "       %s [-s SOCKET] [--json] [-n TIMES] top\n", client->name);
}

/* is_request() - is it one by itself? */
static bool is_request(const struct client *client, const char *text)
{
	unsigned int i;

	for (i = 0; client->requests[i]; i++)
		if (!strcmp(text, client->requests[i]))
			return true;
	return false;
}

/* ask_again() - "top": 0, if all of the answers came */
static int ask_again(struct question *question, uint64_t times)
{
	int status;

	question->verb = question->client->top;
	do {
		/* The screen, from its beginning. */
		if (!question->json && isatty(STDOUT_FILENO))
			fputs("\033[H\033[J", stdout);
		status = ask(question) || fflush(stdout);
	} while (!status && --times && !sleep(TOP_SECONDS));
	return status;
}

/* set_times() - how often "top" asks */
static bool set_times(const char *name, const char *text, uint64_t *times)
{
	if (!text[strspn(text, "0123456789")] && !parse_decimal(text, 0, times) && *times &&
	    *times <= TOP_TIMES)
		return true;
	fprintf(stderr, "%s: -n %s: give a whole number from 1 to %d\n", name, text, TOP_TIMES);
	return false;
}

/* answer_words() - the words of the command line */
static int answer_words(struct question *question, uint64_t times, int n, char **words)
{
	const struct client *client = question->client;

	if (client->top && n == 1 && !strcmp(words[0], "top"))
		return ask_again(question, times);
	if (n && strlen(words[n - 1]) > NAME_MOST) {
		fprintf(stderr, "%s: %s: a name has %d bytes at most\n", client->name,
			words[n - 1], NAME_MOST);
		return 2;
	}
	if (n != 2 && !(n == 1 && is_request(client, words[0]))) {
		print_usage(client, stderr);
		return 2;
	}
	question->verb = words[0];
	question->argument = n == 2 ? words[1] : "";
	return ask(question);
}

/** client_run() - main() of a control tool: "status [--json]", or a verb and a word */
int client_run(const struct client *client, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	struct question question = { client, client->socket, "", "", false };
	const char *letters = client->top ? "s:n:hV" : "s:hV";
	uint64_t times = UINT64_MAX;
	int c;

	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case 'n':
			if (!set_times(client->name, optarg, &times))
				return 2;
			break;
		case 's':
			question.path = optarg;
			break;
		case 'j':
			question.json = true;
			break;
		case 'h':
			print_usage(client, stdout);
			return 0;
		case 'V':
			printf("%s %s\n", client->name, VERSION);
			return 0;
		default:
			return 2;
		}
	}
	return answer_words(&question, times, argc - optind, argv + optind);
}
