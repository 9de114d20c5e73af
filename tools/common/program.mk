# SPDX-License-Identifier: GPL-2.0
#
# Included by the Makefile of each program of tools, which sets
#
#   programs       programs that it makes
#   NAME_units     the C files of a program, without ".c"; common/X is one of the library; common is
#                  all of it, and the linker takes the needed files
#   NAME_libs      packages of pkg-config that a program cannot do without
#   NAME_optional  packages that it can do without: HAVE_LIBBPF is defined
#                  where they are there
#   NAME_bpf       programs for the kernel, X.bpf.c: the C files may include X.skel.h where
#                  HAVE_LIBBPF is defined, which takes clang, bpftool and libbpf
#
# and may be used alone: make -C tools/latd. Variables:
#
#   O              where to (build/tools of the checkout)
#   CROSS_COMPILE  prefix of the compiler's name, as kbuild's; CC overrides it
#   STATIC         1: without shared libraries
#   WITHOUT        optional packages to leave out, though they are there: WITHOUT=libbpf
#   WERROR         1: warnings are errors, as the tests have it
#   HARDENING      no: without the flags of ../hardening.mk
#   DESTDIR, PREFIX  for "make install" (/usr/local)

common := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
here := $(patsubst %/,%,$(dir $(abspath $(firstword $(MAKEFILE_LIST)))))
O ?= $(abspath $(common)/../../build/tools)
PREFIX ?= /usr/local
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin AR),default)
AR := $(CROSS_COMPILE)ar
endif
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
LDFLAGS += $(if $(filter 1,$(STATIC)),-static)
include $(common)/../hardening.mk
warnings := -Wall -Wextra -Wconversion -Wno-sign-conversion -Wshadow -Wvla $(if $(filter 1,$(WERROR)),-Werror)
# Objects for a static program are others.
obj := $(O)/obj$(if $(filter 1,$(STATIC)),-static)/$(notdir $(here))

pc_static := $(if $(filter 1,$(STATIC)),--static)
there = $(if $(filter $(1),$(WITHOUT)),,$(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo $(1)))
upper = $(shell echo $(1) | tr a-z- A-Z_)

# clang knows what a processor is called in the kernel's headers for BPF. Its own system may be
# another one, with other headers of the kernel's interface than the compiler's.
BPF_CLANG ?= clang
BPFTOOL ?= $(firstword $(shell PATH=$$PATH:/usr/sbin:/sbin command -v bpftool))
bpf_arch_x86_64 := x86
bpf_arch_aarch64 := arm64
bpf_arch_arm := arm
machine := $(shell $(CC) -dumpmachine)
bpf_arch := $(bpf_arch_$(firstword $(subst -, ,$(machine))))
bpf_includes := $(addprefix -I,$(wildcard /usr/$(machine)/include /usr/include/$(machine)))
# pkg-config finds libraries of this processor; for another one, use that one's pkg-config.
bpf_host := $(if $(CROSS_COMPILE),$(filter-out pkg-config,$(PKG_CONFIG)),here)
bpf_there := $(if $(strip $(foreach p,$(programs),$($(p)_bpf))),$(if $(and $(bpf_host),$(bpf_arch),$(BPFTOOL),$(shell \
	command -v $(BPF_CLANG) 2>/dev/null),$(call there,libbpf)),libbpf))
$(foreach p,$(programs),$(if $($(p)_bpf),$(eval $(p)_optional += $(bpf_there))))

packages := $(sort $(foreach p,$(programs),$($(p)_libs) $($(p)_optional)))
$(foreach p,$(packages),$(eval there_$(p) := $(call there,$(p))))
have := $(strip $(foreach p,$(packages),$(there_$(p))))
flags := $(hard_cflags) $(hard_pie) -std=c11 -D_GNU_SOURCE $(warnings) -I$(common) -I$(obj) -MMD -MP \
	$(foreach p,$(have),-DHAVE_$(call upper,$(p))) \
	$(if $(have),$(shell $(PKG_CONFIG) --cflags $(have)))

all: $(programs:%=$(O)/%)

objects = $(patsubst %,$(obj)/%.o,$(filter-out common,$(1))) $(if $(filter common,$(1)),$(obj)/common.a)

define program
$(O)/$(1): $(call objects,$($(1)_units))
	$$(CC) $$(hard_link) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ \
		$(if $(strip $(foreach p,$($(1)_libs) $($(1)_optional),$(there_$(p)))),$(shell \
		$(PKG_CONFIG) $(pc_static) --libs $(foreach p,$($(1)_libs) $($(1)_optional),$(there_$(p))))) \
		$($(1)_ldlibs)
endef
$(foreach p,$(programs),$(eval $(call program,$(p))))

# A warning of clang's about a program for the kernel is an error in any case: few read them.
$(obj)/%.bpf.o: $(here)/%.bpf.c
	@mkdir -p $(@D)
	$(BPF_CLANG) -target bpf -O2 -g -Wall -Werror -D__TARGET_ARCH_$(bpf_arch) $(bpf_includes) -I$(here) \
		-MMD -MP -c -o $@ $<

$(obj)/%.skel.h: $(obj)/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $* > $@

# The first compilation of a C file does not know yet that it includes a skeleton.
ifneq ($(bpf_there),)
bpf_objects = $(foreach u,$(filter-out common common/%,$($(1)_units)),$(obj)/$(u).o)
$(foreach p,$(programs),$(if $($(p)_bpf),$(eval $(call bpf_objects,$(p)): | $($(p)_bpf:%=$(obj)/%.skel.h))))
endif

$(obj)/common.a: $(patsubst $(common)/%.c,$(obj)/common/%.o,$(wildcard $(common)/*.c))
	@rm -f $@
	$(AR) rcs $@ $^

$(obj)/common/%.o: $(common)/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(flags) $(CFLAGS) -c -o $@ $<

$(obj)/%.o: $(here)/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(flags) $(CFLAGS) -c -o $@ $<

clean:
	rm -rf $(obj) $(programs:%=$(O)/%)

-include $(wildcard $(obj)/*.d $(obj)/common/*.d)

.PHONY: all clean install
.PRECIOUS: $(obj)/%.bpf.o
.DELETE_ON_ERROR:

# Install a daemon, from files beside its Makefile. Arguments: its name, its control tool, and for
# the start at boot a line that describes it. An existing configuration stays. Scripts for the start
# at boot are copied by hand to the place where their system looks: their heads say how.
share := $(DESTDIR)$(PREFIX)/share
boot = sed 's|@PREFIX@|$(PREFIX)|; s|@NAME@|$(1)|g; s|@CTL@|$(2)|; s|@SUMMARY@|$(3)|; \
	s|@START@|$(if $(filter latd,$(1)),15,20)|'
define install_daemon
	install -d $(DESTDIR)$(PREFIX)/sbin $(DESTDIR)$(PREFIX)/bin $(share)/man/man1 \
		$(share)/man/man5 $(share)/man/man8 $(share)/$(1) $(share)/bash-completion/completions
	install -m 755 $(O)/$(1) $(DESTDIR)$(PREFIX)/sbin
	install -m 755 $(O)/$(2) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(here)/$(2).1 $(share)/man/man1
	install -m 644 $(here)/$(1).conf.5 $(share)/man/man5
	install -m 644 $(here)/$(1).8 $(share)/man/man8
	install -m 644 $(here)/$(1).conf $(share)/$(1)
	install -m 644 $(common)/completion.bash $(share)/bash-completion
	install -m 644 $(here)/$(1).bash-completion $(share)/bash-completion/completions/$(1)
	ln -sf $(1) $(share)/bash-completion/completions/$(2)
	$(boot) $(common)/daemon.init > $(share)/$(1)/$(1).init
	$(boot) $(common)/daemon.service $(here)/$(1).service > $(share)/$(1)/$(1).service
	$(boot) $(common)/daemon.procd > $(share)/$(1)/$(1).procd
endef
