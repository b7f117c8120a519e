#!/bin/bash
# test_import_steps.sh - imports of hosts that run ahead of their devices, and
# of step markers
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
. "$SRCDIR/tests/profile.sh"

# recorded US NAME - checks the recorded iteration time in the summary, and that
# the run takes as long
recorded() {
    local us
    us=$(sed -n 's/^recorded: {iteration: \([0-9.]*\) us.*/\1/p' p.yaml)
    near "$us" "$1" 0.01
    local failed=$?
    [ $failed = 0 ] || echo "recorded $us us, not $1" >>err
    report $failed "$2: recorded"
}

# ten STEP LAUNCHED BEGIN - adds ten kernels of 900 us, one every 1000 us
ten() {
    for k in 0 1 2 3 4 5 6 7 8 9; do
        kernel "gemm$k" 7 $(($1 + $2 + 20 * k)) $(($3 + 1000 * k)) 900
    done
}

# ---- launches before the start of the recording ---------------------------

# ahead STEPS - writes a profile in which the host is two steps ahead; the
# kernels of the first two steps have no launch
ahead() {
    begin 0 1
    for k in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
        event kernel "gemm$((k % 10))" 7 $((100 + 1000 * k)) 900 '"device": 0, "stream": 7, "correlation": '$((90000 + k)) >>"$file"
    done
    for s in $(seq 0 $(($1 - 1))); do
        step $((10000 * s)) 9990
        ten $((10000 * s)) 10 $((20100 + 10000 * s))
    done
    end
}

for steps in 1 2 3; do
    ahead $steps
    imports "work launched before the recording, $steps steps" rank0.json
    [ "$(grep -c 'kind: kernel' p.yaml)" = 10 ]
    report $? 'is in none of its steps'
done
recorded 10000 'two steps ahead'
takes 10000 'two steps ahead'
takes 19000 'twice the kernels takes longer' 'gemm*=2'
gzip -c rank0.json >packed.json.gz
imports 'packed' packed.json.gz
takes 10000 'packed, too'

# ---- a host that needs 2 ms per step, a device that needs 12 ms -----------

begin 0 1
for s in 0 1 2 3 4 5; do
    step $((2000 * s)) 1990
    for k in 0 1 2 3 4 5 6 7 8 9 10 11; do
        kernel "gemm$k" 7 $((2000 * s + 10 + 20 * k)) $((100 + 12000 * s + 1000 * k)) 1000
    done
done
end
imports 'a host that nothing holds up' rank0.json
recorded 12000 'the period of the device'
takes 12000 'as the device does'
"$ACESIM" run r.yaml >out 2>err
prints 'and that is what it is held against' '^recorded  *12.00 ms .*; simulated 0.0 %'

# ---- a host one step ahead -------------------------------------------------------

begin 0 1
for s in 0 1 2 3 4 5; do
    step $((10000 * s)) 9990
    for k in 0 1 2 3 4 5 6 7 8 9; do
        kernel "gemm$k" 7 $((10000 * s + 3000 + 600 * k)) $((10000 * s + 9500 + 950 * k)) 950
    done
done
end
imports 'a host one step ahead' rank0.json
recorded 10000 'one step ahead'
takes 10000 'an iteration is one period, without the filling of the pipeline'
sed -i 's/iterations: 1/iterations: 20/' r.yaml
takes 10000 'and so is the mean of twenty'
takes 19500 'a slow device holds the host up' 'gemm*=2'
takes 19405 'and a slow host the device' '*cudaLaunchKernel*=2'

# The host is half a step ahead, and the device never waits for it.
begin 0 1
for s in 0 1 2 3 4; do
    step $((10000 * s)) 9990
    for k in 0 1 2 3 4 5 6 7 8 9; do
        kernel "gemm$k" 7 $((10000 * s + 100 + 900 * k)) $((10000 * s + 5000 + 1000 * k)) 1000
    done
done
end
imports 'a host half a step ahead' rank0.json
recorded 10000 'half a step ahead'
takes 10000 'half a step ahead'

# One of the two ranks has a host that runs ahead.
for r in 0 1; do
    begin $r 2
    for s in 0 1 2 3; do
        step $((10000 * s)) 9990
        kernel gemm 7 $((10000 * s + 10)) $((10000 * s + 100 + 5000 * r)) 8000
        all_reduce 20 $((10000 * s + 40)) $((10000 * s + 8100 + 5000 * r)) $((6500 - 5000 * r)) dp '0 1'
    done
    end
done
imports 'two ranks, one of them ahead' rank?.json
recorded 10000 'one of two is ahead'
rm rank1.json

# ---- selection of the step ------------------------------------------------

# The last two steps have no device operations, because the recording ended
# before them.
begin 0 1
for s in 0 1 2 3 4; do
    step $((2000 * s)) 1990
    [ $s -gt 1 ] || ten $((2000 * s)) 10 $((100 + 10000 * s))
done
end
imports 'steps whose work is not in the recording' rank0.json
[ "$(grep -c 'kind: kernel' p.yaml)" = 10 ]
report $? 'are not typical'

# ---- step markers of old versions -----------------------------------------

for category in Operator cpu_op user_annotation; do
    step_category=$category
    begin 0 1
    for s in 0 1 2; do
        step $((10000 * s)) 9990
        ten $((10000 * s)) 10 $((100 + 10000 * s))
    done
    end
    imports "steps of category $category" rank0.json
    [ "$(grep -c 'kind: kernel' p.yaml)" = 10 ]
    report $? 'are iterations'
done
step_category=user_annotation

# A file with both kinds of markers has two markers for each step.
begin 0 1
for s in 0 1 2; do
    step $((10000 * s)) 9990
    step_category=Operator step $((10000 * s)) 9990
    ten $((10000 * s)) 10 $((100 + 10000 * s))
done
end
imports 'steps of both categories' rank0.json
prints 'are counted once' '^ *3  iterations$'

# ---- step markers of users ------------------------------------------------

# marked NAME... - writes a profile with a marker of each name for each of three
# steps; %d is the number of the step
marked() {
    begin 0 1
    for s in 0 1 2; do
        for name; do
            # shellcheck disable=SC2059
            event user_annotation "$(printf "$name" "$s")" 1 $((10000 * s)) 9990 '' >>"$file"
        done
        ten $((10000 * s)) 10 $((100 + 10000 * s))
    done
    end
}

for name in '[pl][profile]run_training_batch' 'step %d' 'Iteration: %d' 'train_step#%d'; do
    marked "$name" '[pl][module]net' forward
    imports "steps named $name" rank0.json
    prints 'are three iterations' '^ *3  iterations$'
done
marked 'step %d' 'ProfilerStep#%d' 'batch %d'
imports 'steps of the profiler and of the user' rank0.json
prints 'are counted once, too' '^ *3  iterations$'

marked forward 'Optimizer.step#SGD.step'
imports 'a profile without markers of steps' rank0.json
prints 'says that it is one iteration' '^ *1  ranks that mark no step: all that was recorded is one iteration$'
"$ACESIM" run r.yaml >out 2>err
prints 'as its runs do' '^note: inferred: 1 ranks that mark no step'

# ---- ranks that recorded different steps ------------------------------------

# Rank 0 has steps 1 to 3 and rank 1 has steps 2 to 4; each step takes 1000 us
# longer than the one before.
for r in 0 1; do
    begin $r 2
    n_steps=$r
    for s in 1 2 3; do
        at=$((10000 * (s + r)))
        step $at 9990
        kernel gemm 7 $((at + 10)) $((at + 100)) $((1000 * (s + r)))
    done
    end
done
imports 'ranks that recorded different steps' rank?.json
prints 'have two in common' '^ *2  iterations$'
[ "$(grep -c 'name: gemm.1, time: 2000 us' p.yaml)" = 1 ]
report $? 'and the one taken is the same on both'
"$ACESIM" import rank?.json -o p.yaml --run-file r.yaml --iteration 2 >out 2>err
[ "$(grep -c 'name: gemm.1, time: 3000 us' p.yaml)" = 1 ]
report $? 'whichever it is'
rm rank1.json

echo "1..$n"
