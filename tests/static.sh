#!/bin/sh
# static.sh - runs gcc -fanalyzer, clang-tidy and cppcheck on all shipped code
#
# A finding is a pair "file check".  Known false positives are listed in
# tests/static.txt with the reason.  The status is 1 if a finding is not listed
# or a listed one does not occur. build/static/said has the complete output.

build=build/static
mkdir -p $build || exit
find sim network models workloads validate -name '*.c' | sort >$build/files
flags="-std=gnu11 -D_GNU_SOURCE -I. -DG_LOG_DOMAIN=\"acesim\""
flags="$flags -DACESIM_VERSION=\"0\" -DACESIM_MODEL=\"0\" -DACESIM_SHARE=\"/\""
for end in MIN_REQUIRED MAX_ALLOWED; do
    flags="$flags -DGLIB_VERSION_$end=GLIB_VERSION_2_68"
done
flags="$flags $(pkg-config --cflags glib-2.0 yaml-0.1 zlib | sed 's/-I/-isystem /g')"

# each tool prints file:line[:column]: kind: message, with the check in brackets
analyse() {
    xargs -n 1 -P "$(nproc)" gcc $flags -O1 -fanalyzer -c -o /dev/null \
        <$build/files 2>&1
}
tidy() {
    xargs -n 1 -P "$(nproc)" sh -c 'clang-tidy --quiet "$@" -- '"$(
        echo "$flags" | sed 's/"/\\"/g'
    )" sh <$build/files 2>/dev/null
}
# The tool cppcheck does not read GLib's headers.
check() {
    cppcheck -q --enable=warning,performance,portability --std=c11 -I. \
        --library=gtk --suppress=missingIncludeSystem -D__GNUC__ \
        '-DG_DEFINE_QUARK(a,b)=' '-DG_GNUC_PRINTF(a,b)=' \
        '-DG_DEFINE_AUTOPTR_CLEANUP_FUNC(a,b)=' \
        '-DG_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(a,b)=' \
        --template='{file}:{line}:1: warning: {message} [{id}]' \
        --file-list=$build/files 2>&1
}

{
    analyse || echo 'gcc:1:1: error: it does not compile [gcc]'
    tidy
    check
} >$build/said
sed -n -E "s|^($PWD/)?([a-z][^: ]*):[0-9]+:[0-9]+: (warning\|error): .*\[([^] ]*)\]\$|\2 \4|p" \
    $build/said | sed 's/-Werror=/-W/; s/,-warnings-as-errors//' |
    sort -u >$build/found
sed '/^#/d; s/^\([^ ]* [^ ]*\) .*/\1/' tests/static.txt | sort -u >$build/known

status=0
comm -23 $build/found $build/known | sed 's/$/: not in tests\/static.txt/' |
    grep . && status=1
comm -13 $build/found $build/known | sed 's/$/: not found any more/' |
    grep . && status=1
echo "$(wc -l <$build/files) files, $(wc -l <$build/found) findings," \
    "$(wc -l <$build/known) known"
exit $status
