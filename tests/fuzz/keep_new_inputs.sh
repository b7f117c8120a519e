#!/bin/sh
# keep_new_inputs.sh TARGET... - adds inputs found by fuzzing to the corpus
#
# From the results of libFuzzer and AFL++ in build/, adds the shortest inputs
# that reach an edge which no earlier input reaches.  Inputs that only repeat a
# loop more often are ignored. libFuzzer names inputs by their hash.  `make
# test` replays the whole corpus, so its size per target is limited.

max_bytes=2000 max_files=150 max_all_bytes=300000
status=0
for target; do
    corpus=tests/fuzz/corpus/${target#fuzz_}
    mkdir -p "$corpus" "build/fuzz/corpus/$target" "build/afl/corpus/$target"
    build/fuzz/tests/"$target" -merge=1 -use_counters=0 -max_len=$max_bytes \
        "$corpus" "build/fuzz/corpus/$target" "build/afl/corpus/$target" \
        >build/fuzz/"$target".log 2>&1 || {
        tail -n 30 build/fuzz/"$target".log
        exit 1
    }
    n_files=$(find "$corpus" -type f | wc -l)
    n_bytes=$(cat "$corpus"/* | wc -c)
    echo "$corpus: $n_files files, $n_bytes bytes"
    if [ "$n_files" -gt $max_files ] || [ "$n_bytes" -gt $max_all_bytes ]; then
        echo "$corpus: more than $max_files files or $max_all_bytes bytes"
        status=1
    fi
done
exit $status
