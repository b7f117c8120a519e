#!/bin/bash
# test_result_invariants.sh - rows of runs have no impossible figures
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

# possible NAME ARG... - checks that `run ARG...` succeeds and that in its row
# compute and exposed time add up to the iteration time, no resource is busy for
# longer than collectives are active, and NPUs send no more than their links
# allow
possible() {
    local name=$1
    shift
    timeout 60 "$ACESIM" run "$@" -q --csv row.csv --per-link links.csv \
        >out 2>err &&
        awk -F, -v exposes="$exposes" '
            FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            FILENAME == "row.csv" {
                iteration = $at["iteration_time_us"]
                exposed = $at["exposed_comm_us"]
                off = $at["compute_time_us"] + exposed - iteration
                if (off > 1e-5 || off < -1e-5)
                    print "compute and exposed are not the iteration"
                if ($at["busiest_share"] > 1.000001)
                    print "busiest_share", $at["busiest_share"]
                if ($at["net_bw_gb_per_s"] > $at["net_cap_gb_per_s"])
                    print "bandwidth", $at["net_bw_gb_per_s"]
                if (exposes && exposed > $at["comm_active_us"] + 1e-5)
                    print "exposed", exposed, $at["comm_active_us"]
                next
            }
            $at["utilisation"] > 1.000001 { print $0 }' row.csv links.csv >out &&
        [ ! -s out ]
    report $? "$name"
}

exposes=1
cat >rings.yaml <<EOF
platform: cluster-v100-nvlink
endpoint: {kind: baseline, name: b, sms: 2, memory_bandwidth: 134 GB/s}
workload: lstm-ptb
stack: horovod-nccl2
EOF
possible 'NPUs whose collectives begin at unlike times' rings.yaml \
    --set platform.topology.count=2 --set training.exchange='{kind: single}'
possible 'the same, until the last kernel' rings.yaml \
    --set platform.topology.count=2 --set training.exchange='{kind: single}' \
    --set training.drain=false
cat >jobs.yaml <<EOF
platform: k80-pcie-8
endpoint: comp-opt
workload: jobs-2
training: {iterations: 2}
EOF
possible 'jobs side by side, one of which computes' jobs.yaml
cat >part.yaml <<EOF
platform: cluster-dgx-1v
endpoint: ideal
workload:
  kind: jobs
  name: j
  jobs:
    - {name: a, ranks: {list: [0, 1, 2, 8, 9, 10, 11, 12]}, workload: all-reduce-64MiB}
training: {iterations: 1}
EOF
for stack in nccl nccl-rings blink blink-hybrid; do
    for ranks in '0, 1, 2, 8, 9, 10, 11, 12' '0, 1, 8, 9, 10, 11, 12, 13' \
        '0, 8, 9, 10, 11, 12, 13, 14'; do
        possible "NPUs $ranks of two machines by $stack" part.yaml \
            --set platform.topology.count=2 --set stack=$stack \
            --set "workload.jobs.0.ranks.list=[$ranks]"
    done
done
cat >servers.yaml <<EOF
platform: cluster-v100-nvlink
endpoint: ideal
workload: alexnet
stack: nccl
training:
  iterations: 1
  exchange: {kind: parameter-server, servers: {size: 8, at: 7}, machine: 8, local: reduce}
EOF
cat >bus.yaml <<EOF
platform: $SRCDIR/configs/platforms/k80-pcie-8-server.yaml
endpoint: {kind: baseline, name: b, sms: 6, memory_bandwidth: 50 %, launch_time: 4.85 us, step_time: 1.02 us}
workload: inception-v3
training: {exchange: {kind: merged}}
EOF
possible 'a slow bus that sends when the last collective has ended' bus.yaml \
    --set platform.npu.fabric_bus='0.1 GB/s'
exposes=
possible 'parameter servers' servers.yaml --set platform.topology.count=2
possible 'groups of which some machine has no NPU' servers.yaml \
    --set platform.topology='{kind: nested, count: 2, inner: v100-nvlink-8-server, rails: false, outer: {kind: switch, bandwidth: 12.5 GB/s, latency: 1 us}}' \
    --set training.exchange='{kind: parameter-server, servers: {size: 9, at: 2}, machine: 9, placement: partition, local: reduce}'
possible 'groups of two in machines of three' servers.yaml \
    --set platform='{topology: {kind: switch, npus: 6, bandwidth: 10 GB/s, latency: 1 us}, npu: v100-sxm2}' \
    --set training.exchange='{kind: parameter-server, servers: {size: 3, at: 1}, machine: 3, placement: partition, local: reduce}'
possible 'NPUs that share a host' "$SRCDIR/configs/runs/servers.yaml"
possible 'a straggler' "$SRCDIR/configs/runs/straggler.yaml"
possible 'a pipeline' "$SRCDIR/configs/runs/isca21.yaml" \
    --set workload="$SRCDIR/configs/workloads/pipeline-2.yaml"

echo "1..$n"
