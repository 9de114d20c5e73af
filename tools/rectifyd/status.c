// SPDX-License-Identifier: GPL-2.0
/*
 * The state of rectifyd for people and scripts, and the verbs of rectifyctl.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cgroup.h"
#include "costs.h"
#include "engine.h"
#include "guard.h"
#include "status.h"
#include "sys.h"
#include "verb.h"

static void put_app(struct writer *writer, const struct app *app)
{
	uint64_t kib = sys_page_size() >> 10;

	put(writer, "app: name=%s state=%s visits=%u waited_ms=%llu needs_kib=%llu pushed_kib=%llu fetched_kib=%llu\n",
	    app->name, app->front ? "front" : "back", app->visit,
	    (unsigned long long)(app->cost_us / 1000), (unsigned long long)(app->hot * kib),
	    (unsigned long long)(app->pushed * kib), (unsigned long long)(app->fetched * kib));
}

/* put_act() - is it done, and was it found to be better? */
static void put_act(struct writer *writer, enum act act)
{
	const struct turn *turn = &engine_policy()->turns[act];

	put(writer, "trial: what=%s done=%hhu found=%s compared=%u saved_ms=%lld\n",
	    act_names[act], policy_does(engine_policy(), act),
	    !turn->known ? "nothing" : turn->better ? "better" : "no-better", turn->pairs.n,
	    (long long)turn->pairs.saved / 10);
}

static void answer_status(struct writer *writer, const struct control_request *request)
{
	const struct config *config = request->run->config;
	uint32_t keep = engine_policy()->balance.keep;
	struct app *app = NULL;

	put(writer, "mode: %s\npid: %d\nguardian: %d\nmemory: %s\n",
	    config_modes[config->mode], getpid(), guard_pid(), engine_state());
	/* Without a number the apps keep all that they need. */
	if (keep != UINT32_MAX)
		put_number(writer, "keep_kib", keep * (sys_page_size() >> 10));
	put(writer, "costs: %s\n", costs_names[costs_source()]);
	put_act(writer, ACT_PUSH);
	put_act(writer, ACT_LEAN);
	put_number(writer, "file_read_ns", costs_prices()->file_ns);
	put_number(writer, "swap_read_ns", costs_prices()->swap_ns);
	while ((app = app_next(app)))
		put_app(writer, app);
}

/* put_no_app() - why an app is not known */
static void put_no_app(struct writer *writer, const char *name, const struct config *config)
{
	bool whole = name[0] == '/';
	char group[SYS_PATH];

	snprintf(group, sizeof(group), "%s%s%s", whole ? "" : config->group, whole ? "" : "/",
		 name);
	if ((whole || config->group[0]) && cgroup_has(group, "cgroup.procs"))
		put_error(writer, "no app %s: control group %s has no process that may be touched",
			  name, group);
	else
		put_error(writer, "no app %s: no control group %s and no program of that name",
			  name, group);
}

/* answer_switch() - "fg NAME", "bg NAME" */
static void answer_switch(struct writer *writer, const struct control_request *request)
{
	const struct daemon_run *run = request->run;
	const char *name = request->argument;
	int err = engine_switch(run->config, name, !strcmp(request->verb, "fg"), run->now_ms,
				run->dry_run);

	if (err == -ESRCH)
		put_no_app(writer, name, run->config);
	else if (err)
		put_error(writer, "%s: %s", name, strerror(-err));
}

const struct control_verb status_verbs[] = {
	{ "status", NULL, answer_status },
	{ "fg", "NAME", answer_switch },
	{ "bg", "NAME", answer_switch },
	{ NULL, NULL, NULL },
};
