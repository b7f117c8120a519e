#!/bin/bash
# test_fit.sh - acesim-fit as its user meets it, on rows that are made up
#
# ACESIM is the simulator, beside which acesim-fit stands; TMPDIR is our own.
n=0
cd "$TMPDIR" || exit 1
fit=$(dirname "$ACESIM")/acesim-fit

# check NAME COMMAND... - one line of TAP.
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

# says STATUS TEXT ARGS... - ends with STATUS and exactly TEXT on stderr.
says() {
    local status=$1 text=$2
    shift 2
    "$fit" "$@" >out 2>err
    [ $? = "$status" ] && [ "$(cat err)" = "$text" ]
}

columns=family,kernel,dtype,bytes,n_sms,m,n,k,batch,dim,pooling,bytes_in_flight
columns=$columns,read_bytes,write_bytes,flop,beside,beside_kernel,beside_n_sms,pair
columns=$columns,alone_us,median_us,key
# 40 GB/s an SM, 1000 GB/s at most, 2 us to start.
awk -v columns="$columns" 'BEGIN {
    print columns
    for (i = 1; i <= 60; i++) {
        rate = i * 40 < 1000 ? i * 40 : 1000
        printf "copy,copy,fp32,%d,%d,,,,,,,32768,%d,%d,,,,,,,%.4f,%016x\n",
            4e6, i, 4e6, 4e6, 2 + 8000 / rate, i
    }
}' >synthetic-copy.csv
cat >synthetic-copy.json <<'END'
{
  "device": "NVIDIA Made Up",
  "clocks": {"mid": {"sm_measured_mhz": 1000.0}},
  "driver": "1.0", "date_utc": "2026-01-02T03:04:05Z", "complete": true
}
END

check 'a usage error has a status of its own' \
    says 2 'acesim-fit: one file of measurements is needed'
check 'a file that is not there is named' says 1 \
    'acesim-fit: none.csv: cannot be read: No such file or directory' none.csv
sed 's/0000000000000003/3/' synthetic-copy.csv >bad.csv
check 'a row that is none is named' says 1 \
    'acesim-fit: bad.csv:4: a row needs a key of 16 hex digits and a median_us above 0' \
    bad.csv
cp synthetic-copy.csv lone.csv
check 'the record beside the rows is needed' says 1 \
    'acesim-fit: lone.json: cannot be read: No such file or directory' lone.csv
check 'rows are fitted and scored' says 0 '' synthetic-copy.csv \
    --npu npu.yaml -o rows.csv
check 'the verdict stands on the second line' \
    [ "$(sed -n 2p out)" = '  ok  held-out rows: 1 of 1 families within 5 % on average and 20 % at worst' ]
check 'each row has its prediction' [ "$(wc -l <rows.csv)" = 61 ]
reads_npu() { "$ACESIM" check npu.yaml >out 2>err; }
check "the NPU is one for the simulator" reads_npu
mv npu.yaml first.yaml
says 0 '' synthetic-copy.csv --npu npu.yaml
check 'the same rows give the same NPU' cmp npu.yaml first.yaml
echo "1..$n"
