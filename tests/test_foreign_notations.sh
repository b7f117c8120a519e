#!/bin/bash
# test_foreign_notations.sh - accepts or explains other notations and files of other
# programs
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

small_run >run.yaml

# ---- notations of quantities ----------------------------------------------

note="--set endpoint.launch_time:1:1: note: launch_time: '31.46666666666667 us' is rounded to 31466667 ps"
"$ACESIM" run run.yaml --set 'endpoint.launch_time=31.46666666666667 us' \
    >out 2>err && [ "$(cat err)" = "$note" ]
report $? 'more digits than are kept are rounded, with a note'
"$ACESIM" run run.yaml --set 'endpoint.launch_time=31.46666666666667 us' \
    --json >out 2>err && grep -A 1 '"notes": \[' out | grep -qFe "$note"
report $? 'the note stands in the JSON'
"$ACESIM" run run.yaml --json >out 2>err && grep -q '"notes": \[\]' out
report $? 'there is none where nothing is rounded'
for unit in Gbps gbps; do
    "$ACESIM" run run.yaml -q --csv - \
        --set platform.topology.bandwidth="80 $unit" >"$unit.csv" 2>err
done
"$ACESIM" run run.yaml -q --csv - --set platform.topology.bandwidth='10 GB/s' \
    >bytes.csv 2>err
cmp Gbps.csv bytes.csv >out && cmp gbps.csv bytes.csv >out
report $? 'bits a second have several names'

says 'a precision of products has its own key' 1 \
    "--set training.precision:1:1: precision: unknown value 'fp8'; write 'products: fp8', and here one of fp16, bf16, fp32" \
    run run.yaml --set training.precision=fp8

# ---- notations of paths ---------------------------------------------------

cat >torus.yaml <<EOF
platform:
  topology: {kind: torus, dims: [{size: 2, links: 2, bandwidth: 25 GB/s, latency: 1 us}, {size: 2, links: 2, bandwidth: 25 GB/s, latency: 1 us}]}
  npu: $SRCDIR/configs/npus/ace-v100-like.yaml
endpoint: {kind: ideal, name: ideal}
workload: {kind: collective, name: c, collective: all-reduce, payload: 1 MiB}
EOF
"$ACESIM" run torus.yaml -q --csv each.csv 2>err \
    --set 'platform.topology.dims.0.bandwidth=5 GB/s' \
    --set 'platform.topology.dims.1.bandwidth=5 GB/s' &&
    "$ACESIM" run torus.yaml -q --csv all.csv 2>err \
        --set 'platform.topology.dims.*.bandwidth=5 GB/s' &&
    "$ACESIM" run torus.yaml -q --csv below.csv 2>err \
        --set 'platform.topology.*.bandwidth=5 GB/s' &&
    "$ACESIM" run torus.yaml -q --csv before.csv 2>err &&
    cmp each.csv all.csv >out && cmp each.csv below.csv >out &&
    ! cmp -s each.csv before.csv
report $? '* is all items of a list, and all below a map'
says 'a path with * that nothing is at' 1 \
    "--set platform.*.bandwidht:1:1: there is nothing at 'platform.*.bandwidht'; * matches each item of a list, or each key of a map below which the remainder exists" \
    run torus.yaml --set 'platform.*.bandwidht=1 GB/s'
"$ACESIM" solve torus.yaml --vary 'platform.topology.dims.*.bandwidth' \
    --from '5 GB/s' --to '50 GB/s' --until 'iteration_time_us <= 100 us' \
    >out 2>err && grep -q '^platform.topology.dims.1.bandwidth = ' out
report $? 'solve varies all that * stands for'
"$ACESIM" check run.yaml --set 'endpoint.launch_time=1 us' >out 2>err &&
    [ "$(cat out)" = 'run.yaml: ok' ]
report $? 'check takes --set'
says 'check says what is wrong with it' 1 \
    "--set endpoint.launch_time:1:1: launch_time: '1 parsec' is no time; expected one such as '72 ns'" \
    check run.yaml --set 'endpoint.launch_time=1 parsec'
printf 'a: [%s]\n' "$(yes 0, | head -n 30 | tr -d '\n')" >nodes.yaml
ACESIM_MAX_NODES=20 "$ACESIM" check nodes.yaml >out 2>err
grep -q 'more than 20 nodes, aliases counted in full; the environment variable ACESIM_MAX_NODES allows more' err
report $? 'how many nodes a file may have can be said'

# ---- files of other programs ----------------------------------------------

echo '{"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "num_hidden_layers": 32}' >config.json
echo '{"matrix": {"fp16": {"tflops": 312}}, "mem1": {"GiB": 80}, "networks": []}' >a100.json
model='give it as the `model` of a workload of kind transformer'
for key in platform workload endpoint; do
    says "a config.json as $key" 1 \
        "config.json:1:1: this is the config.json of a Hugging Face model; $model; it needs a \`model_type\`" \
        run run.yaml --set $key=config.json
done
sed 's/{/{"model_type": "gpt2", "n_layer": 2, "n_head": 2, "n_embd": 8, "n_positions": 9, "vocab_size": 7, /' \
    config.json >typed.json
says 'a config.json with a type as a platform' 1 \
    "typed.json:1:1: this is the config.json of a Hugging Face model; $model" \
    run run.yaml --set platform=typed.json
says 'a config.json with a type as a trace' 1 \
    "typed.json:1:1: this is the config.json of a Hugging Face model; $model" \
    import typed.json -o p.yaml
"$ACESIM" check typed.json >out 2>err &&
    [ "$(cat out)" = 'typed.json: ok, with 1888 weights' ]
report $? 'check counts the weights of a config.json'
sed 's/"n_layer": 2/"n_layer": 3/' typed.json >larger.json
sed '/^workload:/d' run.yaml >lm.yaml
echo 'workload: {kind: transformer, model: typed.json, sequence: 8, batch: {global: 4}}' >>lm.yaml
cat >models.yaml <<'END'
base: lm.yaml
axes:
  - workload.model: [typed.json, larger.json]
  - workload.model.hidden: [8, 16]
END
"$ACESIM" sweep models.yaml -o models >out 2>err &&
    [ "$(tail -n +2 models/runs.csv | cut -d, -f 1,2)" = 'typed.json,8
typed.json,16
larger.json,8
larger.json,16' ]
report $? 'a sweep has config.json files and their values as axes'
says 'a config.json as a trace' 1 \
    "config.json:1:1: this is the config.json of a Hugging Face model; $model; it needs a \`model_type\`" \
    import config.json -o p.yaml
says 'a system of Calculon as a platform' 1 \
    'a100.json:1:1: this is a system of Calculon; a platform of acesim has a topology and an NPU: start from one of acesim list machines, and set what differs by --set' \
    collectives a100.json
says 'a run as a trace' 1 \
    'run.yaml:1:1: this is a configuration of acesim, which is not imported; acesim check and acesim run read it' \
    import run.yaml -o p.yaml
for layer in dense:linear fc:linear layer_norm:elementwise gru:lstm \
    transformer:block self_attention:attention mlp:linear; do
    sed -e '/^workload:/d' run.yaml >layer.yaml
    echo "workload: {kind: data-parallel, name: w, batch: 1, layers: [{kind: ${layer%:*}, name: l}]}" >>layer.yaml
    "$ACESIM" run layer.yaml >out 2>err
    grep -q "unknown layer '${layer%:*}'; what others call so is of kind '${layer#*:}' here" err
    report $? "a layer called ${layer%:*}"
done

echo "1..$n"
