#!/bin/bash
# test_calculon.sh - the formulas of Calculon have its known errors, and
# docs/calculon.md has what acesim simulates now

. "$SRCDIR/tests/shell.sh"

command -v python3 >out || {
    skip 'acesim beside Calculon' 'no python3'
    echo "1..$n"
    exit
}
cd "$SRCDIR" || exit 1
exec 3>"$TMPDIR/table"
python3 validate/llm/calculon.py "$ACESIM" 22B >&3 2>"$TMPDIR/err"
status=$?
cd "$TMPDIR" || exit 1
cp table out
report $status 'steps are simulated beside the formulas'
grep -qx "Calculon's error on the 8 measured steps: mean 3.65 %, worst 8.87 %." table
report $? 'the formulas have the errors that Calculon reports for itself'
grep '^| [a-z0-9]*/' table >lines
[ "$(wc -l <lines)" = 3 ] && ! grep -vxF -f "$SRCDIR/docs/calculon.md" lines >out
report $? 'docs/calculon.md has the simulated steps'

echo "1..$n"
