# SPDX-License-Identifier: GPL-2.0
# KCC: `make help` lists the targets.

VERSION := $(shell cat VERSION)
KVER    ?= $(shell uname -r)
KDIR    ?= /lib/modules/$(KVER)/build
OUT     ?= out
# Further arguments of tests/demo, see its --help.
DEMO    ?=

# A kernel built by clang is only matched by clang.
ifneq ($(shell grep -s '^CONFIG_CC_IS_CLANG=y' $(KDIR)/include/config/auto.conf),)
LLVM ?= 1
endif
COMPILER = $(if $(LLVM),clang,gcc)
KMAKE = -C $(KDIR) $(if $(ARCH),ARCH=$(ARCH)) $(if $(LLVM),LLVM=$(LLVM)) \
	$(if $(W),W=$(W)) $(if $(C),C=$(C))

DKMS_SRC = /usr/src/tcp-kcc-$(VERSION)
# What DKMS needs to build on another day, for another kernel.
DKMS_FILES = Kbuild Makefile VERSION LICENSE dkms.conf *.c *.h include compat scripts

.DEFAULT_GOAL := modules
.PHONY: modules probe clean help install uninstall unload dkms-install \
	dkms-source dkms-remove deb lint check demo eval

## modules        build kcc.ko (KDIR=TREE for another kernel, ARCH=um for UML)
modules: probe
	@$(MAKE) --no-print-directory $(KMAKE) M=$(CURDIR) modules

probe:
	@[ -e $(KDIR)/Makefile ] || { \
		echo "no kernel headers in $(KDIR): install them (Debian: apt-get install linux-headers-$(KVER)), or name another tree with KDIR=" >&2; exit 1; }
	@command -v $(COMPILER) >/dev/null || { \
		echo "no compiler: install $(COMPILER)" >&2; exit 1; }
	@scripts/probe.sh $(KMAKE)

# A kernel's packages leave out its key; without this the kernel's own Makefile would
# try to sign nevertheless, and complain.
NO_KEY = $(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=)

## install        build and install kcc.ko for KVER (default: the running kernel)
install: modules
	@$(MAKE) --no-print-directory $(KMAKE) M=$(CURDIR) INSTALL_MOD_DIR=updates $(NO_KEY) modules_install
	depmod $(KVER)
	@echo "installed; load it with: modprobe kcc"

## uninstall      remove what install has put there
uninstall:
	rm -f /lib/modules/$(KVER)/updates/kcc.ko*
	depmod $(KVER)

## dkms-install   install by DKMS, which builds again for each new kernel
dkms-install:
	@command -v dkms >/dev/null || { echo "no dkms: install it (Debian: apt-get install dkms)" >&2; exit 1; }
	@$(MAKE) --no-print-directory dkms-source
	dkms add -m tcp-kcc -v $(VERSION)
	dkms build -m tcp-kcc -v $(VERSION) -k $(KVER)
	dkms install -m tcp-kcc -v $(VERSION) -k $(KVER)

# The sources that DKMS needs, without what a build here has left among them.
dkms-source:
	rm -rf $(DKMS_SRC)
	mkdir -p $(DKMS_SRC)
	cp -r $(filter-out kcc.mod.c,$(wildcard $(DKMS_FILES))) $(DKMS_SRC)
	rm -rf $(DKMS_SRC)/compat/kcc_probe.h $(DKMS_SRC)/compat/probe/build

## dkms-remove    take it out of DKMS, for all kernels
dkms-remove:
	dkms remove -m tcp-kcc -v $(VERSION) --all
	rm -rf $(DKMS_SRC)

## deb            the Debian package kcc-dkms, in out/deb
deb:
	@command -v dh_dkms >/dev/null || { echo "no dh_dkms: install it (Debian: apt-get install build-essential debhelper dh-dkms)" >&2; exit 1; }
	rm -rf $(OUT)/deb
	$(MAKE) --no-print-directory dkms-source DKMS_SRC=$(OUT)/deb/kcc-dkms
	cp -r debian README.md CHANGES.md $(OUT)/deb/kcc-dkms
	cd $(OUT)/deb/kcc-dkms && dpkg-buildpackage -b -us -uc

## unload         stop using KCC and remove it from the kernel, with reasons if not
unload:
	@scripts/unload.sh

## demo           KCC against BBR on both long paths, in virtual time: table, pictures
demo:
	@tests/demo --out $(OUT)/demo $(DEMO)

## check          all tests; ends with "N passed, N failed, N skipped"
check:
	@tests/check --out $(OUT)/check

## eval           BBR, CUBIC and KCC over the whole evaluation table (an hour)
eval:
	@tests/eval-table --out $(OUT)/eval

## lint           style and static checks only
lint:
	@tests/lint

## clean          remove what a build left
clean:
	@[ ! -e $(KDIR)/Makefile ] || $(MAKE) --no-print-directory $(KMAKE) M=$(CURDIR) clean
	rm -rf compat/kcc_probe.h compat/probe/build

## help           this list
help:
	@sed -n 's/^## /  make /p' $(firstword $(MAKEFILE_LIST))
