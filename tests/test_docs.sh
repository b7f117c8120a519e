#!/bin/bash
# test_docs.sh - the commands in the documentation work
#
# Blocks marked sh in docs/*.md and docs/*/*.md run in order.  Each page has its
# own folder with configs/, and all of its blocks must succeed.  From README.md
# the lines that run build/demo/acesim are taken, from any block.
#
# Environment: ACESIM is the program under test, SRCDIR the source folder, TMPDIR
# a folder for temporary files.
n=0
mkdir -p "$TMPDIR/bin" && ln -s "$ACESIM" "$TMPDIR/bin/acesim" || exit 1
PATH=$TMPDIR/bin:$PATH

# run NAME SCRIPT - runs a script and prints a line of TAP
run() {
    n=$((n + 1))
    mkdir -p "$TMPDIR/$n/tests" && cd "$TMPDIR/$n" &&
        ln -s "$SRCDIR/configs" . && ln -s "$SRCDIR/tests/samples" tests ||
        exit 1
    if bash -e "$2" >out 2>err; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        tail -n 20 out err | sed 's/^/# /'
    fi
}

for page in "$SRCDIR"/docs/*.md "$SRCDIR"/docs/*/*.md; do
    name=$(echo "${page#"$SRCDIR"/docs/}" | tr / -)
    awk '/^```/ { on = $0 == "```sh"; next } on' "$page" >"$TMPDIR/$name.sh"
    [ -s "$TMPDIR/$name.sh" ] && run "docs/$name" "$TMPDIR/$name.sh"
done
awk 'sub(/^ *build\/demo\//, "") || goes_on { print; goes_on = /\\$/ }' \
    "$SRCDIR/README.md" >"$TMPDIR/readme.sh"
run README.md "$TMPDIR/readme.sh"

# The blocks of results.md in other languages read the folder that its own block
# made; each runs where its program is.
awk '/^```/ { on = $0 == "```sh"; next } on' "$SRCDIR/docs/results.md" \
    >"$TMPDIR/results.sh"
for language in python r; do
    block=$TMPDIR/results.$language
    awk -v mark="\`\`\`$language" '/^```/ { on = $0 == mark; next } on' \
        "$SRCDIR/docs/results.md" >"$block"
    if [ $language = python ]; then
        command=()
        for python in /usr/bin/python3 python3; do
            $python -c 'import pandas' 2>/dev/null && command=($python)
        done
    else
        command=(Rscript)
        command -v Rscript >/dev/null || command=()
    fi
    if [ ${#command[@]} = 0 ]; then
        n=$((n + 1))
        echo "ok $n - results.md in $language # SKIP it is not installed here"
        continue
    fi
    { cat "$TMPDIR/results.sh"; echo "${command[0]} $block"; } >"$TMPDIR/both.sh"
    [ -s "$block" ] && run "results.md in $language" "$TMPDIR/both.sh"
done

# Three pages quote the output of --explain for comp-opt.
cat >"$TMPDIR/explain.sh" <<'END'
run=configs/runs/isca21.yaml
acesim run $run --set endpoint=configs/endpoints/comp-opt.yaml --explain >says
gain=$(head -n 3 says | tr '\n' ' ' |
    sed -n 's/.*twice that makes the iteration \([0-9.]* times faster\).*/\1/p')
[ -n "$gain" ] && echo "it says: $gain"
for page in README.md docs/explain.md docs/tutorial.md; do
    echo "$page"
    tr '\n' ' ' <"$SRCDIR/$page" | grep -q "makes the iteration *$gain"
done
END
run 'what --explain says, as the pages have it' "$TMPDIR/explain.sh"

# The table of ResNet-50 on 4x4x4 must equal the output of a run.
cat >"$TMPDIR/table.sh" <<'END'
run=configs/runs/isca21.yaml
grep -E '^\| `[a-z-]*`[^|]*\| [0-9.]* %' "$SRCDIR/docs/explain.md" >rows
[ "$(wc -l <rows)" -ge 5 ]
while IFS= read -r row; do
    endpoint=$(echo "$row" | cut -d'`' -f2)
    overlap=true
    case $row in *'as the paper has it'*) overlap=false ;; esac
    acesim run $run --set endpoint=configs/endpoints/$endpoint.yaml \
        --set training.overlap=$overlap --explain --what-if-csv w.csv >says
    exposed=$(sed -n 's/^exposed communication .* \([0-9.]*\) %  .*/\1/p' says)
    best=$(awk -F, 'NR > 1 && $(NF - 1) > best { best = $(NF - 1) }
        END { printf "%.2f", best < 1 ? 1 : best }' w.csv)
    echo "$row: $exposed %, $best"
    echo "$row" | grep -q "| $exposed %.*| $best |\$"
done <rows
END
run 'what a table says of endpoints' "$TMPDIR/table.sh"

# The table of divisions of a language model must equal the output of runs.
cat >"$TMPDIR/divisions.sh" <<'END'
sed '/^acesim list machines/q' "$TMPDIR/language-models.md.sh" >files.sh
bash -e files.sh >/dev/null
grep '^| `{tp: ' "$SRCDIR/docs/language-models.md" >rows
[ "$(wc -l <rows)" -ge 4 ]
while IFS='|' read -r _ parallel time tokens mfu memory _; do
    acesim run run.yaml --set workload.parallel="$(echo $parallel | tr -d '`')" >says
    echo "$parallel: $time, $tokens, $mfu, $memory"
    grep -qE "^iteration time +$(echo $time) " says
    grep -qE "^tokens +$(echo $tokens) /s" says
    grep -qF "MFU$(echo " $mfu" | tr -s ' ')of" says
    grep -qE "^memory +$(echo $memory) " says
done <rows
END
run 'what a table says of divisions of a language model' "$TMPDIR/divisions.sh"

# Each claim of the page on engines in language models names rows of its table of
# results; their least and largest worth must be the figures of the claim, and no
# other figure of that kind may stand in the page.
cat >"$TMPDIR/claims.sh" <<'END'
page=$SRCDIR/docs/llm-offload/README.md
grep -E '^\|.*\| `[a-z_]*=.*` \|' "$page" >claims
[ "$(wc -l <claims)" -ge 8 ]
awk -F, '
function matches(filter,    n, m, i, k, pair, values, part, found) {
    n = split(filter, part, " ")
    for (i = 1; i <= n; i++) {
        split(part[i], pair, "=")
        if (!(pair[1] in column)) { print "no column " pair[1]; exit 1 }
        m = split(pair[2], values, "+")
        found = 0
        for (k = 1; k <= m; k++)
            found = found || cell[column[pair[1]]] == values[k]
        if (!found)
            return 0
    }
    return 1
}
NR == FNR {
    split($0, field, /`/)
    n_claims++
    filter[n_claims] = field[2]
    text = $0
    sub(/ \|$/, "", text)
    sub(/.*\| /, "", text)
    expected[n_claims] = text
    next
}
FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
    for (i = 1; i <= NF; i++)
        cell[i] = $i
    for (c = 1; c <= n_claims; c++)
        if (matches(filter[c])) {
            worth = cell[column["worth"]] + 0
            if (!(c in least) || worth < least[c]) least[c] = worth
            if (!(c in most) || worth > most[c]) most[c] = worth
        }
}
END {
    for (c = 1; c <= n_claims; c++) {
        got = sprintf("%.2f", least[c])
        if (sprintf("%.2f", most[c]) != got)
            got = got sprintf(" to %.2f", most[c])
        print filter[c] ": page " expected[c] ", rows " ((c in least) ? got : "none")
        wrong += !(c in least) || got != expected[c]
    }
    exit wrong > 0
}' claims "$SRCDIR/docs/llm-offload/worth.csv"
cut -d'|' -f4 claims | grep -oE '[0-9]+\.[0-9]{2}' | sort -u >figures
grep -vE '^\|' "$page" | awk '/^```/ { code = !code } !code' | grep -oE '[0-9]+\.[0-9]{2}' | sort -u >prose
if comm -23 prose figures | grep .; then
    echo 'these figures of the page are those of no claim'
    exit 1
fi
END
run 'the claims of llm-offload, by the rows that carry them' "$TMPDIR/claims.sh"

# Its table of results is what its script prints of these rows.
cat >"$TMPDIR/worth.sh" <<'END'
python3 "$SRCDIR/docs/llm-offload/worth.py" --table "$SRCDIR/docs/llm-offload/worth.csv" >printed
[ "$(wc -l <printed)" -ge 15 ]
sed -n '/^| machine | model /,/^$/p' "$SRCDIR/docs/llm-offload/README.md" | grep '^|' >page
diff page printed
END
run 'the table of results of llm-offload' "$TMPDIR/worth.sh"

# The rows of its smallest sweep must be those of a run of today.
cat >"$TMPDIR/rows.sh" <<'END'
acesim sweep configs/sweeps/llm-offload-overlap.yaml -o again -j 1 -q
acesim compare again --csv again/compare-any.csv >/dev/null
python3 "$SRCDIR/docs/llm-offload/worth.py" h100-overlap=again >again.csv
[ "$(wc -l <again.csv)" -ge 20 ]
if grep -vxFf "$SRCDIR/docs/llm-offload/worth.csv" again.csv; then
    echo 'these rows are not in docs/llm-offload/worth.csv'
    exit 1
fi
END
run 'the rows of llm-offload, by running some of them' "$TMPDIR/rows.sh"
echo "1..$n"
