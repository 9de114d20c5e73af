/* SPDX-License-Identifier: GPL-2.0 */
/* The trace header is read only once. */
