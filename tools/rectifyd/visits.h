/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Visits of apps to the front, by page tables: which pages were out before a visit, which came in
 * during it, and which pages of an app at the back go out.
 */
#ifndef RECTIFYD_VISITS_H
#define RECTIFYD_VISITS_H

#include "apps.h"

/* The next chunk to be pushed; a NULL member: none. */
struct visit_cursor {
	struct member *member;
	uint32_t chunk;
};

void visit_begin(const struct config *config, struct app *app, uint32_t now_ms, uint64_t taken,
		 bool early);
void visit_end(struct app *app, uint32_t now_ms, bool doubt, struct usage_sums *sums);
void visit_read_out(struct app *app, uint32_t now_ms, uint64_t taken);
bool visit_push(struct visit_cursor *cursor, bool others);

#endif
