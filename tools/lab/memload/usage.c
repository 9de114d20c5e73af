// SPDX-License-Identifier: GPL-2.0

#include "option.h"
#include "usage.h"

static const char help[] =
"usage: memload anon [OPTION...]\n"
"       memload {file-once|file-loop} [OPTION...] FILE...\n"
"       memload pattern [OPTION...] FILE\n"
"       memload apps [OPTION...]\n"
"A load on memory, with contents that it can verify.\n"
"\n"
"  anon          takes anonymous memory chunk by chunk, writes it and keeps it\n"
"  --chunk SIZE  of a chunk (100M)           --size SIZE   in all; else until it is refused\n"
"  --loop        then touch all again and again\n"
"  --rewrite     writing all of each page, not a byte only\n"
"  --exit        end when all is done\n"
"\n"
"  file-once     maps the files and reads each byte once\n"
"  file-loop     writes the files through a private map, again and again\n"
"  --shared      through a shared map        --read        only reads them\n"
"  --keep        through the same map each time\n"
"  --make SIZE   makes files that are not there\n"
"\n"
"  pattern       accesses memory as FILE says, which is a configuration of masim\n"
"  --size-percent N   of each region         --time-percent N   of each phase\n"
"  --passes N    a phase ends after that many passes over its regions, not by time\n"
"  --work N      rounds of computation after each access\n"
"  --repeat N    all phases so often         --skip N      but the first N once, not counted\n"
"  --read        all accesses read           --out FILE    a line of CSV for each phase\n"
"  --marks FILE  a line when a phase begins; - is standard output, for --out, too\n"
"\n"
"  apps          switches between processes, as the user of a phone does; it always verifies\n"
"  --apps N      processes (6)               --switches N   that count (60)\n"
"  --anon SIZE   memory of each (20M)        --hot PERCENT  of it is needed at a switch (25)\n"
"  --grow SIZE   cold memory written anew at each visit (1M)\n"
"  --file SIZE   a file of each (10M)        --shared SIZE  a file of all (8M)\n"
"  --dir DIR     where the files are         --prepare      only make them\n"
"  --warm-up N   switches before, after one visit for each; they do not count\n"
"  --think MS    between two switches (500)  --zipf S       which one is next (1.0)\n"
"  --programs FILE   lines of NAME COMMAND: programs instead, which answer to \"visit\"\n"
"  --sequence FILE   numbers of apps, one a line, and ms of stay, instead of --zipf\n"
"  --group GROUP     each enters the control group GROUP/APP\n"
"  --hook COMMAND    run at each switch, as COMMAND fg APP; unix:PATH is a socket that is told\n"
"  --out FILE        a line of CSV for each switch that counts\n"
"\n"
"  --delay S     wait before                 --seconds S   end after that time\n"
"  --rate MIB    in a second, at most        --progress FILE   a line each half second\n"
"  (these four: not apps)                    --verify      check the contents\n"
"  --seed N      of the contents (1)         --random P    percent of random bytes (30)\n"
"  -h            this                        -V            the version\n";

/**
 * usage_help() - show a short help and end the program
 */
void usage_help(void)
{
	option_show(help);
}

/**
 * usage_version() - show the version and end the program
 */
void usage_version(void)
{
	option_show("memload 1.2\n");
}
