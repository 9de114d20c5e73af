/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Our words on the kernel's command line. PURE.
 */
#ifndef CMDLINE_H
#define CMDLINE_H

enum cmdline_swap {
	CMDLINE_SILENT,			/* the configuration decides */
	CMDLINE_OFF,			/* systemd.mtdcompr=0 */
	CMDLINE_ON,			/* systemd.mtdcompr: set up [mtdcompr0] in any case */
};

struct cmdline {
	enum cmdline_swap swap;
	unsigned int devices;		/* number of mtdcompr.mtd= words */
};

void cmdline_parse(const char *line, struct cmdline *cmdline);

#endif
