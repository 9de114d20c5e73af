# SPDX-License-Identifier: GPL-2.0
#
# Included by the Makefile of each policy tool, which sets
#
#   programs       what it makes
#   NAME_units     the C files of a program, without ".c"; lib/X is one of the library
#   NAME_libs      packages of pkg-config that a program cannot do without
#   NAME_optional  packages that it can do without: HAVE_INIH, HAVE_JSON_C and so on are defined
#                  where they are there
#
# and may be used alone: make -C tools/policy/latd. Variables:
#
#   O              where to (build/tools of the checkout)
#   CROSS_COMPILE  prefix of the compiler's name, as kbuild's; CC overrides it
#   STATIC         1: without shared libraries
#   WITHOUT        optional packages to leave out, though they are there: WITHOUT="inih json-c"
#   WERROR         1: warnings are errors, as the tests have it
#   DESTDIR, PREFIX  for "make install" (/usr/local)

policy := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
here := $(patsubst %/,%,$(dir $(abspath $(firstword $(MAKEFILE_LIST)))))
O ?= $(abspath $(policy)/../../build/tools)
PREFIX ?= /usr/local
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
LDFLAGS += $(if $(filter 1,$(STATIC)),-static)
warnings := -Wall -Wextra -Wconversion -Wno-sign-conversion -Wshadow -Wvla $(if $(filter 1,$(WERROR)),-Werror)
obj := $(O)/obj/$(notdir $(here))

pc_static := $(if $(filter 1,$(STATIC)),--static)
there = $(if $(filter $(1),$(WITHOUT)),,$(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo $(1)))
upper = $(shell echo $(1) | tr a-z- A-Z_)
packages := $(sort $(foreach p,$(programs),$($(p)_libs) $($(p)_optional)))
$(foreach p,$(packages),$(eval there_$(p) := $(call there,$(p))))
have := $(strip $(foreach p,$(packages),$(there_$(p))))
flags := -std=c11 -D_GNU_SOURCE $(warnings) -I$(policy)/lib -MMD -MP \
	$(foreach p,$(have),-DHAVE_$(call upper,$(p))) \
	$(if $(have),$(shell $(PKG_CONFIG) --cflags $(have)))

all: $(programs:%=$(O)/%)

define program
$(O)/$(1): $(patsubst %,$(obj)/%.o,$($(1)_units))
	$$(CC) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ \
		$(if $(strip $(foreach p,$($(1)_libs) $($(1)_optional),$(there_$(p)))),$(shell \
		$(PKG_CONFIG) $(pc_static) --libs $(foreach p,$($(1)_libs) $($(1)_optional),$(there_$(p))))) \
		$($(1)_ldlibs)
endef
$(foreach p,$(programs),$(eval $(call program,$(p))))

$(obj)/lib/%.o: $(policy)/lib/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(flags) $(CFLAGS) -c -o $@ $<

$(obj)/%.o: $(here)/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(flags) $(CFLAGS) -c -o $@ $<

clean:
	rm -rf $(obj) $(programs:%=$(O)/%)

-include $(wildcard $(obj)/*.d $(obj)/lib/*.d)

.PHONY: all clean install
.DELETE_ON_ERROR:
