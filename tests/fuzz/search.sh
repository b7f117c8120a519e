#!/bin/sh
# search.sh BUILD SECONDS TARGET - searches for inputs that break TARGET
#
# BUILD/tests/TARGET is built for libFuzzer, or for AFL++ if BUILD is build/afl.
# The search begins with the corpus and with earlier results in
# BUILD/corpus/TARGET, to which it adds new ones.  Inputs that break the target
# are kept in BUILD/findings, and the command to reproduce the failure is
# printed.  Prints TAP.

build=$1 fuzz_s=$2 target=$3
seeds=tests/fuzz/corpus/${target#fuzz_}
found=$build/corpus/$target
findings=$build/findings
dictionary=tests/fuzz/words.dict
max_bytes=4096 # per input; the largest configuration has 3,000
mkdir -p "$found" "$findings" || exit

by_libfuzzer() {
    "$build/tests/$target" -max_total_time="$fuzz_s" -max_len=$max_bytes \
        -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
        -dict=$dictionary -artifact_prefix="$findings/$target-" \
        "$found" "$seeds"
}

# replay FILE... - runs the target on all files together; after a failure on
# each file alone, to find the one that fails
replay() {
    timeout 60 "$build/tests/$target" "$@" >"$build/$target.log" 2>&1 && return
    for file; do
        timeout 10 "$build/tests/$target" "$file" >"$build/$target.log" 2>&1 &&
            continue
        tail -n 30 "$build/$target.log"
        echo "show it again: $build/tests/$target $file"
    done
    return 1
}

# name_by_content PREFIX FILE... - copies each file to PREFIX and its hash
name_by_content() {
    prefix=$1
    shift
    for file; do
        [ ! -f "$file" ] ||
            cp "$file" "$prefix$(sha1sum <"$file" | cut -c 1-40)"
    done
}

# by_afl - searches with AFL++
#
# A container may not set the CPU governor or the place of core dumps, so AFL++
# is told to ignore both.  Leak detection is left to libFuzzer: AFL++ would see
# a leak only at the end of its process, long after the input.  AFL++ silently
# drops seeds that break the target, so all seeds are replayed first.
by_afl() {
    out=$build/afl-$target
    rm -rf "$out" && mkdir -p "$out/in" || return
    name_by_content "$out/in/" "$seeds"/* "$found"/*
    replay "$seeds"/* || return
    [ -z "$(ls "$found")" ] || replay "$found"/* || return
    AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 \
        AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_HANG_TMOUT=10000 \
        ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0:max_allocation_size_mb=2048 \
        UBSAN_OPTIONS=abort_on_error=1:symbolize=0 \
        afl-fuzz -V "$fuzz_s" -i "$out/in" -o "$out" -x $dictionary -m none \
        -t 2000 -G $max_bytes -- "$build/tests/$target" >"$out/log" 2>&1
    status=$?
    [ "$status" -eq 0 ] || tail -n 30 "$out/log"
    name_by_content "$found/" "$out"/default/queue/id*
    name_by_content "$findings/$target-crash-" "$out"/default/crashes/id*
    name_by_content "$findings/$target-timeout-" "$out"/default/hangs/id*
    grep -E '^(run_time|execs_done|corpus_count|saved_|edges_found|total_edges)' \
        "$out/default/fuzzer_stats"
    return "$status"
}

echo 1..1
ls "$findings" >"$build/$target.before"
case $build in
*/afl) by_afl ;;
*) by_libfuzzer ;;
esac
status=$?
for name in $(ls "$findings" | grep "^$target-" |
    grep -vxF -f "$build/$target.before"); do
    echo "show it again: $build/tests/$target $findings/$name"
    status=1
done
if [ "$status" -eq 0 ]; then
    echo "ok 1 - $target"
else
    echo "not ok 1 - $target"
    exit 1
fi
