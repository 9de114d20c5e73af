/* SPDX-License-Identifier: GPL-2.0 */
#ifndef POLICY_VERSION_H
#define POLICY_VERSION_H

#define VERSION "1"

#endif
