# SPDX-License-Identifier: GPL-2.0
#
# Included by the Makefiles of the programs and libraries, which have set CC, CFLAGS, LDFLAGS and
# STATIC by then. Sets the flags that Debian's hardening=+all gives, and some more, where the
# compiler, the linker and the C library know them:
#
#   hard_cflags   for each C and C++ file
#   hard_pie      for each of a program, beside those
#   hard_link     for the link of a program
#   hard_shared   for the link of a shared library
#
# They stand before CFLAGS and LDFLAGS, which so have the last word. HARDENING=no leaves them out.

HARDENING ?= yes

ifneq ($(HARDENING),no)
# The array is for the stack protector: its function has to be in the C library.
hard_program := int main(int c, char **v) { char a[64]; a[c & 63] = v[0][0]; return a[c & 31]; }
hard_links = $(shell printf '%s' '$(hard_program)' | $(CC) $(1) $(CFLAGS) $(LDFLAGS) -x c - \
	-o /dev/null 2>/dev/null && echo yes)
# clang only warns of a flag that it does not know.
hard_strict := $(if $(call hard_links,-Werror),-Werror)
# hard_known: the flags of a list that work. Most compilers know all: then one try is enough.
hard_known = $(if $(call hard_links,$(hard_strict) $(1)),$(1),$(foreach f,$(1),$(if \
	$(call hard_links,$(hard_strict) $(f)),$(f))))

# The checks of the C library take an optimisation. A sanitizer has its own. A level that the user
# or the package has chosen stays.
hard_level := $(lastword $(filter -O%,$(CFLAGS)))
hard_fortify := $(if $(filter-out -O0,$(hard_level)),$(if $(findstring -fsanitize,$(CFLAGS))$(findstring \
	_FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))

hard_comma := ,
hard_shared := $(call hard_known,-Wl$(hard_comma)-z$(hard_comma)relro -Wl$(hard_comma)-z$(hard_comma)now)
hard_cflags := $(hard_fortify) -Wformat -Werror=format-security \
	$(call hard_known,-fstack-protector-strong -fstack-clash-protection) \
	$(call hard_known,-fcf-protection) $(call hard_known,-mbranch-protection=standard)

# A static program is none that can be loaded anywhere (PIE): others' libraries may not be made for
# that, and it would be larger.
hard_fixed := $(filter 1,$(STATIC))$(filter -static -no-pie -fno-pie -fno-PIE,$(CFLAGS) $(LDFLAGS))
hard_link := $(hard_shared)
ifneq ($(hard_fixed),)
hard_pie := -fno-pie
hard_link += $(call hard_known,-no-pie)
else ifneq ($(call hard_links,$(hard_strict) -fPIE -pie),)
hard_pie := -fPIE
hard_link += -pie
endif
endif
