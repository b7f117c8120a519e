#!/bin/sh
# test_near.sh - nearly valid configurations give an error with a position, or
# possible results
#
# Tests sixty seeds, or ACESIM_DRAWS times as many; `make near` tests 5000.  A
# seed that fails is reported with the command that repeats it.
echo 1..1
near=$(dirname "$ACESIM_TESTED")/acesim-near
if "$near" 1 $((60 * ${ACESIM_DRAWS:-1})) \
    >"$TMPDIR/said"; then
    echo "ok 1 - nearly valid configurations are refused or run"
else
    echo "not ok 1 - nearly valid configurations are refused or run"
    sed "s|^seed \([0-9]*\):|ACESIM=$ACESIM SRCDIR=$SRCDIR $near -v \1:|" \
        "$TMPDIR/said"
fi
