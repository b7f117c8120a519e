#!/bin/bash
# test_import_megatron.sh - `acesim import` reads launch scripts of Megatron-LM
#
# The scripts are written here.  Nothing in them may be executed.
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

# imports NAME FILE [OPTION...] - imports FILE, and runs what comes of it
imports() {
    local name=$1 file=$2
    shift 2
    "$ACESIM" import "$file" -o model.yaml --run-file run.yaml "$@" >out 2>err &&
        "$ACESIM" run run.yaml -q --csv rows.csv >>out 2>>err
    report $? "$name"
}

# has FILE LINE... - checks that FILE has each of the lines
has() {
    local file=$1 line
    shift
    for line; do
        grep -qxF -- "$line" "$file" ||
            { echo "$file lacks: $line" && cat "$file"; } >>err
        grep -qxF -- "$line" "$file"
        report $? "$file has '$line'"
    done
}

# ---- a script with arrays -------------------------------------------------

cat >arrays.sh <<'EOF'
#!/bin/bash
#SBATCH --nodes=99
export CUDA_DEVICE_MAX_CONNECTIONS=1
touch executed; GPUS_PER_NODE=4
NNODES=${SLURM_NNODES:-4}
WORLD_SIZE=$(($GPUS_PER_NODE*$NNODES))
TP=2
PP=${PP:=2}
DATA_PATH=$3
LOG=$(touch executed)`touch executed`
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes=$NNODES
    --master_addr $MASTER_ADDR
)
MODEL_ARGS=(
    --num-layers 8   # of attention and feed-forward part
    --hidden-size 64
    --num-attention-heads '8'
    --seq-length 128
    --max-position-embeddings 256
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size "$(( (WORLD_SIZE - 8) * 2 + 16 % 32 ))"
    --lr 6.0e-5
    --fp16
    --recompute-activations
)
PARALLEL_ARGS=(
	--tensor-model-parallel-size ${TP}
	--pipeline-model-parallel-size "$PP"
	--num-layers-per-virtual-pipeline-stage 2
	--sequence-parallel --use-distributed-optimizer
	--tp-comm-overlap --overlap-grad-reduce
)
DATA_ARGS=(--data-path $DATA_PATH --tokenizer-type GPT2BPETokenizer)
if [ -n "$FP8" ]; then
  TRAINING_ARGS+=( --fp8-format hybrid )
fi
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py \
    ${MODEL_ARGS[@]} \
    "${TRAINING_ARGS[@]}" \
    ${PARALLEL_ARGS[@]} ${DATA_ARGS[@]} $EXTRA \
    --strange-argument 7 && echo done
EOF
imports 'a script with arrays becomes a run' arrays.sh
cat >expected <<'EOF'
arrays.sh:39:3: note: '--fp8-format hybrid': added in a branch or loop, and left out
arrays.sh:35:2: note: '--tp-comm-overlap': collectives of tp are not hidden
arrays.sh:44:41: note: arguments here are left out, because the script does not set 'EXTRA'
arrays.sh:45:5: note: '--strange-argument': it has no counterpart, and is left out
EOF
cmp -s expected err
report $? 'what is left out is noted with its place'
[ ! -e executed ]
report $? 'nothing of the script is executed'
has model.yaml 'name: arrays' 'layers: 8' 'hidden: 64' 'heads: 8' \
    'kv_heads: 8' 'ffn: 256' 'positions: 256' 'gated: false' 'tied: true' \
    'norm_bias: true' 'dropout: true' 'bias: all' \
    'vocabulary: 50432  # 50257, padded as Megatron-LM does'
has run.yaml '    count: 4' '    nics: 4' '  sequence: 128' \
    '  batch: {global: 32, micro: 1}' \
    '  parallel: {tp: 2, cp: 1, pp: 2, ep: 1, sequence: true}' \
    '  schedule: {kind: interleaved, chunks: 2}' \
    '  shard: {kind: zero-1, overlap: true}' \
    '  recompute: selective' \
    'training: {precision: fp16, gradient: fp16, optimiser: adam, iterations: 1}'

# ---- a script with texts, inside of bash -c -------------------------------

cat >texts.sh <<'EOF'
DISTRIBUTED="--nproc_per_node 8 --node_rank $RANK"
GPT="
    --num-layers 4 \
    --hidden-size 64 \
    --num-attention-heads 8 \
    --group-query-attention --num-query-groups 2 \
    --swiglu --untie-embeddings-and-output-weights \
    --normalization RMSNorm --disable-bias-linear --add-qkv-bias \
    --position-embedding-type rope --window-size (63,0) --qk-layernorm \
    --seq-length 128 --max-position-embeddings 128 --kv-channels 16 \
    --vocab-size 1000 --make-vocab-size-divisible-by 8 --hidden-dropout 0.0
"
srun bash -c "torchrun $DISTRIBUTED pretrain.py $GPT --micro-batch-size 2 \
    --global-batch-size 16 --tensor-model-parallel-size 2 --bf16 \
    --context-parallel-size 2 --recompute-granularity full --optimizer sgd"
EOF
imports 'a script with texts becomes a run' texts.sh
has model.yaml 'kv_heads: 2' 'head_size: 16' 'ffn: 128' 'window: 64' \
    'gated: true' 'tied: false' 'query_norm: true' 'norm_bias: false' \
    'dropout: false' 'bias: qkv' \
    'vocabulary: 1008  # 1000, padded as Megatron-LM does'
! grep -q '^positions' model.yaml
report $? 'rotary positions are not learned'
has run.yaml '  topology: hgx-h100' '  recompute: full' \
    '  shard: {kind: replicated}' '  batch: {global: 16, micro: 2}' \
    '  parallel: {tp: 2, cp: 2, pp: 1, ep: 1, sequence: false}' \
    'training: {precision: bf16, gradient: fp32, optimiser: sgd, iterations: 1}'

# ---- a list of arguments, with experts ------------------------------------

small='--num-layers 4 --hidden-size 64 --num-attention-heads 8 --seq-length 128 --micro-batch-size 1 --vocab-size 1000'
cat >list.txt <<EOF
${small// --/
--}
--num-experts 8 --moe-router-topk 2 --moe-ffn-hidden-size 96
--moe-shared-expert-intermediate-size 192
--moe-layer-freq "([0]*1+[1]*3)" --moe-router-enable-expert-bias --mtp-num-layers 1
--expert-model-parallel-size 4
--multi-latent-attention --q-lora-rank 24 --kv-lora-rank 16
--qk-head-dim 8 --qk-pos-emb-head-dim 4 --v-head-dim 8
EOF
imports 'a list of arguments becomes a run' list.txt --ranks 8 --name moe
has model.yaml 'name: moe' 'head_size: 12' 'mtp_depth: 1' \
    'experts: {count: 8, per_token: 2, ffn: 96, shared: 2, dense_layers: 1, router_bias: true}' \
    'latent: {query_rank: 24, key_value_rank: 16, rotary: 4, other: 8, value: 8}'
has run.yaml '  batch: {global: 8, micro: 1}' \
    '  parallel: {tp: 1, cp: 1, pp: 1, ep: 4, sequence: false}'

cat list.txt - >modules.txt <<'EOF'
--recompute-granularity selective
--recompute-modules moe_act layernorm mla_up_proj shared_experts
EOF
imports 'modules are recomputed' modules.txt --ranks 8 --name moe
has run.yaml '  recompute: [norms, latent, activations, shared_experts]'
cat list.txt - >modules.txt <<'EOF'
--recompute-activations
--recompute-modules=core_attn mlp moe
EOF
imports 'modules of layers are recomputed' modules.txt --ranks 8 --name moe
has run.yaml '  recompute: [scores, mlp, experts]'
printf 'torchrun --nproc-per-node 8 p.py %s --recompute-granularity selective --recompute-modules core_attn moe mhc\n' \
    "$small" >modules.sh
imports 'modules that the model does not have are noted' modules.sh
printf '%s\n' "modules.sh:1:200: note: --recompute-modules: the model has no 'moe'" \
    "modules.sh:1:200: note: --recompute-modules: 'mhc' has no counterpart, and is kept" >expected
cmp expected err
report $? 'with their place'
has run.yaml '  recompute: selective'
printf 'torchrun --nproc-per-node 8 p.py %s --recompute-modules mlp\n' \
    "$small" >modules.sh
imports 'modules without selective recomputation are noted' modules.sh
grep -q 'it has no effect without --recompute-granularity selective' err
report $? 'since they have no effect'
has run.yaml '  recompute: none'

printf '#SBATCH -N 3\n#SBATCH --ntasks-per-node=1\nsrun python p.py %s\n' \
    "$small" >batch.sh
imports 'the number of GPUs comes from the batch system' batch.sh
has run.yaml '    npus: 3'

"$ACESIM" import list.txt --ranks 8 -o model.yaml >out 2>err
grep -q '^note: only the model was written; --run-file' err
report $? 'without a run file the model alone is written'

# ---- what is refused ------------------------------------------------------

# refuses NAME TEXT MESSAGE [OPTION...] - checks that the script TEXT is refused
refuses() {
    local name=$1 text=$2 message=$3
    shift 3
    printf '%s\n' "$text" >wrong.sh
    says "$name" 1 "$message" import wrong.sh -o m.yaml --run-file r.yaml "$@"
}

run="torchrun --nproc-per-node 8 p.py $small"
refuses 'a missing argument' "torchrun p.py ${small/--hidden-size 64/}" \
    'wrong.sh:1:1: --hidden-size: it is missing among the arguments that begin here'
refuses 'a missing vocabulary' "torchrun p.py ${small/--vocab-size 1000/}" \
    'wrong.sh:1:1: --vocab-size: it is missing, and the tokenizer is not read; add the number of words to the arguments'
refuses 'no number of GPUs' "python p.py $small" \
    'wrong.sh:1:1: --nproc-per-node: the script does not give the number of GPUs; write it there, or give the number of all GPUs by --ranks N'
refuses 'an unknown number of nodes' "$run --nnodes \$N" \
    "wrong.sh:1:155: --nnodes: the script does not give the number of GPUs, because the script does not set 'N'; write it there, or give the number of all GPUs by --ranks N"
refuses 'an argument of the script' "$run --tensor-model-parallel-size \$1" \
    'wrong.sh:1:175: --tensor-model-parallel-size: its value is not known, because it is given when the script is called; write the value in its place'
refuses 'the output of a command' "$run --global-batch-size \$(cat batch)" \
    'wrong.sh:1:166: --global-batch-size: its value is not known, because it is the output of a command; write the value in its place'
refuses 'a variable that is set in a branch' "TP=2
if true; then
TP=4
fi
$run --tensor-model-parallel-size \$TP" \
    "wrong.sh:5:175: --tensor-model-parallel-size: its value is not known, because 'TP' is set in a branch or loop at line 3; write the value in its place"
refuses 'a variable that is set after &&' "TP=2
[ 1 = 1 ] && TP=4
$run --tensor-model-parallel-size \$TP" \
    "wrong.sh:3:175: --tensor-model-parallel-size: its value is not known, because 'TP' is set in a branch or loop at line 2; write the value in its place"
refuses 'arithmetic that divides by 0' "$run --global-batch-size \$((8 / 0))" \
    'wrong.sh:1:166: --global-batch-size: its value is not known, because its arithmetic has an unknown value; write the value in its place'
refuses 'a negative number' "${run/--hidden-size 64/--hidden-size -64}" \
    "wrong.sh:1:63: --hidden-size: expected a whole number of 1 to 1000000, got '-64'"
refuses 'a number without bounds' "${run/--hidden-size 64/--hidden-size 1e30}" \
    "wrong.sh:1:63: --hidden-size: expected a whole number of 1 to 1000000, got '1e30'"
refuses 'a value that is missing' "$run --global-batch-size" \
    'wrong.sh:1:146: --global-batch-size: a value has to follow it'
refuses 'degrees that do not divide the GPUs' \
    "$run --tensor-model-parallel-size 3" \
    'wrong.sh:1:175: --tensor-model-parallel-size: tp 3 x pp 1 x cp 1 does not divide the 8 GPUs'
refuses 'a batch that does not divide' "$run --global-batch-size 12" \
    'wrong.sh:1:166: --global-batch-size: 12 sequences are no multiple of --micro-batch-size 1 on dp 8'
refuses 'chunks that do not divide' \
    "$run --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3" \
    'wrong.sh:1:219: --num-layers-per-virtual-pipeline-stage: 3 layers on each of 2 stages do not divide 4 layers'
refuses 'layers of experts in between' \
    "$run --num-experts 8 --moe-layer-freq [1]*2+[0]*2" \
    "wrong.sh:1:179: --moe-layer-freq: expected 1, or layers without experts and then all others with experts, such as '([0]*3+[1]*58)', got '[1]*2+[0]*2'"
refuses 'a part of a shared expert' \
    "$run --num-experts 8 --moe-ffn-hidden-size 96 --moe-shared-expert-intermediate-size 100" \
    'wrong.sh:1:225: --moe-shared-expert-intermediate-size: 100 is no multiple of the 96 values of an expert; only whole shared experts are modelled'
refuses 'nodes that are not whole' "$run" \
    'wrong.sh:1:27: --nproc-per-node: 12 GPUs are no whole number of nodes of 8, or more than 1048576' \
    --ranks 12
refuses 'a quotation without an end' "A=\"$small" \
    'wrong.sh:2:1: it ends inside a quotation'
refuses 'values that double' "$small
A=xxxxxxxxxxxxxxxx
$(for i in {1..20}; do echo 'A=$A$A'; done)" \
    'wrong.sh:16:7: the values of its variables make it too long'
refuses 'arrays that double' "$small
A=(1 2 3 4)
$(for i in {1..20}; do echo 'A+=(${A[@]})'; done)" \
    'wrong.sh:15:13: it has too many words'
refuses 'defaults inside of defaults' \
    "$small $(printf '${A:-%.0s' {1..10000})" \
    'wrong.sh:1:273: it is nested too deeply'
refuses 'a byte that no text has' "$(printf '%s \001' "$small")" \
    'wrong.sh:1:1: it is no text in UTF-8'
{ echo "$small"; yes '# a comment' | head -c 2000000; } >wrong.sh
says 'a script that is too long' 1 'wrong.sh:1:1: it is too long for a script' \
    import wrong.sh -o m.yaml
says 'a script among traces' 1 \
    'list.txt:1:1: it describes a job and holds no recording; name it alone in acesim import, which writes a run file' \
    import list.txt list.txt -o m.yaml
cat >trace.yaml <<EOF
$(small_run | grep -v ^workload)
workload: {kind: trace, name: t, file: list.txt}
training: {compute: measured}
EOF
says 'a script as a trace' 1 \
    'list.txt:1:1: it describes a job and holds no recording; name it alone in acesim import, which writes a run file' \
    run trace.yaml
says 'a report of a script' 2 \
    "--report: the description of a job has no report
try: acesim import --help" \
    import list.txt -o m.yaml --report r.json

echo "1..$n"
