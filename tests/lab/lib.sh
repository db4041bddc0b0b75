# SPDX-License-Identifier: GPL-2.0
# What the lab's commands share: where things are kept, how packages are
# fetched, how progress and errors are said.  Sourced, never run.
# shellcheck shell=bash disable=SC2034

LAB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LAB_TOP=$(cd "$LAB_DIR/../.." && pwd)
# Under make, a make of ours would take over its flags and say where it goes.
unset MAKEFLAGS MAKELEVEL MFLAGS
LAB_CACHE=${KCC_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kcc}
LAB_MIRROR=${KCC_MIRROR:-http://deb.debian.org/debian}
LAB_JOBS=${KCC_JOBS:-$(nproc)}

# in_list WORD LINES: is it one of them?  Without a pipe: grep -q leaves it early
# and the writer's SIGPIPE would then count as "no" under pipefail.
in_list() { grep -q -x -F -e "$1" <<<"$2"; }

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 2; }

# need PACKAGE...: make sure that Debian packages are installed.  Root installs
# what is missing; anybody else is told the one command that would.
need() {
	local missing=() p
	for p in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] ||
			missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] ||
		die "these packages are missing; run, as root: apt-get install ${missing[*]}"
	say "installing ${missing[*]}"
	mkdir -p "$LAB_CACHE/log"
	# One at a time: dpkg's own lock does not wait.
	{
		flock 8 && apt-get -q update &&
			DEBIAN_FRONTEND=noninteractive apt-get -q -y \
				--no-install-recommends install "${missing[@]}"
	} >"$LAB_CACHE/log/apt.log" 2>&1 8>"$LAB_CACHE/log/apt.lock" ||
		die "apt-get could not install ${missing[*]}; see $LAB_CACHE/log/apt.log"
}

# run_logged LOG WHAT COMMAND...: run a long command with its output in LOG and
# a line of progress every 20 seconds, so that a person sees that it lives.
run_logged() {
	local log=$1 what=$2 start=$SECONDS pid shown=0
	shift 2
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		if [ $((SECONDS - start - shown)) -ge 20 ]; then
			shown=$((SECONDS - start))
			say "$what: ${shown} s, $(wc -l <"$log") lines of output so far"
		fi
	done
	wait "$pid" || {
		tail -n 20 "$log" >&2
		die "$what failed; the whole output is in $log"
	}
	say "$what: done in $((SECONDS - start)) s"
}

# suite_apt SUITE[:ARCH] TOOL ARGS...: apt-get or apt-cache against one Debian
# suite, in a scratch state folder: the machine's own package lists stay as they are.
suite_apt() {
	local arch tool=$2 d="$LAB_CACHE/apt/$1"
	case $1 in *:*) arch=${1#*:} ;; *) arch=$(dpkg --print-architecture) ;; esac
	shift 2
	mkdir -p "$d/lists/partial" "$d/cache/archives/partial"
	"$tool" -q -o Dir::Etc::sourcelist="$d/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$d/lists" \
		-o APT::Architecture="$arch" -o APT::Architectures="$arch" \
		-o Dir::Cache="$d/cache" -o Dir::State::status=/dev/null \
		-o APT::Install-Recommends=false "$@"
}

# suite_update SUITE: refresh a suite's scratch package lists, once a day.
suite_update() {
	local d="$LAB_CACHE/apt/$1" key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -z "$(find "$d/updated" -mtime -1 2>/dev/null)" ] || return 0
	need debian-archive-keyring
	mkdir -p "$d/lists/partial"
	echo "deb [signed-by=$key] $LAB_MIRROR ${1%:*} main" >"$d/sources.list"
	suite_apt "$1" apt-get update >"$d/update.log" 2>&1 || return 1
	grep -q '^E:' "$d/update.log" && return 1
	touch "$d/updated"
}

# suite_newest SUITE REGEX: the package of that suite with the highest version
# in its name, for packages whose name carries a kernel's version.
suite_newest() {
	suite_apt "$1" apt-cache pkgnames 2>/dev/null | grep -E -x "$2" | sort -V | tail -n 1
}

# suite_version SUITE PACKAGE: the version a suite holds of one package.
suite_version() {
	suite_apt "$1" apt-cache show "$2" 2>/dev/null |
		sed -n 's/^Version: //p' | sort -V | tail -n 1
}

# suite_unpack SUITE DIR PACKAGE...: download and unpack packages into DIR
# without installing them.
suite_unpack() {
	local suite=$1 dir=$2 p tmp
	shift 2
	tmp=$(mktemp -d)
	(cd "$tmp" && chmod 755 . && suite_apt "$suite" apt-get -o APT::Sandbox::User=root download "$@") >&2 || {
		rm -rf "$tmp"
		return 1
	}
	mkdir -p "$dir"
	for p in "$tmp"/*.deb; do
		dpkg -x "$p" "$dir"
	done
	rm -rf "$tmp"
}

# What in a kernel log makes a run fail.
LAB_TROUBLE='WARNING: |BUG: |Oops|Kernel panic|KASAN|UBSAN|possible (circular|recursive) locking|suspicious RCU|refcount_t|unreferenced object|kmemleak: [0-9]+ new|Call Trace:|general protection|rcu_sched self-detected|blocked for more than'
