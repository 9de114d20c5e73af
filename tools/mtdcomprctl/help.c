// SPDX-License-Identifier: GPL-2.0

#include "list_columns.h"
#include "help.h"
#include "version.h"

static const char usage[] =
	"\n"
	"Usage:\n"
	" mtdcomprctl [list] [options] [<device>...]\n"
	" mtdcomprctl attach [options] <media> | --find [options]\n"
	" mtdcomprctl detach <device>... | --reset <device>...\n"
	" mtdcomprctl swap on [options] <media>|<device>\n"
	" mtdcomprctl swap off [--keep] <device>...\n"
	" mtdcomprctl stats [-b|-J|--openmetrics] [<device>...]\n"
	" mtdcomprctl top [options] [<device>...]\n"
	" mtdcomprctl wear [options] [<device>...]\n"
	" mtdcomprctl suggest [options]\n"
	"\n"
	"Set up and show compressed MTDs, and swap on them.\n"
	"\n"
	"A device is /dev/mtdcompr0, its number as an MTD, or its name. Media are an MTD, by\n"
	"name or number, or a UBI volume, as ubi0:swap.\n";

static const char options[] =
	"\n"
	"Options of list, top and suggest:\n"
	" -b, --bytes               print sizes in bytes\n"
	" -J, --json                print JSON\n"
	" -n, --noheadings          don't print headings\n"
	"     --raw                 one word a column\n"
	" -o, --output [+]<list>    columns of list, see below; + adds to the usual ones\n"
	"     --output-all          all columns\n"
	"\n"
	"Options of attach, --find and swap on:\n"
	" -a, --algorithm <name>    lz4, lzo, zlib, zstd or none (lz4)\n"
	" -l, --level <number>      level of the compressor\n"
	" -s, --size <size>         what the device promises to hold; K, M or G may follow\n"
	"     --ratio <percent>     the same, in percent of the media (300)\n"
	"     --name <name>         of the MTD\n"
	" -O, --options <list>      other options of the module, as store=log,crypt=off\n"
	" -f, --find                the best media that are free; with -s or --ratio attach\n"
	" -r, --reset               detach\n"
	"\n"
	"Options of swap:\n"
	" -p, --priority <number>   of the swap (100)\n"
	"     --discard[=<policy>]  tell the device what is free: once, pages, or both\n"
	"     --page-cluster <n>    vm.page-cluster while there is swap, or keep (0)\n"
	"     --keep                swap off: do not detach\n"
	"\n"
	"Other options:\n"
	"     --openmetrics         stats: for Prometheus\n"
	" -d, --delay <seconds>     top: between two looks (2)\n"
	"     --count <number>      top: looks\n"
	"     --endurance <number>  wear: rewrites or erases that the media bear\n"
	" -m, --media <media>       suggest: measure on these; what is on them is lost\n"
	"     --pages <number>      suggest: pages to measure with\n"
	"     --prefer <what>       suggest: balance, speed or space\n"
	"     --sysroot <dir>       read the files of the system below this directory\n"
	" -h, --help                display this help\n"
	" -V, --version             display version\n"
	"\n"
	"Available output columns:\n";

/**
 * help_print() - print all commands, options and columns
 * @out: the output stream
 */
void help_print(FILE *out)
{
	fputs(usage, out);
	fputs(options, out);
	columns_help(out);
	fputs("\nFor more details see mtdcomprctl(8).\n", out);
}

/**
 * help_version() - print name and version
 * @out: the output stream
 */
void help_version(FILE *out)
{
	fprintf(out, "mtdcomprctl from MTDCOMPR %s\n", VERSION);
}
