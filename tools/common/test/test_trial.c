// SPDX-License-Identifier: GPL-2.0
/*
 * Does help make programs faster? Each rule at its border, and programs of known speed. Work is in
 * clock ticks, speeds are in ticks per 1000 s.
 */
#include "trial.h"
#include "harness.h"
#include "tree.h"

/* The longest period of a program. */
#define LONGEST_MS 120000

static struct trial trial;
static u32 now;
static u64 work;

static void begin(u32 at_ms)
{
	memset(&trial, 0, sizeof(trial));
	now = at_ms;
	work = 123456789012ull;
}

/* step() - a step after @ms and @ticks of work */
static enum trial_change step(u32 ms, u64 ticks, u32 period_ms)
{
	now += ms;
	work += ticks;
	return trial_step(&trial, now, work, period_ms);
}

static bool is(enum trial_state state)
{
	return expect_eq(trial.state, state) &&
	       expect_eq(trial_helps(&trial), state == TRIAL_HELP);
}

/* samples() - @n samples of a period each; return the change of the last one */
static enum trial_change samples(unsigned int n, u64 ticks, u32 period_ms)
{
	enum trial_state was = trial.state;

	while (--n) {
		expect_eq(step(period_ms, ticks, period_ms), TRIAL_SAME);
		is(was);
	}
	return step(period_ms, ticks, period_ms);
}

/* base() - measure the speed without help, with @ticks per period, until help begins */
static void base(u64 ticks, u32 period_ms)
{
	expect_eq(step(0, 0, period_ms), TRIAL_SAME);
	is(TRIAL_BASE);
	expect_eq(samples(TRIAL_OFF_SAMPLES, ticks, period_ms), TRIAL_HELPS);
	is(TRIAL_HELP);
	expect_eq(trial.base, ticks * 1000000 / period_ms);
}

/* pause_of() - a pause with @ticks per period; the first sample differs, as it does not count */
static enum trial_change pause_of(u64 ticks, u32 period_ms)
{
	is(TRIAL_BASE);
	expect_eq(step(period_ms, 77 * ticks, period_ms), TRIAL_SAME);
	return samples(TRIAL_OFF_SAMPLES, ticks, period_ms);
}

static enum trial_change help_for(unsigned int n, u64 ticks, u32 period_ms)
{
	is(TRIAL_HELP);
	expect_eq(step(period_ms, 77 * ticks, period_ms), TRIAL_SAME);
	return samples(n, ticks, period_ms);
}

/* slower() - programs are slower by a fifth of base(100) with help, so help ends */
static void slower(u32 period_ms)
{
	expect_eq(help_for(TRIAL_ON_SAMPLES / 2, 80, period_ms), TRIAL_PAUSES);
	expect_eq(pause_of(100, period_ms), TRIAL_SLOWER);
	is(TRIAL_LEFT);
}

/* A sample is over after a period if it has 10 ticks, and after four periods in any case. */
static void test_sample(void)
{
	static const struct {
		u32 period, early, ticks, over;
	} cases[] = {
		{ 1000, 500, 300, 1000 }, { 1000, 500, 10, 1000 }, { 1000, 1000, 10, 1000 },
		{ 1000, 2500, 10, 2500 }, { 1000, 500, 9, 4000 }, { 1000, 500, 0, 4000 },
		{ 1000, 3999, 10, 3999 }, { 1000, 4000, 10, 4000 }, { 50, 1, 10, 50 },
		{ 50, 1, 9, 200 }, { LONGEST_MS, 1, 10, LONGEST_MS },
		{ LONGEST_MS, 1, 9, 480000 }, { 1000, 500, 4000000000u, 1000 },
	};
	static const u32 starts[] = { 0, 1000, UINT32_MAX, UINT32_MAX - 100, UINT32_MAX - 999999 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (j = 0; j < ARRAY_SIZE(starts); j++) {
			u32 period = cases[i].period, late = cases[i].over - cases[i].early;

			begin(starts[j]);
			expect_eq(step(0, 77, period), TRIAL_SAME);
			is(TRIAL_BASE);
			expect_eq(trial_left_ms(&trial, now + period - 1, period), 1);
			expect_eq(trial_left_ms(&trial, now + period, period), 0);
			if (late) {
				step(cases[i].early, cases[i].ticks, period);
				step(late - 1, 0, period);
				expect_eq(trial.now.n, 0);
				step(1, 0, period);
			} else {
				step(cases[i].early - 1, 0, period);
				expect_eq(trial.now.n, 0);
				step(1, cases[i].ticks, period);
			}
			if (!expect_eq(trial.now.n, 1) || !expect_eq(trial.begun_ms, now))
				tap_note("case %u from %u on", i, starts[j]);
		}
	}
}

/* The work is read only when a sample can be over. */
static void test_due(void)
{
	begin(1000);
	expect_eq(trial_left_ms(&trial, 999999, 1000), UINT32_MAX);
	base(100, 1000);
	expect_eq(trial_left_ms(&trial, now, 1000), 1000);
	expect_eq(trial_left_ms(&trial, now + 999, 1000), 1);
	expect_eq(trial_left_ms(&trial, now + 5000, 1000), 0);
	expect_eq(trial_left_ms(&trial, now + 1000, 0), UINT32_MAX);
	slower(1000);
	expect_eq(trial_left_ms(&trial, now + 1000, 1000), UINT32_MAX);
}

/* The order: without help, with help, a pause. A switch's first sample does not count. */
static void test_order(void)
{
	unsigned int i, turns;

	begin(UINT32_MAX - 20000);
	base(100, 1000);
	/* It seems faster: help for eight blocks. */
	expect_eq(help_for(TRIAL_ON_SAMPLES * TRIAL_SPAN_BLOCKS, 150, 1000), TRIAL_PAUSES);
	expect_eq(trial.speed, 150000);
	expect(!trial_shown(&trial));
	expect_eq(pause_of(100, 1000), TRIAL_HELPS);
	expect(trial_shown(&trial));
	/* It was shown to be faster: twice as many blocks each time, up to four times as many. */
	for (i = 1; i < 8; i++) {
		turns = TRIAL_SPAN_BLOCKS << (i < 2 ? i : 2);
		expect_eq(help_for(TRIAL_ON_SAMPLES * turns, 150, 1000), TRIAL_PAUSES);
		expect_eq(pause_of(100, 1000), TRIAL_HELPS);
	}
	expect(trial_shown(&trial));
	/* It does not seem faster: help for one block. */
	begin(1000);
	base(100, 1000);
	expect_eq(help_for(TRIAL_ON_SAMPLES, 112, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(100, 1000), TRIAL_HELPS);
	/* It seems much slower: help for half a block. */
	begin(1000);
	base(100, 1000);
	expect_eq(help_for(TRIAL_ON_SAMPLES / 2, 87, 1000), TRIAL_PAUSES);
	begin(1000);
	base(100, 1000);
	expect_eq(help_for(TRIAL_ON_SAMPLES, 88, 1000), TRIAL_PAUSES);
}

/* A clear difference needs a single comparison. */
static void test_decided(void)
{
	begin(1000);
	base(100, 1000);
	expect_eq(help_for(TRIAL_ON_SAMPLES / 2, 80, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(100, 1000), TRIAL_SLOWER);
	is(TRIAL_LEFT);
	expect_eq(trial.base, 100000);
	expect_eq(trial.speed, 80000);
	begin(1000);
	base(100, 1000);
	expect_eq(help_for(TRIAL_ON_SAMPLES, 101, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(100, 1000), TRIAL_HELPS);
	expect(!trial_shown(&trial));
	expect(trial.evidence > 0);
}

/*
 * An old bug: a program is slow while it is periodic, and becomes faster by itself when it is not.
 * The trial has to measure the speed without help anew.
 */
static void test_other_program(void)
{
	begin(1000);
	base(100, 1000);
	expect_eq(help_for(TRIAL_ON_SAMPLES * TRIAL_SPAN_BLOCKS, 150, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(100, 1000), TRIAL_HELPS);
	expect(trial_shown(&trial));
	expect_eq(help_for(TRIAL_ON_SAMPLES, 150, 1000), TRIAL_SAME);
	/* From here on the program has 240 ticks without help, and 200 with it. */
	expect_eq(samples(TRIAL_ON_SAMPLES / 2, 200, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(240, 1000), TRIAL_HELPS);
	expect_eq(help_for(TRIAL_ON_SAMPLES / 2, 200, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(240, 1000), TRIAL_SLOWER);
}

/* Help does not end if the program becomes slower by itself. */
static void test_slower_by_itself(void)
{
	begin(1000);
	base(240, 1000);
	expect_eq(help_for(TRIAL_ON_SAMPLES / 2, 150, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(100, 1000), TRIAL_HELPS);
	is(TRIAL_HELP);
	expect_eq(trial.evidence, 0);
	expect_eq(help_for(TRIAL_ON_SAMPLES, 150, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(100, 1000), TRIAL_HELPS);
	expect(trial_shown(&trial));
}

/* If the speeds of the pauses before and after help differ, the smaller difference counts. */
static void test_drift(void)
{
	begin(1000);
	base(29, 100);
	expect_eq(help_for(TRIAL_ON_SAMPLES * TRIAL_SPAN_BLOCKS, 48, 100), TRIAL_PAUSES);
	expect_eq(pause_of(41, 100), TRIAL_HELPS);
	expect(trial_shown(&trial));
	begin(1000);
	base(41, 100);
	expect_eq(help_for(TRIAL_ON_SAMPLES / 2, 20, 100), TRIAL_PAUSES);
	expect_eq(pause_of(29, 100), TRIAL_SLOWER);
}

/* Neither faster nor slower: help ends, because it has a cost. */
static void test_undecided(void)
{
	unsigned int i;

	begin(1000);
	base(100, 1000);
	for (i = 1; i < TRIAL_MOST_COMPARED; i++) {
		expect_eq(help_for(TRIAL_ON_SAMPLES, 100, 1000), TRIAL_PAUSES);
		expect_eq(pause_of(100, 1000), TRIAL_HELPS);
		expect_eq(trial.evidence, 0);
	}
	expect_eq(help_for(TRIAL_ON_SAMPLES, 100, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(100, 1000), TRIAL_SLOWER);
}

/* left() - check that the trial rests for @ms, whatever programs there are */
static void left(u32 ms, u32 period_ms, unsigned int i)
{
	expect_eq(trial.begun_ms, now + ms);
	expect_eq(step(0, 0, period_ms), TRIAL_SAME);
	expect_eq(step(ms / 2, 1 << 30, 0), TRIAL_SAME);
	expect_eq(step(ms - ms / 2 - 1, 0, i % 2 * period_ms), TRIAL_SAME);
	is(TRIAL_LEFT);
	expect_eq(step(1, 0, i % 3 ? period_ms : 0), TRIAL_AGAIN);
	is(TRIAL_NONE);
}

/* The rest takes 16 periods, then twice as many each time, up to 256 and ten minutes. */
static void test_left(void)
{
	static const u32 starts[] = { 10000, 4000000000u }, periods[] = { 120, 1000, LONGEST_MS };
	unsigned int i, j, k;

	for (j = 0; j < ARRAY_SIZE(starts); j++) {
		for (k = 0; k < ARRAY_SIZE(periods); k++) {
			begin(starts[j]);
			for (i = 0; i < 7; i++) {
				u32 least = TRIAL_LEFT_PERIODS * periods[k], ms = least << (i < 4 ? i : 4);

				if (ms > TRIAL_LEFT_MS)
					ms = least > TRIAL_LEFT_MS ? least : TRIAL_LEFT_MS;
				base(100, periods[k]);
				slower(periods[k]);
				left(ms, periods[k], i);
				if (tap.bad)
					tap_note("try %u, period %u", i, periods[k]);
			}
		}
	}
	/* A late step, as after a suspend. */
	begin(UINT32_MAX - 20000);
	base(100, 1000);
	slower(1000);
	expect_eq(step(INT32_MAX, 0, 1000), TRIAL_AGAIN);
	base(100, 1000);
}

/* When help was faster for a long time, the next rest is short again. */
static void test_forgotten(void)
{
	unsigned int i, j;

	begin(1000);
	for (i = 0; i < 4; i++) {
		base(100, 1000);
		slower(1000);
		step(TRIAL_LEFT_PERIODS * 1000 << i, 0, 0);
	}
	base(100, 1000);
	for (i = 0; i < 5; i++) {
		expect_eq(trial.tries, i < 3 ? 4 : 0);
		for (j = 0; help_for(TRIAL_ON_SAMPLES, 150, 1000) == TRIAL_SAME; j++)
			trial.settles = true;
		expect_eq(pause_of(100, 1000), TRIAL_HELPS);
	}
	expect_eq(trial.tries, 0);
	expect_eq(help_for(TRIAL_ON_SAMPLES / 2, 70, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(100, 1000), TRIAL_SLOWER);
	expect_eq(trial.begun_ms, now + TRIAL_LEFT_PERIODS * 1000);
}

/* Programs without work: no division by 0, and no decision. */
static void test_idle(void)
{
	unsigned int i;

	begin(1000);
	step(0, 0, 1000);
	for (i = 0; i < 4000 && trial.state != TRIAL_LEFT; i++)
		step(1000, 0, 1000);
	is(TRIAL_LEFT);
	/* Work without help and no work with it is slower; the reverse is faster. */
	begin(1000);
	base(100, 1000);
	for (i = 0; i < 3; i++)
		step(TRIAL_SAMPLE_PERIODS * 1000, 0, 1000);
	expect_eq(pause_of(100, 1000), TRIAL_SLOWER);
	begin(1000);
	expect_eq(step(0, 0, 1000), TRIAL_SAME);
	for (i = 0; i < 3; i++)
		step(TRIAL_SAMPLE_PERIODS * 1000, 0, 1000);
	expect_eq(help_for(TRIAL_ON_SAMPLES * TRIAL_SPAN_BLOCKS, 100, 1000), TRIAL_PAUSES);
	for (i = 0; i < 4; i++)
		step(TRIAL_SAMPLE_PERIODS * 1000, 0, 1000);
	is(TRIAL_HELP);
	expect(trial_shown(&trial));
}

/* In each state: the last periodic program is gone. */
static void test_nobody(void)
{
	unsigned int i;

	begin(1000);
	for (i = 0; i < 3; i++) {
		expect_eq(step(100000, 1000, 0), TRIAL_SAME);
		is(TRIAL_NONE);
	}
	/* During the measurement: it begins anew, without the work before. */
	expect_eq(step(0, 0, 1000), TRIAL_SAME);
	expect_eq(samples(2, 5000, 1000), TRIAL_SAME);
	expect_eq(step(1, 0, 0), TRIAL_SAME);
	is(TRIAL_NONE);
	base(100, 1000);
	/* With help: evidence and samples are forgotten. */
	expect_eq(help_for(TRIAL_ON_SAMPLES, 101, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(100, 1000), TRIAL_HELPS);
	expect(trial.evidence);
	expect_eq(step(1000, 100, 0), TRIAL_SAME);
	is(TRIAL_NONE);
	base(100, 1000);
	expect_eq(trial.evidence, 0);
	expect_eq(trial.on.n, 0);
	slower(1000);
	/* A rest goes on. In a pause: the number of tries is kept. */
	expect_eq(step(15999, 0, 0), TRIAL_SAME);
	is(TRIAL_LEFT);
	expect_eq(step(1, 0, 0), TRIAL_AGAIN);
	base(100, 1000);
	expect_eq(help_for(TRIAL_ON_SAMPLES, 100, 1000), TRIAL_PAUSES);
	expect_eq(step(3000, 300, 0), TRIAL_SAME);
	is(TRIAL_NONE);
	base(100, 1000);
	slower(1000);
	expect_eq(trial.begun_ms, now + 2 * TRIAL_LEFT_PERIODS * 1000);
}

/* Programs that also wait for something else count as slower from a twelfth on. */
static void test_paced(void)
{
	unsigned int i;

	begin(1000);
	trial.paced = true;
	base(120, 1000);
	for (i = 0; i < 20 && trial.state != TRIAL_LEFT; i++) {
		expect_eq(help_for(TRIAL_ON_SAMPLES, 118, 1000), TRIAL_PAUSES);
		pause_of(120, 1000);
		if (trial_shown(&trial))
			break;
	}
	is(TRIAL_HELP);
	begin(1000);
	trial.paced = true;
	base(120, 1000);
	expect_eq(help_for(TRIAL_ON_SAMPLES / 2, 85, 1000), TRIAL_PAUSES);
	expect_eq(pause_of(120, 1000), TRIAL_SLOWER);
}

/* The same steps, one time long after the start and one time across the wrap. */
static void test_wrap(void)
{
	static const u32 bases[] = { 2000000, UINT32_MAX - 300000 };
	static const u64 done[] = { 0, 1ull << 50 };
	unsigned int round, i, j;

	for (round = 0; round < 300 && !tap.bad; round++) {
		u32 period = 50 + random_length(10000), at = 0;
		struct trial trials[2] = { { 0 }, { 0 } };
		u64 ticks = 0;

		for (i = 0; i < 400; i++) {
			enum trial_change change[2];
			u32 ms = random_below(2 * period), now_period;

			now_period = random_below(50) ? period + random_below(period) : 0;
			at += ms;
			ticks += (u64)ms * (1 + random_below(3)) / (1 + random_below(20));
			for (j = 0; j < 2; j++)
				change[j] = trial_step(&trials[j], bases[j] + at, done[j] + ticks,
						       now_period);
			expect_eq(change[0], change[1]);
			expect_eq(trials[0].state, trials[1].state);
			expect_eq(trials[0].base, trials[1].base);
			expect_eq(trials[0].speed, trials[1].speed);
			expect_eq(trials[0].tries, trials[1].tries);
			expect_eq(trials[0].evidence, trials[1].evidence);
			if (trials[0].state != TRIAL_NONE)
				expect_eq(trials[0].begun_ms - bases[0],
					  trials[1].begun_ms - bases[1]);
		}
	}
}

/* Random steps: the returned change fits the change of the state. */
static void test_random(void)
{
	unsigned int round, rounds = quick() ? 100 : 1000, i;

	for (round = 0; round < rounds && !tap.bad; round++) {
		u32 period = 50 + random_length(LONGEST_MS - 50);

		begin((u32)random_u64());
		for (i = 0; i < 500; i++) {
			enum trial_state was = trial.state;
			struct trial old = trial;
			u32 p = random_below(20) ? period : 0;
			enum trial_change change = step(random_length(20 * period),
							random_length(1 + random_below(1 << 30)),
							p);
			enum trial_state is = trial.state;

			expect_eq(change == TRIAL_HELPS, was == TRIAL_BASE && is == TRIAL_HELP);
			expect_eq(change == TRIAL_PAUSES, was == TRIAL_HELP && is == TRIAL_BASE);
			expect_eq(change == TRIAL_SLOWER, was == TRIAL_BASE && is == TRIAL_LEFT);
			expect_eq(change == TRIAL_AGAIN, was == TRIAL_LEFT && is == TRIAL_NONE);
			/* Help needs a measurement before it, and LEFT needs a pause before it. */
			expect(is != TRIAL_HELP || was == TRIAL_BASE || was == TRIAL_HELP);
			expect(was != TRIAL_LEFT || is != TRIAL_LEFT ||
			       (s32)(now - trial.begun_ms) < 0);
			expect(trial.tries <= TRIAL_MOST_TRIES && trial.shown <= TRIAL_MOST_SHOWN &&
			       trial.compared <= TRIAL_MOST_COMPARED);
			expect(trial.evidence <= TRIAL_EVIDENCE && trial.spread >= 0);
			if (change == TRIAL_SLOWER)
				expect(trial.evidence <= -TRIAL_EVIDENCE || old.compared == TRIAL_MOST_COMPARED - 1);
			if (!p && was != TRIAL_LEFT)
				expect_eq(is, TRIAL_NONE);
		}
	}
}

/*
 * Simulated programs of known speed run for five minutes, with a step each 20 ms. A frame takes
 * about a second. The kernel samples user time 250 times per second: a tick counts if it finds the
 * program in its own code.
 */
struct known {
	unsigned int share;		/* permille of the time that is user time, without help */
	unsigned int noise;		/* standard deviation of a frame's time, permille */
	int gain;			/* by help, permille */
	unsigned int left;		/* at most so many of 1000 runs find help slower, */
	unsigned int shown;		/* and so many find it faster */
	unsigned int lost;		/* bound of the mean loss of speed, permille */
};

/* The sum of twelve uniform numbers is near enough to a normal one. */
static double normal(void)
{
	double sum = -6;
	unsigned int i;

	for (i = 0; i < 12; i++)
		sum += random_below(1 << 20) / (double)(1 << 20);
	return sum;
}

/* five_minutes() - returns the mean speed, in permille of the speed without help */
static double five_minutes(const struct known *known, bool *left, bool *shown)
{
	double ms = 0, frame_end = 0, rate = 0, ticks = 0, done = 0;
	unsigned int i, steps = 300000 / 20;

	begin((u32)random_u64());
	for (i = 0; i < steps; i++, ms += 20) {
		double speed = trial_helps(&trial) ? 1 + known->gain / 1000.0 : 1;
		unsigned int k;

		if (ms >= frame_end) {
			double length = 1 + known->noise / 1000.0 * normal();

			frame_end = ms + 1000 * length / speed;
			rate = known->share / 1000.0 / length * speed;
		}
		done += speed;
		for (k = 0; k < 5; k++)
			ticks += random_below(1 << 20) < rate * (1 << 20) ? 0.4 : 0;
		*left |= step(20, (u64)ticks, 1000) == TRIAL_SLOWER;
		ticks -= (u64)ticks;
		*shown |= trial_shown(&trial);
	}
	return done * 1000 / steps;
}

/*
 * The bounds: with a gain of 10 % at most 5 % of the runs find help slower, and with a loss of 10 %
 * at most 5 % find it faster. Frames vary by 5 %; a program spends at least a quarter of the time
 * in its own code. The comparisons cost at most 3 % of the speed.
 */
static void test_known(void)
{
	static const struct known cases[] = {
		{ 900, 50, 100, 50, 1000, 0 }, { 500, 50, 100, 50, 1000, 0 },
		{ 250, 50, 100, 50, 1000, 0 }, { 500, 50, 200, 50, 1000, 0 },
		{ 250, 100, 200, 50, 1000, 0 }, { 250, 50, 490, 50, 1000, 0 },
		{ 900, 50, -100, 1000, 50, 30 }, { 500, 50, -100, 1000, 50, 30 },
		{ 250, 50, -100, 1000, 50, 30 }, { 250, 100, -160, 1000, 50, 30 },
		{ 500, 100, -160, 1000, 50, 30 }, { 900, 50, -50, 1000, 200, 30 },
		{ 500, 50, -500, 1000, 50, 30 }, { 500, 50, 0, 1000, 1000, 1 },
	};
	unsigned int i, round, rounds = quick() ? 100 : 400;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int left = 0, shown = 0;
		double speed = 0, lost;

		for (round = 0; round < rounds; round++) {
			bool was_left = false, was_shown = false;

			speed += five_minutes(&cases[i], &was_left, &was_shown);
			left += was_left;
			shown += was_shown;
		}
		lost = 1000 - speed / rounds;
		tap_note("gain %d, share %u, noise %u permille: ended in %u %%, shown in %u %%, speed %+d permille",
			 cases[i].gain, cases[i].share, cases[i].noise, left * 100 / rounds,
			 shown * 100 / rounds, (int)-lost);
		expect(left * 1000 <= cases[i].left * rounds);
		expect(shown * 1000 <= cases[i].shown * rounds);
		expect(lost <= cases[i].lost + 0.001);
		/* The program gets nine tenths of a gain. */
		if (cases[i].gain >= 200)
			expect(-lost >= cases[i].gain * 0.9);
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "length of a sample", test_sample },
		{ "when work is read", test_due },
		{ "without help, with help, a pause", test_order },
		{ "a clear difference is decided at once", test_decided },
		{ "a program that becomes another one", test_other_program },
		{ "a program that becomes slower by itself", test_slower_by_itself },
		{ "a program that drifts", test_drift },
		{ "neither faster nor slower", test_undecided },
		{ "a rest, longer each time", test_left },
		{ "wrong judgements are forgotten", test_forgotten },
		{ "programs that do nothing", test_idle },
		{ "the last periodic program is gone", test_nobody },
		{ "programs that wait for something else", test_paced },
		{ "milliseconds wrap round", test_wrap },
		{ "random steps", test_random },
		{ "programs whose speed is known: false verdicts", test_known },
	};

	return tap_main("trial", cases, ARRAY_SIZE(cases), argc, argv);
}
