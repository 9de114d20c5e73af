// SPDX-License-Identifier: GPL-2.0
/*
 * The rules: the acts that follow from the figures, their order, and that each act comes once; and
 * bounds that hold for random figures. "The others" are all programs that are not protected.
 */
#include "harness.h"
#include "rules.h"

#define LOOK_MS 100
#define MIB (1ULL << 20)
#define TOTAL (1000 * MIB)
#define FREEZE_MS (FREEZE_US / 1000)
#define FETCH_MS (FETCH_US / 1000)
#define PART(permille) (TOTAL / 1000 * (permille))

static struct config config;
static struct rule rule;
static struct sample sample;
static struct plan plan;

static const char *const names[] = {
	[ACT_DIRTY] = "dirty", [ACT_DIRTY_BACK] = "back", [ACT_STOP] = "stop", [ACT_CONT] = "cont",
	[ACT_PUSH] = "push", [ACT_FETCH] = "fetch", [ACT_LIMIT] = "limit", [ACT_TERM] = "term",
	[ACT_KILL] = "kill",
};

/* begin() - no program waits, and half of the memory is available */
static void begin(enum mode mode)
{
	conf_presets(config_keys, &config);
	config.mode = mode;
	config.kill.rule = KILL_NEVER;
	rules_init(&rule);
	sample = (struct sample){
		.now_us = 1000000000, .total = TOTAL, .available = TOTAL / 2, .free = TOTAL / 4,
		.swap_total = TOTAL, .swap_left = TOTAL, .victim = true,
		.app_group = true, .others.known = true, .protects = true,
	};
}

/* look_after() - the next look after @ms; returns the names of its acts in their order */
static const char *look_after(unsigned int ms)
{
	static char text[128];
	unsigned int i;

	sample.elapsed_us = ms * 1000ULL;
	sample.now_us += sample.elapsed_us;
	memset(&plan, 0x5a, sizeof(plan));
	rules_decide(&rule, &config, &sample, &plan);
	text[0] = '\0';
	for (i = 0; i < plan.n && i < PLAN_MAX; i++) {
		expect(plan.acts[i].figure && plan.acts[i].unit);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 names[plan.acts[i].kind]);
	}
	return text;
}

static void tap_acts(unsigned int ms, const char *want, int line)
{
	const char *got = look_after(ms);

	if (strcmp(got, want)) {
		tap.bad++;
		tap_note("%s:%d: \"%s\" instead of \"%s\"", __FILE__, line, got, want);
	}
}

#define acts(want) tap_acts(LOOK_MS, want, __LINE__)
#define acts_after(ms, want) tap_acts(ms, want, __LINE__)

static void stall(u64 some_us, u64 full_us)
{
	sample.some_us = some_us;
	sample.full_us = full_us;
}

/* Algorithm 1 without its signals. */
static void test_sysctl(void)
{
	begin(MODE_SYSCTL);
	acts("");
	stall(1, 0);
	acts("dirty");
	acts("");
	stall(500, 400);
	acts("");
	stall(0, 0);
	acts("back");
	acts("");
	stall(1, 1);
	acts("dirty");
	sample.victim = false;
	stall(0, 0);
	acts("back");
}

/* Algorithm 1. */
static void test_signal(void)
{
	begin(MODE_SIGNAL);
	sample.app_group = false;
	sample.others.known = false;
	acts("");
	stall(10, 0);
	acts("dirty");
	stall(10, 5);
	acts("stop");
	acts("");
	stall(10, 0);
	acts("cont");
	acts("");
	stall(0, 0);
	acts("back");
	stall(10, 10);
	acts("dirty stop");
	stall(0, 0);
	acts("back cont");
	/* No victim: no stop. */
	sample.victim = false;
	stall(10, 10);
	acts("dirty");
	acts("");
	sample.victim = true;
	acts("stop");
	/* The victim has ended: no act until the stall is over. */
	sample.victim = false;
	acts("");
	stall(10, 0);
	acts("cont");
}

static void app_stall(u64 us)
{
	sample.app_some_us = us;
}

/* The others are stopped for FREEZE_US at least, and for twice as long if that was too short. */
static void test_freeze(void)
{
	begin(MODE_FREEZE);
	stall(500, 500);
	acts("");
	app_stall(1);
	acts("stop");
	app_stall(0);
	acts_after(FREEZE_MS - LOOK_MS, "");
	acts("cont");
	acts_after(4 * FREEZE_MS, "");
	app_stall(1);
	/* The last stop is long ago, so the time starts at FREEZE_US again. */
	acts("stop");
	acts_after(FREEZE_MS - LOOK_MS, "");
	/* Protected programs still wait, so the stop goes on. */
	acts("");
	app_stall(0);
	acts("cont");
	app_stall(1);
	acts("stop");
	app_stall(0);
	acts_after(2 * FREEZE_MS - LOOK_MS, "");
	acts("cont");
	acts("");
	/* No victim: no stop at all. */
	sample.victim = false;
	app_stall(1);
	acts("");
}

/* While the others are stopped and free memory is low, their pages are pushed out. */
static void test_freeze_push(void)
{
	begin(MODE_FREEZE);
	sample.free = FREEZE_RESERVES * PART(config.others.reserve) - 1;
	acts("");
	app_stall(1);
	acts("stop");
	acts("push");
	expect_eq(plan.acts[0].bytes, PART(FREEZE_PUSH_PERMILLE));
	acts("push");
	sample.free++;
	acts("");
	app_stall(0);
	acts_after(FREEZE_MS, "cont");
	sample.free = 0;
	acts("");
	/* Without a group of protected programs the system's full stall counts. */
	sample.app_group = false;
	app_stall(1);
	acts("");
	stall(1, 1);
	acts("stop");
}

/* Algorithm 2. */
static void test_cgroup(void)
{
	begin(MODE_CGROUP);
	acts("limit");
	expect_eq(plan.acts[0].bytes, PART(config.others.limit));
	acts("");
	stall(1, 0);
	acts("stop");
	stall(0, 0);
	acts("cont");
	acts("");
	begin(MODE_CGROUP);
	stall(1, 0);
	acts("limit stop");
	begin(MODE_CGROUP);
	config.others.limit = 1000;
	acts("limit");
	expect_eq(plan.acts[0].bytes, TOTAL);
	begin(MODE_CGROUP);
	sample.others.known = false;
	acts("");
	sample.others.known = true;
	acts("limit");
}

/* Algorithm 3: the limit rises if the others wait at their limit and memory is available. */
static void test_grow(void)
{
	u64 step = PART(GROW_PERMILLE), limit;

	begin(MODE_GROW);
	limit = PART(config.others.limit);
	acts("limit");
	expect_eq(plan.acts[0].bytes, limit);
	sample.others.bytes = limit;
	acts("");
	sample.others.some_us = 5;
	acts("limit");
	expect_eq(plan.acts[0].bytes, limit + step);
	/* The others do not use all of the limit yet. */
	sample.others.bytes = limit - 1;
	acts("");
	sample.others.bytes = limit;
	acts("limit");
	sample.others.bytes = limit + 2 * step;
	sample.available = PART(config.others.reserve) + step - 1;
	acts("");
	sample.available++;
	acts("limit");
	expect_eq(rule.limit, limit + 3 * step);
	sample.others.some_us = 0;
	acts("");
	/* While protected programs wait the limit falls, but not below the first limit. */
	app_stall(1);
	acts("limit");
	acts("limit");
	acts("limit");
	expect_eq(rule.limit, limit);
	acts("");
	app_stall(0);
	stall(1, 0);
	acts("stop");
	sample.others.some_us = 5;
	sample.others.bytes = limit + 3 * step;
	acts("limit");
	stall(0, 0);
	acts("limit cont");
}

static void limit_stays_in(enum mode mode)
{
	unsigned int i;

	begin(mode);
	for (i = 0; i < 5000; i++) {
		sample.others.bytes = random_u64() % TOTAL;
		sample.available = random_u64() % (TOTAL - sample.others.bytes + 1);
		sample.free = random_u64() % (sample.available + 1);
		sample.others.some_us = random_below(2) * 100;
		look_after(LOOK_MS);
		if (!expect(rule.limit <= TOTAL + PART(GROW_PERMILLE) &&
			    rule.limit >= PART(LIMIT_LEAST_PERMILLE)))
			return;
	}
}

static void test_limit_random(void)
{
	limit_stays_in(MODE_GROW);
	limit_stays_in(MODE_AUTO);
}

static void stop_max_of(enum mode mode)
{
	unsigned int i, look;

	begin(mode);
	config.others.stop_max_ms = 2000;
	stall(100000, 100000);
	app_stall(100000);
	if (mode == MODE_SIGNAL)
		acts("dirty stop");
	else if (mode == MODE_FREEZE)
		acts("stop");
	else
		acts("limit stop");
	for (i = 0; i < 3; i++) {
		for (look = 1; look < 20; look++)
			acts("");
		acts("cont");
		/* The others run for one look at least. */
		acts("stop");
	}
	for (look = 1; look < 10; look++)
		acts("");
	/* The time counts from the last stop, not from the first one. */
	stall(100000, 0);
	if (mode == MODE_SIGNAL)
		acts("cont");
}

static void test_stop_max(void)
{
	stop_max_of(MODE_SIGNAL);
	stop_max_of(MODE_FREEZE);
	stop_max_of(MODE_CGROUP);
	stop_max_of(MODE_GROW);
}

static void begin_kill(enum kill_rule kill)
{
	begin(MODE_SYSCTL);
	config.kill.rule = kill;
	config.kill.memory = 20;
	config.kill.swap = 30;
	config.kill.after_ms = 1000;
	config.kill.term_ms = 500;
}

static void low(bool memory, bool swap)
{
	sample.available = PART(config.kill.memory) + !memory;
	sample.swap_left = PART(config.kill.swap) + !swap;
}

/* kills() - is a program killed if these conditions last? */
static bool kills(enum kill_rule kill, bool memory, bool swap)
{
	bool killed = false;
	unsigned int i;

	begin_kill(kill);
	low(memory, swap);
	for (i = 0; i < 100; i++)
		killed |= !!*look_after(LOOK_MS);
	return killed;
}

static void test_kill_rules(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		bool memory = i & 1, swap = i & 2;

		expect_eq(kills(KILL_NEVER, memory, swap), false);
		expect_eq(kills(KILL_MEMORY, memory, swap), memory);
		expect_eq(kills(KILL_SWAP, memory, swap), swap);
		expect_eq(kills(KILL_BOTH, memory, swap), memory && swap);
	}
}

/* Without swap all rules depend on the memory alone. */
static void test_kill_no_swap(void)
{
	unsigned int i;

	begin_kill(KILL_BOTH);
	low(true, true);
	sample.swap_total = 0;
	sample.swap_left = 0;
	for (i = 0; i < 10; i++)
		acts("");
	acts("term");
	begin_kill(KILL_SWAP);
	low(false, true);
	sample.swap_total = 0;
	sample.swap_left = 0;
	for (i = 0; i < 30; i++)
		acts("");
}

/*
 * The medium below the swap is full and refuses pages; the reserve of 4 % keeps 6 MiB of 112 MiB
 * available. While the others are not stopped, they wait all the time.
 */
static void test_kill_full_medium(void)
{
	unsigned int i;

	begin_kill(KILL_BOTH);
	config.mode = MODE_AUTO;
	config.protect.fetch = false;
	sample.total = 112 << 20;
	sample.available = 6 << 20;
	sample.free = 5 << 20;
	sample.others.known = true;
	sample.others.bytes = 60 << 20;
	sample.swap_left = 0;
	/* The others make progress and only read some pages from the swap: no kill. */
	sample.others.some_us = LOOK_MS * 400;
	for (i = 0; i < 50; i++)
		expect(!strstr(look_after(LOOK_MS), "term"));
	for (i = 0; i < 12 && !strstr(look_after(LOOK_MS), "term"); i++)
		sample.others.some_us = i % 4 ? 0 : LOOK_MS * 1000;
	expect(i >= 10 && i < 12);
	/* Without groups the system's full stall counts. */
	begin_kill(KILL_BOTH);
	low(false, true);
	sample.full_us = LOOK_MS * 900;
	for (i = 0; i < 12 && !strstr(look_after(LOOK_MS), "term"); i++)
		;
	expect_eq(i, 10);
	/* Waiting alone is no reason to kill: the swap takes pages, or the system has no swap. */
	begin_kill(KILL_BOTH);
	low(false, false);
	sample.full_us = LOOK_MS * 900;
	for (i = 0; i < 50; i++)
		expect(!strstr(look_after(LOOK_MS), "term"));
	sample.swap_total = 0;
	sample.swap_left = 0;
	for (i = 0; i < 50; i++)
		expect(!strstr(look_after(LOOK_MS), "term"));
}

static void test_kill(void)
{
	unsigned int i;

	begin_kill(KILL_BOTH);
	low(true, true);
	for (i = 0; i < 10; i++)
		acts("");
	acts("term");
	sample.told = true;
	for (i = 1; i < 5; i++)
		acts("");
	acts("kill");
	sample.told = false;
	/* The next victim comes only after the same time. */
	for (i = 0; i < 10; i++)
		acts("");
	acts("term");
	/* The victim has ended in time. The next one again comes only after the same time. */
	acts("");
	for (i = 0; i < 10; i++)
		acts("");
	acts("term");
	low(false, true);
	for (i = 0; i < 20; i++)
		acts("");
}

/* The condition has to hold for after_ms without a break. */
static void test_kill_after(void)
{
	unsigned int i;

	begin_kill(KILL_MEMORY);
	low(true, false);
	for (i = 0; i < 10; i++)
		acts("");
	low(false, false);
	acts("");
	low(true, false);
	for (i = 0; i < 10; i++)
		acts("");
	sample.victim = false;
	acts("");
	sample.victim = true;
	for (i = 0; i < 10; i++)
		acts("");
	acts("term");
	begin_kill(KILL_MEMORY);
	config.kill.after_ms = 0;
	low(true, false);
	acts("term");
	sample.told = true;
	acts_after(499, "");
	acts_after(1, "kill");
	sample.told = false;
	acts("term");
}

/* A stopped program cannot end. So ACT_TERM continues all, and no stop follows before the kill. */
static void test_term_runs(void)
{
	unsigned int i;

	begin_kill(KILL_MEMORY);
	config.mode = MODE_AUTO;
	config.others.run_min = 250;
	config.kill.term_ms = 3000;
	low(true, false);
	sample.app_some_us = 50000;
	for (i = 0; i < 40 && !strstr(look_after(LOOK_MS), "term"); i++)
		;
	expect(i < 40);
	sample.told = true;
	expect(!rule.stopped);
	for (i = 1; i < 30; i++)
		expect(!strstr(look_after(LOOK_MS), "stop"));
	expect(strstr(look_after(LOOK_MS), "kill"));
}

/* The limit falls at once as far as needed, and rises by one step per look. */
static void test_auto_limit(void)
{
	u64 reserve, wanted, before;
	unsigned int i;

	begin(MODE_AUTO);
	reserve = PART(config.others.reserve);
	config.protect.fetch = false;
	sample.others.bytes = 400 * MIB;
	sample.free = 300 * MIB;
	acts("limit");
	expect_eq(plan.acts[0].bytes, 700 * MIB - reserve);
	acts("");
	sample.free = 50 * MIB;
	acts("limit");
	expect_eq(rule.limit, 450 * MIB - reserve);
	/* A change by less than a quarter of a step is left out. */
	sample.free = 52 * MIB;
	acts("");
	expect_eq(rule.limit, 450 * MIB - reserve);
	sample.free = 300 * MIB;
	wanted = 700 * MIB - reserve;
	for (i = 0; rule.limit < wanted && i < 1000; i++) {
		before = rule.limit;
		acts("limit");
		expect_eq(rule.limit - before, PART(LIMIT_RISE_PERMILLE));
	}
	expect_eq(rule.limit, wanted);
	acts("");
	/* The others always keep LIMIT_LEAST_PERMILLE. */
	sample.others.bytes = 0;
	sample.free = 0;
	acts("limit");
	expect_eq(rule.limit, PART(LIMIT_LEAST_PERMILLE));
	sample.others.known = false;
	sample.free = 300 * MIB;
	acts("");
}

static void test_auto_share(void)
{
	unsigned int i;

	begin(MODE_AUTO);
	sample.others.bytes = 100 * MIB;
	/* Memory is not short, so the protected programs wait for something else. */
	sample.app_some_us = LOOK_MS * 1000;
	acts("limit");
	expect_eq(rule.share, 1000);
	sample.free = 100 * MIB;
	sample.app_some_us = 0;
	acts("limit");
	/* Waiting for STALL_PERMILLE_OF_TIME does not count. */
	sample.app_some_us = LOOK_MS * STALL_PERMILLE_OF_TIME;
	acts("");
	expect_eq(rule.share, 1000);
	sample.app_some_us++;
	look_after(LOOK_MS);
	expect_eq(rule.share, SHARE_LESS(1000));
	look_after(LOOK_MS);
	expect_eq(rule.share, SHARE_LESS(SHARE_LESS(1000)));
	for (i = 0; i < 10; i++)
		look_after(LOOK_MS);
	expect_eq(rule.share, config.others.run_min);
	/* Each step up needs QUIET_US without waiting. */
	sample.app_some_us = 0;
	for (i = 1; i < QUIET_US / 1000 / LOOK_MS; i++) {
		look_after(LOOK_MS);
		expect_eq(rule.share, config.others.run_min);
	}
	look_after(LOOK_MS);
	expect_eq(rule.share, SHARE_MORE(config.others.run_min));
	for (i = 0; i < 200; i++)
		look_after(LOOK_MS);
	expect_eq(rule.share, 1000);
	expect(!rule.stopped);
	for (i = 0; i < 20; i++)
		acts("");
}

/* Without groups the system's full stall counts. */
static void test_auto_no_groups(void)
{
	begin(MODE_AUTO);
	sample.app_group = false;
	sample.others.known = false;
	sample.app_some_us = 100000;
	sample.free = 50 * MIB;
	acts("");
	expect_eq(rule.share, 1000);
	sample.full_us = 100000;
	acts("stop");
	sample.victim = false;
	begin(MODE_AUTO);
	sample.app_group = false;
	sample.others.known = false;
	sample.victim = false;
	sample.full_us = 100000;
	acts("");
}

static void test_auto_push(void)
{
	begin(MODE_AUTO);
	sample.others.bytes = 500 * MIB;
	sample.free = 10 * MIB;
	sample.app_some_us = 100000;
	acts("limit stop push");
	expect_eq(plan.acts[2].bytes, PART(config.others.reserve) - 10 * MIB);
	acts("");
	begin(MODE_AUTO);
	sample.others.bytes = 500 * MIB;
	sample.free = 100 * MIB;
	sample.app_some_us = 100000;
	acts("limit stop");
}

/* Without a protected program the others are neither stopped nor limited. */
static void test_auto_nobody(void)
{
	begin(MODE_AUTO);
	sample.protects = false;
	sample.app_group = false;
	sample.free = 10 * MIB;
	sample.full_us = 100000;
	sample.others.bytes = 500 * MIB;
	acts("");
	sample.protects = true;
	look_after(LOOK_MS);
	expect(rule.limit && rule.limit < TOTAL);
	sample.protects = false;
	look_after(LOOK_MS);
	expect_eq(rule.limit, UINT64_MAX);
	expect(!rule.stopped);
}

/* If a hog outside the groups has the memory, a limit cannot help: the groups keep theirs. */
static void test_auto_loose(void)
{
	unsigned int i;

	begin(MODE_AUTO);
	sample.free = 10 * MIB;
	sample.others.bytes = 100 * MIB;
	sample.others.loose = 50 * MIB;
	acts("limit");
	expect_eq(rule.limit, 70 * MIB);
	sample.others.loose = 101 * MIB;
	for (i = 0; i < 5; i++)
		look_after(LOOK_MS);
	expect_eq(rule.limit, 100 * MIB);
	acts("");
}

/* Stops do not help, because the protected programs wait as much during a stop. */
static void test_auto_in_vain(void)
{
	unsigned int i, stopped = 0;

	begin(MODE_AUTO);
	sample.free = 10 * MIB;
	sample.others.known = false;
	sample.app_some_us = 50000;
	for (i = 0; i < 600; i++) {
		look_after(LOOK_MS);
		stopped += rule.stopped;
	}
	if (!expect(stopped > 40 && stopped < 150))
		tap_note("%u of 600", stopped);
	/* Stops help: the protected programs hardly wait during a stop. */
	rules_init(&rule);
	for (i = 0, stopped = 0; i < 600; i++) {
		sample.app_some_us = rule.stopped ? 1000 : 50000;
		look_after(LOOK_MS);
		stopped += rule.stopped;
	}
	expect(stopped > 300);
}

/* The limit leaves room for pages of protected programs that come back from swap. */
static void test_auto_back(void)
{
	begin(MODE_AUTO);
	sample.others.bytes = 500 * MIB;
	sample.free = PART(config.others.reserve);
	acts("limit");
	expect_eq(rule.limit, 500 * MIB);
	sample.app_swapped = 30 * MIB;
	look_after(LOOK_MS);
	expect_eq(rule.limit, 470 * MIB);
	sample.app_swapped = 300 * MIB;
	look_after(LOOK_MS);
	expect_eq(rule.limit, 500 * MIB - PART(RETURN_PERMILLE));
}

static void test_auto_fetch(void)
{
	unsigned int i, j;

	begin(MODE_AUTO);
	sample.others.known = false;
	sample.app_swapped = 5 * MIB;
	sample.free = 100 * MIB;
	acts("fetch");
	expect_eq(plan.acts[0].bytes, 100 * MIB - PART(config.others.reserve) / 2);
	for (i = 0; i < 3; i++) {
		for (j = 1; j < FETCH_MS / LOOK_MS; j++)
			acts("");
		sample.app_swapped--;
		acts("fetch");
	}
	/* No page comes back: the pause doubles each time until the number in swap changes. */
	acts_after(2 * FETCH_MS - 1, "");
	acts_after(1, "fetch");
	acts_after(4 * FETCH_MS - 1, "");
	acts_after(1, "fetch");
	acts_after(6 * FETCH_MS, "");
	sample.app_swapped++;
	acts("fetch");
	for (i = 0; i < 20; i++)
		look_after(2 * (FETCH_MOST_US / 1000));
	acts_after(2 * (FETCH_MOST_US / 1000), "fetch");
	sample.app_swapped--;
	sample.free = PART(config.others.reserve);
	acts_after(5000, "");
	sample.free++;
	acts("fetch");
	sample.app_swapped = 0;
	acts_after(5000, "");
	sample.app_swapped = 1;
	config.protect.fetch = false;
	acts_after(5000, "");
}

/* The acts of a run of the rules. */
struct run {
	unsigned int looks;
	bool running[600];		/* by look: the others ran */
	u64 stopped_us;			/* since when they are stopped; 0: they run */
	u64 longest_us;			/* the longest stop */
	u64 fetch_us;			/* time of the last ACT_FETCH */
	bool good;			/* no wrong act so far */
};

static void note_look(struct run *run)
{
	unsigned int i;

	run->good &= plan.n <= PLAN_MAX;
	for (i = 0; i < plan.n; i++) {
		switch (plan.acts[i].kind) {
		case ACT_STOP:
			run->good &= !run->stopped_us && sample.victim;
			run->stopped_us = sample.now_us;
			break;
		case ACT_CONT:
			run->good &= !!run->stopped_us;
			run->stopped_us = 0;
			break;
		case ACT_FETCH:
			run->good &= sample.now_us - run->fetch_us >= FETCH_US;
			run->fetch_us = sample.now_us;
			break;
		default:
			run->good &= plan.acts[i].kind == ACT_PUSH ||
				     plan.acts[i].kind == ACT_LIMIT;
		}
	}
	if (run->stopped_us && sample.now_us - run->stopped_us > run->longest_us)
		run->longest_us = sample.now_us - run->stopped_us;
	run->good &= rule.stopped == !!run->stopped_us;
	run->running[run->looks++] = !run->stopped_us;
}

/* next_sample() - random stalls in stretches, or in each look if @permanent */
static void next_sample(bool permanent)
{
	static unsigned int left;
	static bool stalled;

	if (!left--) {
		left = random_length(80);
		stalled = random_below(2);
	}
	sample.app_some_us = permanent || stalled ? 1001 + random_below(LOOK_MS * 1000 - 1001) :
						    random_below(1001);
	sample.full_us = sample.app_some_us;
	sample.others.bytes = random_u64() % (TOTAL / 2);
	sample.free = random_u64() % (TOTAL / 4);
	sample.app_swapped = random_below(2) * MIB;
}

/* least_running() - the least number of looks with the others running, of any 100 in a row */
static unsigned int least_running(const struct run *run)
{
	unsigned int i, n = 0, least = 100;

	for (i = 0; i < run->looks; i++) {
		n += run->running[i];
		if (i >= 100)
			n -= run->running[i - 100];
		if (i >= 99 && n < least)
			least = n;
	}
	return least;
}

static unsigned int seeds(void)
{
	return tap_env("QUICK", 0) ? 50 : 1000;
}

/* simulate() - a minute with ten looks per second */
static bool simulate(u64 seed, unsigned int run_min, unsigned int stop_max_ms, bool permanent)
{
	struct run run = { .good = true };
	unsigned int i, least;

	random_seed(seed);
	begin(MODE_AUTO);
	config.others.run_min = run_min;
	config.others.stop_max_ms = stop_max_ms;
	sample.app_group = random_below(2);
	sample.others.known = random_below(2);
	for (i = 0; i < 600; i++) {
		next_sample(permanent);
		look_after(LOOK_MS);
		note_look(&run);
	}
	least = least_running(&run);
	if (run.good && least * 10 >= run_min && run.longest_us <= stop_max_ms * 1000ULL &&
	    rule.share >= run_min)
		return true;
	tap.bad++;
	tap_note("seed %llu: run_min %u: of 100 looks they run in %u; stopped for %llu of at most %u ms; %s",
		 seed, run_min, least, run.longest_us / 1000, stop_max_ms,
		 run.good ? "the acts are right" : "wrong acts");
	return false;
}

static void test_auto_runs(void)
{
	unsigned int i;

	for (i = 0; i < seeds(); i++) {
		if (!simulate(tap.seed + i, 250, 10000, i % 4) && tap.bad > 3)
			return;
	}
}

/* All values of run_min, though stops can only begin and end at one of ten looks per second. */
static void test_auto_run_min(void)
{
	unsigned int i;

	for (i = 0; i < seeds(); i++) {
		unsigned int run_min = 10 + 10 * (i % 100);

		if (!simulate(tap.seed + i, run_min, 10000, true) && tap.bad > 3)
			return;
	}
}

static void test_auto_stop_max(void)
{
	unsigned int i;

	for (i = 0; i < seeds() / 4; i++) {
		if (!simulate(tap.seed + i, 100, 100 * (1 + i % 12), i % 4) && tap.bad > 3)
			return;
	}
}

/* Random figures in all modes: stop and cont alternate, and the plan is never too long. */
static void test_any(void)
{
	unsigned int round, i, j;

	for (round = 0; round < seeds() / 2; round++) {
		bool stopped = false, termed = false;

		begin(random_below(6));
		config.kill.rule = random_below(4);
		config.kill.after_ms = random_below(500);
		for (i = 0; i < 300; i++) {
			stall(random_below(3) * 1000, random_below(2) * 1000);
			sample.app_some_us = random_below(3) * 1000;
			sample.others.some_us = random_below(2) * 1000;
			sample.available = random_u64() % TOTAL;
			sample.free = random_u64() % TOTAL;
			sample.others.bytes = random_u64() % TOTAL;
			sample.swap_left = random_u64() % TOTAL;
			sample.app_swapped = random_below(2);
			sample.victim = random_below(8);
			sample.told = rule.term_us && random_below(8);
			look_after(1 + random_below(1000));
			for (j = 0; j < plan.n; j++) {
				enum act_kind kind = plan.acts[j].kind;

				if (kind == ACT_STOP || kind == ACT_CONT) {
					expect(stopped == (kind == ACT_CONT));
					stopped = kind == ACT_STOP;
				}
				/* A kill comes only after a term. */
				expect(kind != ACT_KILL || termed);
				expect(kind != ACT_TERM || !termed || !rule.term_us ||
				       rule.term_us == sample.now_us);
				termed |= kind == ACT_TERM;
				if (kind == ACT_TERM)
					stopped = rule.stopped;
			}
			expect(plan.n < PLAN_MAX);
			expect_eq(stopped, rule.stopped);
			expect(rule.share >= config.others.run_min && rule.share <= 1000);
			if (tap.bad)
				return;
		}
	}
}

static const struct tap_case cases[] = {
	{ "sysctl", test_sysctl },
	{ "signal: algorithm 1", test_signal },
	{ "freeze", test_freeze },
	{ "freeze: memory is pushed out", test_freeze_push },
	{ "cgroup: algorithm 2", test_cgroup },
	{ "grow: algorithm 3", test_grow },
	{ "limits stay within the memory", test_limit_random },
	{ "no stop is longer than stop_max", test_stop_max },
	{ "kill: each rule", test_kill_rules },
	{ "kill: without swap", test_kill_no_swap },
	{ "kill: TERM, then KILL", test_kill },
	{ "kill: the medium below the swap is full", test_kill_full_medium },
	{ "kill: after some time without a break", test_kill_after },
	{ "kill: no stop between TERM and KILL", test_term_runs },
	{ "auto: the limit", test_auto_limit },
	{ "auto: the share", test_auto_share },
	{ "auto: without groups", test_auto_no_groups },
	{ "auto: memory is pushed out with a stop", test_auto_push },
	{ "auto: no protected program", test_auto_nobody },
	{ "auto: a hog in no group", test_auto_loose },
	{ "auto: useless stops are given up", test_auto_in_vain },
	{ "auto: room for pages from swap", test_auto_back },
	{ "auto: pages are brought back once a second", test_auto_fetch },
	{ "auto: the others run for a quarter of any ten seconds", test_auto_runs },
	{ "auto: the others run for run_min at least", test_auto_run_min },
	{ "auto: no stop is longer than stop_max", test_auto_stop_max },
	{ "random figures in all modes", test_any },
};

int main(int argc, char **argv)
{
	return tap_main("rules", cases, ARRAY_SIZE(cases), argc, argv);
}
