/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

#define VERSION "0.9"

#endif
