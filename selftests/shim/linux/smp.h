/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SMP_H
#define SHIM_LINUX_SMP_H

#define raw_smp_processor_id()	0U

#endif
