// SPDX-License-Identifier: GPL-2.0

#include "parse.h"
#include "sys.h"
#include "traffic.h"

/**
 * traffic_since() - were pages swapped in or out?
 * @last: how many there were at the last call, 0 at first; made new
 *
 * Return: true also if that cannot be found out.
 */
bool traffic_since(uint64_t *last)
{
	/* Linux 6.12 has 6 KiB of it. */
	static char text[16384];
	uint64_t in, out, before = *last;

	if (sys_read("/proc/vmstat", text, sizeof(text)) <= 0 ||
	    !parse_key(text, "pswpin", &in) || !parse_key(text, "pswpout", &out))
		return true;
	*last = in + out;
	return *last != before;
}
