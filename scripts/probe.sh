#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Find out what the kernel at hand offers: compile compat/probe/*.c against it
# in one run and write compat/kcc_probe.h with a KCC_HAVE_* line for each that
# compiles.  Called by the Makefile; the header is kept while it fits.
set -eu

usage() {
	cat <<USAGE
usage: scripts/probe.sh MAKE_ARGUMENT...

The arguments are those of a kernel build, for example:
  scripts/probe.sh -C /lib/modules/6.1.0-50-amd64/build CC=gcc
Exit status: 0 compat/kcc_probe.h is right, 1 this kernel cannot be used.
USAGE
}

case ${1:-} in
'' | --help | -h) usage; exit 0 ;;
esac

here=$(cd "$(dirname "$0")/.." && pwd)
probes=$here/compat/probe
build=$probes/build
header=$here/compat/kcc_probe.h

# Same kernel, same probes, same arguments: the header still fits.
kdir=
for arg in "$@"; do
	case $arg in /*) kdir=$arg ;; esac
done
stamp=$({
	echo "$@"
	cat "$probes"/*.c "$kdir/include/config/kernel.release" "$kdir/include/generated/autoconf.h"
} 2>/dev/null | cksum)
if grep -q -x -F "/* probed: $stamp */" "$header" 2>/dev/null; then
	exit 0
fi

rm -rf "$build"
mkdir -p "$build"
cp "$probes"/*.c "$probes/Kbuild" "$build"
# Failing probes are answers, so make goes on after them and fails in the end.
make -k "$@" M="$build" modules >"$build/log" 2>&1 || true

if [ ! -e "$build/required.o" ]; then
	sed -n '/required/p' "$build/log" | head -n 5 >&2
	echo "KCC does not build against $kdir: either the kernel is older than 5.4, or its headers or compiler are incomplete (install the linux-headers package that matches it, and gcc and make); the whole output is in $build/log" >&2
	exit 1
fi
{
	echo "/* SPDX-License-Identifier: GPL-2.0 */"
	echo "/* probed: $stamp */"
	for c in "$build"/*.c; do
		name=$(basename "$c" .c)
		case $name in *.mod | required) continue ;; esac
		[ -e "${c%.c}.o" ] || continue
		echo "#define KCC_HAVE_$(echo "$name" | tr '[:lower:]' '[:upper:]') 1"
	done
} >"$header"
