#!/bin/bash
# test_import_folder.sh - imports of folders as profilers write them, of other
# accelerators, and of files without operations
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
. "$SRCDIR/tests/profile.sh"

# rank R WORLD - writes a profile with a step of 1000 us and a kernel of 500 us
rank() {
    begin "$1" "$2" 990
    kernel gemm 7 10 30 500
    call cudaDeviceSynchronize 90 445
    end
}

# ---- files that are no traces ---------------------------------------------

mkdir -p job/logs
for r in 0 1; do rank $r 2 && mv rank$r.json job; done
echo 'epoch 1, loss 2.3' >job/slurm-1.out
printf '[[0, 1, 2], [[1, 2], [3, 4]]]\n' >job/memory_timeline.json
: >job/empty
echo 'nothing' >job/logs/x.log
imports 'a folder with foreign files' job
[ "$(grep -c 'left out: no reader knows how it begins$' err)" = 3 ] && grep -q '^note: job/slurm-1.out: left out' err
report $? 'names those that are left out'
prints 'and reads the others' '^found  *2  ranks recorded$'
"$ACESIM" lint-trace job >out 2>err
[ $? = 0 ] && grep -q '^note: job/slurm-1.out: left out' err
report $? 'lint-trace takes the same folder'
says 'a foreign file that is named is refused' 1 "job/slurm-1.out:1:1: no reader knows how this begins; say which by --format, or 'format' in a workload" \
    import job/rank0.json job/slurm-1.out -o p.yaml
mkdir none && cp job/slurm-1.out none
"$ACESIM" import none -o p.yaml >out 2>err
[ $? = 1 ] && grep -q '^there is nothing to import: 1 files, of which no reader knows any' err
report $? 'a folder of foreign files alone is refused'
head -c 300 job/rank0.json >job/rank2.json
"$ACESIM" import job -o p.yaml >out 2>err
[ $? = 1 ] && grep -q '^job/rank2.json:' err
report $? 'and so is one with a trace that is cut short'
rm job/rank2.json

# ---- nested folders of profiles -------------------------------------------

mkdir -p one/iteration_10 two/iteration_10 two/iteration_20 by/rank0 by/rank1
cp job/rank?.json one/iteration_10
cp job/rank?.json two/iteration_10
cp job/rank?.json two/iteration_20
cp job/rank0.json by/rank0/trace.json
cp job/rank1.json by/rank1/trace.json
gzip by/rank1/trace.json
imports 'a folder in a folder' one
prints 'is read' '^found  *2  ranks recorded$'
says 'several recordings are told apart' 1 "'two/iteration_10' and 'two/iteration_20' both have rank 0: they are several recordings, of which one is imported: name its folder" \
    import two -o p.yaml
imports 'a folder for each rank' by
prints 'is one recording' '^found  *2  ranks recorded$'
cp -r two job/old
imports 'folders beside files' job
prints 'are passed over' '^found  *2  ranks recorded$'

# ---- profiles of other accelerators ---------------------------------------

# npux GZ - writes a profile with four kernels of 200 us per step, in categories
# that no version of Kineto has
npux() {
    begin 0 1
    for s in 0 1; do
        step $((1000 * s)) 990
        for k in 0 1 2 3; do
            event npux_runtime launch 1 $((1000 * s + 10 + 20 * k)) 5 "\"correlation\": $((10 * s + k))" >>"$file"
            event npux_ccp_events "$([ $k = 3 ] && echo Memcpy || echo kernel$k)" 100 $((1000 * s + 50 + 200 * k)) 200 "\"device\": 17, \"stream\": 100, \"correlation\": $((10 * s + k))" >>"$file"
        done
    done
    end
}
npux
imports 'an accelerator of an unknown category' rank0.json
prints 'has kernels' '^ *6  kernels that compute$'
prints 'and copies' '^ *2  copies and fills$'
prints 'with their launches' '^given  *4  operations with the call that launched them$'
prints 'which is inferred' '^ *8  events of unknown categories with a device and a stream, as its work$'
takes 990 'and is replayed'
"$ACESIM" run r.yaml >out 2>err
prints 'as each run says' '^note: inferred: 8 events of unknown categories'

# ---- several devices in one profile ---------------------------------------

# on_device D THREAD LAUNCHED TS DUR - adds a kernel of device D and its launch by
# THREAD
on_device() {
    id=$((id + 1))
    event cuda_runtime cudaLaunchKernel "$2" "$3" 5 "\"correlation\": $id" >>"$file"
    event kernel gemm 7 "$4" "$5" "\"device\": $1, \"stream\": 7, \"correlation\": $id" >>"$file"
}

# two_devices RANK WORLD THREAD - writes a profile in which thread 1 launches a
# kernel of 500 us on device 2, and THREAD one of 700 us on device 5
two_devices() {
    begin "$1" "$2" 990
    on_device 2 1 10 50 500
    on_device 5 "$3" 30 60 700
    end
}

two_devices 0 1 1
imports 'a process with two devices' rank0.json
prints 'has a rank for each' '^found  *2  ranks recorded$'
prints 'with the kernels of its own device' '^ *2  kernels that compute$'
prints 'which is inferred, too' '^inferred  *2  devices of one file, as ranks; a host thread that drives several is in each$'
roles='  - name: rank-0
    ranks: {size: 2, at: 0}
    ops:
      - {kind: host, name: cudaLaunchKernel.1, time: 15 us}
      - {kind: kernel, name: gemm.1, time: 500 us, gap: 35 us, after: [cudaLaunchKernel.1]}
      - {kind: host, name: end, time: 975 us}
  - name: rank-1
    ranks: {size: 2, at: 1}
    ops:
      - {kind: host, name: cudaLaunchKernel.1, time: 35 us}
      - {kind: kernel, name: gemm.1, time: 700 us, gap: 25 us, after: [cudaLaunchKernel.1]}
      - {kind: host, name: end, time: 955 us}'
sed '1,/roles:/d' p.yaml >out
[ "$(cat out)" = "$roles" ]
report $? 'which has its own kernel and the calls of the thread'
takes 990 'and is replayed'
"$ACESIM" run r.yaml >out 2>err
prints 'as each run says' '^note: inferred: 2 devices of one file, as ranks; a host thread that drives several is in each'
two_devices 0 1 2
imports 'a process with a thread for each device' rank0.json
prints 'has the calls of the other one only where they have steps' '^dropped  *1  calls that launched nothing'
two_devices 0 1 1 && mv rank0.json a.json && two_devices 0 1 1 && mv rank0.json b.json
imports 'two such processes' a.json b.json
prints 'are four ranks' '^found  *4  ranks recorded$'
two_devices 0 2 1
imports 'devices of a rank of a larger job' rank0.json
prints 'are streams of this rank' ' 1  devices after the first of a file, as streams of one rank$'

# ---- profiles without operations ------------------------------------------

begin 0 1 990
event cpu_op aten::mm 1 10 100 '' >>"$file"
event cpu_op aten::add 1 110 100 '' >>"$file"
end
says 'a profile of the host alone says what it has' 1 \
    'there is nothing to import: rank0.json has events of these categories: 1 user_annotation, 2 cpu_op, and none of them ran on a device' \
    import rank0.json -o p.yaml
printf '{"schema": "1.0.1", "nodes": [{"name": "aten::mm", "id": 2, "rf_id": 1, "tid": 1, "inputs": [], "outputs": []}]}\n' >et.json
says 'a trace of the host without collectives, too' 1 \
    'there is nothing to import: et.json has 1 records, and none of them communicates or ran on a device' import et.json -o p.yaml

# ---- ranks by the names of files ------------------------------------------

# pair NAME RANK - writes a profile that does not say its rank, in which ranks 2k
# and 2k + 1 reduce after a kernel of k + 1 ms
pair() {
    local first=$(($2 / 2 * 2))
    begin 0 0 9990
    file=$1
    sed 's/"distributedInfo": {[^}]*}, //' rank0.json >"$file"
    kernel gemm 7 10 30 $((1000 * ($2 / 2 + 1)))
    all_reduce 20 40 $((1030 + 1000 * ($2 / 2))) 100 "tp$first" "$first $((first + 1))"
    end
    rm rank0.json
}

for name in 'rank-%d.pt.trace.json' 'run7_worker%d.1.json' 'part_%d_of_12.json' '%d.json'; do
    rm -rf ranks
    mkdir ranks
    for r in 0 1 2 3 4 5 6 7 8 9 10 11; do
        # shellcheck disable=SC2059
        pair "ranks/$(printf "$name" $r)" $r
    done
    # Ten sorts before two.
    imports "files named $name" ranks
    prints 'are ranks by number' '^ *12  ranks that say no number, numbered by the names of their files$'
    "$ACESIM" run r.yaml -q --csv rows.csv >out 2>err
    near "$(column iteration_time_us)" 9990 0.01
    report $? 'so that each pair takes as long as recorded'
done
rm -r ranks

# ---- other accelerators ---------------------------------------------------

# Times are texts, and a kernel of another library than NCCL communicates.
begin 0 8
for s in 0 1 2; do
    at=$((10000 * s))
    step $at 9990
    call urEnqueueKernelLaunch $((at + 10)) 5
    device kernel gemm 7 $((at + 40)) 4000
    call urEnqueueKernelLaunch $((at + 20)) 5
    device kernel oneccl_allreduce 7 $((at + 4040)) 5000 '"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1000000, "Out msg nelems": 1000000, "Group size": 8, "Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7]"'
done
end
sed -i 's/"ts": \([0-9]*\)/"ts": "\1.250"/; s/"dur": \([0-9]*\)/"dur": "\1"/' rank0.json
imports 'times that are texts' rank0.json
prints 'are read' '^ *3  iterations$'
[ "$(grep -c 'kind: collective.*bytes: 4000000 B.*time: 5000 us' p.yaml)" = 1 ]
report $? 'and metadata make a kernel a collective'

# ---- profilers that do not say enough ---------------------------------------------

# refused TOOL WORD - checks that FILE foreign.json is refused by the name of its
# tool, and that WORD is to be recorded in its place
refused() {
    "$ACESIM" import foreign.json -o p.yaml >out 2>err
    [ $? = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -q "^foreign.json:[0-9]*:[0-9]*: this is of $1, which is not read: .*$2" err
    report $? "a file of $1 is refused by name, and says to use $2"
}

# named NAME - writes an array of events with a process called NAME, as tools of
# accelerators order keys, and an event of it
named() {
    printf '[{"name": "process_name", "pid": 2, "tid": 0, "args": {"name": "%s"}, "ph": "M"},\n{"name": "MatMulV2", "pid": 2, "tid": 2, "ts": "1701745001830680.310", "dur": 500, "ph": "X", "args": {"Task Type": "AI_CORE", "Stream Id": 2}}]\n' "$1" >foreign.json
}

named 'Ascend Hardware'
refused "Huawei Ascend's profiler (torch_npu or msprof)" ExecutionTraceObserver
named '*TPC '
refused "Intel Gaudi's profiler" ExecutionTraceObserver
printf '{"traceEvents": [{"ph": "X", "cat": "hpu_op", "name": "memcpy", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {}}]}' >foreign.json
refused "Intel Gaudi's profiler" ExecutionTraceObserver
named '/device:TPU:0'
refused "XLA's profiler (JAX or TensorFlow)" 'nsys export --type sqlite'
named 'CPU HIP API'
refused rocprof torch.profiler.profile
named python
"$ACESIM" import foreign.json -o p.yaml >out 2>err
[ $? = 1 ] && grep -q '^there is nothing to import: foreign.json has 1 nodes, and none of them ran on a device$' err
report $? 'a process of another name does not say a tool'

echo "1..$n"
