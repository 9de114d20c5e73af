/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel's command line says of devices. PURE.
 */
#ifndef CMDLINE_H
#define CMDLINE_H

enum cmdline_swap {
	CMDLINE_SILENT,			/* as the configuration has it */
	CMDLINE_OFF,			/* systemd.mtdcompr=0 */
	CMDLINE_ON,			/* systemd.mtdcompr: [mtdcompr0] is there in any case */
};

struct cmdline {
	enum cmdline_swap swap;
	unsigned int devices;		/* of mtdcompr.mtd= */
};

void cmdline_parse(const char *line, struct cmdline *cmdline);

#endif
