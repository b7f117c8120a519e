#!/bin/bash
# test_malicious_input.sh - absurd, damaged or malicious input gives a message at once
# and needs little memory
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.
n=0
shopt -s lastpipe # so that a test at the end of a pipe counts
cd "$TMPDIR" && ln -s "$SRCDIR/configs" . || exit 1
npu='{sms: 4, clock: 1 GHz, flops: 1 TFLOPS, hbm: {bandwidth: 100 GB/s}}'
link='links: 2, bandwidth: 1 GB/s, latency: 1 ns'

# refuses NAME MESSAGE FILE [ARGS...] - checks for status 1 and exactly MESSAGE;
# standard input is saved as FILE unless it is empty
refuses() {
    local name=$1 message=$2 file=$3
    shift 3
    [ -t 0 ] || cat >input
    [ ! -s input ] || mv input "$file"
    timeout 20 "$ACESIM" run "$file" "$@" >out 2>err </dev/null
    local status=$?
    n=$((n + 1))
    if [ $status = 1 ] && [ "$(cat err)" = "$message" ]; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        echo "# status $status, expected 1 with: $message"
        head -c 2000 err | sed 's/^/# err: /'
    fi
}

# run_of [PLATFORM [WORKLOAD]] - prints a run file with these parts
run_of() {
    echo "platform: ${1:-configs/platforms/ace-4x2x2.yaml}"
    echo "endpoint: configs/endpoints/ideal.yaml"
    echo "workload: ${2:-configs/workloads/all-reduce-64MiB.yaml}"
}
torus() { run_of "{topology: {kind: torus, dims: [$1]}, npu: $npu}"; }
reduce() { run_of '' "{kind: collective, name: c, collective: all-reduce, payload: $1}"; }
repeated() { yes "$1" | head -n "$2" | tr -d '\n'; }

# ---- numbers out of range -------------------------------------------------

torus "$(repeated "{size: 2, $link}," 1000)" |
    refuses 'a thousand dimensions' 'f.yaml:1:42: dims: expected 1 to 5 items, got 1000' f.yaml
torus "{size: 0, $link}" |
    refuses 'a ring of none' 'f.yaml:1:50: size: 0 is outside [1, 16777216]' f.yaml
torus "{size: 18446744073709551615, $link}" |
    refuses 'a ring of 2^64 - 1' 'f.yaml:1:50: size: 18446744073709551615 is outside [1, 16777216]' f.yaml
torus "{size: 16777216, $link}, {size: 16777216, $link}" |
    refuses 'more NPUs than have a number' \
        'f.yaml:1:42: dims: more than 16777216 NPUs' f.yaml
torus '{size: 4, links: 2, bandwidth: 1e30 GB/s, latency: 1 ns}' |
    refuses 'a bandwidth of 1e30' \
        "f.yaml:1:74: bandwidth: '1e30 GB/s' is too large, must be in [1 kB/s, 1000 TB/s]" f.yaml
torus '{size: 4, links: 2, bandwidth: -1 GB/s, latency: 1e-30 ns}' |
    refuses 'less than nothing' \
        "f.yaml:1:74: bandwidth: '-1 GB/s' is negative, must be in [1 kB/s, 1000 TB/s]
f.yaml:1:92: latency: '1e-30 ns' is finer than 1 ps" f.yaml
reduce '18446744073709551615 B' |
    refuses 'a payload of 2^64 - 1' \
        'f.yaml:3:72: payload: 18446744073709551615 B is outside [1 B, 1 TiB]' f.yaml
reduce '0 B' |
    refuses 'a payload of nothing' \
        'f.yaml:3:72: payload: 0 B is outside [1 B, 1 TiB]' f.yaml
run_of "{topology: {kind: switch, npus: 1000000, links: 1, bandwidth: 1 GB/s, latency: 1 us}, npu: $npu}" \
    configs/workloads/all-to-all-4MiB.yaml >huge.yaml
refuses 'more NPUs than memory' "$(timeout 20 "$ACESIM" run huge.yaml --fold=off 2>&1 |
    grep -x 'the run would take some [0-9.e+]* GiB of memory, more than the [0-9.]* GiB that the machine or ulimit -v allows: 1000000 NPUs simulated, 8 chunks in flight in messages of 4194304 bytes; fewer NPUs, a smaller collectives.window or a larger collectives.message take less')" \
    huge.yaml --fold=off </dev/null
run_of "{topology: {kind: switch, npus: 512, links: 1, bandwidth: 1 GB/s, latency: 1 us}, npu: $npu}" >many.yaml
tiny="--verify --set collectives.chunk=1GiB --set collectives.message=64B --set workload.payload=1TiB --set collectives.window=8"
refuses 'data of more chunks than memory' "$(timeout 20 "$ACESIM" run many.yaml $tiny 2>&1 |
    grep -x 'the run and the data carried along would take some [0-9.e+]* GiB of memory, more than the [0-9.]* GiB that they may have; a smaller collectives.window or a larger collectives.message take less')" \
    many.yaml $tiny </dev/null

# ---- shapes that are too large --------------------------------------------

echo 'a: &a [*a]' |
    refuses 'an alias inside itself' "f.yaml:1:8: the alias 'a' stands inside its own anchor; write the value out" f.yaml
echo 'platform: f.yaml' |
    refuses 'a file that includes itself' "f.yaml:1:1: missing key 'endpoint' (what carries out collectives; \`endpoints\` of several: a map from axes of parallelism to endpoints)
f.yaml:1:1: missing key 'workload' (what is trained)
f.yaml:1:11: platform: 'f.yaml' includes itself: f.yaml -> f.yaml" f.yaml
repeated '[' 100000 | refuses 'a hundred thousand brackets' 'f.yaml:1:65: more than 64 levels deep; nest fewer lists and maps' f.yaml
{
    echo 'a: &a [x, x, x, x, x, x, x, x, x]'
    for pair in ab bc cd de ef fg gh hi; do
        echo "${pair#?}: &${pair#?} [$(repeated "*${pair%?}, " 9)]"
    done
} | refuses 'aliases that multiply' 'f.yaml:7:8: more than 1000000 nodes, aliases counted in full; the environment variable ACESIM_MAX_NODES allows more' f.yaml
printf 'a: 1\n---\nb: 2\n' | refuses 'two documents' 'f.yaml:2:1: a second document begins; a file holds one' f.yaml
{ repeated x 1000000 && echo ': 1'; } |
    refuses 'a key of a megabyte' 'f.yaml:1:1000001: mapping values are not allowed in this context' f.yaml

# ---- damaged and special files --------------------------------------------

refuses 'no file' 'none.yaml: cannot be read: No such file or directory' none.yaml </dev/null
refuses 'a folder' 'configs: cannot be read: it is a directory; name a file in it' configs </dev/null
refuses 'a device' '/dev/zero: cannot be read: it is a device, pipe or socket; give a regular file' /dev/zero </dev/null
mkfifo pipe
refuses 'a pipe that nobody writes to' 'pipe: cannot be read: it is a device, pipe or socket; give a regular file' pipe </dev/null
printf 'platform: /dev/zero\nendpoint: pipe\nworkload: configs\n' |
    refuses 'devices as parts' "f.yaml:1:11: platform: '/dev/zero' cannot be read: it is a device, pipe or socket; give a regular file
f.yaml:2:11: endpoint: 'pipe' cannot be read: it is a device, pipe or socket; give a regular file
f.yaml:3:11: workload: 'configs' cannot be read: it is a directory; name a file in it" f.yaml
: >empty.yaml
refuses 'an empty file' 'empty.yaml:1:1: the file is empty; check that it is the right one' empty.yaml </dev/null
printf 'platform\0: x\n' | refuses 'a NUL' 'f.yaml:1:9: a NUL byte; is this a text file?' f.yaml
printf 'platform: \377\n' | refuses 'no UTF-8' 'f.yaml:1:11: the byte 0xff is not UTF-8; save the file as UTF-8' f.yaml
truncate -s 1G large.yaml
refuses 'a gigabyte' 'large.yaml: cannot be read: it is larger than 512 MiB; check that it is the right file, or shorten it' large.yaml </dev/null
rm large.yaml
# ---- spreadsheet formulas in cells ----------------------------------------

cat >formulas.yaml <<'EOF'
base:
  platform: ace-4x2x2
  endpoint: {kind: ace, name: "+ace", sram: 4 MiB, fsms: 16, memory_bandwidth: 128 GB/s}
  workload: {kind: collective, name: "=cmd|'/C calc'!A0", collective: all-reduce, payload: 1 MiB}
  training: {iterations: 1}
axes:
  - cases:
      "=axis":
        "@SUM(1)": {workload.payload: 1 MiB}
        "-2+3": {workload.payload: 2 MiB}
  - endpoint: [{kind: ideal, name: "=ideal"}, {kind: ace, name: "+ace", sram: 4 MiB, fsms: 16, memory_bandwidth: 128 GB/s}]
compare: {baselines: ["=ideal"], offload: ["+ace"]}
EOF
"$ACESIM" sweep formulas.yaml -o cells -q --per-layer --per-link 2>err &&
    cp cells/runs.csv before && rm cells/runs.csv &&
    "$ACESIM" sweep formulas.yaml -o cells -q 2>err &&
    cmp before cells/runs.csv >>err && "$ACESIM" compare cells >out 2>err &&
    "$ACESIM" report cells >out 2>err &&
    ! grep -qE '(^|,)"?[=+@]|(^|,)"?-[^0-9,]' cells/*.csv &&
    head -n 1 cells/runs.csv | grep -q "^'=axis,workload,"
status=$?
n=$((n + 1))
[ $status = 0 ] || echo -n 'not '
echo "ok $n - no cell of a sweep begins as a formula does, and all are read again"
"$ACESIM" compare cells >out 2>err
grep -q "^=cmd.*@SUM(1).*=ideal" out
status=$?
n=$((n + 1))
[ $status = 0 ] || echo -n 'not '
echo "ok $n - what is shown has the texts as they were"

echo "1..$n"
