#!/bin/bash
# test_papers.sh - docs/papers.md has the figures that `make papers` writes
#
# The two fastest papers are run again, and their parts of the page must be equal
# byte for byte.  For the other papers, the page must have each claim and each
# command.

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

for paper in horovod-mpi frameworks; do
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
done
for claims in configs/papers/*/claims.yaml; do
    paper=$(basename "$(dirname "$claims")")
    {
        sed -n 's/^  - claim: "\{0,1\}\(.*[^"]\)"\{0,1\}$/| \1 |/p' "$claims"
        sed -n 's/^  - {name: \([a-z0-9_]*\), command: "\{0,1\}\([^"]*[^"}]\)"\{0,1\}}$/\1 \2/p' "$claims" |
            sed 's/^\([^ ]*\) rows /| `\1` | `rows /; t; s/^\([^ ]*\) /| `\1` | `acesim /'
    } >"$folder/lines"
    : >"$folder/out"
    while IFS= read -r line; do
        grep -qF -- "$line" docs/papers.md || echo "$line" >>"$folder/out"
    done <"$folder/lines"
    [ -s "$folder/lines" ] && [ ! -s "$folder/out" ] &&
        [ "$(grep -c '^| ' "$folder/lines")" = "$(grep -c '^  - claim:\|^  - {name: .*command:' "$claims")" ]
    status=$?
    (cd "$folder" && report $status "docs/papers.md has each claim and command of $paper")
    n=$((n + 1))
done
! grep ',not said,' docs/papers/constants.csv >"$folder/out"
status=$?
(cd "$folder" && report $status 'every constant has a source')
n=$((n + 1))
echo "1..$n"
