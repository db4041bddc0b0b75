#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Run test programs one after the other and print what the kernel's own runner
# (tools/testing/selftests/kselftest/runner.sh) would: KTAP with each program's
# lines behind a '#'.  Used where there is no kernel tree.
set -u

usage() {
	cat <<USAGE
usage: tests/net/run_tests.sh PROGRAM...

Exit status: 0 all passed, 1 one did not, 4 all were skipped, 2 bad usage.
USAGE
}

case ${1:-} in
--help | -h) usage; exit 0 ;;
'' | -*) usage >&2; exit 2 ;;
esac
cd "$(dirname "$0")" || exit 2
. ./settings

echo "TAP version 13"
echo "1..$#"
number=0 passed=0 failed=0 skipped=0
for program in "$@"; do
	number=$((number + 1))
	echo "# timeout set to $timeout"
	echo "# selftests: net: $program"
	timeout --foreground "$timeout" "./$program" 2>&1 </dev/null | sed -u 's/^/# /'
	status=${PIPESTATUS[0]}
	case $status in
	0) passed=$((passed + 1)) line="ok $number selftests: net: $program" ;;
	4) skipped=$((skipped + 1)) line="ok $number selftests: net: $program # SKIP" ;;
	124) failed=$((failed + 1)) line="not ok $number selftests: net: $program # TIMEOUT $timeout seconds" ;;
	*) failed=$((failed + 1)) line="not ok $number selftests: net: $program # exit=$status" ;;
	esac
	echo "$line"
done
echo "# Totals: pass:$passed fail:$failed skip:$skipped"
[ "$failed" = 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 4
