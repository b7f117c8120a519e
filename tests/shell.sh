# shell.sh - functions of tests in shell: a temporary folder and TAP output
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.
#
# A test ends with: echo "1..$n"

n=0
cd "$TMPDIR" || exit 1

# small_run - prints a run file that takes very little time
small_run() {
cat <<EOF
platform:
  name: pair
  topology: {kind: switch, npus: 4, bandwidth: 25 GB/s, latency: 500 ns}
  npu: $SRCDIR/configs/npus/ace-v100-like.yaml
endpoint: {kind: ideal, name: ideal}
workload: {kind: collective, name: c, collective: all-reduce, payload: 1 MiB}
EOF
}

# report STATUS NAME - prints a line of TAP; a status other than 0 is a failure
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
        head -n 20 out | sed 's/^/# out: /'
        sed 's/^/# err: /' err
    fi
}

# says NAME STATUS TEXT ARGS... - checks that acesim ends with STATUS and prints
# exactly TEXT on standard error
says() {
    local name=$1 status=$2 text=$3
    shift 3
    "$ACESIM" "$@" >out 2>err
    local got=$?
    printf '%s\n' "$text" >expected
    [ -n "$text" ] || : >expected
    [ $got = "$status" ] && cmp -s expected err
    local failed=$?
    [ $failed = 0 ] || { echo "status $got, expected $status with" &&
        cat expected; } >>err
    report $failed "$name"
}

# iteration_us ARGS... - prints the iteration time of a run in microseconds
iteration_us() {
    "$ACESIM" run "$@" --json >out 2>err || return 1
    sed -n 's/.*"iteration_time_us": *\([0-9.]*\).*/\1/p' out
}

# prints NAME PATTERN - checks that the last command printed a matching line
prints() {
    grep -q -- "$2" out
    report $? "$1"
}

# skip NAME REASON - reports a test that is impossible on this machine
skip() {
    n=$((n + 1))
    echo "ok $n - $1 # SKIP $2"
}
