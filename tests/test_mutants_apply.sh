#!/bin/bash
# test_mutants_apply.sh - each patch of tests/mutants applies to the sources
#
# `make mutants` builds and runs the tests, which takes hours.  This test checks
# in seconds that the patches still fit the code and that the tests they name
# exist.  A hunk may move, but at most one line of its context may differ.

. "$SRCDIR/tests/shell.sh"

# applies PATCH - true if the patch applies to the sources, which stay unchanged
applies() {
    patch --dry-run -f -s -F1 -p1 -d "$SRCDIR" <"$1"
}

# tests_of PATCH - prints the tests that must detect the mutant
tests_of() {
    sed -n '/^--- /q; s/^Caught by: //p' "$1"
}

# is_test NAME - true if there is a test of this name, or it is --verify
is_test() {
    case $1 in
    --verify) ;;
    *.sh) [ -e "$SRCDIR/tests/$1" ] ;;
    *) grep -q -x -F "$1" names ;;
    esac
}

find "$SRCDIR/tests" -name 'test_*.c' | sed 's/.*\///; s/\.c$//' >names

if command -v patch >/dev/null; then
    failed=0
    for mutant in "$SRCDIR"/tests/mutants/*.patch; do
        applies "$mutant" >said 2>&1 && continue
        failed=1
        echo "tests/mutants/${mutant##*/}: does not apply: $(head -n 1 said)"
    done >out 2>err
    report $failed 'each mutant applies to the sources'
else
    skip 'each mutant applies to the sources' 'there is no patch(1)'
fi

failed=0
for mutant in "$SRCDIR"/tests/mutants/*.patch; do
    tests=$(tests_of "$mutant")
    [ "$tests" ] || { failed=1 && echo "${mutant##*/}: names no test"; }
    for test in $tests; do
        is_test "$test" || { failed=1 && echo "${mutant##*/}: no $test"; }
    done
done >out 2>err
report $failed 'each mutant names tests that exist'

echo "1..$n"
