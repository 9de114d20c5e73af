// SPDX-License-Identifier: GPL-2.0
/*
 * The header in C++, as TAP: objects and containers by their addresses, and pins that end with a
 * block.
 */
#include <cstdio>
#include <map>
#include <marvin.h>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

static struct marvin *heap;

/* Containers take their memory from the heap; what they refer to is an address as any other. */
template <typename T>
struct Allocator {
	using value_type = T;

	Allocator() = default;
	template <typename U>
	Allocator(const Allocator<U> &) {}

	T *allocate(size_t n)
	{
		void *at = marvin_new_aligned(heap, n * sizeof(T), alignof(T));

		if (!at)
			throw std::bad_alloc();
		return static_cast<T *>(at);
	}

	void deallocate(T *at, size_t) { marvin_free(heap, at); }

	template <typename U>
	bool operator==(const Allocator<U> &) const { return true; }
	template <typename U>
	bool operator!=(const Allocator<U> &) const { return false; }
};

using String = std::basic_string<char, std::char_traits<char>, Allocator<char>>;
using Map = std::map<int, String, std::less<int>, Allocator<std::pair<const int, String>>>;
using Vector = std::vector<double, Allocator<double>>;

struct alignas(64) Line {
	int value;
	Line *next;
};

/* A function has the same name as the struct. */
static struct marvin_stats stats()
{
	struct marvin_stats now = MARVIN_STATS;

	marvin_stats(heap, &now);
	return now;
}

/* away() - all is saved, and the memory gone */
static void away()
{
	marvin_background(heap, true);
	marvin_background(heap, false);
}

static bool use_containers()
{
	bool right = true;
	Vector numbers;
	Map names;

	for (int i = 0; i < 100000; i++)
		numbers.push_back(i * 0.5);
	for (int i = 0; i < 1000; i++)
		names[i] = String("a name that has no room in the string itself, ") +
			   std::to_string(i).c_str();
	away();
	for (int i = 0; i < 100000; i++)
		right = right && numbers[i] == i * 0.5;
	for (const auto &name : names)
		right = right && name.second.substr(46) == std::to_string(name.first).c_str();
	names.erase(names.begin(), names.find(500));
	numbers.resize(200000, 7.5);
	away();
	return right && names.size() == 500 && numbers[150000] == 7.5 && numbers[99999] == 49999.5 &&
	       stats().loaded > 100000;
}

static bool use_pointers()
{
	Line *first = nullptr;
	Allocator<Line> lines;
	int sum = 0;

	for (int i = 1; i <= 1000; i++)
		first = new (lines.allocate(1)) Line{ i, first };
	away();
	for (const Line *line = first; line; line = line->next)
		sum += line->value;
	while (first) {
		Line *next = first->next;

		lines.deallocate(first, 1);
		first = next;
	}
	return sum == 500500;
}

static bool use_pins()
{
	auto *object = static_cast<char *>(marvin_new(heap, 100000));
	bool right;

	{
		libmarvin::pin pin(heap, object, 100000);
		libmarvin::pin outside(heap, &object, 1);

		right = !pin.err() && outside.err() < 0;
		object[50000] = 1;
		away();
		/* It stayed in memory. */
		right = right && stats().unsaved >= 100000 / 2;
	}
	away();
	right = right && !stats().unsaved && object[50000] == 1;
	{
		MARVIN_PINNED pin = marvin_pinned(heap, object, 100000);

		right = right && !pin.err;
	}
	marvin_free(heap, object);
	return right && !std::is_copy_constructible<libmarvin::pin>::value &&
	       !std::is_copy_assignable<libmarvin::pin>::value;
}

static unsigned int number, failures;

static void result(bool right, const char *what)
{
	std::printf("%sok %u - %s\n", right ? "" : "not ", ++number, what);
	failures += !right;
}

int main()
{
	marvin_options options = MARVIN_OPTIONS;

	options.store = "/var/tmp/";
	options.no_thread = true;
	std::printf("1..4\n");
	if (marvin_open(&heap, &options)) {
		std::printf("Bail out! no heap\n");
		return 1;
	}
	result(use_containers(), "containers");
	result(use_pointers(), "pointers");
	result(use_pins(), "pins");
	result(!stats().objects && !stats().bytes && !marvin_close(heap), "all is free");
	return failures;
}
