#!/bin/bash
# test_ci.sh - .ci/run fails if any of its commands fails
#
# A fake `make` replaces the real one.  It prints the contents of the file
# `tests` for `make test-all` and ends with the statuses given by the test.

. "$SRCDIR/tests/shell.sh"
: >out
: >err

mkdir -p tree/.ci tree/tests bin
cp "$SRCDIR/.ci/run" tree/.ci/
echo 'exit 0' >tree/tests/setup.sh
cat >bin/make <<'E2'
#!/bin/sh
case $1 in
lint) exit ${LINT:-0} ;;
instructions) exit ${COUNT:-0} ;;
test-all) cat "$TESTS" && exit ${TEST:-0} ;;
esac
E2
chmod +x bin/make

# ci NAME STATUS TESTS [VARIABLE=VALUE] - checks that .ci/run ends with STATUS
# if the tests print TESTS
ci() {
    printf '%b' "$3" >printed
    env PATH="$PWD/bin:$PATH" TESTS="$PWD/printed" ${4:+"$4"} \
        bash tree/.ci/run >out 2>err
    local got=$?
    [ $got = "$2" ]
    report $? "$1"
}

good='PASS test_a\n3 passed, 0 failed, 1 skipped\n'
ci 'all is well' 0 "$good"
prints 'the tally is the last line' '^3 passed, 0 failed, 1 skipped$'
ci 'make test fails' 1 "$good" TEST=2
ci 'lint fails' 1 "$good" LINT=1
ci 'instructions fail' 1 "$good" COUNT=1
ci 'tests without a tally fail, though make says that all is well' 1 'PASS a\n'
prints 'and a tally says so' '^0 passed, 1 failed, 0 skipped$'
ci 'no output at all fails' 1 ''
ci 'a failure in the tally fails, though make says that all is well' 1 \
    'FAIL test_a\n2 passed, 1 failed, 0 skipped\n'
prints 'and the tally is what make printed' '^2 passed, 1 failed, 0 skipped$'
ci 'of two tallies one with failures fails' 1 \
    '2 passed, 1 failed, 0 skipped\n3 passed, 0 failed, 0 skipped\n'
ci 'a tally of no tests fails' 1 '0 passed, 0 failed, 0 skipped\n'
ci 'a hundred failures are failures' 1 '5 passed, 100 failed, 0 skipped\n'
echo "1..$n"
