# SPDX-License-Identifier: GPL-2.0
# KCC: `make help` lists the targets.
#
# The module is built against the running kernel, or any other:
#   make KDIR=/lib/modules/6.12.0-1-amd64/build
#   make KDIR=UML_TREE ARCH=um

VERSION := $(shell cat VERSION)
KVER    ?= $(shell uname -r)
KDIR    ?= /lib/modules/$(KVER)/build
OUT     ?= out

# A kernel built by clang is only matched by clang.
ifneq ($(shell grep -s '^CONFIG_CC_IS_CLANG=y' $(KDIR)/include/config/auto.conf),)
LLVM ?= 1
endif
KMAKE = -C $(KDIR) $(if $(ARCH),ARCH=$(ARCH)) $(if $(LLVM),LLVM=$(LLVM)) \
	$(if $(CC_FOR_KERNEL),CC=$(CC_FOR_KERNEL)) $(if $(W),W=$(W)) $(if $(C),C=$(C))

.DEFAULT_GOAL := modules
.PHONY: modules clean help install uninstall dkms-install dkms-remove lint check demo

## modules        build kcc.ko (KDIR=TREE for another kernel, ARCH=um for UML)
modules: probe
	@$(MAKE) --no-print-directory $(KMAKE) M=$(CURDIR) modules

.PHONY: probe
probe:
	@[ -e $(KDIR)/Makefile ] || { echo "no kernel headers in $(KDIR): install them (Debian: apt-get install linux-headers-$(KVER)) or say where they are with KDIR=" >&2; exit 1; }
	@command -v $(or $(if $(LLVM),clang),gcc) >/dev/null || { echo "no compiler: install $(or $(if $(LLVM),clang llvm lld),gcc)" >&2; exit 1; }
	@scripts/probe.sh $(KMAKE)

## clean          remove what a build left
clean:
	@[ ! -e $(KDIR)/Makefile ] || $(MAKE) --no-print-directory $(KMAKE) M=$(CURDIR) clean
	rm -rf compat/kcc_probe.h compat/probe/build

## help           this list
help:
	@sed -n 's/^## /  make /p' $(firstword $(MAKEFILE_LIST))
