# SPDX-License-Identifier: GPL-2.0
#
# The Makefiles of programs and libraries include it after they have set CC, CFLAGS, LDFLAGS and
# STATIC. It sets the flags of Debian's hardening=+all and a few more, if the compiler, the linker
# and the C library support them:
#
#   hard_cflags   for each C and C++ file
#   hard_pie      for each file of a program, in addition
#   hard_link     for the link of a program
#   hard_shared   for the link of a shared library
#
# They stand before CFLAGS and LDFLAGS, which can override them. HARDENING=no turns them off.

HARDENING ?= yes

ifneq ($(HARDENING),no)
# The array triggers the stack protector, whose function the C library has to provide.
hard_program := int main(int c, char **v) { char a[64]; a[c & 63] = v[0][0]; return a[c & 31]; }
hard_links = $(shell printf '%s' '$(hard_program)' | $(CC) $(1) $(CFLAGS) $(LDFLAGS) -x c - \
	-o /dev/null 2>/dev/null && echo yes)
# clang only warns about an unknown flag.
hard_strict := $(if $(call hard_links,-Werror),-Werror)
# hard_known: the working flags of a list. Most compilers know all, so try all at once first.
hard_known = $(if $(call hard_links,$(hard_strict) $(1)),$(1),$(foreach f,$(1),$(if \
	$(call hard_links,$(hard_strict) $(f)),$(f))))

# The C library's checks need optimisation. A sanitizer has checks of its own. A level chosen by the
# user or the package stays.
hard_level := $(lastword $(filter -O%,$(CFLAGS)))
hard_fortify := $(if $(filter-out -O0,$(hard_level)),$(if $(findstring -fsanitize,$(CFLAGS))$(findstring \
	_FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))

hard_comma := ,
hard_shared := $(call hard_known,-Wl$(hard_comma)-z$(hard_comma)relro -Wl$(hard_comma)-z$(hard_comma)now)
hard_cflags := $(hard_fortify) -Wformat -Werror=format-security \
	$(call hard_known,-fstack-protector-strong -fstack-clash-protection) \
	$(call hard_known,-fcf-protection) $(call hard_known,-mbranch-protection=standard)

# No PIE for a static program: static libraries may be built without -fPIE, and it would be larger.
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
