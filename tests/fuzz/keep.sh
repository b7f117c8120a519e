#!/bin/sh
# keep.sh TARGET... - add to the corpus what fuzzing found that goes new ways
#
# Of what libFuzzer and AFL++ have in build/, the shortest inputs that reach an
# edge which nothing before them does; not those that only go round a loop
# more often.  libFuzzer names them by their hash.

max_bytes=2000
for target; do
    corpus=tests/fuzz/corpus/${target#fuzz_}
    mkdir -p "$corpus" "build/fuzz/corpus/$target" "build/afl/corpus/$target"
    build/fuzz/tests/"$target" -merge=1 -use_counters=0 -max_len=$max_bytes \
        "$corpus" "build/fuzz/corpus/$target" "build/afl/corpus/$target" \
        >build/fuzz/"$target".log 2>&1 || {
        tail -n 30 build/fuzz/"$target".log
        exit 1
    }
    printf '%s: %s files, %s bytes\n' "$corpus" \
        "$(find "$corpus" -type f | wc -l)" "$(cat "$corpus"/* | wc -c)"
done
