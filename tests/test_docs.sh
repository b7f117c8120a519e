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
echo "1..$n"
