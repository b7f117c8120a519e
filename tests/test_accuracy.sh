#!/bin/bash
# test_accuracy.sh - pages have the errors that `acesim-validate --accuracy` writes
#
# The measured rows are run by the released program.  Its table and sentences
# must be in validate/README.md line by line, and README.md must quote the error
# left out of the families that it names.

. "$SRCDIR/tests/shell.sh"

folder=$PWD
cd "$SRCDIR" || exit 1
programs=$(dirname "$ACESIM_RELEASE")

# check NAME - prints a line of TAP by the status of the last command
check() {
    local status=$?
    (cd "$folder" && report $status "$1")
    n=$((n + 1))
}

ACESIM=$ACESIM_RELEASE "$programs/acesim-validate" --accuracy "$folder/table" \
    -o "$folder/results" >"$folder/out" 2>"$folder/err"
check 'the measured rows are run'
[ "$(grep -c '^| ' "$folder/table")" -gt 20 ]
check 'the table has a line for each family'
awk '/^\| family \| rows /, /^- \*\*By row/' validate/README.md |
    sed '$d' | sed '/^$/d' >"$folder/page"
sed '/^$/d' "$folder/table" | diff - "$folder/page" >"$folder/out"
check 'validate/README.md has the table of errors'

# The front page has two columns: the family and the error left out.
awk -F ' *[|] *' 'NF > 8 { print "| " $2 " | " $8 " |" }' "$folder/table" \
    >"$folder/left-out"
awk '/^\| family of measured rows /, /^$/' README.md | sed '/^$/d; 1,2d' \
    >"$folder/quoted"
[ -s "$folder/quoted" ] &&
    ! grep -vxFf "$folder/left-out" "$folder/quoted" >"$folder/out"
check 'README.md quotes the errors left out'
n_lost=$(grep -c '^- The simulator does not beat' "$folder/table")
n_families=$(($(grep -c '^| ' "$folder/table") - 1))
grep -q "^In $n_lost of $n_families families a simple rule" README.md
check 'README.md counts the families in which a simple rule is as good'
echo "1..$n"
