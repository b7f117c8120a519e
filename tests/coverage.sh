#!/bin/sh
# coverage.sh TEST... - runs tests built with --coverage and reports the covered
# code
#
# Not counted are the tests themselves, assertions (their other branch is a bug)
# and generated clean-ups, as of g_autoptr, whose branches gcovr calls
# exceptional or unreachable.  At least 90 % of the lines and 80 % of the
# branches must be covered.

build=build/coverage
# The Makefile leaves out tests that build programs and tests that kill them: a
# program that is killed while it writes its counts damages those of all others.
find $build -name '*.gcda' -exec rm {} +
ACESIM_TEST_TIMEOUT=900 bash tests/run $build "$@" || exit
assertions='.*\bg_(assert|assert_not_reached|return_.*if_fail)\b.*'
gcovr --root . --object-directory $build \
    --filter 'sim/' --filter 'network/' --filter 'models/' \
    --filter 'workloads/' --filter 'validate/' --exclude 'validate/gpu/' \
    --exclude-lines-by-pattern "$assertions" \
    --exclude-throw-branches --exclude-unreachable-branches \
    --html-details build/coverage.html --print-summary \
    --txt build/coverage.txt --fail-under-line 90 --fail-under-branch 80
