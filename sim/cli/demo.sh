#!/bin/sh
# demo.sh - two answers of acesim: sweeps, speedups, and where to go on
#
# Usage: sh sim/cli/demo.sh ACESIM DIR   (DIR gets the folders of results)

acesim=$1
dir=$2

# study FOLDER/NAME - runs configs/FOLDER/NAME.yaml; results go to DIR/NAME
study() {
    "$acesim" sweep "configs/$1.yaml" -o "$dir/${1##*/}" -j "$(nproc)" || exit
}

study papers/ace/isca21
study sweeps/llama-8b-8
"$acesim" report "$dir/isca21" || exit
echo
"$acesim" compare "$dir/isca21" --answer || exit
echo
echo 'The same for a language model: one step of Llama 3.1 8B on 8 H100 with NCCL'
"$acesim" compare "$dir/llama-8b-8" --answer || exit
cat <<END

Open      $dir/isca21/report.html     causes, commands and sources of all points
Use       $dir/isca21/runs.csv        72 rows; units are in the column names
Why?      $acesim run configs/runs/isca21.yaml --explain
Your own  docs/tutorial.md               ten minutes
END
