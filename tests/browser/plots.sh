#!/bin/bash
# plots.sh - measures in a browser that no two texts of a plot overlap
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

browser=$(command -v chromium || command -v google-chrome)
if [ -z "$browser" ] || ! command -v gnuplot >/dev/null; then
    skip 'no labels of plots overlap' 'there is no chromium or gnuplot here'
    echo "1..$n"
    exit
fi
head=workload,n_npus,endpoint,iteration_time_us,compute_time_us,\
exposed_comm_us,net_bw_gb_per_s,n_tried,status

# ---- folders of results: one for each form of chart --------------------------

mkdir lines map dots wide
# rows ENDPOINT TIME TRIED - prints rows of all workloads and sizes
rows() {
    for workload in resnet-50 a-workload-with-a-long-name; do
        for n_npus in 16 32 64 128 256 512 1024; do
            echo "$1,$workload,$n_npus,$2,$(($3 + n_npus)).5,$3,$n_npus,9,$4,ok"
        done
    done
}
# The lines of six endpoints end within a few pixels of each other.
{
    echo "endpoint.label,$head"
    for endpoint in published-1 published-2 published-3; do
        rows x $endpoint 1010 ''
    done
    rows x tuned 1001 7
    rows x ace 1000 ''
    rows x ideal 999 ''
} >lines/runs.csv
for x in 450 600 900 1200 1800 3350 6700 13400; do
    for y in 1 2 4 8 16 32 64 128 256 512; do
        echo "$x,$((y << 20)),w,4,ace,$((x * y)).25,1,0,9,,ok"
        echo "$x,$((y << 20)),w,4,base,$((x * y + 1)).25,1,0,9,,ok"
    done
done | sed "1i platform.npu.hbm.bandwidth_gb_per_s,endpoint.sram_bytes,$head" \
    >map/runs.csv
for case in 'a very long name of a case that has to be cut somewhere' b c d e; do
    echo "$case,w,4,ace,${#case}000.5,1,0,9,,ok"
done | sed "1i case,$head" >dots/runs.csv
# An axis with values that are close to each other and far apart.
for x in 1 2 3 4 5 6 7 8 9 10 11 12 100000 100001; do
    echo "$x,w,4,ace,$x,1,0,9,,ok"
done | sed "1i training.micro_batches,$head" >wide/runs.csv

# ---- overlapping texts -------------------------------------------------------

# overlaps SVG - prints the pairs of texts whose boxes share more than a pixel,
# and texts that leave the picture, as a browser draws them
overlaps() {
    {
        echo '<!DOCTYPE html><meta charset="utf-8"><title>plot</title>'
        echo '<body style="margin:0">'
        sed '1,/<svg/{/<svg/!d}' "$1"
        cat <<'PAGE'
<script>
const boxes = [...document.querySelectorAll("text")].map(e =>
    [e.textContent.trim(), e.getBoundingClientRect()]).filter(b => b[0] !== "")
const room = document.querySelector("svg").getBoundingClientRect()
const out = ["texts: " + boxes.length]
boxes.forEach(([a, p], i) => {
    if (p.left < room.left - 1 || p.right > room.right + 1 ||
        p.top < room.top - 1 || p.bottom > room.bottom + 1)
        out.push("outside: " + a)
    boxes.slice(i + 1).forEach(([b, q]) => {
        const w = Math.min(p.right, q.right) - Math.max(p.left, q.left)
        const h = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top)
        if (w > 1 && h > 1) out.push("overlap: " + a + " | " + b)
    })
})
document.body.textContent = out.join("\n")
</script>
PAGE
    } >page.html
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu \
        --window-size=1000,3000 --user-data-dir="$PWD/profile" \
        --dump-dom "file://$PWD/page.html" 2>err |
        sed -n 's/.*<body[^>]*>//; /^texts\|^outside\|^overlap/p'
}

for folder in lines map dots wide; do
    "$ACESIM" plot $folder >out 2>err
    report $? "$folder is drawn"
done
"$ACESIM" plot lines iteration-time scaling speedup >out 2>err
report $? 'and so are named kinds'
for svg in */plots/*.svg; do
    overlaps "$svg" >out
    grep -q '^texts: [1-9]' out && [ "$(wc -l <out)" = 1 ]
    report $? "no labels overlap in $svg"
done
# The measure itself: a plot with a label twice.
sed 's/<text.*/&&/' lines/plots/speedup.svg >twice.svg
overlaps twice.svg >out
grep -q '^overlap: ' out
report $? 'an overlap would be seen'

echo "1..$n"
