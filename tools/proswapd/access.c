// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "access.h"
#include "damon.h"
#include "log.h"
#include "push.h"
#include "refs.h"

static enum access_kind kind;

/**
 * access_begin() - choose how accesses are seen
 * @wanted: 0: the best that there is; else the kind and one more
 *
 * Return: 0; or a negative errno, if the one that is wanted is not there, and the reason is logged.
 */
int access_begin(unsigned int wanted)
{
	int err = damon_there() ? 0 : -ENOENT;

	kind = ACCESS_SCAN;
	if (wanted == ACCESS_SCAN + 1)
		return 0;
	if (!err)
		err = damon_begin();
	if (!err) {
		kind = ACCESS_DAMON;
		return 0;
	}
	if (wanted) {
		log_error("DAMON cannot be used: %s", strerror(-err));
		return err;
	}
	log_info("accesses are seen by scans: %s", err == -EBUSY ? "somebody else uses DAMON" :
						   "the kernel has no DAMON");
	return 0;
}

/**
 * access_kind() - what was chosen
 */
enum access_kind access_kind(void)
{
	return kind;
}

/**
 * access_name() - the name of a kind
 * @which: the kind
 */
const char *access_name(enum access_kind which)
{
	return which == ACCESS_DAMON ? "damon" : "scan";
}

/* accessed() - in the window that is over: it came in, or its range was in use */
static bool accessed(const struct target *target, uint32_t nr, uint32_t begun_ms,
		     const unsigned int *permille)
{
	const struct range *range = layout_range(&target->layout, nr);

	return (int32_t)(target->chunks[nr].used_ms - begun_ms) >= 0 ||
	       permille[range - target->layout.ranges] >= 500;
}

/**
 * access_end() - a window is over: by a scan, what the rule names goes out
 * @target: the process
 * @begun_ms: when the window began
 * @dry_run: nothing does
 */
void access_end(struct target *target, uint32_t begun_ms, bool dry_run)
{
	unsigned int permille[LAYOUT_RANGES] = { 0 };
	uint64_t page_bytes = sys_page_size();
	struct push push;
	uint32_t nr;

	if (kind != ACCESS_SCAN || dry_run ||
	    refs_read(target->id, &target->layout, permille))
		return;
	push_begin(&push, target->id, MADV_PAGEOUT);
	for (nr = 0; nr < target->layout.n_chunks; nr++) {
		if (!target->chunks[nr].in ||
		    accessed(target, nr, begun_ms, permille) != target->window.periodic)
			continue;
		target->chunks[nr].pushed_ms = begun_ms;
		target->pushed += (uint64_t)__builtin_popcount(target->chunks[nr].in);
		push_add(&push, layout_address(&target->layout, nr, page_bytes),
			 layout_bytes(&target->layout, nr, page_bytes));
	}
	push_end(&push);
}

/**
 * access_aim() - a window begins
 * @target: the process
 * @dry_run: nothing is set
 */
void access_aim(struct target *target, bool dry_run)
{
	int err;

	if (dry_run)
		return;
	if (kind == ACCESS_SCAN)
		err = refs_clear(target->id);
	else if (target->slot >= DAMON_SLOTS)
		err = -ENOSPC;
	else
		err = damon_aim(target->slot, target->id.pid, target->window.length_us,
				target->window.periodic);
	if (err)
		log_debug("%s[%d]: not reclaimed: %s", target->name, target->id.pid,
			  strerror(-err));
}

/**
 * access_leave() - a process has ended, or is not looked at any more: nor is it by DAMON
 * @slot: the number of its place, which another one may have next
 */
void access_leave(unsigned int slot)
{
	if (slot < DAMON_SLOTS)
		damon_stop(slot);
}
