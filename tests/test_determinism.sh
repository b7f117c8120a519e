#!/bin/bash
# test_determinism.sh - results are the same bytes on every system and in every
# environment
#
# Compared are all outputs of a sweep, of a run with unsynchronised NPUs, and of
# tables.  ACESIM_TESTED is the program with other flags.  The program of another
# compiler is built in a tree of links with its own build folder.

. "$SRCDIR/tests/shell.sh"
export LC_ALL=C
: >out

configs=$SRCDIR/configs
cat >base.yaml <<END
base: $configs/runs/isca21.yaml
workload: $configs/workloads/dlrm.yaml
END
cat >sweep.yaml <<END
base: base.yaml
axes:
  - endpoint: [$configs/endpoints/ace.yaml, $configs/endpoints/comm-opt.yaml]
  - platform.npu.hbm.bandwidth: [900 GB/s, 1.25 TB/s]
compare:
  baselines: [comm-opt]
  offload: [ace]
END

# figures PROGRAM OUT [J] - writes all outputs of the sweep and the runs to OUT
figures() {
    rm -rf swept && mkdir -p swept || return
    {
        "$1" sweep "$TMPDIR/sweep.yaml" -j "${3:-1}" -o "$TMPDIR/swept"
        cat "$TMPDIR/swept/runs.csv"
        "$1" compare "$TMPDIR/swept"
        "$1" run "$configs/runs/straggler.yaml" --set perturb.jitter='7.5 %' \
            --set workload="$configs/workloads/dlrm.yaml" --csv - \
            --per-layer layers.csv --per-link links.csv --utilisation time.csv
        cat layers.csv links.csv time.csv
        "$1" run "$configs/runs/isca21.yaml" --set collectives.chunk='96.5 KiB'
        "$1" list endpoints
        "$1" check "$TMPDIR/sweep.yaml"
    } 2>err | sed 's/^ *[0-9.]* s, \(.* events\), .*/\1/' >"$2"
}

# same NAME FIGURES - compares with the outputs of the first run
same() {
    cmp first "$2" >err 2>&1
    report $? "$1"
}

figures "$ACESIM" first
status=$?
[ "$status" = 0 ] && [ "$(wc -l <first)" -gt 100 ]
report $? 'there are figures to compare'

figures "$ACESIM" again
same 'a second time' again
figures "$ACESIM" jobs 2
same 'by two processes at once' jobs

mkdir -p far/away && cd far/away && figures "$ACESIM" "$TMPDIR/away"
cd "$TMPDIR" || exit 1
same 'from another folder' away
TZ=Asia/Kathmandu figures "$ACESIM" zone
same 'in another time zone' zone
HOME=/nonexistent TERM=dumb figures "$ACESIM" home
same 'with another home and terminal' home

# as PROGRAM WORDS... - writes a script that runs PROGRAM as an argument of
# WORDS
as() {
    program=$1
    shift
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$*" "$program" >as
    chmod +x as
}

name='where numbers have decimal commas'
as 'locale decimal_point' env LOCPATH="$TMPDIR/locale" LC_ALL=de_DE.UTF-8
mkdir locale
if localedef -i de_DE -f UTF-8 locale/de_DE.UTF-8 2>/dev/null &&
    [ "$(./as)" = , ]; then
    as "$ACESIM" env LOCPATH="$TMPDIR/locale" LC_ALL=de_DE.UTF-8
    figures "$TMPDIR/as" commas
    same "$name" commas
else
    skip "$name" 'there is no de_DE.UTF-8, and localedef cannot make it'
fi

# Without randomisation, libraries, heap and stack are at fixed addresses.
name='without address space randomisation'
if setarch -R true 2>/dev/null; then
    as "$ACESIM" setarch -R
    figures "$TMPDIR/as" unrandom
    same "$name" unrandom
else
    skip "$name" 'setarch -R may not be used here'
fi

# fold MODE - writes all outputs with symmetry reduction or in full
fold() {
    "$ACESIM" run "$configs/runs/isca21.yaml" --fold="$1" --csv "$1.csv" \
        --set workload="$configs/workloads/dlrm.yaml" --per-layer "$1.layers" \
        --per-link "$1.links" --utilisation "$1.time" >"$1.out" 2>err
}
fold require && fold off && cmp require.csv off.csv >err 2>&1 &&
    cmp require.layers off.layers >err 2>&1 &&
    cmp require.links off.links >err 2>&1 &&
    cmp require.time off.time >err 2>&1
report $? 'folded and in full'

# ---- programs of other compilers ------------------------------------------

figures "$ACESIM_TESTED" tested
same 'built with other flags' tested
MALLOC_PERTURB_=165 figures "$ACESIM" perturbed
same 'with memory that is not zero' perturbed

# build COMPILER CFLAGS - builds acesim and prints its path
build() {
    make -s -C tree build/release/build.ninja CC="$1" CFLAGS="$2" >err 2>&1 &&
        ninja -C tree -f build/release/build.ninja build/release/acesim \
            >err 2>&1 && echo "$TMPDIR/tree/build/release/acesim"
}

mkdir tree && ln -s "$SRCDIR"/{Makefile,sim,network,models,workloads,validate} \
    "$SRCDIR/tests" "$SRCDIR/configs" tree || exit 1
case $CC in
*clang*) other=gcc ;;
*) other=clang ;;
esac
if command -v $other >/dev/null; then
    # -g0, because with -g a compiler cache depends on the folder
    case $CC in ccache\ *) with=ccache ;; *) with= ;; esac
    built=$(build "${with:+$with }$other" '-O1 -g0 -fno-lto') && figures "$built" other
    same 'built by another compiler' other
else
    skip 'built by another compiler' "there is no $other"
fi

echo "1..$n"
