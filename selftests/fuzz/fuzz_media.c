// SPDX-License-Identifier: GPL-2.0
/*
 * Fragments on the media: a sealed fragment, and one that is only input. The input then damages
 * both. A fragment may be accepted only if its bytes, its length and its identity are those that
 * were sealed.
 */
#include "fuzz.h"
#include "media.h"

#include <linux/errno.h>

#define PAYLOAD_MAX	4200U

static struct mtdc_media_id take_id(struct input *in, u32 nonce)
{
	return (struct mtdc_media_id) {
		.nonce = nonce,
		.page = take_bytes(in, 2),
		.generation = take_below(in, 1021),
		.nr = take_below(in, 64),
	};
}

static bool same_id(const struct mtdc_media_id *a, const struct mtdc_media_id *b)
{
	return a->nonce == b->nonce && a->page == b->page &&
		a->generation == b->generation && a->nr == b->nr;
}

/* Change bytes, or a field of the expected identity. */
static void damage(struct input *in, u8 *fragment, u32 *payload, struct mtdc_media_id *id)
{
	u32 bytes = *payload + MTDC_FRAGMENT_BYTES, at, n;

	switch (take_below(in, 8)) {
	case 0:
		id->nonce ^= take_bytes(in, 4);
		break;
	case 1:
		id->page = take_bytes(in, 4);
		break;
	case 2:
		id->generation = take_below(in, 1021);
		break;
	case 3:
		id->nr = take_below(in, 64);
		break;
	case 4:
		/* A longer payload would reach past the buffer. */
		*payload = take_below(in, *payload + 1);
		break;
	case 5:
		at = take_below(in, bytes);
		n = take_below(in, bytes - at) + 1;
		memset(fragment + at, take(in), n);
		break;
	default:
		for (n = take_below(in, 8) + 1; n; n--)
			fragment[take_below(in, bytes)] ^= take(in);
	}
}

static void sealed(struct input *in, u32 nonce)
{
	struct mtdc_media_id id = take_id(in, nonce), want = id;
	u32 payload = take_below(in, PAYLOAD_MAX), len = payload, i;
	u8 *fragment = malloc(payload + MTDC_FRAGMENT_BYTES), *copy;
	bool same;
	int err;

	must_be(fragment);
	for (i = 0; i < payload; i++)
		fragment[MTDC_FRAGMENT_BYTES + i] = i < 32 ? take(in) : i * 7;
	mtdc_media_seal(fragment, payload, &id);
	must_be(!mtdc_media_verify(fragment, payload, &id));
	copy = exact_copy(fragment, payload + MTDC_FRAGMENT_BYTES);
	while (in->left) {
		damage(in, copy, &len, &want);
		same = len == payload && same_id(&id, &want) &&
			!memcmp(fragment, copy, payload + MTDC_FRAGMENT_BYTES);
		err = mtdc_media_verify(copy, len, &want);
		must_be(err == (same ? 0 : -EBADMSG));
	}
	free(copy);
	free(fragment);
}

static void garbage(struct input *in, u32 nonce)
{
	struct mtdc_media_id id = take_id(in, nonce);
	u8 *fragment, *again;

	if (in->left < MTDC_FRAGMENT_BYTES)
		return;
	fragment = exact_copy(in->at, in->left);
	again = exact_copy(in->at, in->left);
	mtdc_media_seal(again, in->left - MTDC_FRAGMENT_BYTES, &id);
	must_be(!mtdc_media_verify(fragment, in->left - MTDC_FRAGMENT_BYTES, &id) ==
		!memcmp(fragment, again, in->left));
	free(again);
	free(fragment);
}

int fuzz_one(const u8 *data, size_t bytes)
{
	u32 nonce = input_nonce(data, bytes);
	struct input in = { data, bytes };

	if (take(&in) & 1)
		garbage(&in, nonce);
	else
		sealed(&in, nonce);
	return 0;
}
