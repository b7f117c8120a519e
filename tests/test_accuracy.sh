#!/bin/bash
# test_accuracy.sh - pages have the errors that `acesim-validate --accuracy` writes
#
# The measured rows are run again.  The table and sentences of the program must
# be in validate/README.md line by line, and README.md must quote the error
# left out of the families that it names.

. "$SRCDIR/tests/shell.sh"

folder=$PWD
cd "$SRCDIR" || exit 1
programs=$(dirname "$ACESIM")

# check NAME - prints a line of TAP by the status of the last command
check() {
    local status=$?
    (cd "$folder" && report $status "$1")
    n=$((n + 1))
}

"$programs/acesim-validate" --accuracy "$folder/table" \
    -o "$folder/results" >"$folder/out" 2>"$folder/err"
check 'the measured rows are run'
[ "$(grep -c '^| ' "$folder/table")" -gt 20 ]
check 'the table has a line for each family'
awk '/^\| family \| rows /, /^- \*\*By row/' validate/README.md |
    sed '$d' | sed '/^$/d' >"$folder/page"
grep -v 'language models: ' "$folder/page" >"$folder/page-without"
sed '/^$/d' "$folder/table" | diff - "$folder/page-without" >"$folder/out"
check 'validate/README.md has the table of errors'

# Language models take minutes: `make validate` compares them.  Here the page
# must agree with the file that acesim has.
shipped=sim/study/expected_error/families.csv
grep -v '^language models: ' $shipped |
    diff - "$folder/results/accuracy.csv" >"$folder/out"
check 'acesim has these errors'
grep '^language models: ' $shipped | awk -F, '{
    printf "| %s | %d | %d (%s) | %.1f | %.1f | %s: %.1f | %.1f (%s, %d of %d) |\n",
        $1, $3, $4, $2, $5, $6, $7, $8, $12,
        $11 == "yes" ? "refitted" : "not refitted", $10, $4
}' >"$folder/expected"
grep '^| language models: ' "$folder/page" |
    sed 's/ [^|]* | [0-9.]* |$//' | diff "$folder/expected" - >"$folder/out"
check 'validate/README.md has these of language models'

# Constants of language models that were fitted to all rows of a family
awk -F, '$3 == "" && $4 != "workload.host.synchronises" && NR > 1 {
    print $1 " " $4 " " $5 }' validate/data/llm/constants.csv | sort \
    >"$folder/constants"
sed -n 's/^| \([a-z0-9]*\): `\([^`]*\)`[^|]* | \([0-9.]* [%u]s*\) |.*/\1 \2 \3/p' \
    validate/README.md | sort | diff "$folder/constants" - >"$folder/out"
check 'validate/README.md has the constants of language models'

# The front page has two columns: the family and the error left out.
awk -F ' *[|] *' 'NF > 8 { print "| " $2 " | " $8 " |" }' "$folder/page" \
    >"$folder/left-out"
awk '/^\| family of measured rows /, /^$/' README.md | sed '/^$/d; 1,2d' \
    >"$folder/quoted"
[ -s "$folder/quoted" ] &&
    ! grep -vxFf "$folder/left-out" "$folder/quoted" >"$folder/out"
check 'README.md quotes the errors left out'
n_lost=$(grep -c '^- The simulator does not beat' "$folder/page")
n_families=$(($(grep -c '^| ' "$folder/page") - 1))
grep -q "In $n_lost of $n_families families a simple rule" README.md
check 'README.md counts the families in which a simple rule is as good'
echo "1..$n"
