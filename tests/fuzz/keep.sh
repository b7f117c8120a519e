#!/bin/sh
# keep.sh TARGET... - add to the corpus what fuzzing found that goes new ways
#
# Of what libFuzzer and AFL++ have in build/, the shortest inputs that reach an
# edge which nothing before them does; not those that only go round a loop
# more often.  libFuzzer names them by their hash.  Make test replays them all,
# so there is a limit to what a target may have.

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
