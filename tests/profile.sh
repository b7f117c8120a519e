# profile.sh - functions of import tests that write small PyTorch profiles event
# by event
#
# Source it after shell.sh, because it uses report().

# ---- profiles whose times are in microseconds -----------------------------

# begin RANK WORLD [STEP_US] - begins the file of a rank, with a first step of
# STEP_US if given
begin() {
    rank=$1 id=$((1000 * $1)) file=rank$1.json
    printf '{"schemaVersion": 1, "distributedInfo": {"rank": %s, "world_size": %s}, "traceEvents": [\n' "$1" "$2" >"$file"
    n_steps=0
    [ $# -lt 3 ] || step 0 "$3"
}

# step TS DUR - adds the next profiler step, in category $step_category
step_category=user_annotation
step() {
    n_steps=$((n_steps + 1))
    event "$step_category" "ProfilerStep#$n_steps" 1 "$1" "$2" '' >>"$file"
}

# event CATEGORY NAME THREAD TS DUR ARGS - prints an event
event() {
    printf '%s{"ph": "X", "cat": "%s", "name": "%s", "pid": 1, "tid": %s, "ts": %s, "dur": %s, "args": {%s}}\n' \
        "${comma-}" "$1" "$2" "$3" "$4" "$5" "$6"
    comma=,
}

# call NAME TS DUR [ARGS] - adds a host call with a new correlation id
call() {
    id=$((id + 1))
    event cuda_runtime "$1" 1 "$2" "$3" "\"correlation\": $id${4:+, $4}" >>"$file"
}

# device CATEGORY NAME STREAM TS DUR [ARGS] - adds a device operation that the
# last call launched
device() {
    event "$1" "$2" "$3" "$4" "$5" \
        "\"device\": 0, \"stream\": $3, \"correlation\": $id${6:+, $6}" >>"$file"
}

# kernel NAME STREAM LAUNCHED TS DUR [ARGS] - adds a kernel and its launch,
# which takes 5 us
kernel() {
    call cudaLaunchKernel "$3" 5
    device kernel "$1" "$2" "$4" "$5" "${6-}"
}

# all_reduce STREAM LAUNCHED TS DUR GROUP RANKS - adds an all-reduce of 4 KiB
all_reduce() {
    kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL "$1" "$2" "$3" "$4" \
        '"Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024, "dtype": "Float", "Group size": '"$(echo "$6" | wc -w)"', "Process Group Name": "'"$5"'", "Process Group Ranks": "['"${6// /, }"']"'
}

end() {
    printf ']}\n' >>"$file"
    unset comma
}

# ---- checks of imported profiles ------------------------------------------

# imports NAME FILE... - imports the files to p.yaml and its run file r.yaml
imports() {
    local name=$1
    shift
    "$ACESIM" import "$@" -o p.yaml --run-file r.yaml >out 2>err
    report $? "$name"
}

# takes US NAME [PATTERN=FACTOR]... - checks the iteration time, with the
# durations of matching operations multiplied by FACTOR
takes() {
    local us=$1 name=$2 ops=
    shift 2
    for op in "$@"; do
        ops="$ops{match: '${op%=*}', time_factor: ${op#*=}}, "
    done
    "$ACESIM" run r.yaml -q --csv rows.csv --set perturb.ops="[$ops]" >out 2>err
    local got
    got=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "iteration_time_us") c = i }
        END { print $c }' rows.csv)
    awk -v got="$got" -v us="$us" 'BEGIN { exit !(got - us < 0.002 && us - got < 0.002) }'
    local failed=$?
    [ $failed = 0 ] || echo "it takes $got us, not $us" >>err
    report $failed "$name"
}

# column NAME - prints a cell of the only row of rows.csv
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        END { print $c }' rows.csv
}

# near GOT WANTED TOLERANCE - true if the numbers differ by at most TOLERANCE
near() {
    awk -v got="$1" -v want="$2" -v off="$3" 'BEGIN { exit !(got - want <= off && want - got <= off) }'
}
