#!/bin/bash
# test_python.sh - the Python package installs without a network, and its tables
# equal the CSV files of the program

. "$SRCDIR/tests/shell.sh"
lib=${ACESIM%/*}/libacesim.so.0
package=$SRCDIR/sim/study/library/python

# the first Python that has what the checks need; Debian's is often not the
# first on the path
python=
for python in $(command -v python3) /usr/bin/python3 ''; do
    [ -z "$python" ] ||
        "$python" -c 'import pandas, matplotlib, pip' 2>/dev/null && break
done
[ -n "$python" ] || {
    skip 'the Python package' \
        'no Python with pip, pandas and matplotlib (python3-pip, python3-pandas, python3-matplotlib)'
    echo "1..$n"
    exit
}

# ---- installation -----------------------------------------------------------

ACESIM_LIBRARY=$lib "$python" -m pip install -q --no-index --no-cache-dir \
    --disable-pip-version-check --target modules "$package" >out 2>err
report $? 'pip installs the package without an index'
[ -f modules/acesim/libacesim.so.0 ] &&
    [ "$(stat -c %s modules/acesim/libacesim.so.0)" -lt "$(stat -c %s "$lib")" ]
report $? 'the wheel has the library without its debugging symbols'

# ---- the package ------------------------------------------------------------

# A library with sanitizers needs their runtime before anything else.
asan=
! nm -D "$lib" | grep -q __asan_init ||
    asan=$(${CC:-gcc} -print-file-name=libasan.so)
ln -s "$SRCDIR/configs" configs
LD_PRELOAD=$asan ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 PYTHONPATH=modules \
    OPENBLAS_NUM_THREADS=1 "$python" "$SRCDIR/tests/python/package_checks.py" \
    "$ACESIM" "$SRCDIR" 2>err |
    sed "s/^ok \([0-9]*\)/echo ok \1/" >checks
sed -n 's/^echo //; /^\(ok\|not ok\|#\)/p' checks |
    awk -v n="$n" '/^(not )?ok / { sub(/ok [0-9]+/, "ok " ++n) } { print }'
n=$((n + $(grep -c '^\(echo ok\|not ok\)' checks)))
grep -q '^1\.\.' checks
report $? 'the checks run to their end'

echo "1..$n"
