// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include "access.h"
#include "knobs.h"
#include "log.h"
#include "monitor.h"
#include "paper.h"

#define TICK_MS 100

static struct {
	unsigned int periodic;		/* processes that are */
	bool knobs_off;
	uint32_t drop_ms;		/* when the page cache was last dropped */
} state;

struct pass {
	const struct config *config;
	uint32_t now_ms;
	bool dry_run;
	bool drop;			/* a periodic window has begun */
};

static void add_page(const struct monitor_page *page, void *arg)
{
	window_top_add(arg, page->count, page->mean_us);
}

/* next_window() - lines 2 to 12 */
static void next_window(struct target *target, struct pass *pass)
{
	struct window *window = &target->window;
	uint32_t begun_ms = (uint32_t)((window->end_us - window->length_us *
					pass->config->paper.alpha / 1000) / 1000);
	struct window_top top = { 0, 0 };
	bool first = !window->end_us, was = window->periodic;

	if (window->end_us && pass->now_ms * 1000ull < window->end_us)
		return;
	if (!first)
		access_end(target, begun_ms, pass->dry_run);
	target_worked(target, pass->now_ms);
	monitor_each(target->id.pid, add_page, &top);
	window_next(window, pass->now_ms * 1000ull, &top, pass->config->paper.alpha,
		    pass->config->paper.gamma_ms * 1000ull);
	if (first || was != window->periodic)
		log_info("%s[%d]: %s: a window of %llu ms: %u swap-outs of one page", target->name,
			 target->id.pid, window->periodic ? "periodic" : "not periodic",
			 (unsigned long long)window->length_us / 1000, top.count);
	target->rhythm.period_ms = window->periodic ? (uint32_t)(window->length_us / 1000) : 0;
	if (window->periodic)
		pass->drop = true;
	access_aim(target, pass->dry_run);
}

static void look(struct target *target, void *arg)
{
	struct pass *pass = arg;

	if (target_look(target, pass->now_ms)) {
		target_drop(target);
		return;
	}
	next_window(target, pass);
	state.periodic += target->window.periodic;
}

static void set_knobs(struct pass *pass)
{
	bool off = state.periodic > 0;
	int err;

	if (off != state.knobs_off) {
		err = knobs_all(!off);
		if (err)
			log_warn("readahead could not be set: %s", strerror(-err));
		state.knobs_off = off;
	}
	if (pass->drop && pass->now_ms - state.drop_ms >= pass->config->paper.drop_ms) {
		state.drop_ms = pass->now_ms;
		err = knobs_drop_cache();
		if (err)
			log_warn("the page cache could not be dropped: %s", strerror(-err));
	}
}

/**
 * paper_begin() - nothing is known
 * @config: what is wanted
 *
 * Return: 0; or a negative errno, which was logged.
 */
int paper_begin(const struct config *config)
{
	memset(&state, 0, sizeof(state));
	return access_begin(config->access);
}

/**
 * paper_step() - one look, and what comes of it
 * @config: what is wanted
 * @now_ms: the time
 * @dry_run: move nothing
 *
 * Return: milliseconds until the next look.
 */
uint32_t paper_step(const struct config *config, uint32_t now_ms, bool dry_run)
{
	struct pass pass = { .config = config, .now_ms = now_ms, .dry_run = dry_run };

	state.periodic = 0;
	target_each(look, &pass);
	if (!dry_run)
		set_knobs(&pass);
	return TICK_MS;
}
