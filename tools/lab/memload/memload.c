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
	switch (options.load) {
	case LOAD_ANON:
		return load_anon(&options);
	case LOAD_APPS:
		return load_apps(&options);
	case LOAD_PATTERN:
		return load_pattern(&options);
	default:
		return load_files(&options);
	}
}
