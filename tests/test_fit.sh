#!/bin/bash
# test_fit.sh - tests of acesim-fit with synthetic rows
#
# Environment: ACESIM is the simulator, in whose folder acesim-fit is; TMPDIR is
# a folder for temporary files.
n=0
cd "$TMPDIR" || exit 1
fit=$(dirname "$ACESIM")/acesim-fit
data=validate/data

# check NAME COMMAND... - runs a command and prints a line of TAP
check() {
    n=$((n + 1))
    local name=$1
    shift
    if "$@"; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        sed 's/^/# /' out err
    fi
}

# says STATUS TEXT ARGS... - checks that acesim-fit ends with STATUS and prints
# exactly TEXT on standard error
says() {
    local status=$1 text=$2
    shift 2
    "$fit" "$@" >out 2>err
    [ $? = "$status" ] && [ "$(cat err)" = "$text" ]
}

mkdir -p $data/published npus
sheet=gpu,npu,memory_like,products_like,sms,clock_mhz,memory_bits,memory_gbit_per_s_a_pin
sheet=$sheet,memory_gb_per_s,memory_gib,fp32_tflops,fp16_tflops,operand_bytes_a_cycle,source
echo $sheet >$data/gpus.csv
columns=family,kernel,dtype,bytes,n_sms,m,n,k,loads,shared,bytes_in_flight
columns=$columns,read_bytes,write_bytes,flop,median_us,caveat
# The GPU has 80 GB/s per SM and at most 1000 GB/s.
awk -v columns="$columns" 'BEGIN {
    print columns
    for (i = 1; i <= 60; i++) {
        rate = i * 80 < 1000 ? i * 80 : 1000
        bytes = 256 * 1048576
        printf "copy,copy,,%d,%d,,,,no-allocate,half,65536,%d,%d,,%.4f,\n",
            bytes, i, bytes, bytes, 2 + 2 * bytes / rate / 1000
    }
}' >$data/mine-measured.csv

check 'a usage error has a status of its own' says 2 \
    'acesim-fit: a folder for NPUs is needed, configs/npus'
check 'without a data sheet it says what to add' says 1 \
    "acesim-fit: $data/mine-measured.csv:2: $data/gpus.csv has no line whose npu is mine: add one, with its SMs, clock, memory and peaks as its data sheet has them" \
    npus
echo 'Mine,mine,,,40,1500,4096,2.43,1244,40,20,40,64,made up' >>$data/gpus.csv
check 'more SMs than the data sheet has are refused' says 1 \
    "acesim-fit: $data/mine-measured.csv:42: n_sms is 41, and $data/gpus.csv has 40 for mine" \
    npus
sed -i 's/,mine,,,40,/,mine,,,60,/' $data/gpus.csv
check 'rows are fitted and scored' says 0 '' npus
check 'the head names the file that was measured' grep -q \
    '^# mine-measured.csv was measured here\.' npus/mine.yaml
echo '{"complete": true, "n_left_out": 98}' >$data/mine-measured.json
check 'cases that were left out give a warning' says 0 \
    "warning: $data/mine-measured.csv: the measurement left out 98 cases for lack of time" \
    npus
echo '{"complete": false, "n_left_out": 98}' >$data/mine-measured.json
check 'an interrupted measurement gives a warning' says 0 \
    "warning: $data/mine-measured.csv: the measurement was interrupted; rows are missing" \
    npus
echo '{"complete": true, "n_left_out": 0}' >$data/mine-measured.json
check 'a complete measurement gives none' says 0 '' npus
echo '{"complete": ' >$data/mine-measured.json
broken_json() {
    "$fit" npus >out 2>err
    [ $? = 1 ] && grep -q "^acesim-fit: $data/mine-measured.json:" err
}
check 'an invalid JSON file is an error' broken_json
rm $data/mine-measured.json
says 0 '' npus
check 'it says how far off it is' grep -q \
    '^npus/mine.yaml: 56 rows held out, [0-9.]* % off in the mean' out
reads_npu() { "$ACESIM" check npus/mine.yaml >out 2>err; }
check "the NPU is one for the simulator" reads_npu
check 'it says what was fitted to' grep -q \
    '^sm_bandwidth: .* # fitted to 4 rows of measured copy' npus/mine.yaml
mv npus/mine.yaml first.yaml
says 0 '' npus
check 'the same rows give the same NPU' cmp npus/mine.yaml first.yaml
awk -F, -v OFS=, 'NR > 31 { $15 *= 7 } 1' $data/mine-measured.csv >more
mv more $data/mine-measured.csv
says 0 '' npus
check 'rows held out change nothing but errors' \
    cmp <(grep -v '^#' npus/mine.yaml) <(grep -v '^#' first.yaml)
check 'a GPU that is none is named' says 1 \
    "acesim-fit: $data/gpus.csv has no NPU called 'none'" npus --only none
sed -i 's/,mine,,,/,mine,,theirs,/' $data/gpus.csv
echo 'Theirs,theirs,,,60,1500,4096,2.43,1244,40,20,40,64,made up' >>$data/gpus.csv
cat >$data/published/products.csv <<'END'
npu,family,part,source,kind,precision,m,n,k,time_us
theirs,product fp16,training,X,product,fp16,4096,4096,4096,9000
END
cp $data/mine-measured.csv alone.csv
echo 'gemm,cublas,bf16,,60,4096,4096,4096,,,,1,1,1,4500,' >>$data/mine-measured.csv
says 0 '' npus
efficiency() {
    sed -n '/^fp16/,/^hbm/s/^  efficiency: \([0-9]*\).*/\1/p' "npus/$1.yaml"
}
check 'products of our own come before those of a card alike' \
    [ "$(efficiency mine)" -gt "$(efficiency theirs)" ]
mv alone.csv $data/mine-measured.csv
says 0 '' npus
check 'which count where there are none' \
    [ "$(efficiency mine)" = "$(efficiency theirs)" ]
sed -i '3s/no-allocate,half.*/no-allocate,half,1,1,1,,0,/' $data/mine-measured.csv
check 'a row that is none is named' says 1 \
    "acesim-fit: $data/mine-measured.csv:3: median_us: '0' is out of range" npus
echo "1..$n"
