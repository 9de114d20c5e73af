# SPDX-License-Identifier: GPL-2.0
include $(sort $(wildcard $(BR2_EXTERNAL_MTDCOMPR_PATH)/package/*/*.mk))
