// SPDX-License-Identifier: GPL-2.0
/*
 * memload: a load on memory, whose contents follow from a seed and are verified.
 */
#include "loads.h"

int main(int argc, char **argv)
{
	struct loadopt options;
	int status = loadopt_parse(&options, argc, argv);

	if (status)
		return status;
	return options.load == LOAD_ANON ? load_anon(&options) : load_files(&options);
}
