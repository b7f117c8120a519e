#!/bin/bash
# test_extend.sh - a new kind needs one file and one line
#
# The commands of docs/extend.md that add a module run here, too.
#
# Example kinds in extend/, which are not part of the program, are copied to
# their paths in a copy of the tree, with one line in a table each.  All places
# where users see kinds must then have them: lists, schemas, summaries,
# explanations, rows and timelines.
. "$SRCDIR/tests/shell.sh"
set -o pipefail

mode=$(basename "$(dirname "$ACESIM")")
tree=$TMPDIR/tree

# ---- copy of the source tree ----------------------------------------------

# The copy contains object files, so that only changed sources are compiled.
copy() {
    local dir
    mkdir -p "$tree/tests" "$tree/build/$mode" || return
    cp -a "$SRCDIR"/{Makefile,sim,network,models,workloads,validate} "$tree" &&
        cp -a "$SRCDIR"/tests/{setup.sh,extend} "$tree/tests" &&
        ln -s "$SRCDIR/configs" "$tree/configs" || return
    for dir in sim network models workloads .ninja_log .ninja_deps; do
        cp -a "$SRCDIR/build/$mode/$dir" "$tree/build/$mode" || return
    done
}

# add FILE TABLE AFTER LINE - copies an example and inserts LINE after the first
# line of TABLE that contains AFTER; TABLE may not differ otherwise
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

# page_commands PATTERN - runs, in the copy, the commands of docs/extend.md on a
# module that match PATTERN
page_commands() {
    awk '/^```/ { on = $0 == "```sh source"; next } on' \
        "$SRCDIR/docs/extend.md" | grep -E -- "$1" |
        sed "s#build/quick#build/$mode#g" >page.sh
    [ -s page.sh ] && script=$PWD/page.sh &&
        (cd "$tree" && bash -e "$script")
}

build() {
    (cd "$tree" && make -s "build/$mode/build.ninja" &&
        ninja -f "build/$mode/build.ninja" "build/$mode/acesim")
}

# only_toys - checks that the copy has one new file and one changed line per
# example
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

# ---- checks of added kinds ------------------------------------------------

# toy NAME ARGS... - runs the program with the examples; standard output and
# standard error go to `out` and `err`
toy() {
    local name=$1
    shift
    "$tree/build/$mode/acesim" "$@" >out 2>err
    report $? "$name"
}

# refuses NAME PATTERN ARGS... - checks that the program with the examples fails
# with a message that matches PATTERN
refuses() {
    local name=$1 pattern=$2
    shift 2
    "$tree/build/$mode/acesim" "$@" >out 2>err
    [ $? = 1 ] && grep -q -- "$pattern" err
    report $? "$name"
}

# in_file NAME FILE PATTERN - checks that FILE has a line that matches PATTERN
in_file() {
    cp "$2" out && grep -q -- "$3" "$2"
    report $? "$1"
}

# no_word NAME WORD FILE... - checks that no file contains WORD in any case
no_word() {
    local name=$1 word=$2
    shift 2
    ! grep -i -- "$word" "$@" >out
    report $? "$name"
}

# run_with KEY=TEXT... - prints a run file with some parts replaced
run_with() {
    local part
    declare -A text=(
        [topology]='{kind: torus, dims: [{size: 8, links: 2, bandwidth: 25 GB/s, latency: 500 ns}]}'
        [endpoint]='{kind: ideal}'
        [workload]='{kind: collective, name: c, collective: all-reduce, payload: 256 KiB}'
        [training]='{}'
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
training: ${text[training]}
collectives: ${text[collectives]}
END
}

copy >out 2>err
report $? 'the tree is copied'

add models/collectives/algorithms/reversed_ring.c models/collectives/algorithm.c \
    'ALGORITHMS(Add)' '    Add(coll_reversed_ring, "reversed-ring") \' >out 2>err
report $? 'an algorithm is one file and one line'

add network/topologies/hub.c network/topology.c \
    'TOPOLOGIES(X)' '    X(topology_hub) \' >out 2>err
report $? 'a topology is one file and one line'
add models/endpoints/host_threads.c models/endpoints/endpoint_kinds.c \
    'ENDPOINTS(Add)' '    Add(endpoint_host_threads) \' >out 2>err
report $? 'an endpoint is one file and one line'
add workloads/loops/call_and_answer.c workloads/workload.c \
    'LOOPS(Add)' '    Add(loop_call_and_answer) \' >out 2>err
report $? 'a loop with two roles is one file and one line'

add workloads/readers/steps.c workloads/readers/reader_table.c \
    'READERS(Add)' '    Add(reader_steps, "steps") \' >out 2>err
report $? 'a reader is one file and one line'

add workloads/schedules/backwards_first.c workloads/schedules/schedules.c \
    'SCHEDULES(Add)' '    Add(schedule_backwards_first) \' >out 2>err
report $? 'a schedule is one file and one line'

add workloads/sharding/whole_gradients.c workloads/sharding/sharding.c \
    'Add(sharding_zero_1)' '    Add(sharding_whole_gradients) \' >out 2>err
report $? 'a sharding is one file and one line'

page_commands '^(cp|sed) ' >out 2>err
report $? 'a module of layers is one file and one line'

only_toys >out 2>err
report $? 'eight toys are eight files and eight lines'
build >out 2>err
report $? 'the copy is built'
[ -x "$tree/build/$mode/acesim" ] || { echo "1..$n" && exit 1; }

# ---- an added schedule -----------------------------------------------------

toy 'list knows the schedule' list schedules
prints 'by its name' '^kind: backwards-first'
run_with "workload=$SRCDIR/configs/workloads/pipeline-segments.yaml" \
    >schedule.yaml
toy 'it runs, and its data come out right' run schedule.yaml --verify \
    --set 'workload.schedule={kind: backwards-first, micro_batches: 4}'
refuses 'it has one chunk' 'chunks: backwards-first has 1 on each stage' \
    run schedule.yaml --set \
    'workload.schedule={kind: backwards-first, micro_batches: 4, chunks: 2}'

# ---- an added sharding -----------------------------------------------------

toy 'schema knows the sharding' schema workload
prints 'as a kind' '"whole-gradients"'

# memory_of KIND COLUMN - the column of a run with this sharding, in $bytes
memory_of() {
    toy "a model runs with shard: $1" run \
        "$SRCDIR/configs/runs/llama-70b-64.yaml" -q --csv - \
        --set "workload.shard={kind: $1}"
    bytes=$(awk -F, -v name="memory_$2_bytes" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at[name] }' out)
}
memory_of fsdp weights
divided=$bytes
memory_of zero-1 gradients
whole=$bytes
memory_of whole-gradients weights
echo "weights $bytes, fsdp $divided" >out
[ -n "$bytes" ] && [ "$bytes" = "$divided" ]
report $? 'it keeps as many weights as fsdp'
memory_of whole-gradients gradients
echo "gradients $bytes, zero-1 $whole" >out
[ -n "$bytes" ] && [ "$bytes" = "$whole" ]
report $? 'it keeps as many gradients as zero-1'
small_run >loop.yaml
toy 'a loop without segments runs with it, and its data come out right' \
    run loop.yaml --verify --set training.optimiser=adam \
    --set workload="{kind: data-parallel, name: two, batch: 2, layers: \
[{kind: linear, name: a, in: 30, out: 50}, \
{kind: linear, name: b, in: 50, out: 90}]}" \
    --set training.exchange='{kind: sharded, shard: {kind: whole-gradients}}'

# ---- an added module of the layers of language models ----------------------

page_commands '^build/' >out 2>err
report $? 'the page of docs has commands that work'
in_file 'which write its operations' "$tree/flat.yaml" 'layer: state-mixer'
toy 'schema knows the module' schema workload
prints 'as a module' '"state-mixer"'
cat >mixer.yaml <<'END'
{name: mixer, layers: 3, hidden: 64, heads: 8, ffn: 96, vocabulary: 128, modules: [state-mixer, mlp]}
END
toy 'a model of such layers is checked' check mixer.yaml
# embedding and head 2 V h + h; a layer 2 h h + h, and 3 h f + h
prints 'it has the weights of its formula' \
    "with $(((2 * 128 * 64 + 64) + 3 * (2 * 64 * 64 + 64 + 3 * 64 * 96 + 64))) weights"
mixer='{kind: transformer, model: mixer.yaml, sequence: 32, batch: {global: 8}, parallel: {tp: 2, cp: 2}}'
run_with 'topology={kind: switch, npus: 8, bandwidth: 25 GB/s, latency: 500 ns}' \
    "workload=$mixer" 'training={precision: bf16, optimiser: adam}' >mixer-run.yaml
toy 'it runs, and its data come out right' run mixer-run.yaml --verify \
    --csv runs.csv --memory memory.csv
toy 'in full' run mixer-run.yaml -q --fold=off --csv full.csv
cmp runs.csv full.csv >out 2>err
report $? 'it has the same rows'
toy 'its operations are exported' export --flat mixer-run.yaml -o mixer-flat.yaml

# collectives AXIS NAME - prints the number and bytes of collectives of the module
collectives() {
    grep "layer: state-mixer, collective" mixer-flat.yaml | grep "axis: $1," |
        grep "name: $2\." | sed 's/.*bytes: \([^,]*\),.*/\1/' | sort | uniq -c |
        sed 's/^ *//'
}
# Each of 3 layers and 4 micro-batches of 1: gathers of T h v = 16 * 64 * 2
# bytes, one forward and two backward, sums one and one; states of 2 * 64 / 2
# values in each direction.
{ collectives tp gather && collectives tp sum && collectives cp states; } >out
printf '36 2 KiB\n24 2 KiB\n24 128 B\n' | cmp - out 2>err
report $? 'its collectives by axis are those of its formula'
# products of T x h / t x h and T x h x h / t, each with two more backward
grep -c 'layer: state-mixer, products' mixer-flat.yaml >out
[ "$(cat out)" = 72 ]
report $? 'it has six products in a layer and micro-batch'
# 3 layers: mixer T h (2 v) / 2 and T h v / 2; mlp T h (2 v) / 2 and 3 T f v / 2
awk -F, -v most=$((3 * (2 * 16 * 64 * 4 / 2 + 16 * 64 * 2 / 2 + 3 * 16 * 96 * 2 / 2))) '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $at["is_peak"] == "true" { print $at["memory_activations_bytes"], most
        exit $at["memory_activations_bytes"] != most }' memory.csv >out 2>err
report $? 'it keeps the activations of its formula'
refuses 'an axis has to divide it' \
    "tp 8 does not divide 60 values of 'hidden'" run mixer-run.yaml \
    --set workload.model.hidden=60 --set workload.model.heads=8 \
    --set workload.model.head_size=8 --set 'workload.parallel={tp: 8}'

# ---- an added collective algorithm ----------------------------------------

toy 'list knows the algorithm' list algorithms
prints 'by its name' '^  reversed-ring'
toy 'schema knows it' schema collectives
prints 'as a value' '"reversed-ring"'
run_with 'collectives={algorithm: reversed-ring}' 'topology={kind: switch,
    npus: 8, bandwidth: 25 GB/s, latency: 500 ns}' >algorithm.yaml
toy 'it runs, and its data come out right' run algorithm.yaml --verify
toy 'a ring takes as long' run algorithm.yaml -q --csv toy.csv
toy 'the other way' run algorithm.yaml -q --set collectives.algorithm=ring \
    --csv ring.csv
cmp toy.csv ring.csv >out 2>err
report $? 'so the rows are the same'

# ---- an added endpoint with its own resource ------------------------------

toy 'list knows the endpoint' list endpoints
prints 'by its name' '^kind: host-threads - '
prints 'and its parameters' '^  threads '
toy 'schema knows it' schema endpoint
prints 'as a kind' '"host-threads"'
run_with 'endpoint={kind: host-threads, threads: 2}' >endpoint.yaml
toy 'it runs, and its data come out right' run endpoint.yaml --verify
prints 'the summary has its threads' '^host threads  *[0-9.]* %  *2'
toy 'its times are explained' run endpoint.yaml --explain \
    --explain-csv explain.csv --what-if-csv what-if.csv
cp out explained
prints 'by waiting for threads' "the endpoint's host threads"
prints 'of which more would help' '^endpoint.threads=4 .*[0-9]$'
in_file 'rows of the explanation name them' explain.csv ',host_threads,'
in_file 'and those of what-ifs' what-if.csv ',endpoint.threads=4,'
toy 'it has rows' run endpoint.yaml -q --csv runs.csv --utilisation use.csv \
    --timeline trace.json
in_file 'with a column of its own' runs.csv '[,]host_threads_busy_us[,]'
in_file 'a timeline has a track for them' trace.json 'host threads'
toy 'it has JSON' run endpoint.yaml --json
prints 'with its resource' '"host_threads_busy_us"'
cp out run.json
no_word 'nothing that is said of it is about SRAM' sram explained explain.csv \
    what-if.csv trace.json

# time_of SETTINGS - A ring of 8 with one chunk has 14 steps, each of which
# takes longer by the time of a host thread.
time_of() {
    toy "it is timed with $*" run endpoint.yaml -q --csv - \
        --set collectives='{chunk: 1 GiB, message: 1 GiB}' \
        --set endpoint="{kind: host-threads, $*}"
    us=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["iteration_time_us"] }' out)
}
time_of post_time: 1 us
one=$us
time_of post_time: 4 us
awk -v one="$one" -v four="$us" 'BEGIN { d = four - one - 14 * 3
    exit !(d * d < 1e-12) }'
report $? 'fourteen steps of 3 us more are 42 us'

# ---- an added topology without symmetry -----------------------------------

toy 'list knows the topology' list topologies
prints 'by its name' '^kind: hub - '
toy 'schema knows it' schema topology
prints 'as a kind' '"hub"'
run_with 'topology={kind: hub, npus: 5, bandwidth: 25 GB/s, latency: 500 ns}' \
    >topology.yaml
toy 'it runs, and its data come out right' run topology.yaml --verify
toy 'nobody stands for anybody' run topology.yaml --csv runs.csv \
    --per-link links.csv --timeline trace.json
prints 'the summary has its name' '(hub, 5 NPUs)'
prints 'and says why' '^simulated: all 5 NPUs ('
in_file 'its links have rows' links.csv ',spoke3,'
in_file 'and are on the timeline' trace.json 'links busy'
toy 'it is explained' run topology.yaml --explain
prints 'by its links' 'links'
toy 'in full' run topology.yaml -q --fold=off --csv full.csv
cmp runs.csv full.csv >out 2>err
report $? 'it has the same rows'
refuses 'it cannot be made to fold' 'cannot fold' run topology.yaml \
    --fold=require

# ---- an added loop with two roles -----------------------------------------

toy 'list knows the loop' list workloads
prints 'by its name' '^kind: call-and-answer - '
toy 'schema knows it' schema workload
prints 'as a kind' '"call-and-answer"'
run_with 'workload={kind: call-and-answer, name: talk, flop: 1000000000,
    message: 1 MB}' >loop.yaml
toy 'it runs, and its data come out right' run loop.yaml --verify
toy 'a caller stands for callers, an answerer for answerers' run loop.yaml \
    --csv runs.csv --per-layer layers.csv --timeline trace.json \
    --timeline-npus 0,1
prints 'which the summary says' '^simulated: 2 of 8 NPUs, all others are equivalent'
in_file 'rows have its name' runs.csv '^talk,8,'
in_file 'and its operations' layers.csv ',answered,'
in_file 'so has the timeline' trace.json 'answered'
toy 'it is explained' run loop.yaml --explain
prints 'by its messages' 'links'
toy 'in full' run loop.yaml -q --fold=off --csv full.csv
cmp runs.csv full.csv >out 2>err
report $? 'it has the same rows'

# ---- an added trace reader ------------------------------------------------

toy 'list knows the reader' list readers
prints 'by its name' 'steps'
toy 'schema knows it' schema workload
prints 'as a format' '"steps"'
printf 'STEPS\nkernel think 5000\nall-reduce share 65536\n' >steps.txt
run_with 'workload={kind: trace, name: told, file: steps.txt}' \
    'training={compute: measured}' >reader.yaml
toy 'what it reads runs, and its data come out right' run reader.yaml --verify
toy 'it has rows and a timeline' run reader.yaml -q --csv runs.csv \
    --per-layer layers.csv --timeline trace.json
in_file 'of its name' runs.csv '^told,8,'
in_file 'of its steps' layers.csv ',think,forward,5\.000000,'
in_file 'and they are on the timeline' trace.json 'think'
toy 'it is explained' run reader.yaml --explain
prints 'by its collectives' 'the links'
echo 'dream well 1' >>steps.txt
refuses 'what is wrong with a file is said where it is' \
    '^steps.txt:4:1: expected ' run reader.yaml

echo "1..$n"
