// SPDX-License-Identifier: GPL-2.0
/*
 * All states of one page that the program, the saver, a loader, the kernel and a fork can reach
 * together, found breadth first. The functions of page.h do the transitions; around them stands a
 * world with memory, store and kernel in the least form that can go wrong. In each state the rules
 * of page.h's head have to hold. Ages are left out there, because a caller may choose any; they are
 * tested by themselves, and so are windows.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "../page.h"
#include "../window.h"

/* Bytes of a page: zeroes, two others, what a write in progress leaves behind. */
enum bytes { ZEROES, ONE, TWO, GARBAGE, MISSING };
/* How far a thread is that saves or loads. */
enum phase { IDLE, BEGUN, COPIED, WRITING };

struct world {
	uint16_t flags, pins;
	uint8_t sum;			/* the bytes whose sum page.sum is */
	uint8_t layer;
	uint8_t memory;			/* enum bytes */
	uint8_t protected;
	uint8_t dirty;			/* the kernel has to keep it */
	uint8_t store;
	uint8_t want;			/* what a read has to give */
	uint8_t save, save_copy;	/* of the saver: enum phase, bytes */
	uint8_t load, load_copy;	/* of a loader */
	uint8_t need;			/* what a child has to find there; GARBAGE: nothing */
	uint8_t harmed;			/* another program has written to the store */
};

static struct page page_of(const struct world *w)
{
	return (struct page){ .sum = w->sum, .flags = w->flags, .pins = w->pins,
			      .layer = w->layer, .wait = 1 };
}

static void put_page(struct world *w, const struct page *page)
{
	w->flags = page->flags;
	w->pins = page->pins;
	w->sum = (uint8_t)page->sum;
	w->layer = page->layer;
}

/* The steps. Each returns false where it is not possible. */

static bool write_bytes(struct world *w, enum bytes bytes)
{
	if (w->memory == MISSING || w->protected || w->flags & PAGE_LOST)
		return false;
	w->memory = (uint8_t)bytes;
	w->want = (uint8_t)bytes;
	w->dirty = 1;
	return true;
}

static bool write_one(struct world *w, struct page *page)
{
	(void)page;
	return write_bytes(w, ONE);
}

static bool write_two(struct world *w, struct page *page)
{
	(void)page;
	return write_bytes(w, TWO);
}

static bool write_zeroes(struct world *w, struct page *page)
{
	(void)page;
	return write_bytes(w, ZEROES);
}

/* A trap may come late: the page may have changed meanwhile, or be gone. */
static bool trap(struct world *w, struct page *page)
{
	if (!(page->flags & PAGE_MAPPED) || page->flags & PAGE_LOST)
		return false;
	page_written(page);
	w->protected = 0;
	return true;
}

static bool save_begin(struct world *w, struct page *page)
{
	if (w->save != IDLE || w->memory == MISSING || !page_wants_save(page))
		return false;
	page_saving(page);
	w->protected = 1;
	w->save = BEGUN;
	return true;
}

/* The copy is made without the lock, so what follows may see another page. */
static bool save_copy(struct world *w, struct page *page)
{
	(void)page;
	if (w->save != BEGUN || w->memory == MISSING)
		return false;
	w->save_copy = w->memory;
	w->save = COPIED;
	return true;
}

static bool save_fails_to_copy(struct world *w, struct page *page)
{
	if (w->save != BEGUN)
		return false;
	page_unsaved(page);
	w->save = IDLE;
	return true;
}

static bool save_compare(struct world *w, struct page *page)
{
	if (w->save != COPIED)
		return false;
	if (page_is_unchanged(page, w->save_copy, w->save_copy == ZEROES, 0)) {
		w->save = IDLE;
	} else {
		w->save = WRITING;
		w->store = GARBAGE;
	}
	return true;
}

static bool save_end(struct world *w, struct page *page)
{
	if (w->save != WRITING)
		return false;
	w->store = w->save_copy;
	page_saved(page, w->save_copy, 0);
	w->save = IDLE;
	return true;
}

static bool save_fails(struct world *w, struct page *page)
{
	if (w->save != WRITING)
		return false;
	page_unsaved(page);
	w->save = IDLE;
	return true;
}

/* MADV_FREE: the kernel drops it, unless it is written after this. */
static bool give(struct world *w, struct page *page)
{
	if (!page_wants_give(page))
		return false;
	page->flags |= PAGE_GIVEN;
	if (w->memory != MISSING)
		w->dirty = 0;
	return true;
}

static bool kernel_drops(struct world *w, struct page *page)
{
	(void)page;
	if (w->memory == MISSING || w->dirty)
		return false;
	w->memory = MISSING;
	w->protected = 0;
	return true;
}

static bool take(struct world *w, struct page *page)
{
	if (!page_wants_give(page) && !page_wants_drop(page))
		return false;
	page->flags |= PAGE_GIVEN | PAGE_OUT;
	w->memory = MISSING;
	w->protected = 0;
	return true;
}

static bool load_begin(struct world *w, struct page *page)
{
	if (w->load != IDLE || w->memory != MISSING || !page_wants_load(page))
		return false;
	page->flags |= PAGE_LOADING;
	w->load = BEGUN;
	return true;
}

static bool load_read(struct world *w, struct page *page)
{
	(void)page;
	if (w->load != BEGUN)
		return false;
	w->load_copy = w->store;
	w->load = COPIED;
	return true;
}

static bool load_end(struct world *w, struct page *page)
{
	bool right = page->flags & PAGE_COPY && w->load_copy == page->sum;

	if (w->load != COPIED)
		return false;
	w->load = IDLE;
	if (!(page->flags & PAGE_LOADING))
		return true;
	page->flags &= (uint16_t)~PAGE_LOADING;
	if (!right) {
		page->flags |= PAGE_LOST;
	} else if (w->memory == MISSING) {
		w->memory = w->load_copy;
		w->protected = 1;
		w->dirty = 1;
		page_came(page);
	}
	return true;
}

static bool new_page(struct world *w, struct page *page)
{
	if (w->memory != MISSING || page_wants_load(page) ||
	    page->flags & (PAGE_LOADING | PAGE_LOST))
		return false;
	w->memory = ZEROES;
	w->protected = 0;
	w->dirty = 1;
	page_map(page);
	return true;
}

static bool discard(struct world *w, struct page *page)
{
	page_discard(page, 0);
	w->memory = MISSING;
	w->protected = 0;
	w->want = ZEROES;
	return true;
}

/* A tick forgets when it has saved. */
static bool forget(struct world *w, struct page *page)
{
	if (w->save != IDLE || (page->flags & (PAGE_STALE | PAGE_SHARED)) != PAGE_STALE)
		return false;
	page->flags &= (uint16_t)~PAGE_STALE;
	w->store = ZEROES;
	return true;
}

/* The child's memory may go missing where the parent's may. */
static bool fork_page(struct world *w, struct page *page)
{
	if (w->need != GARBAGE || page->flags & PAGE_SHARED)
		return false;
	if ((page->flags & (PAGE_COPY | PAGE_ZERO)) != PAGE_COPY)
		return false;
	page->flags |= PAGE_SHARED;
	if (w->memory == MISSING || !w->dirty)
		w->need = w->store;
	return true;
}

static bool child_ends(struct world *w, struct page *page)
{
	if (!(page->flags & PAGE_SHARED))
		return false;
	page->flags &= (uint16_t)~PAGE_SHARED;
	w->need = GARBAGE;
	return true;
}

static bool pin(struct world *w, struct page *page)
{
	(void)w;
	if (page->pins)
		return false;
	page->pins = 1;
	return true;
}

static bool unpin(struct world *w, struct page *page)
{
	(void)w;
	if (!page->pins)
		return false;
	page->pins = 0;
	return true;
}

static bool harm(struct world *w, struct page *page)
{
	(void)page;
	if (w->harmed || w->store == GARBAGE)
		return false;
	w->harmed = 1;
	w->store = GARBAGE;
	return true;
}

/* marvin_pin() tries a lost page again. */
static bool retry(struct world *w, struct page *page)
{
	if (!(page->flags & PAGE_LOST))
		return false;
	page->flags &= (uint16_t)~PAGE_LOST;
	page->flags |= PAGE_GIVEN | PAGE_CLEAN;
	w->memory = MISSING;
	w->protected = 0;
	return true;
}

static const struct { const char *name; bool (*do_it)(struct world *, struct page *); } steps[] = {
	{ "write 1", write_one }, { "write 2", write_two }, { "write 0", write_zeroes },
	{ "trap", trap }, { "save: begin", save_begin }, { "save: copy", save_copy },
	{ "save: no copy", save_fails_to_copy }, { "save: compare", save_compare },
	{ "save: end", save_end }, { "save: error", save_fails }, { "give", give },
	{ "kernel drops", kernel_drops }, { "take", take }, { "load: begin", load_begin },
	{ "load: read", load_read }, { "load: end", load_end }, { "new", new_page },
	{ "discard", discard }, { "forget", forget }, { "fork", fork_page },
	{ "child ends", child_ends }, { "pin", pin }, { "unpin", unpin }, { "harm", harm },
	{ "retry", retry },
};

#define HARM 23U			/* the index of harm and of what follows it */

/* broken() - which rule does a state break? NULL: none */
static const char *broken(const struct world *w)
{
	struct page page = page_of(w);
	bool copy = w->flags & PAGE_COPY && !(w->flags & PAGE_ZERO);

	if (w->flags & PAGE_LOST)
		return w->harmed ? NULL : "a page is lost, and the store is right";
	if (w->memory != MISSING && w->memory != w->want)
		return "the memory has other bytes";
	if (w->memory == MISSING && copy && w->sum != w->want)
		return "the copy that counts is of other bytes";
	if (w->memory == MISSING && copy && !w->harmed && w->store != w->want)
		return "the store has other bytes than the copy that counts";
	if (w->memory == MISSING && !copy && w->want != ZEROES)
		return "bytes are gone";
	if (w->memory != MISSING && w->flags & PAGE_CLEAN && !w->protected)
		return "a clean page is not protected";
	if (w->memory != MISSING && !(w->flags & PAGE_MAPPED))
		return "there is memory, and the page is new";
	if (w->flags & PAGE_GIVEN && !(w->flags & PAGE_CLEAN))
		return "a page was given that is not clean";
	if (w->flags & PAGE_CLEAN && !(w->flags & PAGE_COPY))
		return "a clean page has no copy";
	if (w->need != GARBAGE && !w->harmed && w->store != w->need)
		return "a child's copy was overwritten";
	if (!(w->flags & (PAGE_MAPPED | PAGE_STALE)) && w->save == IDLE && w->store != ZEROES &&
	    !w->harmed)
		return "the store keeps bytes of a page that is new";
	if (w->pins && (page_wants_save(&page) || page_wants_give(&page) || page_wants_drop(&page)))
		return "a pinned page may be taken";
	return NULL;
}

/* All states so far, and how each was reached. */
#define STATES (1U << 22)
#define SLOTS (1U << 23)

static struct world *states;
static uint32_t *slots, *from;
static uint8_t *by;
static uint32_t states_n;

static uint32_t hash_of(const struct world *w)
{
	const uint8_t *at = (const uint8_t *)w;
	uint32_t hash = 2166136261U, i;

	for (i = 0; i < sizeof(*w); i++)
		hash = (hash ^ at[i]) * 16777619U;
	return hash;
}

/* add() - false: it was there */
static bool add(const struct world *w, uint32_t parent, unsigned int step)
{
	uint32_t at = hash_of(w) % SLOTS;

	for (; slots[at]; at = (at + 1) % SLOTS)
		if (!memcmp(&states[slots[at] - 1], w, sizeof(*w)))
			return false;
	states[states_n] = *w;
	from[states_n] = parent;
	by[states_n] = (uint8_t)step;
	slots[at] = ++states_n;
	return true;
}

static void show(uint32_t state)
{
	char way[512] = "";
	size_t n = 0;
	uint32_t path[64], length = 0;

	for (; state && length < ARRAY_SIZE(path); state = from[state])
		path[length++] = state;
	while (length && n < sizeof(way))
		n += snprintf(way + n, sizeof(way) - n, "%s; ", steps[by[path[--length]]].name);
	tap_note("%s", way);
}

/* visit() - the steps that are possible in a state; false: one of them breaks a rule */
static bool visit(uint32_t state, unsigned int steps_n)
{
	const char *rule;
	unsigned int i;

	for (i = 0; i < steps_n; i++) {
		struct world next = states[state];
		struct page page = page_of(&next);

		if (!steps[i].do_it(&next, &page))
			continue;
		put_page(&next, &page);
		if (states_n == STATES || !add(&next, state, i))
			continue;
		rule = broken(&next);
		if (!rule)
			continue;
		tap_note("%s:", rule);
		show(states_n - 1);
		return expect(false);
	}
	return true;
}

static void explore(unsigned int steps_n)
{
	struct world first = { .memory = MISSING, .store = ZEROES, .need = GARBAGE };
	uint32_t state;

	states = test_alloc(STATES * sizeof(*states));
	from = test_alloc(STATES * sizeof(*from));
	by = test_alloc(STATES);
	slots = test_alloc(SLOTS * sizeof(*slots));
	states_n = 0;
	add(&first, 0, 0);
	for (state = 0; state < states_n; state++)
		if (!visit(state, steps_n))
			break;
	tap_note("%u states", states_n);
	expect(states_n > 1000 && states_n < STATES);
	free(states);
	free(from);
	free(by);
	free(slots);
}

static void test_states(void)
{
	explore(HARM);
}

/* A store that another program changes causes an error, and never other bytes. */
static void test_harm(void)
{
	explore(ARRAY_SIZE(steps));
}

static void test_wait(void)
{
	struct page page = { .flags = 0 };
	unsigned int i, wait = PAGE_TICKS;

	page_map(&page);
	expect_eq(page.wait, PAGE_TICKS);
	for (i = 0; i < 10; i++) {
		page_written(&page);
		wait = wait * 2 < PAGE_TICKS_MOST ? wait * 2 : PAGE_TICKS_MOST;
		expect_eq(page.wait, wait);
		expect_eq(page.age, 0);
	}
	/* The longest wait that a byte can hold, from any wait. */
	for (i = 0; i <= UINT8_MAX; i++) {
		page.wait = (uint8_t)i;
		page_written(&page);
		expect(page.wait <= PAGE_TICKS_MOST && page.wait >= (i * 2 < 48 ? i * 2 : 48));
	}
	for (i = 0; i < 2 * PAGE_TICKS_MOST; i++)
		page_older(&page);
	expect_eq(page.wait, PAGE_TICKS_MOST);
	page_older(&page);
	expect_eq(page.wait, PAGE_TICKS);
	for (i = 0; i < 1000; i++)
		page_older(&page);
	expect_eq(page.age, UINT8_MAX);
	page = (struct page){ .flags = 0 };
	page_older(&page);
	expect_eq(page.age, 0);
	page_map(&page);
	page_written(&page);
	page_discard(&page, 0);
	expect_eq(page.wait, PAGE_TICKS);
	/* Another object begins as the first one did, with or without a trap. */
	for (i = 0; i < 2; i++) {
		page_map(&page);
		page_written(&page);
		page_older(&page);
		page.flags |= i ? PAGE_CLEAN : 0;
		page_emptied(&page);
		if (i)
			page_written(&page);
		expect_eq(page.wait, PAGE_TICKS);
		expect_eq(page.age, 0);
	}
}

/* A child may give a page that is still protected; it saves the others first. */
static void test_forked(void)
{
	const uint16_t gone = PAGE_SAVING | PAGE_LOADING | PAGE_SHARED | PAGE_STALE;
	const uint16_t trust = PAGE_CLEAN | PAGE_GIVEN | PAGE_OUT;
	unsigned int flags;

	for (flags = 0; flags < 2 * PAGE_KIN; flags++) {
		struct page page = { .flags = (uint16_t)flags, .pins = 3 };
		bool only = flags & PAGE_MAPPED && !(flags & PAGE_CLEAN);
		uint16_t kin = (flags & PAGE_KIN) || only ? PAGE_KIN : 0;

		page_forked(&page, true);
		expect_eq(page.flags, (flags & ~gone) | kin);
		expect_eq(page.pins, 0);
		page.flags = (uint16_t)flags;
		page_forked(&page, false);
		expect_eq(page.flags, (flags & ~(gone | trust)) | kin);
		expect_eq(page_may_go(&page), !kin);
		/* No other process has memory that is new. */
		page_came(&page);
		expect(page_may_go(&page));
	}
}

/* A page whose copy is another process's: the store of this one has nothing to forget. */
static void test_layers(void)
{
	struct page page = { .flags = PAGE_MAPPED | PAGE_COPY, .sum = 7, .layer = 0 };

	page_saving(&page);
	expect(!page_is_unchanged(&page, 8, false, 1));
	/* The copy in the other store is not overwritten. */
	expect(page.flags & PAGE_COPY);
	expect(page_saved(&page, 8, 1));
	expect_eq(page.layer, 1);
	page_discard(&page, 1);
	expect_eq(page.flags, PAGE_STALE);
	page = (struct page){ .flags = PAGE_MAPPED | PAGE_COPY | PAGE_CLEAN, .layer = 0 };
	page_discard(&page, 1);
	expect_eq(page.flags, 0);
}

#define MOST 64U

static struct window window_of(uint32_t least)
{
	return (struct window){ .least = least, .most = MOST };
}

static void test_sequence(void)
{
	struct window window = window_of(1);
	uint32_t page = 1000, want = 1, i, n;

	for (i = 0; i < 20; i++) {
		n = window_pages(&window, page);
		expect_eq(n, want);
		window_took(&window, page, n);
		page += n;
		want = want * 2 < MOST ? want * 2 : MOST;
	}
	/* Elsewhere it begins with the least, and the run goes on nevertheless. */
	expect_eq(window_pages(&window, 5), 1);
	window_took(&window, 5, 1);
	expect_eq(window_pages(&window, page), MOST);
	/* Back again, and the same page a second time, are no sequence. */
	expect_eq(window_pages(&window, page - 1), 1);
	expect_eq(window_pages(&window, 5), 1);
}

/* A run that was cut short by a page that was there does not grow from the size that was wished. */
static void test_cut(void)
{
	struct window window = window_of(16);

	window_took(&window, 0, 3);
	expect_eq(window_pages(&window, 3), 32);
	window_took(&window, 3, 1);
	expect_eq(window_pages(&window, 4), 32);
	expect_eq(window_pages(&window, 35), 16);
}

/* As many threads as there are streams read in large parts; with one more all begin anew. */
static void test_streams(void)
{
	struct window window;
	uint32_t threads, round, i, n, at[WINDOW_STREAMS + 1];

	for (threads = 1; threads <= WINDOW_STREAMS + 1; threads++) {
		window = window_of(1);
		for (i = 0; i < threads; i++)
			at[i] = i * 100000;
		for (round = 0; round < 12; round++) {
			for (i = 0; i < threads; i++) {
				n = window_pages(&window, at[i]);
				expect(n == (threads > WINDOW_STREAMS || !round ? 1 :
					     round < 6 ? 1U << round : MOST));
				window_took(&window, at[i], n);
				at[i] += n;
			}
		}
	}
}

/* A window that took too long is followed by one that is half as large. */
static void test_slow(void)
{
	static const uint32_t sizes[] = { 1, 2, 4, 8, 4, 2, 2, 2, 4 };
	struct window window = window_of(1);
	uint32_t page = 7, i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		expect_eq(window_pages(&window, page), sizes[i]);
		window_took(&window, page, sizes[i]);
		page += sizes[i];
		if (i >= 3 && i < 7)
			window_slow(&window, page);
		/* No run goes on at this page. */
		window_slow(&window, 5);
	}
}

/* Whatever is used, a window is from the least to the most. */
static void test_any(void)
{
	struct window window = window_of(2);
	unsigned int i;
	uint32_t n;

	for (i = 0; i < 200000; i++) {
		uint32_t page = random_below(200);

		n = window_pages(&window, page);
		if (!expect(n >= 2 && n <= MOST))
			return;
		window_took(&window, page, 1 + random_below(n));
	}
}

static const struct tap_case cases[] = {
	{ "all states of a page", test_states },
	{ "all states, while another program writes to the store", test_harm },
	{ "how long a page waits", test_wait },
	{ "a page in a child", test_forked },
	{ "a copy in the parent's store", test_layers },
	{ "a sequence", test_sequence },
	{ "a sequence that is cut short", test_cut },
	{ "several sequences", test_streams },
	{ "a slow store", test_slow },
	{ "any sequence", test_any },
};

int main(int argc, char **argv)
{
	return tap_main("page", cases, ARRAY_SIZE(cases), argc, argv);
}
