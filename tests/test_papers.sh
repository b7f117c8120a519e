#!/bin/bash
# test_papers.sh - docs/papers.md has the figures that `make papers` writes
#
# The two papers that take the least time are evaluated again with the released
# program.  Their parts of the page must be identical.

. "$SRCDIR/tests/shell.sh"

folder=$PWD
cd "$SRCDIR" || exit 1

# part FILE PAPER - prints the lines of a paper's section, without empty lines
part() {
    awk -v plot="papers/$2.svg" '
        /^## / { text = ""; has_plot = 0 }
        { text = text $0 "\n" }
        index($0, plot) { has_plot = 1 }
        has_plot { kept = text }
        END { printf "%s", kept }' "$1" | sed '/^$/d'
}

for paper in horovod-mpi frameworks; do
    ACESIM=$SRCDIR/build/release/acesim \
        "$SRCDIR/build/release/acesim-validate" --papers "$folder/page.md" \
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
done
echo "1..$n"
