// SPDX-License-Identifier: GPL-2.0
/*
 * The header in C++: a program that uses all that is inline in it, as TAP.
 */
#include <cstdio>
#include <cstring>
#include <marvin.h>

/* A stub that is part of something else, as a C++ program would have it. */
class Samples {
	marvin_stub stub;

public:
	explicit Samples(size_t n) { marvin_init(&stub, n * sizeof(double)); }
	~Samples() { marvin_fini(&stub); }
	Samples(const Samples &) = delete;
	Samples &operator=(const Samples &) = delete;

	void set(size_t i, double value)
	{
		static_cast<double *>(marvin_write(&stub))[i] = value;
	}

	double get(size_t i)
	{
		return static_cast<const double *>(marvin_read(&stub))[i];
	}
};

static bool use()
{
	Samples samples(100000);
	struct marvin_stats stats;	/* a function has the same name */
	bool right = true;

	marvin_enter();
	for (size_t i = 0; i < 100000; i++)
		samples.set(i, i * 0.5);
	marvin_leave();
	for (int i = 0; i < 6; i++)
		marvin_tick(1000);
	marvin_drop(UINT64_MAX);
	marvin_enter();
	for (size_t i = 0; i < 100000; i++)
		right = right && samples.get(i) == i * 0.5;
	marvin_leave();
	marvin_stats(&stats);
	return right && stats.loaded == 1;
}

int main()
{
	marvin_options options = {};
	bool good;

	options.store = "/var/tmp/";
	options.no_thread = true;
	good = !marvin_open(&options) && use() && !marvin_close();
	std::printf("1..1\n%s 1 - the header in C++\n", good ? "ok" : "not ok");
	return !good;
}
