#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Find out what the kernel at hand offers: compile compat/probe/*.c against it
# and write compat/kcc_probe.h with a KCC_HAVE_* line for each that compiles.
# Called by the Makefile; the header is kept while it fits.
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

# Each probe gets names of its own, so that several fit into one file.
rm -rf "$build"
mkdir -p "$build"
cp "$probes/Kbuild" "$build"
names=
for c in "$probes"/*.c; do
	name=$(basename "$c" .c)
	names="$names $name"
	sed "s/kcc_probe/kcc_$name/g" "$c" >"$build/$name.c"
done

# compile OBJECTS MAKE_ARGUMENT...: did they all come out?  That some do not is an
# answer, so make goes on after them.
compile() {
	objects=$1
	shift
	# shellcheck disable=SC2086 # a list
	LC_ALL=C make -k "$@" M="$build" $objects >>"$build/log" 2>&1
}

# together NAMES: one source that is all these probes.
together() {
	# shellcheck disable=SC2086 # a list
	printf '#include "%s.c"\n' $1 >"$build/together.c"
}

blamed() { grep -q "/$1\.c:[0-9:]* *\(fatal \)\{0,1\}error: " "$build/log"; }
built() { [ -e "$build/$1.o" ]; }
not() { ! "$@"; }

# those PREDICATE...: the probes it holds for.
those() { for name in $names; do ! "$@" "$name" || echo "$name"; done; }

# Reading the kernel's headers takes far longer than the probes do, so these go
# through the compiler together: all of them, to see which ones it blames, then
# the others, to see that it takes them.  If it does not, one error has hidden
# another, and each probe has to go alone.
found=$names
together "$found"
if ! compile together.o "$@"; then
	found=$(those not blamed)
	together "$found"
	compile together.o "$@" || {
		# shellcheck disable=SC2086 # a list
		compile "$(printf '%s.o ' $names)" "$@" || true
		found=$(those built)
	}
fi

if ! echo "$found" | grep -q -w required; then
	sed -n '/required/p' "$build/log" | head -n 5 >&2
	echo "KCC does not build against $kdir: either the kernel is older than 5.4, or its headers or compiler are incomplete (install the linux-headers package that matches it, and gcc and make); the whole output is in $build/log" >&2
	exit 1
fi
{
	echo "/* SPDX-License-Identifier: GPL-2.0 */"
	echo "/* probed: $stamp */"
	for name in $found; do
		[ "$name" = required ] || echo "KCC_HAVE_$name 1" | tr '[:lower:]' '[:upper:]' | sed 's/^/#define /'
	done
} >"$header"
