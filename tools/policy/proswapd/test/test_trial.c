// SPDX-License-Identifier: GPL-2.0
/*
 * Whether help makes programs faster: each rule at its border, and programs of which it is known.
 * Work is in clock ticks, speeds are ticks in 1000 s.
 */
#include "trial.h"
#include "harness.h"
#include "tree.h"

#define BASE_PERIODS 3
#define TURN_PERIODS 4
#define MOST_PERIODS 16
#define LEFT_PERIODS 16

/* As long as periods are. */
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

/* step() - later by @ms, in which @ticks were done */
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

/* base() - from nothing on, measured in @ticks a period */
static void base(u64 ticks, u32 period_ms)
{
	expect_eq(step(0, 0, period_ms), TRIAL_SAME);
	is(TRIAL_BASE);
	expect_eq(step(BASE_PERIODS * period_ms, BASE_PERIODS * ticks, period_ms), TRIAL_HELPS);
	is(TRIAL_HELP);
	expect_eq(trial.base, ticks * 1000000 / period_ms);
}

/* turn() - a measurement with help */
static enum trial_change turn(u64 ticks, u32 period_ms)
{
	return step(TURN_PERIODS * period_ms, TURN_PERIODS * ticks, period_ms);
}

/* slower() - by a tenth of what base() was given: help ends */
static void slower(u32 period_ms)
{
	expect_eq(turn(90, period_ms), TRIAL_SAME);
	is(TRIAL_HELP);
	expect_eq(turn(90, period_ms), TRIAL_SLOWER);
	is(TRIAL_LEFT);
}

/* A measurement: what is done @early_ms after its beginning, and when it is over. */
struct measurement {
	u32 period_ms, early_ms;
	u64 ticks;
	u32 over_ms, speed;
};

/* measure() - no sooner and no later */
static bool measure(const struct measurement *one, enum trial_change change)
{
	enum trial_state state = trial.state;
	u32 late_ms = one->over_ms - one->early_ms;
	bool good = true;

	if (late_ms) {
		good &= expect_eq(step(one->early_ms, one->ticks, one->period_ms), TRIAL_SAME);
		good &= expect_eq(step(late_ms - 1, 0, one->period_ms), TRIAL_SAME);
		good &= is(state);
		return good & expect_eq(step(1, 0, one->period_ms), change);
	}
	good &= expect_eq(step(one->early_ms - 1, 0, one->period_ms), TRIAL_SAME);
	good &= is(state);
	return good & expect_eq(step(1, one->ticks, one->period_ms), change);
}

/* Three periods and 25 ticks, but no more than 16 periods. */
static void test_base(void)
{
	static const struct measurement cases[] = {
		{ 1000, 500, 300, 3000, 100000 }, { 1000, 500, 25, 3000, 8333 },
		{ 1000, 3000, 25, 3000, 8333 }, { 1000, 3001, 25, 3001, 8330 },
		{ 1000, 9000, 25, 9000, 2777 }, { 1000, 500, 24, 16000, 1500 },
		{ 1000, 500, 1, 16000, 62 }, { 1000, 500, 0, 16000, 0 },
		{ 1000, 15999, 25, 15999, 1562 }, { 1000, 16000, 1, 16000, 62 },
		{ 50, 1, 25, 150, 166666 }, { 50, 1, 24, 800, 30000 },
		{ LONGEST_MS, 1, 25, 360000, 69 }, { LONGEST_MS, 1, 24, 1920000, 12 },
		{ LONGEST_MS, 1, 4000000000u, 360000, UINT32_MAX },
	};
	static const u32 starts[] = { 0, 1000, UINT32_MAX, UINT32_MAX - 100, UINT32_MAX - 999999 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (j = 0; j < ARRAY_SIZE(starts); j++) {
			begin(starts[j]);
			expect_eq(step(0, 77, cases[i].period_ms), TRIAL_SAME);
			is(TRIAL_BASE);
			if (!measure(&cases[i], TRIAL_HELPS) || !is(TRIAL_HELP) ||
			    !expect_eq(trial.base, cases[i].speed))
				tap_note("case %u from %u on", i, starts[j]);
		}
	}
}

/* Four periods and 50 ticks, but no more than 16 periods. */
static void test_turn(void)
{
	static const struct measurement cases[] = {
		{ 1000, 500, 400, 4000, 100000 }, { 1000, 500, 50, 4000, 12500 },
		{ 1000, 4000, 50, 4000, 12500 }, { 1000, 9000, 50, 9000, 5555 },
		{ 1000, 500, 49, 16000, 3062 }, { 1000, 500, 0, 16000, 0 },
		{ 1000, 15999, 50, 15999, 3125 }, { 1000, 16000, 1, 16000, 62 },
		{ 50, 1, 50, 200, 250000 }, { LONGEST_MS, 1, 50, 480000, 104 },
		{ LONGEST_MS, 1, 49, 1920000, 25 },
	};
	static const u32 starts[] = { 0, UINT32_MAX - 3100, UINT32_MAX - 1000000 };
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (j = 0; j < ARRAY_SIZE(starts); j++) {
			begin(starts[j]);
			/* Compared with nothing: one begins behind the other. */
			expect_eq(step(0, 0, cases[i].period_ms), TRIAL_SAME);
			step(MOST_PERIODS * cases[i].period_ms, 0, cases[i].period_ms);
			for (k = 0; k < 3; k++) {
				is(TRIAL_HELP);
				if (!measure(&cases[i], TRIAL_SAME) ||
				    !expect_eq(trial.speed, cases[i].speed))
					tap_note("case %u from %u on", i, starts[j]);
				expect_eq(trial.begun_ms, now);
			}
		}
	}
}

/* It is measured by the longest period that there is now. */
static void test_another_period(void)
{
	begin(1000);
	expect_eq(step(0, 0, 1000), TRIAL_SAME);
	expect_eq(step(3000, 100, 1001), TRIAL_SAME);
	expect_eq(step(2999, 100, 2000), TRIAL_SAME);
	expect_eq(step(1, 0, 2000), TRIAL_HELPS);
	expect_eq(step(6000, 1000, 2000), TRIAL_SAME);
	expect_eq(trial.begun_ms, 7000);
	expect_eq(step(0, 0, 1500), TRIAL_SAME);
	expect_eq(trial.begun_ms, 13000);
	expect_eq(trial.speed, 166666);
}

static void test_slower(void)
{
	/* A twentieth is not more than a twentieth. */
	begin(10000);
	base(1000, 1000);
	expect_eq(turn(949, 1000), TRIAL_SAME);
	expect_eq(trial.slower, 1);
	begin(10000);
	base(1000, 1000);
	expect_eq(turn(950, 1000), TRIAL_SAME);
	expect_eq(trial.slower, 0);
	/* Two, one after the other. */
	begin(10000);
	base(1000, 1000);
	expect_eq(turn(949, 1000), TRIAL_SAME);
	is(TRIAL_HELP);
	expect_eq(turn(1200, 1000), TRIAL_SAME);
	expect_eq(trial.slower, 0);
	expect_eq(turn(858, 1000), TRIAL_SAME);
	expect_eq(trial.slower, 1);
	expect_eq(turn(1200, 1000), TRIAL_SAME);
	expect_eq(turn(858, 1000), TRIAL_SAME);
	expect_eq(turn(1200, 1000), TRIAL_SAME);
	expect_eq(turn(858, 1000), TRIAL_SAME);
	is(TRIAL_HELP);
	expect_eq(turn(949, 1000), TRIAL_SLOWER);
	is(TRIAL_LEFT);
	expect_eq(trial.speed, 949000);
	expect_eq(trial.base, 1000000);
	expect_eq(trial.begun_ms, now + LEFT_PERIODS * 1000);
}

/* However slow it is, one alone says nothing: it may be chance. */
static void test_slower_once(void)
{
	static const struct {
		u32 before, ticks;
		enum trial_change change;
	} cases[] = {
		{ 0, 664, TRIAL_SAME }, { 0, 600, TRIAL_SAME }, { 0, 13, TRIAL_SAME },
		{ 665, 664, TRIAL_SAME }, { 700, 13, TRIAL_SAME }, { 900, 13, TRIAL_SAME },
		{ 664, 13, TRIAL_SLOWER }, { 13, 664, TRIAL_SLOWER }, { 13, 13, TRIAL_SLOWER },
		{ 664, 665, TRIAL_PAUSES }, { 13, 800, TRIAL_SAME },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(UINT32_MAX - 9000);
		base(700, 1000);
		if (cases[i].before)
			expect_eq(turn(cases[i].before, 1000), TRIAL_SAME);
		if (!expect_eq(turn(cases[i].ticks, 1000), cases[i].change))
			tap_note("%u after %u", cases[i].ticks, cases[i].before);
		expect_eq(trial.speed, cases[i].ticks * 1000);
		expect_eq(trial.tries, cases[i].change == TRIAL_SLOWER);
		if (cases[i].change == TRIAL_SLOWER)
			expect_eq(trial.begun_ms, now + LEFT_PERIODS * 1000);
	}
}

/* All that has to do with how much faster or slower, with numbers of which none is rounded. */
static void test_borders(void)
{
	u32 base, speed, before;

	for (base = 0; base < 300; base++) {
		for (speed = 0; speed < 400; speed++) {
			bool slow = speed * 20 < base * 19, doubt = speed < base + base / 7;

			for (before = 0; before < 2; before++) {
				enum trial_change want = slow ? TRIAL_SAME :
							 doubt ? TRIAL_PAUSES : TRIAL_SAME;

				if (slow && before)
					want = TRIAL_SLOWER;
				begin(5);
				trial = (struct trial){
					.state = TRIAL_HELP, .begun_ms = 5, .begun_work = work,
					.base = base, .turns = 1, .slower = before,
				};
				if (!expect_eq(step(1000000, speed, 62500), want) ||
				    !expect_eq(trial.speed, speed))
					tap_note("%u without help, %u with it, %u before", base,
						 speed, before);
			}
		}
	}
}

/* Left alone for 16 periods, and twice as long each time, up to a limit. */
static void test_left(void)
{
	static const u32 starts[] = { 10000, 4000000000u }, periods[] = { 50, 1000, LONGEST_MS };
	unsigned int i, j, k;

	for (j = 0; j < ARRAY_SIZE(starts); j++) {
		for (k = 0; k < ARRAY_SIZE(periods); k++) {
			begin(starts[j]);
			for (i = 0; i < 9; i++) {
				u32 left = periods[k] * (16u << (i < 6 ? i : 6));

				base(100, periods[k]);
				slower(periods[k]);
				expect_eq(trial.begun_ms, now + left);
				/* Whatever they do, and if there is none. */
				expect_eq(step(0, 0, periods[k]), TRIAL_SAME);
				expect_eq(step(left / 2, 1 << 30, 0), TRIAL_SAME);
				expect_eq(step(left - left / 2 - 1, 0, i % 2 * periods[k]),
					  TRIAL_SAME);
				if (!is(TRIAL_LEFT))
					tap_note("try %u, period %u", i, periods[k]);
				expect_eq(step(1, 0, i % 3 ? periods[k] : 0), TRIAL_AGAIN);
				is(TRIAL_NONE);
			}
		}
	}
}

/* Looked at late, as after a sleep, but not a half of all times later. */
static void test_left_late(void)
{
	begin(UINT32_MAX - 20000);
	base(100, 1000);
	slower(1000);
	expect_eq(step(INT32_MAX, 0, 1000), TRIAL_AGAIN);
	base(100, 1000);
}

/* Programs that do nothing are not slower, and are not measured for ever. */
static void test_idle(void)
{
	unsigned int i;

	begin(1000);
	expect_eq(step(0, 0, 1000), TRIAL_SAME);
	expect_eq(step(MOST_PERIODS * 1000 - 1, 0, 1000), TRIAL_SAME);
	expect_eq(step(1, 0, 1000), TRIAL_HELPS);
	expect_eq(trial.base, 0);
	for (i = 0; i < 300; i++) {
		expect_eq(step(MOST_PERIODS * 1000 - 1, 0, 1000), TRIAL_SAME);
		expect_eq(trial.turns, i);
		expect_eq(step(1, 0, 1000), TRIAL_SAME);
		expect_eq(trial.turns, i + 1);
	}
	is(TRIAL_HELP);
	expect_eq(trial.slower, 0);
	/* They begin, and end. */
	expect_eq(turn(100, 1000), TRIAL_SAME);
	expect_eq(trial.speed, 100000);
	expect_eq(step(MOST_PERIODS * 1000, 0, 1000), TRIAL_SAME);
	expect_eq(step(MOST_PERIODS * 1000, 0, 1000), TRIAL_SAME);
	is(TRIAL_HELP);
	/* What worked without help, and does nothing with it, is slower. */
	begin(1000);
	base(100, 1000);
	expect_eq(step(MOST_PERIODS * 1000, 0, 1000), TRIAL_SAME);
	expect_eq(step(MOST_PERIODS * 1000 - 1, 0, 1000), TRIAL_SAME);
	is(TRIAL_HELP);
	expect_eq(step(1, 0, 1000), TRIAL_SLOWER);
	expect_eq(trial.speed, 0);
}

/* Nobody is to be helped any more, in each state. */
static void test_nobody(void)
{
	unsigned int i;

	begin(1000);
	for (i = 0; i < 3; i++) {
		expect_eq(step(100000, 1000, 0), TRIAL_SAME);
		is(TRIAL_NONE);
	}
	/* While it is measured: it begins anew, with what is done from then on. */
	expect_eq(step(0, 0, 1000), TRIAL_SAME);
	expect_eq(step(2999, 5000, 1000), TRIAL_SAME);
	expect_eq(step(1, 0, 0), TRIAL_SAME);
	is(TRIAL_NONE);
	expect_eq(step(50000, 5000, 1000), TRIAL_SAME);
	is(TRIAL_BASE);
	expect_eq(step(2999, 300, 1000), TRIAL_SAME);
	expect_eq(step(1, 0, 1000), TRIAL_HELPS);
	expect_eq(trial.base, 100000);
	/* With help: also when a measurement is over. One that was slow is forgotten. */
	expect_eq(turn(90, 1000), TRIAL_SAME);
	expect_eq(trial.slower, 1);
	expect_eq(turn(50, 0), TRIAL_SAME);
	is(TRIAL_NONE);
	base(100, 1000);
	slower(1000);
	/* Left alone: still, and for as long as it was said. */
	expect_eq(step(15999, 0, 0), TRIAL_SAME);
	is(TRIAL_LEFT);
	expect_eq(step(1, 0, 0), TRIAL_AGAIN);
	is(TRIAL_NONE);
	expect_eq(step(1, 0, 0), TRIAL_SAME);
	is(TRIAL_NONE);
	/* In a pause. */
	base(100, 1000);
	expect_eq(turn(100, 1000), TRIAL_SAME);
	expect_eq(turn(100, 1000), TRIAL_PAUSES);
	is(TRIAL_BASE);
	expect_eq(step(3000, 300, 0), TRIAL_SAME);
	is(TRIAL_NONE);
	/* How often it was tried is not forgotten. */
	base(100, 1000);
	slower(1000);
	expect_eq(trial.begun_ms, now + 2 * LEFT_PERIODS * 1000);
}

/* measure_again() - a pause, in which the speed without help is measured */
static void measure_again(u64 ticks, u32 period_ms)
{
	is(TRIAL_BASE);
	expect_eq(trial.begun_ms, now);
	expect_eq(step(BASE_PERIODS * period_ms - 1, BASE_PERIODS * ticks, period_ms), TRIAL_SAME);
	expect_eq(step(1, 0, period_ms), TRIAL_HELPS);
	is(TRIAL_HELP);
	expect_eq(trial.base, ticks * 1000000 / period_ms);
}

/* After two measurements that are not faster by a seventh, and twice as many each time. */
static void test_pauses(void)
{
	unsigned int i, j;

	begin(UINT32_MAX - 99999);
	base(700, 1000);
	for (i = 0; i < 10; i++) {
		unsigned int turns = 2u << (i < 6 ? i : 6);

		for (j = 1; j < turns; j++)
			expect_eq(turn(j % 2 ? 700 : 665, 1000), TRIAL_SAME);
		if (!expect_eq(turn(799, 1000), TRIAL_PAUSES))
			tap_note("pause %u", i);
		measure_again(700, 1000);
	}
	/* From the beginning. */
	expect_eq(step(0, 0, 0), TRIAL_SAME);
	base(700, 1000);
	expect_eq(turn(700, 1000), TRIAL_SAME);
	expect_eq(turn(700, 1000), TRIAL_PAUSES);
	/* Those that are faster are left as they are, until they are not. */
	begin(1000);
	base(700, 1000);
	for (i = 0; i < 500; i++)
		expect_eq(turn(800, 1000), TRIAL_SAME);
	is(TRIAL_HELP);
	expect_eq(turn(799, 1000), TRIAL_PAUSES);
}

/* Programs that wait for something else are slower only when they are by more than a sixth. */
static void test_paced(void)
{
	begin(1000);
	trial.paced = true;
	base(120, 1000);
	expect_eq(turn(101, 1000), TRIAL_SAME);
	expect_eq(turn(100, 1000), TRIAL_PAUSES);
	expect_eq(trial.slower, 0);
	begin(1000);
	trial.paced = true;
	base(120, 1000);
	expect_eq(turn(99, 1000), TRIAL_SAME);
	expect_eq(trial.slower, 1);
	expect_eq(turn(99, 1000), TRIAL_SLOWER);
}

/* One that is slow may be chance, and is not what a pause is for. */
static void test_pause_slower(void)
{
	begin(1000);
	base(1000, 1000);
	expect_eq(turn(1000, 1000), TRIAL_SAME);
	expect_eq(turn(900, 1000), TRIAL_SAME);
	is(TRIAL_HELP);
	expect_eq(trial.slower, 1);
	expect_eq(turn(1000, 1000), TRIAL_PAUSES);
	/* And it does not count after the pause. */
	begin(1000);
	base(1000, 1000);
	expect_eq(turn(900, 1000), TRIAL_SAME);
	expect_eq(turn(1000, 1000), TRIAL_PAUSES);
	measure_again(1000, 1000);
	expect_eq(turn(900, 1000), TRIAL_SAME);
	is(TRIAL_HELP);
	expect_eq(turn(900, 1000), TRIAL_SLOWER);
}

/* A slow beginning, as while a program reads its files, speaks for help until the first pause. */
static void test_slow_beginning(void)
{
	begin(1000);
	base(500, 1000);
	expect_eq(turn(550, 1000), TRIAL_SAME);
	expect_eq(turn(550, 1000), TRIAL_PAUSES);
	measure_again(1000, 1000);
	expect_eq(turn(550, 1000), TRIAL_SAME);
	expect_eq(turn(550, 1000), TRIAL_SLOWER);
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
			expect_eq(trials[0].pauses, trials[1].pauses);
			if (trials[0].state != TRIAL_NONE)
				expect_eq(trials[0].begun_ms - bases[0],
					  trials[1].begun_ms - bases[1]);
		}
	}
}

/* What a step says is what it does, whatever happens. */
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
							random_length(200), p);
			enum trial_state is = trial.state;

			expect_eq(change == TRIAL_HELPS, was == TRIAL_BASE && is == TRIAL_HELP);
			expect_eq(change == TRIAL_PAUSES, was == TRIAL_HELP && is == TRIAL_BASE);
			expect_eq(change == TRIAL_SLOWER, was == TRIAL_HELP && is == TRIAL_LEFT);
			expect_eq(change == TRIAL_AGAIN, was == TRIAL_LEFT && is == TRIAL_NONE);
			/* No help without a measurement, and nobody is left for nothing. */
			expect(is != TRIAL_HELP || was == TRIAL_BASE || was == TRIAL_HELP);
			expect(is != TRIAL_LEFT || was == TRIAL_LEFT || old.slower == 1);
			expect(was != TRIAL_LEFT || is != TRIAL_LEFT ||
			       (s32)(now - trial.begun_ms) < 0);
			old.tries += change == TRIAL_SLOWER && old.tries < 6;
			expect_eq(trial.tries, old.tries);
			expect(trial.pauses <= 6);
			if (!p && was != TRIAL_LEFT)
				expect_eq(is, TRIAL_NONE);
		}
	}
}

/*
 * Programs whose speed is known, looked at twice a second for 4000 periods: how much of the time
 * are they helped, in permille?
 */
static unsigned int helped(u32 without, u32 with, u32 noise, u32 period)
{
	u32 at, ms = 500, steps = 4000 * (period / ms), n = 0;
	u64 parts = 0;

	begin((u32)random_u64());
	for (at = 0; at < steps; at++) {
		u32 speed = trial_helps(&trial) ? with : without;

		n += trial_helps(&trial);
		speed += speed * (random_below(2 * noise + 1)) / 1000 - speed * noise / 1000;
		parts += (u64)speed * ms;
		step(ms, parts / 1000000, period);
		parts %= 1000000;
	}
	return n * 1000ull / steps;
}

static void test_known(void)
{
	static const struct {
		u32 without, with, noise, least, most;
	} cases[] = {
		{ 50000, 100000, 50, 990, 1000 }, { 50000, 60000, 50, 990, 1000 },
		/* The pauses: three periods after 8, 16, ... 512. */
		{ 50000, 50000, 25, 970, 995 }, { 50000, 49000, 25, 970, 995 },
		/* Of each try 8 periods are lost, or 32 with nearly no work; there are nine. */
		{ 50000, 46000, 25, 5, 25 }, { 50000, 25000, 50, 5, 20 },
		{ 50000, 5000, 50, 5, 72 },
		/* Idle ones: as if nothing were wrong. */
		{ 0, 0, 0, 990, 1000 },
	};
	static const u32 periods[] = { 500, 1000, 4500, 20000, LONGEST_MS };
	unsigned int i, j, noise;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (j = 0; j < ARRAY_SIZE(periods); j++) {
			for (noise = 0; noise <= cases[i].noise; noise += 25) {
				unsigned int part = helped(cases[i].without, cases[i].with, noise,
							   periods[j]);

				if (!expect(part >= cases[i].least && part <= cases[i].most))
					tap_note("%u to %u, noise %u, period %u: %u permille",
						 cases[i].without, cases[i].with, noise,
						 periods[j], part);
			}
		}
	}
}

int main(int argc, char **argv)
{
	static const struct tap_case cases[] = {
		{ "the speed without help is measured first", test_base },
		{ "measurements with help", test_turn },
		{ "a period that changes", test_another_period },
		{ "slower, in two measurements one after the other", test_slower },
		{ "one slow measurement alone", test_slower_once },
		{ "how much is slower, and how much is faster", test_borders },
		{ "left alone, longer each time", test_left },
		{ "left alone, and looked at late", test_left_late },
		{ "programs that do nothing", test_idle },
		{ "nobody is to be helped any more", test_nobody },
		{ "pauses, more seldom each time", test_pauses },
		{ "programs that wait for something else", test_paced },
		{ "a pause and a slow measurement", test_pause_slower },
		{ "a slow beginning", test_slow_beginning },
		{ "milliseconds wrap round", test_wrap },
		{ "random steps", test_random },
		{ "programs whose speed is known", test_known },
	};

	return tap_main("trial", cases, ARRAY_SIZE(cases), argc, argv);
}
