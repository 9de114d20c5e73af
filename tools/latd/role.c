// SPDX-License-Identifier: GPL-2.0

#include "role.h"

/**
 * role_of() - what may be done with a process
 * @config: who is protected, who may be touched, who may not
 * @process: the process
 *
 * Those of who_untouchable() are left alone whatever the configuration says; the caller leaves
 * itself alone.
 */
enum role role_of(const struct config *config, const struct candidate *process)
{
	const struct config_others *others = &config->others;

	if (who_untouchable(process))
		return ROLE_LEFT;
	if (who_is(&config->protect.who, process))
		return ROLE_PROTECTED;
	if (who_is_never(&others->never, process))
		return ROLE_LEFT;
	if (who_is_nobody(&others->touch) || who_is_to_touch(&others->touch, process))
		return ROLE_OTHER;
	return ROLE_LEFT;
}
