// SPDX-License-Identifier: GPL-2.0
/*
 * Packed values and pairs in buffers of exactly their size against plain models; and the
 * definitions of fields.
 */
#include <stdbool.h>
#include <stdint.h>
#include "harness.h"
#include "hashed.h"
#include "layout.h"
#include "packed.h"

#define CELLS 60
#define KEYS 200

/* A value of the model; its text is in a place of its own. */
struct model {
	enum packed_tag tag;
	u64 bits;
	u32 size;
	char text[64];
};

static struct model random_model(void)
{
	static const enum packed_tag tags[] = {
		PACKED_FALSE, PACKED_TRUE, PACKED_INTEGER, PACKED_FLOAT, PACKED_POINTER,
		PACKED_TEXT, PACKED_TEXT, PACKED_TEXT, PACKED_REF,
	};
	struct model model = { .tag = tags[random_below(ARRAY_SIZE(tags))] };
	u32 i;

	if (model.tag == PACKED_TEXT) {
		model.size = random_below(sizeof(model.text) + 1);
		for (i = 0; i < model.size; i++)
			model.text[i] = (char)random_below(4);
	} else if (model.tag >= PACKED_INTEGER) {
		model.bits = random_below(100);
		model.size = model.tag == PACKED_REF ? random_below(100) : 0;
	}
	return model;
}

static struct packed_value value_of(const struct model *model)
{
	struct packed_value value = { .tag = model->tag, .size = model->size };

	if (model->tag == PACKED_TEXT)
		value.text = model->text;
	else
		value.bits = model->bits;
	return value;
}

static bool is_same(const struct packed *packed, const void *buffer, size_t nr,
		    const struct model *model)
{
	struct packed_value value;

	packed_get(packed, buffer, nr, &value);
	if (value.tag != model->tag || value.size != model->size)
		return false;
	return model->tag == PACKED_TEXT ? !memcmp(value.text, model->text, model->size) :
					   value.bits == model->bits;
}

/* The texts that are there have as many bytes as are used and no garbage. */
static bool adds_up(const struct packed *packed, const void *buffer)
{
	struct packed_value value;
	size_t nr, sum = 0;

	for (nr = 0; nr < packed->cells; nr++) {
		packed_get(packed, buffer, nr, &value);
		sum += value.tag == PACKED_TEXT ? value.size : 0;
	}
	return sum == packed->used - packed->garbage && packed->used <= packed->text;
}

static void *replace(struct packed *packed, void *buffer, size_t cells, size_t more)
{
	struct packed next = { .cells = packed->cells, .text = packed_wanted(packed, more) };
	void *to = test_alloc(packed_bytes(next.cells, next.text));

	packed_move(packed, buffer, &next, to, cells);
	expect(!next.garbage);
	free(buffer);
	*packed = next;
	return to;
}

static void test_row(void)
{
	struct packed packed = { .cells = CELLS, .text = 64 };
	void *buffer = test_alloc(packed_bytes(CELLS, 64));
	struct model row[CELLS] = { 0 };
	u64 op, wrong = 0, moves = 0;
	size_t n = 0, nr;

	for (op = 0; op < tap.ops / 4; op++) {
		struct model model = random_model();
		struct packed_value value = value_of(&model);
		u32 what = random_below(4);

		nr = random_below(n + 1);
		if (what == 0 && nr < n) {
			packed_remove(&packed, buffer, nr, n--);
			memmove(&row[nr], &row[nr + 1], (n - nr) * sizeof(row[0]));
			continue;
		}
		if (!packed_has_room(&packed, &value)) {
			buffer = replace(&packed, buffer, n, value.size);
			moves++;
		}
		expect(packed_has_room(&packed, &value));
		if (what == 1 || nr == n) {
			if (n == CELLS)
				continue;
			packed_insert(buffer, nr, n);
			memmove(&row[nr + 1], &row[nr], (n++ - nr) * sizeof(row[0]));
		}
		packed_put(&packed, buffer, nr, &value);
		row[nr] = model;
		nr = random_below(n);
		wrong += !is_same(&packed, buffer, nr, &row[nr]);
		if (op % 100 == 0)
			wrong += !adds_up(&packed, buffer);
	}
	expect_eq(wrong, 0);
	for (nr = 0; nr < n; nr++)
		expect(is_same(&packed, buffer, nr, &row[nr]));
	/* Half of it at least is free after each move, so there are few, and it stays small. */
	expect(moves > 10 && moves < tap.ops / 20);
	expect(packed.text <= 64 * CELLS * 4);
	free(buffer);
}

/* Pairs: the model is a table of keys; a search compares one key after the other. */
struct pair {
	bool is;
	struct model key, value;
};

static struct pair pairs[KEYS];

static bool same_key(const struct model *a, const struct model *b)
{
	if (a->tag != b->tag)
		return false;
	return a->tag == PACKED_TEXT ? a->size == b->size && !memcmp(a->text, b->text, a->size) :
				       a->bits == b->bits;
}

static struct pair *model_find(const struct model *key)
{
	unsigned int i;

	for (i = 0; i < KEYS; i++)
		if (pairs[i].is && same_key(&pairs[i].key, key))
			return &pairs[i];
	return NULL;
}

static struct pair *model_add(const struct model *key)
{
	unsigned int i;

	for (i = 0; i < KEYS; i++) {
		if (!pairs[i].is) {
			pairs[i] = (struct pair){ .is = true, .key = *key };
			return &pairs[i];
		}
	}
	return NULL;
}

static void *hashed_replace(struct hashed *hashed, void *buffer, bool keep, size_t more)
{
	struct hashed next = { .seed = hashed->seed };
	void *to;

	next.packed.cells = keep ? hashed->packed.cells : 2 * hashed_wanted(hashed);
	next.packed.text = packed_wanted(&hashed->packed, more);
	to = test_alloc(packed_bytes(next.packed.cells, next.packed.text));
	if (keep)
		hashed_copy(hashed, buffer, &next, to);
	else
		hashed_move(hashed, buffer, &next, to);
	expect(next.count == hashed->count && (keep || !next.dead));
	free(buffer);
	*hashed = next;
	return to;
}

static void *put(struct hashed *hashed, void *buffer, const struct model *key,
		 const struct model *value)
{
	struct packed_value k = value_of(key), v = value_of(value);
	size_t pair = hashed_find(hashed, buffer, &k), more = 0;
	struct pair *model = model_find(key);

	expect_eq(pair != HASHED_NONE, model != NULL);
	if (pair == HASHED_NONE && !model) {
		model = model_add(key);
		if (!model)
			return buffer;
	}
	model->value = *value;
	more += v.tag == PACKED_TEXT ? v.size : 0;
	more += k.tag == PACKED_TEXT && pair == HASHED_NONE ? k.size : 0;
	if (pair == HASHED_NONE && hashed_is_crowded(hashed))
		buffer = hashed_replace(hashed, buffer, false, more);
	else if (more > hashed->packed.text - hashed->packed.used)
		buffer = hashed_replace(hashed, buffer, true, more);
	if (pair == HASHED_NONE)
		pair = hashed_add(hashed, buffer, &k);
	packed_put(&hashed->packed, buffer, 2 * pair + 1, &v);
	return buffer;
}

/* All pairs are in the model, and as many as there. */
static void check_pairs(const struct hashed *hashed, const void *buffer)
{
	size_t pair, n = 0, models = 0;
	unsigned int i;

	for (pair = 0; (pair = hashed_next(hashed, buffer, pair)) != HASHED_NONE; pair++)
		n++;
	for (i = 0; i < KEYS; i++) {
		struct packed_value key = value_of(&pairs[i].key);

		if (!pairs[i].is)
			continue;
		models++;
		pair = hashed_find(hashed, buffer, &key);
		expect(pair != HASHED_NONE &&
		       is_same(&hashed->packed, buffer, 2 * pair + 1, &pairs[i].value));
	}
	expect_eq(n, models);
	expect_eq(hashed->count, models);
	expect(adds_up(&hashed->packed, buffer));
}

static void test_pairs(void)
{
	struct hashed hashed = { .packed = { .cells = 16, .text = 64 }, .seed = 7 };
	void *buffer = test_alloc(packed_bytes(16, 64));
	u64 op;

	memset(pairs, 0, sizeof(pairs));
	for (op = 0; op < tap.ops / 10; op++) {
		struct model key = random_model(), value = random_model();
		struct pair *model = random_below(3) ? model_find(&key) :
						       &pairs[random_below(KEYS)];

		if (model && model->is && random_below(2)) {
			struct packed_value k = value_of(&model->key);

			hashed_remove(&hashed, buffer, hashed_find(&hashed, buffer, &k));
			model->is = false;
		} else {
			buffer = put(&hashed, buffer, &key, &value);
		}
		if (op % 1000 == 0)
			check_pairs(&hashed, buffer);
	}
	check_pairs(&hashed, buffer);
	expect(hashed.packed.cells <= 4096);
	free(buffer);
}

static void test_sizes(void)
{
	struct packed full = { .text = SIZE_MAX / 4, .used = SIZE_MAX / 4 };

	expect_eq(packed_bytes(0, 1), 1);
	expect_eq(packed_bytes(2, 3), 2 * sizeof(struct packed_cell) + 3);
	expect_eq(packed_bytes(SIZE_MAX / 4, 1), 0);
	expect_eq(packed_bytes(1, SIZE_MAX / 2), 0);
	expect_eq(packed_bytes(1, packed_wanted(&full, PACKED_LONGEST)), 0);
}

static void test_layout(void)
{
	static const char *const bad[] = {
		"", "f64", "f64 ", "f64 1", "f64 a b", "f32 x", "bytes x", "bytes[] x", "i32\tx",
		"bytes[0] x", "bytes[-1] x", "bytes[1 x", "bytes[9999999999999999999999] x",
		" f64 x", "f64x",
	};
	struct field fields[4];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!expect(!layout_read(bad[i], &fields[0])))
			tap_note("\"%s\"", bad[i]);
	expect(layout_read("bytes[3] tag", &fields[0]) && layout_read("f64  _x1", &fields[1]) &&
	       layout_read("i32 y", &fields[2]) && layout_read("bytes[1048576] z", &fields[3]));
	expect(!strcmp(fields[1].name, "_x1"));
	expect_eq(layout_place(fields, 4), 8 + 8 + 4 + 1048576 + 4);
	expect_eq(fields[0].at, 0);
	expect_eq(fields[1].at, 8);
	expect_eq(fields[2].at, 16);
	expect_eq(fields[3].at, 20);
	expect_eq(layout_place(fields, 1), 3);
}

static const struct tap_case cases[] = {
	{ "a row of values, and buffers that follow each other", test_row },
	{ "pairs of keys and values", test_pairs },
	{ "sizes that cannot be", test_sizes },
	{ "fields of records", test_layout },
};

int main(int argc, char **argv)
{
	return tap_main("packed", cases, ARRAY_SIZE(cases), argc, argv);
}
