// SPDX-License-Identifier: GPL-2.0
/*
 * rectify-x11: tell rectifyd which app is in front on an X11 desktop.
 */
#include <err.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xcb/xcb.h>
#include "tell.h"

static const char usage[] =
	"usage: rectify-x11 [-p GROUP] [-s SOCKET | --command CMD | --print]\n"
	"Tells rectifyd which app is in front, as the window manager says.\n"
	"\n"
	"  -p GROUP        as of rectifyd: each child of this control group is an app;\n"
	"                  other processes are known by their ids\n"
	TELL_USAGE;

static struct {
	const struct options *options;
	xcb_connection_t *connection;
	xcb_window_t root;
	xcb_atom_t active;		/* _NET_ACTIVE_WINDOW */
	xcb_atom_t pid;			/* _NET_WM_PID */
	char host[HOST_NAME_MAX + 1];	/* name of this machine */
	xcb_window_t window;		/* the active window, whose events we get; 0: none */
	bool stale;			/* an event may have changed the front: read it again */
	bool foreign_said;
	char name[FRONT_NAME];		/* as of the last look */
} x11 = { .stale = true };

static bool intern(const char *name, xcb_atom_t *atom)
{
	xcb_intern_atom_cookie_t cookie =
		xcb_intern_atom(x11.connection, 0, (uint16_t)strlen(name), name);
	xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(x11.connection, cookie, NULL);

	if (!reply)
		return false;
	*atom = reply->atom;
	free(reply);
	return true;
}

/*
 * property() - a property of a window, which the caller frees; NULL: the window has none of this
 * type, or is gone, which is no error
 */
static xcb_get_property_reply_t *property(xcb_window_t window, xcb_atom_t atom, xcb_atom_t type)
{
	xcb_get_property_cookie_t cookie = xcb_get_property(x11.connection, 0, window, atom, type,
							    0, HOST_NAME_MAX / 4);
	xcb_generic_error_t *error = NULL;
	xcb_get_property_reply_t *reply = xcb_get_property_reply(x11.connection, cookie, &error);

	free(error);
	if (reply && xcb_get_property_value_length(reply) > 0 &&
	    (type == XCB_GET_PROPERTY_TYPE_ANY || reply->type == type))
		return reply;
	free(reply);
	return NULL;
}

/* number() - a property of one number; 0: no such property */
static uint32_t number(xcb_window_t window, xcb_atom_t atom, xcb_atom_t type)
{
	xcb_get_property_reply_t *reply = property(window, atom, type);
	uint32_t value = 0;

	if (reply && reply->format == 32)
		memcpy(&value, xcb_get_property_value(reply), sizeof(value));
	free(reply);
	return value;
}

/* is_here() - is the window's process on this machine? Without the property we assume so. */
static bool is_here(xcb_window_t window)
{
	xcb_get_property_reply_t *reply = property(window, XCB_ATOM_WM_CLIENT_MACHINE,
						   XCB_GET_PROPERTY_TYPE_ANY);
	size_t len = strcspn(x11.host, ".");
	const char *text;
	size_t n;
	bool here;

	if (!reply)
		return true;
	text = xcb_get_property_value(reply);
	n = (size_t)xcb_get_property_value_length(reply);
	/* Either name may lack its domain. */
	here = n >= len && !memcmp(text, x11.host, len) &&
	       (n == len || text[len] == '.' || !text[len]);
	if (!here && !x11.foreign_said)
		warnx("a window is of the machine \"%.*s\", not of \"%s\": such ones are left out",
		      (int)n, text, x11.host);
	x11.foreign_said |= !here;
	free(reply);
	return here;
}

/*
 * listen_to() - get events when this window goes away. If no other window becomes active, some
 * window managers, such as openbox, still report the old one as active.
 */
static void listen_to(xcb_window_t window)
{
	static const uint32_t none, structure = XCB_EVENT_MASK_STRUCTURE_NOTIFY;

	if (window == x11.window)
		return;
	/* If the window is gone, the error comes as an event, which is_news() ignores. */
	if (x11.window)
		xcb_change_window_attributes(x11.connection, x11.window, XCB_CW_EVENT_MASK,
					     &none);
	if (window)
		xcb_change_window_attributes(x11.connection, window, XCB_CW_EVENT_MASK,
					     &structure);
	x11.window = window;
}

/* is_mapped() - not gone, nor an icon; on another workspace only its frame may be unmapped */
static bool is_mapped(xcb_window_t window)
{
	xcb_get_window_attributes_cookie_t cookie =
		xcb_get_window_attributes(x11.connection, window);
	xcb_generic_error_t *error = NULL;
	xcb_get_window_attributes_reply_t *reply =
		xcb_get_window_attributes_reply(x11.connection, cookie, &error);
	bool mapped = reply && reply->map_state != XCB_MAP_STATE_UNMAPPED;

	free(error);
	free(reply);
	return mapped;
}

static void read_front(void)
{
	xcb_window_t window = number(x11.root, x11.active, XCB_ATOM_WINDOW);
	uint32_t pid;

	x11.stale = false;
	x11.name[0] = '\0';
	/* The root window has no app, and listen_to() would replace its event mask. */
	if (window == x11.root)
		window = 0;
	/* Ask for events before reading, so that no change in between is missed. */
	listen_to(window);
	if (!window || !is_mapped(window))
		return;
	pid = number(window, x11.pid, XCB_ATOM_CARDINAL);
	if (!pid || pid > INT_MAX || !is_here(window) ||
	    !name_of_pid((pid_t)pid, x11.options->group, x11.name))
		x11.name[0] = '\0';
}

/* is_news() - may another window be in front after this event? */
static bool is_news(const xcb_generic_event_t *event)
{
	switch (event->response_type & 0x7f) {
	case XCB_PROPERTY_NOTIFY:
		return ((const xcb_property_notify_event_t *)event)->atom == x11.active;
	case XCB_DESTROY_NOTIFY:
	case XCB_UNMAP_NOTIFY:
	case XCB_MAP_NOTIFY:
		return true;
	}
	return false;
}

static bool take_events(char name[FRONT_NAME])
{
	xcb_generic_event_t *event;

	do {
		/* Waiting for a reply, xcb also reads events; poll() does not report these. */
		if (x11.stale)
			read_front();
		while ((event = xcb_poll_for_event(x11.connection))) {
			x11.stale |= is_news(event);
			free(event);
		}
		if (xcb_connection_has_error(x11.connection)) {
			warnx("the X server is gone");
			return false;
		}
	} while (x11.stale);
	strcpy(name, x11.name);
	return true;
}

static xcb_window_t root_of(int nr)
{
	xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(x11.connection));

	while (nr-- > 0 && screens.rem > 1)
		xcb_screen_next(&screens);
	return screens.data->root;
}

static int connect_x11(const struct options *options)
{
	static const uint32_t events[] = { XCB_EVENT_MASK_PROPERTY_CHANGE };
	xcb_get_property_reply_t *reply;
	int screen = 0;

	x11.options = options;
	gethostname(x11.host, sizeof(x11.host) - 1);
	x11.connection = xcb_connect(NULL, &screen);
	if (xcb_connection_has_error(x11.connection)) {
		warnx("no X server at DISPLAY=%s", getenv("DISPLAY") ?: "");
		return -1;
	}
	x11.root = root_of(screen);
	xcb_change_window_attributes(x11.connection, x11.root, XCB_CW_EVENT_MASK, events);
	if (!intern("_NET_ACTIVE_WINDOW", &x11.active) ||
	    !intern("_NET_WM_PID", &x11.pid)) {
		warnx("the X server is gone");
		return -1;
	}
	reply = property(x11.root, x11.active, XCB_ATOM_WINDOW);
	if (!reply)
		warnx("no window manager says which window is active yet");
	free(reply);
	return xcb_get_file_descriptor(x11.connection);
}

static void disconnect_x11(void)
{
	xcb_disconnect(x11.connection);
}

int main(int argc, char **argv)
{
	static const struct watcher watcher = {
		.usage = usage, .groups = true,
		.connect = connect_x11, .take = take_events, .disconnect = disconnect_x11,
	};

	return tell_main(&watcher, argc, argv);
}
