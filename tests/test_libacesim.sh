#!/bin/bash
# test_libacesim.sh - libacesim gives the same results as the commands and has
# no side effects

. "$SRCDIR/tests/shell.sh"
lib=${ACESIM%/*}/libacesim.so.0
run=$SRCDIR/configs/runs/isca21.yaml
set --
# A library with sanitizers needs a program that loads their runtime.
asan=
if nm -D "$lib" | grep -q __asan_init; then
    set -- -fsanitize=address,undefined
    asan=$(${CC:-gcc} -print-file-name=libasan.so)
fi

# ---- the example of the library in C --------------------------------------

${CC:-gcc} -Wall -Wextra -Werror "$@" -I"$SRCDIR/sim/study/library" \
    "$SRCDIR/docs/library/sizes.c" "$lib" -Wl,-rpath,"${lib%/*}" -o sizes \
    >out 2>err && ./sizes "$run" >out 2>err
report $? 'the example in C builds without a warning, runs, leaks nothing'
cp out sizes.txt
for size in '512 KiB' '1 MiB' '4 MiB'; do
    "$ACESIM" run "$run" --set "endpoint.sram=$size" --csv - |
        awk -F, -v size="$size" 'NR == 1 {
                for (i = 1; i <= NF; i++) if ($i == "iteration_time_us") c = i }
            NR == 2 { printf "%s: %.3f us\n", size, $c }'
done >expected
"$ACESIM" solve "$run" --set 'endpoint.sram=4 MiB' --vary endpoint.sram \
    --from '64 KiB' --to '4 MiB' \
    --until 'iteration_time_us <= 110 % of ideal' |
    sed -n 's/^endpoint.sram = /enough: /p' >>expected
cmp expected sizes.txt >out 2>err
report $? 'it prints what the commands come to'
./sizes nowhere.yaml >out 2>err
[ $? = 1 ] && grep -q '^nowhere.yaml: ' err
report $? 'a file that is not there is its error, and no more is said'

# ---- the example of the library in Python ---------------------------------

if command -v python3 >err; then
    LD_PRELOAD=$asan ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 \
        python3 "$SRCDIR/docs/library/sizes.py" "$run" "$lib" >out 2>err &&
        cmp sizes.txt out >>err 2>&1
    report $? 'the example in Python says the same, by two threads at once'
else
    skip 'the example in Python says the same' 'no python3'
fi

# ---- exported symbols of the library --------------------------------------

nm -D --defined-only "$lib" | awk '$3 !~ /^acesim_/ && $2 ~ /[TDBR]/' >out
[ ! -s out ]
report $? 'it gives out nothing but its own functions'
# A packed profile is unpacked into an unnamed file.  SQLite opens it while
# signals of the thread are blocked (pthread_sigmask), which is allowed.
words='v?f?printf|puts|fputs|putchar|perror|v?f?printf_chk|exit|_exit|abort'
words="$words|fork|vfork|posix_spawnp?|execvp?e?|system|popen|signal|sigaction"
words="$words|sigprocmask|alarm|setitimer|kill|setlocale|chdir"
words="$words|g_print|g_printerr|g_spawn_[a-z_]*|g_unix_signal_add|stdout|stderr"
nm -D --undefined-only "$lib" | sed 's/@.*//' | awk '{ print $NF }' |
    sed 's/^__//' | grep -xE "$words" >out
[ ! -s out ]
report $? 'it calls nothing that prints, forks, ends or takes signals'
awk -v version=1 -f "$SRCDIR/sim/study/library/man.awk" \
    "$SRCDIR/sim/study/library/acesim.h" >page 2>err
missing=$(nm -D --defined-only "$lib" | awk '$3 ~ /^acesim_/ { print $3 }' |
    while read -r name; do grep -q "$name(" page || echo "$name"; done)
[ -z "$missing" ]
report $? "its manual page has each of them $missing"

# ---- the installed library ------------------------------------------------

# tell [KNOWN] - runs tell_loader.sh with a fake ldconfig that knows the library
# KNOWN
tell() {
    printf '#!/bin/sh\n[ "$1" = -p ] || { echo told >>told; exit 1; }\n%s\n' \
        "${1:+echo '	${lib##*/} (libc6,x86-64) => $1'}" >ldconfig
    chmod +x ldconfig
    rm -f told
    PATH=$PWD:$PATH sh "$SRCDIR/sim/study/library/tell_loader.sh" "$lib" >out 2>err
}
tell "$lib" && [ -s told ] && [ ! -s out ]
report $? 'the loader is told of what was installed'
for known in '' "$PWD/elsewhere/${lib##*/}"; do
    tell $known && [ "$(cat out)" = "programs find ${lib##*/} with LD_LIBRARY_PATH=${lib%/*}" ]
    report $? "where it looks elsewhere ($known) it is said"
done

echo "1..$n"
