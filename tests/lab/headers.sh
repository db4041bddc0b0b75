# SPDX-License-Identifier: GPL-2.0
# The kernel headers that a module is built against, one set per target.
# Sourced after lib.sh, uml.sh and stock.sh.
# shellcheck shell=bash disable=SC2034,SC2153

# Besides every machine there are targets nobody boots here: a kernel built by
# clang, a 32-bit one (64-bit divisions do not link there) and a vendor's kernel
# with tcp_congestion_ops.tso_segs in the place of min_tso_segs.
headers_targets() {
	uml_names
	stock_names
	printf '%s\n' 6.12-clang i386 tso-segs
}

# headers_prepare TARGET: fetch what is needed and set
#   LAB_KDIR    the folder for KDIR=, seen from LAB_CHROOT if that is not empty
#   LAB_CHROOT  the Debian release the build has to take place in
#   LAB_ARGS    further arguments of make
headers_prepare() {
	LAB_CHROOT='' LAB_ARGS=() LAB_KDIR=''
	case $1 in
	uml | uml-debug)
		LAB_KDIR=$(uml_tree "$1") || exit 2
		LAB_ARGS=(ARCH=um)
		return 0
		;;
	5.10 | 7.x) headers_chroot "$1" ;;
	6.12-clang)
		need clang llvm lld
		headers_variant 6.12 "$1"
		;;
	tso-segs) headers_variant 6.12 "$1" ;;
	*) headers_unpacked "$1" ;;
	esac
}

# headers_lock: one process at a time fetches headers.
headers_lock() {
	mkdir -p "$LAB_CACHE/headers"
	exec 9>"$LAB_CACHE/headers/lock"
	flock 9
}

# headers_depend SUITE PACKAGE REGEX: the dependencies of a package that match.
headers_depend() {
	suite_apt "$1" apt-cache show "$2" | sed -n 's/^Depends: //p' |
		tr -s ', |' '\n' | grep -x -E "$3" | sort -u
}

# headers_unpacked TARGET: headers whose tools run on this release, next to the
# system but not installed: the release of the system's own ones differs.
headers_unpacked() {
	local suite release root
	# pahole: from 6.12 on, headers carry the kernel's BTF.
	need gcc-12 make kmod pahole
	suite=$(stock_suite "$1")
	release=$(stock_release "$1") || exit 2
	root="$LAB_CACHE/headers/$1/$release"
	LAB_KDIR="$root/usr/src/linux-headers-$release"
	headers_lock
	[ -e "$root/made" ] || run_logged "$LAB_CACHE/log/headers-$1" "fetching linux-headers-$release (15 MB)" \
		headers_unpack "$suite" "$release" "$root"
	stock_forget "${root%/*}" "$release"
	exec 9>&-
}

headers_unpack() {
	local package="linux-headers-$2" common kbuild
	common=$(headers_depend "$1" "$package" 'linux-headers-.*-common')
	kbuild=$(headers_depend "$1" "$package" 'linux-kbuild-.*')
	rm -rf "$3"
	suite_unpack "$1" "$3" "$package" "$common"
	# The tools are programs for this machine, whatever the target is.
	suite_update "${1%:*}"
	suite_unpack "${1%:*}" "$3" "$kbuild"
	headers_move "$3"
	touch "$3/made"
}

# headers_move ROOT: point the one absolute path in the headers to this copy.
headers_move() {
	sed -i "s|^include .*/usr/src/|include $1/usr/src/|" "$1"/usr/src/*/Makefile
}

# headers_variant BASE TARGET: a copy (hard links) of other headers with a change.
headers_variant() {
	local release base root="$LAB_CACHE/headers/$2"
	headers_unpacked "$1"
	release=${LAB_KDIR##*/linux-headers-}
	base=${LAB_KDIR%/usr/src/*}
	root="$root/$release"
	LAB_KDIR="$root/usr/src/linux-headers-$release"
	headers_lock
	if [ ! "$root/made" -nt "$LAB_DIR/headers.sh" ]; then
		rm -rf "$root"
		mkdir -p "${root%/*}"
		cp -al "$base" "$root"
		headers_move "$root"
		"headers_${2//[.-]/_}" "$root"
		rm "$root/made"
		touch "$root/made"
		stock_forget "${root%/*}" "$release"
	fi
	exec 9>&-
}

# headers_tso_segs ROOT: what vendors' kernels with BBRv3 have.
headers_tso_segs() {
	local tcp
	tcp=$(echo "$1"/usr/src/*-common/include/net/tcp.h)
	sed -i 's|u32 (\*min_tso_segs)(struct sock \*sk);|u32 (*tso_segs)(struct sock *sk, unsigned int mss_now);|' "$tcp"
	grep -q '(\*tso_segs)(struct sock \*sk, unsigned int mss_now);' "$tcp" ||
		die "$tcp has no member min_tso_segs to replace"
}

# headers_6_12_clang ROOT: the same kernel as if clang had built it; our Makefile
# has to notice.  The options after that one are what Kconfig finds for clang 14.
headers_6_12_clang() {
	local dir
	dir=$(echo "$1"/usr/src/*-amd64)
	sed -i -e 's/CONFIG_CC_IS_GCC/CONFIG_CC_IS_CLANG/' -e 's/-fallthrough=5/-fallthrough/' \
		-e 's/\(CONFIG_GCC_VERSION[= ]\).*/\10/' -e 's/\(CONFIG_CLANG_VERSION[= ]\).*/\1140006/' \
		-e 's/CONFIG_CC_HAS_AUTO_VAR_INIT_ZERO_BARE/CONFIG_CC_HAS_AUTO_VAR_INIT_ZERO_ENABLER/' \
		-e 's/CONFIG_FTRACE_MCOUNT_USE_CC/CONFIG_FTRACE_MCOUNT_USE_OBJTOOL/' \
		-e '/CONFIG_MITIGATION_\(SLS\|RETHUNK\)\b/d' -e '/CONFIG_\(CC_HAS_NAMED_AS\|USE_X86_SEG_SUPPORT\)\b/d' \
		"$dir/.config" "$dir/include/config/auto.conf" "$dir/include/generated/autoconf.h"
	sed -i '/^CC = /d' "$dir/.kernelvariables"
}

# headers_chroot TARGET: headers whose tools or compiler this release has not
# got live in a small installation of their own Debian release.
headers_chroot() {
	local suite release root
	suite=$(stock_suite "$1")
	release=$(stock_release "$1") || exit 2
	root="$LAB_CACHE/chroot/$suite"
	LAB_CHROOT=$root LAB_KDIR="/usr/src/linux-headers-$release"
	[ ! -e "$root$LAB_KDIR/Makefile" ] || return 0
	[ "$(id -u)" = 0 ] || die "building for $1 needs a Debian chroot: run, as root: $LAB_DIR/build $1 DIR"
	need debootstrap
	headers_lock
	mkdir -p "$LAB_CACHE/chroot"
	if [ ! -e "$root" ]; then
		rm -rf "$root.part"
		run_logged "$LAB_CACHE/log/chroot-$suite" "installing a small Debian ${suite%-*} (900 MB, 2 minutes)" \
			unshare --mount debootstrap --variant=minbase --include=gcc,make "${suite%-*}" "$root.part" "$LAB_MIRROR"
		mv "$root.part" "$root"
	fi
	printf "deb $LAB_MIRROR %s main\n" "${suite%-*}" "$suite" | sort -u >"$root/etc/apt/sources.list"
	run_logged "$LAB_CACHE/log/chroot-headers-$suite" "installing linux-headers-$release there" \
		headers_run "$root" sh -c "apt-get -q update && DEBIAN_FRONTEND=noninteractive \
			apt-get -q -y --no-install-recommends install linux-headers-$release"
	exec 9>&-
}

# headers_run CHROOT COMMAND...: run a command (in the chroot, if there is one)
# in an environment that a make above us has left nothing in.
headers_run() {
	local chroot=$1 clean
	shift
	clean=(env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C)
	if [ -z "$chroot" ]; then
		"${clean[@]}" "$@"
	else
		# From 7.x on objtool reads /proc.  It is mounted in a namespace of its
		# own, so that nothing is left behind whatever happens.
		# shellcheck disable=SC2016
		"${clean[@]}" unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$chroot" "$@"
	fi
}
