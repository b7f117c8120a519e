#!/usr/bin/env bash
# test_check.sh - what is wrong is said before a run, by its line
. "$SRCDIR/tests/shell.sh"

# ---- workloads that run under one setting only ------------------------------

cat >measured.yaml <<'EOF'
kind: data-parallel
name: m
batch: 1
layers:
  - {kind: measured, name: a, weights: 1000, forward_time: 1 us,
     input_gradient_time: 1 us, weight_gradient_time: 1 us}
EOF
says 'check accepts a workload that only measured times can run' 0 '' \
    check measured.yaml
prints 'and says what it needs' \
    '^measured.yaml: ok, with training.compute: measured$'
sed 's/batch: 1/batch: 0/' measured.yaml >wrong.yaml
says 'what no setting can run is wrong still' 1 \
    'wrong.yaml:3:8: batch: 0 is outside [1, 1000000000]' check wrong.yaml
says 'a workload for any setting needs none' 0 '' \
    check "$SRCDIR/configs/workloads/resnet50.yaml"
prints 'and nothing is said of settings' 'resnet50.yaml: ok$'

echo "1..$n"
