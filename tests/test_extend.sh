#!/bin/bash
# A kind of one's own is one file and one line: toys that are not part of the
# program (extend/, at the paths they would have) are put into a copy of the
# tree, one line of a table each, and every place where users meet kinds has to
# know them then: lists, schemas, summaries, explanations, rows, timelines.
. "$SRCDIR/tests/shell.sh"
set -o pipefail

mode=$(basename "$(dirname "$ACESIM")")
tree=$TMPDIR/tree

# ---- the copy -----------------------------------------------------------

# With the objects, so that only what changes is made anew.
copy() {
    local dir
    mkdir -p "$tree/tests" "$tree/build/$mode" || return
    cp -a "$SRCDIR"/{Makefile,sim,network,models,workloads,validate} "$tree" &&
        cp -a "$SRCDIR"/tests/setup.sh "$tree/tests" || return
    for dir in sim network models workloads .ninja_log .ninja_deps; do
        cp -a "$SRCDIR/build/$mode/$dir" "$tree/build/$mode" || return
    done
}

# add FILE TABLE AFTER LINE - puts the toy into the copy, and LINE behind the
# first line of TABLE that holds AFTER.  Nothing else may have to change.
add() {
    local changed
    cp "$SRCDIR/tests/extend/$1" "$tree/$1" &&
        after=$3 line=$4 awk '{ print }
            !done && index($0, ENVIRON["after"]) {
                print ENVIRON["line"]
                done = 1
            }' \
            "$SRCDIR/$2" >"$tree/$2" || return
    changed=$(diff "$SRCDIR/$2" "$tree/$2" | grep -c '^[<>]')
    [ "$changed" = 1 ] || { echo "$changed lines of $2 changed" && return 1; }
}

build() {
    (cd "$tree" && make -s "build/$mode/build.ninja" &&
        ninja -f "build/$mode/build.ninja" "build/$mode/acesim")
}

# only_toys - in the whole copy, as many files are new as there are toys, and as
# many lines changed.
only_toys() {
    local toys new lines
    toys=$(cd "$SRCDIR/tests/extend" && find . -name '*.c' | wc -l)
    new=$(for d in sim network models workloads; do
        diff -rq "$SRCDIR/$d" "$tree/$d"
    done | grep -c '^Only in')
    lines=$(for d in sim network models workloads; do
        diff -r "$SRCDIR/$d" "$tree/$d"
    done | grep -c '^[<>]')
    echo "$toys toys: $new new files, $lines changed lines"
    [ "$new" = "$toys" ] && [ "$lines" = "$toys" ]
}

# ---- asking -------------------------------------------------------------

# toy NAME ARGS... - runs the program that has the toys, standard output and
# standard error into out and err.
toy() {
    local name=$1
    shift
    "$tree/build/$mode/acesim" "$@" >out 2>err
    report $? "$name"
}

# in_file NAME FILE PATTERN - FILE has a line like it.
in_file() {
    cp "$2" out && grep -q -- "$3" "$2"
    report $? "$1"
}

# no_word NAME WORD FILE... - none of the files has it, however it is written.
no_word() {
    local name=$1 word=$2
    shift 2
    ! grep -i -- "$word" "$@" >out
    report $? "$name"
}

# run_with KEY=TEXT... - a run file with parts of it replaced.
run_with() {
    local part
    declare -A text=(
        [topology]='{kind: torus, dims: [{size: 8, links: 2, bandwidth: 25 GB/s, latency: 500 ns}]}'
        [endpoint]='{kind: ideal}'
        [workload]='{kind: collective, name: c, collective: all-reduce, payload: 256 KiB}'
        [collectives]='{}'
    )
    for part; do
        text[${part%%=*}]=${part#*=}
    done
    cat <<END
platform:
  topology: ${text[topology]}
  npu: $SRCDIR/configs/npus/ace-v100-like.yaml
endpoint: ${text[endpoint]}
workload: ${text[workload]}
collectives: ${text[collectives]}
END
}

copy >out 2>err
report $? 'the tree is copied'

add models/collectives/widdershins.c models/collectives/algorithm.c \
    'ALGORITHMS(X)' '    X(widdershins) \' >out 2>err
report $? 'an algorithm is one file and one line'

only_toys >out 2>err
report $? 'five toys are five files and five lines'
build >out 2>err
report $? 'the copy is built'

# ---- an algorithm -------------------------------------------------------

toy 'list knows the algorithm' list algorithms
prints 'by its name' '^  widdershins'
toy 'schema knows it' schema collectives
prints 'as a value' '"widdershins"'
run_with 'collectives={algorithm: widdershins}' 'topology={kind: switch,
    npus: 8, bandwidth: 25 GB/s, latency: 500 ns}' >algorithm.yaml
toy 'it runs, and its data come out right' run algorithm.yaml --verify
toy 'a ring takes as long' run algorithm.yaml -q --csv toy.csv
toy 'the other way' run algorithm.yaml -q --set collectives.algorithm=ring \
    --csv ring.csv
cmp toy.csv ring.csv >out 2>err
report $? 'so the rows are the same'

echo "1..$n"
