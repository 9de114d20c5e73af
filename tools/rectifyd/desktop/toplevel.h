/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows of a Wayland compositor, of which it tells piece by piece. PURE.
 */
#ifndef DESKTOP_TOPLEVEL_H
#define DESKTOP_TOPLEVEL_H

#include <stdbool.h>

#define TOPLEVEL_ID 256

struct toplevel {
	char app_id[TOPLEVEL_ID];	/* "": not told, or too long */
	bool active;			/* as it will be at the next "done", */
	bool was_active;		/* and as it was at the last one */
};

struct toplevels {
	const struct toplevel *front;	/* the last one that became active; NULL: none */
};

void toplevel_app_id(struct toplevel *toplevel, const char *text);
void toplevel_done(struct toplevels *all, struct toplevel *toplevel);
void toplevel_closed(struct toplevels *all, const struct toplevel *toplevel);
const char *toplevel_front(const struct toplevels *all);

#endif
