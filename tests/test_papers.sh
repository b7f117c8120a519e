#!/bin/bash
# test_papers.sh - docs/papers.md has the figures that `make papers` writes
#
# The claims of all papers but the largest, ACE, are run again, and their part of
# the page must be equal, as must the table of constants.  test_papers_ace.sh does
# the same for ACE, so that neither takes too long.
#
# Environment: PAPERS names the papers.

. "$SRCDIR/tests/shell.sh"

folder=$PWD
cd "$SRCDIR" || exit 1

# part FILE PAPER - prints the lines of one paper in a page, from its heading to
# the next heading, without empty lines
part() {
    awk -v plot="papers/$2.svg" '
        /^## / { text = ""; has_plot = 0 }
        { text = text $0 "\n" }
        index($0, plot) { has_plot = 1 }
        has_plot { kept = text }
        END { printf "%s", kept }' "$1" | sed '/^$/d'
}

for paper in ${PAPERS:-$(cd configs/papers && ls -d */ | tr -d / | grep -vx ace)}; do
    "$(dirname "$ACESIM")/acesim-validate" --papers "$folder/page.md" \
        --only $paper -o "$folder/results" >"$folder/out" 2>"$folder/err"
    status=$?
    (cd "$folder" && report $status "the claims of $paper are run")
    n=$((n + 1))
    part docs/papers.md $paper >"$folder/expected"
    part "$folder/page.md" $paper >"$folder/got"
    test -s "$folder/expected" &&
        diff "$folder/expected" "$folder/got" >"$folder/out"
    status=$?
    (cd "$folder" && report $status "docs/papers.md has the figures of $paper")
    n=$((n + 1))
    # A line of a configuration may move.
    grep "^$paper," docs/papers/constants.csv | sed 's/:[0-9]*$//' >"$folder/expected"
    grep "^$paper," "$folder/results/constants.csv" | sed 's/:[0-9]*$//' >"$folder/got"
    diff "$folder/expected" "$folder/got" >"$folder/out"
    status=$?
    (cd "$folder" && report $status "docs/papers/constants.csv has those of $paper")
    n=$((n + 1))
done
! grep ',not said,' docs/papers/constants.csv >"$folder/out"
status=$?
(cd "$folder" && report $status 'every constant has a source')
n=$((n + 1))
echo "1..$n"
