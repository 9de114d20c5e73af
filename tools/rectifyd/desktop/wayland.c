// SPDX-License-Identifier: GPL-2.0
/*
 * rectify-wayland: tell rectifyd which app is in front on a Wayland desktop whose compositor has
 * the protocol wlr-foreign-toplevel-management.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <wayland-client.h>
#include "tell.h"
#include "wlr-foreign-toplevel.h"

static const char usage[] =
	"usage: rectify-wayland [--map APP_ID=NAME]... [-s SOCKET | --command CMD | --print]\n"
	"Tells rectifyd which app is in front, as the compositor says.\n"
	"\n"
	"  --map APP_ID=NAME   the app that calls itself APP_ID is NAME for rectifyd;\n"
	"                      without, its name is the APP_ID\n"
	TELL_USAGE;

static struct {
	const struct options *options;
	struct wl_display *display;
	struct zwlr_foreign_toplevel_manager_v1 *manager;
	struct toplevels toplevels;
	bool finished;			/* the compositor sends no more events of windows */
} wayland;

static void on_title(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, const char *title)
{
	(void)data;
	(void)handle;
	(void)title;
}

static void on_app_id(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle, const char *id)
{
	(void)handle;
	toplevel_app_id(data, id);
}

static void on_output(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle,
		      struct wl_output *output)
{
	(void)data;
	(void)handle;
	(void)output;
}

static void on_state(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle,
		     struct wl_array *states)
{
	struct toplevel *toplevel = data;
	const uint32_t *state = states->data;
	size_t i;

	(void)handle;
	toplevel->active = false;
	for (i = 0; i < states->size / sizeof(*state); i++)
		if (state[i] == ZWLR_FOREIGN_TOPLEVEL_HANDLE_V1_STATE_ACTIVATED)
			toplevel->active = true;
}

static void on_done(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle)
{
	(void)handle;
	toplevel_done(&wayland.toplevels, data);
}

static void on_closed(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle)
{
	toplevel_closed(&wayland.toplevels, data);
	zwlr_foreign_toplevel_handle_v1_destroy(handle);
	free(data);
}

static void on_parent(void *data, struct zwlr_foreign_toplevel_handle_v1 *handle,
		      struct zwlr_foreign_toplevel_handle_v1 *parent)
{
	(void)data;
	(void)handle;
	(void)parent;
}

static const struct zwlr_foreign_toplevel_handle_v1_listener window_events = {
	.title = on_title,
	.app_id = on_app_id,
	.output_enter = on_output,
	.output_leave = on_output,
	.state = on_state,
	.done = on_done,
	.closed = on_closed,
	.parent = on_parent,
};

static void on_toplevel(void *data, struct zwlr_foreign_toplevel_manager_v1 *manager,
			struct zwlr_foreign_toplevel_handle_v1 *handle)
{
	struct toplevel *toplevel = calloc(1, sizeof(*toplevel));

	(void)data;
	(void)manager;
	if (!toplevel)
		err(STATUS_FAILED, "no memory for a window");
	zwlr_foreign_toplevel_handle_v1_add_listener(handle, &window_events, toplevel);
}

static void on_finished(void *data, struct zwlr_foreign_toplevel_manager_v1 *manager)
{
	(void)data;
	zwlr_foreign_toplevel_manager_v1_destroy(manager);
	wayland.manager = NULL;
	wayland.finished = true;
}

static const struct zwlr_foreign_toplevel_manager_v1_listener manager_events = {
	.toplevel = on_toplevel,
	.finished = on_finished,
};

static void on_global(void *data, struct wl_registry *registry, uint32_t id, const char *name,
		      uint32_t version)
{
	(void)data;
	(void)version;
	if (wayland.manager || strcmp(name, zwlr_foreign_toplevel_manager_v1_interface.name))
		return;
	/* Version 1 has all events that we need. */
	wayland.manager = wl_registry_bind(registry, id,
					   &zwlr_foreign_toplevel_manager_v1_interface, 1);
	if (wayland.manager)
		zwlr_foreign_toplevel_manager_v1_add_listener(wayland.manager,
							      &manager_events, NULL);
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t id)
{
	(void)data;
	(void)registry;
	(void)id;
}

static const struct wl_registry_listener registry_events = {
	.global = on_global,
	.global_remove = on_global_remove,
};

/* read_some() - 1: something was read; 0: nothing to read; -1: the compositor is gone */
static int read_some(void)
{
	struct wl_display *display = wayland.display;
	struct pollfd ready = { .fd = wl_display_get_fd(display), .events = POLLIN };

	if (wl_display_prepare_read(display))
		return wl_display_dispatch_pending(display) < 0 ? -1 : 1;
	if (wl_display_flush(display) < 0 && errno != EAGAIN) {
		wl_display_cancel_read(display);
		return -1;
	}
	if (poll(&ready, 1, 0) != 1) {
		wl_display_cancel_read(display);
		return 0;
	}
	if (wl_display_read_events(display) || wl_display_dispatch_pending(display) < 0)
		return -1;
	return 1;
}

static bool take_events(char name[FRONT_NAME])
{
	int got;

	do {
		got = read_some();
	} while (got > 0 && !wayland.finished);
	if (got < 0) {
		warnx("the compositor is gone: %s",
		      strerror(wl_display_get_error(wayland.display)));
		return false;
	}
	if (wayland.finished) {
		warnx("the compositor tells of no windows any more");
		return false;
	}
	if (!name_of_id(&wayland.options->maps, toplevel_front(&wayland.toplevels), name))
		name[0] = '\0';
	return true;
}

static int connect_wayland(const struct options *options)
{
	struct wl_registry *registry;

	wayland.options = options;
	wayland.display = wl_display_connect(NULL);
	if (!wayland.display) {
		warn("no Wayland compositor at WAYLAND_DISPLAY=%s",
		     getenv("WAYLAND_DISPLAY") ?: "");
		return -1;
	}
	registry = wl_display_get_registry(wayland.display);
	wl_registry_add_listener(registry, &registry_events, NULL);
	if (wl_display_roundtrip(wayland.display) < 0) {
		warnx("the compositor is gone");
		return -1;
	}
	if (!wayland.manager) {
		warnx("this compositor does not have the protocol %s",
		      zwlr_foreign_toplevel_manager_v1_interface.name);
		return -1;
	}
	return wl_display_get_fd(wayland.display);
}

static void disconnect_wayland(void)
{
	if (wayland.display)
		wl_display_disconnect(wayland.display);
}

int main(int argc, char **argv)
{
	static const struct watcher watcher = {
		.usage = usage, .maps = true,
		.connect = connect_wayland, .take = take_events, .disconnect = disconnect_wayland,
	};

	return tell_main(&watcher, argc, argv);
}
