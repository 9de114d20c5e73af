// SPDX-License-Identifier: GPL-2.0
/*
 * Mode paper. In a window the pages that were accessed go out, if the program is periodic, else the
 * pages that were not. DAMON does both, where the kernel has it. Else the daemon clears the marks
 * in the page tables when a window begins, reads them at its end, and pushes the pages out.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "damon.h"
#include "knobs.h"
#include "log.h"
#include "monitor.h"
#include "paper.h"
#include "programs.h"
#include "push.h"
#include "refs.h"

/* Ten looks a second: the shortest window lasts half of that, and then begins late. */
#define TICK_MS 100

/* As in the configuration, less one. */
enum access_kind {
	ACCESS_DAMON,
	ACCESS_SCAN,
};

static struct {
	enum access_kind access;
	unsigned int periodic;		/* processes that are */
	bool knobs_off;
	uint32_t drop_ms;		/* when the page cache was last dropped */
} state;

/* A look at all processes. */
struct pass {
	const struct config *config;
	uint32_t now_ms;
	bool dry_run;
	bool drop;			/* a periodic window has begun */
};

static void add_top(const struct monitor_page *page, void *arg)
{
	window_top_add(arg, page->count, page->mean_us);
}

/* accessed() - in the window that is over: it came in, or its range was in use */
static bool accessed(const struct program *program, uint32_t nr, uint32_t begun_ms,
		     const unsigned int *permille)
{
	const struct range *range = layout_range(&program->layout, nr);

	return (int32_t)(program->chunks[nr].used_ms - begun_ms) >= 0 ||
	       permille[range - program->layout.ranges] >= 500;
}

/* end_window() - by a scan, the pages that the rule names go out; DAMON does so itself */
static void end_window(struct program *program, uint32_t begun_ms, bool dry_run)
{
	unsigned int permille[LAYOUT_RANGES] = { 0 };
	uint64_t page_bytes = sys_page_size();
	struct push push;
	uint32_t nr;

	if (state.access != ACCESS_SCAN || dry_run ||
	    refs_read(program->id, &program->layout, permille))
		return;
	push_begin(&push, program->id, MADV_PAGEOUT);
	for (nr = 0; nr < program->layout.n_chunks; nr++) {
		struct chunk *chunk = &program->chunks[nr];

		if (!chunk->in ||
		    accessed(program, nr, begun_ms, permille) != program->window.periodic)
			continue;
		chunk->pushed_ms = begun_ms;
		program->pushed += (uint64_t)__builtin_popcount(chunk->in);
		push_add(&push, layout_address(&program->layout, nr, page_bytes),
			 layout_bytes(&program->layout, nr, page_bytes));
	}
	push_end(&push);
}

static void begin_window(const struct program *program)
{
	int err;

	if (state.access == ACCESS_SCAN)
		err = refs_clear(program->id);
	else
		err = damon_aim(program->slot, program->id.pid, program->window.length_us,
				program->window.periodic);
	if (err)
		log_debug("%s[%d]: not reclaimed: %s", program->name, program->id.pid,
			  strerror(-err));
}

/* next_window() - lines 2 to 12 */
static void next_window(struct program *program, struct pass *pass)
{
	const struct config_paper *paper = &pass->config->paper;
	struct window *window = &program->window;
	uint64_t begun_us = window->end_us - window->length_us * paper->alpha / 1000;
	struct window_top top = { 0, 0 };
	bool first = !window->end_us, was = window->periodic;

	if (!first && pass->now_ms * 1000ull < window->end_us)
		return;
	if (!first)
		end_window(program, (uint32_t)(begun_us / 1000), pass->dry_run);
	program_worked(program, pass->now_ms);
	monitor_each(program->id.pid, add_top, &top);
	window_next(window, pass->now_ms * 1000ull, &top, paper->alpha, paper->gamma_ms * 1000ull);
	if (first || was != window->periodic)
		log_info("%s[%d]: %s: a window of %llu ms: %u swap-outs of one page", program->name,
			 program->id.pid, window->periodic ? "periodic" : "not periodic",
			 (unsigned long long)window->length_us / 1000, top.count);
	program->rhythm.period_ms = window->periodic ? (uint32_t)(window->length_us / 1000) : 0;
	pass->drop |= window->periodic;
	if (!pass->dry_run)
		begin_window(program);
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
 * paper_begin() - forget all, and choose how accesses are seen
 * @config: the configuration
 *
 * Return: 0; or a negative errno, if the configured way does not work, which was logged.
 */
int paper_begin(const struct config *config)
{
	int err;

	memset(&state, 0, sizeof(state));
	state.access = ACCESS_SCAN;
	if (config->access == ACCESS_SCAN + 1)
		return 0;
	err = damon_begin();
	if (!err) {
		state.access = ACCESS_DAMON;
		return 0;
	}
	if (config->access) {
		log_error("DAMON cannot be used: %s", strerror(-err));
		return err;
	}
	log_info("accesses are seen by scans: %s", err == -EBUSY ? "somebody else uses DAMON" :
						   "the kernel has no DAMON");
	return 0;
}

/**
 * paper_access() - how accesses are seen, for the status
 */
const char *paper_access(void)
{
	return state.access == ACCESS_DAMON ? "damon" : "scan";
}

/**
 * paper_step() - one look, and its consequences
 * @config: the configuration
 * @now_ms: the time
 * @dry_run: move no page, and change no setting
 *
 * Return: milliseconds until the next look.
 */
uint32_t paper_step(const struct config *config, uint32_t now_ms, bool dry_run)
{
	struct pass pass = { .config = config, .now_ms = now_ms, .dry_run = dry_run };
	struct program *program;

	state.periodic = 0;
	for_each_program(program) {
		if (program_look(program, now_ms)) {
			program_drop(program);
		} else {
			next_window(program, &pass);
			state.periodic += program->window.periodic;
		}
	}
	if (!dry_run)
		set_knobs(&pass);
	return TICK_MS;
}
