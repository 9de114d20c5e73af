// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "acts.h"
#include "cgroup.h"
#include "control.h"
#include "costs.h"
#include "engine.h"
#include "guard.h"
#include "meters.h"
#include "status.h"
#include "sys.h"
#include "writer.h"

static void put_app(struct app *app, void *arg)
{
	uint64_t kib = sys_page_size() >> 10;

	put(arg, "app: name=");
	put_word(arg, app->name);
	put(arg, " state=%s visits=%u waited_ms=%llu", app->front ? "front" : "back", app->visit,
	    (unsigned long long)(app->cost_us / 1000));
	put(arg, " needs_kib=%llu pushed_kib=%llu fetched_kib=%llu\n",
	    (unsigned long long)(app->hot * kib), (unsigned long long)(app->pushed * kib),
	    (unsigned long long)(app->fetched * kib));
}

/* put_act() - is it done, and was it found to be better? */
static void put_act(struct writer *writer, enum act act)
{
	const struct turn *turn = acts_turn(act);

	put(writer, "trial: what=%s done=%s found=%s", acts_names[act],
	    acts_does(act) ? "yes" : "no",
	    !turn->known ? "nothing" : turn->better ? "better" : "no-better");
	put(writer, " compared=%u saved_ms=%lld\n", turn->pairs.n,
	    (long long)turn->pairs.saved / 10);
}

/**
 * status_text() - the state in lines of "key: value"
 * @text: where to
 * @size: of @text in bytes
 * @config: what is wanted
 *
 * Return: bytes that were written; what did not fit was left out.
 */
int status_text(char *text, size_t size, const struct config *config)
{
	struct writer writer = { text, size, 0 };

	put(&writer, "mode: %s\npid: %d\nguardian: %d\nmemory: %s\n", config_modes[config->mode],
	    getpid(), guard_pid(), engine_state());
	/* Without a number all that is needed stays. */
	if (engine_balance()->keep != UINT32_MAX)
		put_number(&writer, "keep_kib",
			   engine_balance()->keep * (sys_page_size() >> 10));
	put(&writer, "costs: %s\n", costs_names[engine_source()]);
	put_act(&writer, ACT_PUSH);
	put_act(&writer, ACT_LEAN);
	put_number(&writer, "file_read_ns", meters_file_ns());
	put_number(&writer, "swap_read_ns", meters_swap_ns());
	app_each(put_app, &writer);
	return (int)writer.have;
}

/* say_none() - why there is no such app */
static void say_none(const char *name, char *reply, const struct config *config)
{
	bool whole = name[0] == '/';
	char group[SYS_PATH];

	snprintf(group, sizeof(group), "%s%s%s", whole ? "" : config->group, whole ? "" : "/",
		 name);
	if ((whole || config->group[0]) && cgroup_has(group, "cgroup.procs"))
		snprintf(reply, CONTROL_REPLY,
			 "error no app %s: control group %s has no process that may be touched\n",
			 name, group);
	else
		snprintf(reply, CONTROL_REPLY,
			 "error no app %s: no control group %s and no program of that name\n",
			 name, group);
}

/* switch_to() - "fg NAME", "bg NAME" */
static void switch_to(const char *name, bool front, char *reply, const struct config *config,
		      uint32_t now_ms, bool dry_run)
{
	int err = front ? engine_front(config, name, now_ms, dry_run) :
			  engine_back(config, name, now_ms);

	if (!err)
		strcpy(reply, "ok\n");
	else if (err == -ESRCH)
		say_none(name, reply, config);
	else
		snprintf(reply, CONTROL_REPLY, "error %s: %s\n", name, strerror(-err));
}

/**
 * status_answer() - answer a request of the control socket
 * @request: "status", "fg NAME" or "bg NAME"
 * @reply: CONTROL_REPLY bytes
 * @config: what is wanted
 * @now_ms: the time
 * @dry_run: move nothing
 */
void status_answer(char *request, char *reply, const struct config *config, uint32_t now_ms,
		   bool dry_run)
{
	if (!strcmp(request, "status")) {
		strcpy(reply, "ok\n");
		status_text(reply + 3, CONTROL_REPLY - 3, config);
	} else if (!strncmp(request, "fg ", 3) || !strncmp(request, "bg ", 3)) {
		switch_to(request + 3, request[0] == 'f', reply, config, now_ms,
			  dry_run);
	} else {
		strcpy(reply, "error not one of: status, fg NAME, bg NAME\n");
	}
}
