/* SPDX-License-Identifier: GPL-2.0 */
/* There is no second reading. */
