#!/bin/sh
# study.sh - simulates all points of the study of engines in language models
#
# Usage: sh docs/llm-offload/study.sh ACESIM   (from the source folder)
#
# The sweeps go to results/llm-offload*; points that are there stay.  Writes
# docs/llm-offload/worth.csv and the plots of the page, and prints its table of
# results.

set -e
acesim=$1
page=docs/llm-offload

# sweep NAME - simulates configs/sweeps/NAME.yaml, and compares the endpoints
sweep() {
    "$acesim" sweep "configs/sweeps/$1.yaml" -o "results/$1"
    "$acesim" compare "results/$1" --csv "results/$1/compare-any.csv" >/dev/null
}

# by_overlap NAME AXES - compares the endpoints apart for each value of overlap,
# where each takes its fastest value of AXES
by_overlap() {
    "$acesim" compare "results/$1" --fastest-over "$2" \
        --csv "results/$1/compare-plan.csv" >/dev/null
}

for name in llm-offload llm-offload-gb200 llm-offload-mi300x llm-offload-overlap \
    llm-offload-bandwidth; do
    sweep $name
done
by_overlap llm-offload plan
by_overlap llm-offload-gb200 plan
by_overlap llm-offload-mi300x plan

python3 $page/worth.py h100=results/llm-offload gb200=results/llm-offload-gb200 \
    mi300x=results/llm-offload-mi300x h100-bandwidth=results/llm-offload-bandwidth \
    h100-overlap=results/llm-offload-overlap >$page/worth.csv.tmp
mv $page/worth.csv.tmp $page/worth.csv

for name in llm-offload llm-offload-gb200 llm-offload-mi300x; do
    "$acesim" plot results/$name speedup --width=400
    cp results/$name/plots/speedup.svg $page/speedup${name#llm-offload}.svg
done
"$acesim" plot results/llm-offload-overlap break-even --width=400
"$acesim" plot results/llm-offload-bandwidth break-even --width=400
cp results/llm-offload-overlap/plots/break-even.svg $page/overlap.svg
cp results/llm-offload-bandwidth/plots/break-even.svg $page/bandwidth.svg
python3 $page/worth.py --table $page/worth.csv
