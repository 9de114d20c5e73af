// SPDX-License-Identifier: GPL-2.0
/*
 * Any request of the control socket is answered by lines, of which the first is "ok" or an error.
 * The first byte says how many processes are protected; the rest is the request.
 */
#include "control.h"
#include "fuzz.h"
#include "log.h"
#include "status.h"

static void fill(struct scan *scan, unsigned int n)
{
	unsigned int i;

	memset(scan, 0, sizeof(*scan));
	scan->n_protected = n;
	for (i = 0; i < n; i++)
		scan->protected[i] = (struct proc_id){ 4000000 + i, 1 };
}

int fuzz_one(const u8 *data, size_t bytes)
{
	static struct config config;
	static struct sample sample;
	static struct rule rule;
	struct input in = { data, bytes };
	char request[CONTROL_REQUEST], *reply;
	struct scan scan;
	size_t len;

	log_open("fuzz", false, LOG_LEVEL_ERROR);
	config_default(&config);
	memset(&sample, 0xff, sizeof(sample.now_us) * 8);
	fill(&scan, take(&in) % (SCAN_PROTECTED + 1));
	config.mode = scan.n_protected % 6;
	len = in.left < sizeof(request) - 1 ? in.left : sizeof(request) - 1;
	memcpy(request, in.at, len);
	request[len] = '\0';
	/* As control_serve() does it. */
	request[strcspn(request, "\n")] = '\0';
	reply = malloc(CONTROL_REPLY);
	if (!reply)
		abort();
	memset(reply, 0x5a, CONTROL_REPLY);
	status_answer(request, reply, &config, &rule, &sample, &scan);
	must_be(memchr(reply, 0, CONTROL_REPLY));
	must_be(!strncmp(reply, "ok\n", 3) || !strncmp(reply, "error ", 6));
	must_be(reply[strlen(reply) - 1] == '\n');
	free(reply);
	return 0;
}
