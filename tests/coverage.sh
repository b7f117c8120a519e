#!/bin/sh
# coverage.sh TEST... - runs tests built with --coverage, reports what they ran
#
# What does not count: tests themselves; assertions, whose other branch is a
# bug; clean-ups by g_autoptr and the like, which the compiler writes (gcovr
# calls such branches exceptional or unreachable).  At least 90 % of the lines
# and 80 % of the branches are asked for.

build=build/coverage
# Left out by the Makefile: what builds by itself, and what kills programs, since
# one killed while it writes its counts spoils those of all others.
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
