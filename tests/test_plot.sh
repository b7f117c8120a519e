#!/bin/bash
# test_plot.sh - tests of `acesim plot` and `acesim report`: files, their
# contents, and escaping
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
head=workload,n_npus,endpoint,iteration_time_us,compute_time_us,\
exposed_comm_us,compute_roofline_us,net_bw_gb_per_s,net_cap_gb_per_s,status

# ---- folders of results to plot -------------------------------------------

mkdir pairs bandwidth payload sms sram time hostile link failed
{
    echo $head
    for n_npus in 4 16; do
        echo "w,$n_npus,slow,200,150,50,150,90,100,ok"
        echo "w,$n_npus,ace,120,115,5,115,95,100,ok"
        echo "w,$n_npus,ideal,110,110,0,110,100,100,ok"
    done
} >pairs/runs.csv
for x in 10 20 30; do
    echo "$x,w,4,base,$((3000 / x)),0,0,0,$((x * 3)),100,ok"
done | sed "1i endpoint.memory_bandwidth_gb_per_s,$head" >bandwidth/runs.csv
sed '1s/endpoint.memory_bandwidth_gb_per_s/workload.payload_bytes/
    2,$s,^[0-9]*,&000000,' bandwidth/runs.csv >payload/runs.csv
sed 's/memory_bandwidth_gb_per_s/sms/' bandwidth/runs.csv >sms/runs.csv
for sram in 1 2; do
    for fsms in 4 8; do
        echo "$((sram << 20)),$fsms,w,4,ace,100,0,0,0,$((sram * fsms)),100,ok"
    done
done | sed "1i endpoint.sram_bytes,endpoint.fsms,$head" >sram/runs.csv
# texts that must not be interpreted by gnuplot, the shell, HTML, SVG or
# intermediate files
cat >hostile/runs.csv <<'EOF'
workload,n_npus,endpoint,iteration_time_us,compute_time_us,exposed_comm_us,net_bw_gb_per_s,net_cap_gb_per_s,status
"w`touch pwned`",4,"x""; system(""touch pwned""); set output ""pwned"" #",200,150,50,90,100,ok
"w`touch pwned`",4,"$(touch pwned)'; !touch pwned",210,150,60,90,100,ok
"w`touch pwned`",4,"@pwned\n{/Bold=40 q}	<|>
touch pwned",220,150,70,90,100,ok
"w`touch pwned`",4,"</text></svg><script>alert(1)</script>&amp;]]>",230,150,80,90,100,ok
"w`touch pwned`",4,ace,120,115,5,95,100,ok
"<img src=http://example.org/x onerror='alert(2)'>",8,ace,120,115,5,95,100,ok
"<img src=http://example.org/x onerror='alert(2)'>",8,"""><b id='gpPt6'>",130,115,15,95,100,ok
EOF
sed 's/ok$/too large/' pairs/runs.csv >failed/runs.csv
times=workload,n_npus,endpoint,start_us,end_us,sms_compute,sms_comm,links
cp pairs/runs.csv time
cat >time/sensitivity.csv <<'EOF'
assumption,role,now,tried,metric,base,value,effect,best,source,why,status
,base,,,speedup,1.2,1.2,0,slow,,,ok
a.b,try,1,2,speedup,1.2,0.9,0.4,slow,assumed,,ok
a.b,try,1,3,speedup,1.2,1.38,0.4,slow,assumed,,ok
"<b>$(touch pwned)",try,x,y,speedup,1.2,1.1,0.1,slow,,why,ok
little,try,x,y,speedup,1.2,1.2,0,slow,,why,ok
EOF
cat >time/utilisation.csv <<EOF
$times
w,4,slow,0,200,1,0,0
w,16,slow,0,100,0.5,0.25,0
w,16,slow,100,150,0.5,0.25,0.75
w,16,slow,150,200,0,1,0.75
w,16,ace,0,120,1,0,0.5
EOF
{
    echo $times
    sed 1d hostile/runs.csv | sed 's/,[0-9]*,150.*ok$/,0,200,1,0,0.5/
        s/,[0-9]*,115.*ok$/,0,200,1,0,0.5/'
} >hostile/utilisation.csv

# ---- the command `acesim plot` --------------------------------------------

says 'plot wants a folder' 2 'missing DIR [Y] [X]
try: acesim plot --help' plot
says 'an unknown column has a suggestion' 1 \
    "pairs/runs.csv:1: no column 'iteration_time'; did you mean \
'iteration_time_us'?" plot pairs iteration_time
says 'a kind and another word are refused' 2 \
    'expected the names of kinds, or Y and X
try: acesim plot --help' plot pairs scaling speedpu
says 'a speedup is drawn by an axis' 0 \
    'wrote pairs/plots/speedup-by-n_npus.svg and .png' plot pairs speedup n_npus
rm pairs/plots/speedup-by-n_npus.*
says 'a folder without rows is no results' 1 \
    'link/runs.csv: cannot be read: No such file or directory' plot link
says 'runs that all failed are no results' 1 \
    'failed/runs.csv: no run in it came to a result' plot failed
says 'without a name the answer and each axis are drawn' 0 \
    "wrote pairs/plots/speedup.svg and .png
wrote pairs/plots/iteration_time_us-by-point.svg and .png
wrote pairs/plots/iteration_time_us-by-n_npus.svg and .png
wrote pairs/plots/iteration_time_us-by-endpoint.svg and .png" plot pairs
says 'a column is drawn by an axis' 0 \
    'wrote bandwidth/plots/net_bw_gb_per_s-by-memory_bandwidth.svg and .png' \
    plot bandwidth net_bw_gb_per_s endpoint.memory_bandwidth
says 'an axis that does not vary is refused' 1 \
    'pairs/runs.csv: workload does not vary' \
    plot pairs iteration_time_us workload
says 'a kind that is asked for and does not fit is an error' 1 \
    "pairs/runs.csv: no plot sms: 'endpoint.sms' is no axis of this sweep; \
its axes: n_npus, endpoint" plot pairs sms
says 'an image has the width that is asked for' 0 \
    'wrote bandwidth/plots/memory-bandwidth.svg and .png' plot bandwidth memory-bandwidth --width=400
grep -q 'width="400"' bandwidth/plots/memory-bandwidth.svg &&
    ! grep -qF '…' bandwidth/plots/memory-bandwidth.svg
report $? 'a narrow image has a title of several lines, without gaps'
says 'no image is too narrow for a panel' 2 \
    '--width=100: expected a number from 320 to 4000
try: acesim plot --help' plot bandwidth memory-bandwidth --width=100
says 'a kind alone draws that alone' 0 \
    'wrote sms/plots/sms.svg and .png' plot sms sms
[ "$(ls sms/plots)" = "sms.png
sms.svg" ]
report $? 'and nothing else'

mkdir maps
awk 'BEGIN {
    print "a.bandwidth_gb_per_s,b.size_bytes,workload,n_npus,endpoint,iteration_time_us,status"
    for (x = 1; x <= 3; x++)
        for (y = 1; y <= 3; y++) {
            printf "%d,%d,w,4,base,%d,ok\n", 100 * x, 1024 * y, 20
            printf "%d,%d,w,4,ace,%d,ok\n", 100 * x, 1024 * y, 22 - x * y
        }
}' >maps/runs.csv
"$ACESIM" plot maps break-even >out 2>err &&
    grep -q '>0.95<' maps/plots/break-even.svg && grep -q 'grey: slower' maps/plots/break-even.svg
report $? 'a map of break-even has losses and says how they look'
"$ACESIM" plot bandwidth memory-bandwidth >out 2>err &&
    "$ACESIM" plot payload bandwidth >out 2>err &&
    "$ACESIM" plot sram sram-fsm >out 2>err &&
    "$ACESIM" plot pairs iteration-time scaling >out 2>err &&
    "$ACESIM" plot time >out 2>err
report $? 'the other kinds are drawn'
"$ACESIM" plot --help >out 2>err
kinds=$(sed -n '/^Kinds/,/^$/s/^  \([a-z-]*\) .*/\1/p' out)
for kind in $kinds; do
    cat ./*/plots/"$kind".svg 2>err | tail -n 1 >out
    grep -q '^</svg>' out
    report $? "$kind is a whole SVG"
    for png in ./*/plots/"$kind".png; do
        [ "$(head -c 4 "$png" | tail -c 3)" = PNG ] && break
    done
    report $? "$kind is a PNG"
done
[ "$(echo "$kinds" | wc -l)" -ge 8 ]
report $? 'there are eight kinds at least'
grep -q '>exposed communication<' pairs/plots/iteration-time.svg &&
    grep -q '>4<' sram/plots/sram-fsm.svg && ! grep -q '<image' sram/plots/sram-fsm.svg
report $? 'texts are texts, and cells are shapes'

mkdir grid
{
    echo "endpoint.sms,endpoint.memory_bandwidth_gb_per_s,workload,n_npus,\
endpoint,iteration_time_us,compute_time_us,exposed_comm_us,hbm_comm_bw_gb_per_s,status"
    for sms in 1 2 4 8; do
        for rate in 100 200 400; do
            echo "$sms,$rate,w,4,e,$((900 / sms)),100,1,$rate,ok"
        done
    done
} >grid/runs.csv
"$ACESIM" plot grid iteration_time_us >out 2>err && cat grid/plots/*.svg >drawn &&
    grep -q 'framed: within' drawn && rm grid/plots/* &&
    "$ACESIM" plot grid hbm_comm_bw_gb_per_s >out 2>err &&
    cat grid/plots/*.svg >drawn && grep -q '</svg>' drawn &&
    ! grep -q 'framed: within' drawn
report $? 'a heat map frames the best only of a column that has a best'

cp -r pairs again
rm -r again/plots
"$ACESIM" plot again >out 2>err && "$ACESIM" plot again iteration-time \
    scaling >out 2>err
diff -r pairs/plots again/plots >out 2>err
report $? 'the same rows give the same bytes'
(cd again && HOME=$PWD GNUTERM=dumb LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo \
    "$ACESIM" plot .) >out 2>err
diff -r pairs/plots again/plots >out 2>err
report $? 'whatever the surroundings'
grep -l 'gnuplot\|GNUPLOT' pairs/plots/*.svg >out
[ "$(grep -c 'DejaVu Sans:Bold' pairs/plots/speedup.svg)" = 0 ]
report $? 'titles are bold by weight, not by name'

grep -q 'in use on one of 16 NPUs' time/plots/utilisation.svg &&
    [ "$(grep -c '>slow<' time/plots/utilisation.svg)" = 1 ]
report $? 'utilisation is that of the largest platform'
sed 's/0.75$/much/' time/utilisation.csv >again/utilisation.csv
says 'utilisation that is no number is an error' 1 \
    "again/utilisation.csv:4: links: expected a number, got 'much'" \
    plot again utilisation
sed '1s/n_npus/npus/' time/utilisation.csv >again/utilisation.csv
says 'and so is utilisation of nothing' 1 \
    "again/utilisation.csv:1: no column 'n_npus'; did you mean 'npus'?" \
    plot again utilisation
head -n 1 time/utilisation.csv >again/utilisation.csv
says 'runs of no time have no utilisation' 1 "again/runs.csv: no plot \
utilisation: no rows of utilisation.csv, which sweep --utilisation writes" \
    plot again utilisation
rm again/utilisation.csv

# There is one mark in total, because the other line never reaches 90 % of the
# largest value.
mkdir apart none
{
    echo "endpoint.sms,$head"
    echo '1,w,4,ace,1,0,1,0,100,200,ok'
    echo '2,w,4,ace,1,0,1,0,101,200,ok'
    echo '1,w,4,base,1,0,1,0,10,200,ok'
    echo '2,w,4,base,1,0,1,0,20,200,ok'
} >apart/runs.csv
says 'an endpoint that never has 90 % is drawn without a mark' 0 \
    'wrote apart/plots/sms.svg and .png' plot apart sms
sed 's/,[0-9]*,200,ok/,0,200,ok/' apart/runs.csv >none/runs.csv
says 'nothing but zeros is drawn' 0 'wrote none/plots/sms.svg and .png' \
    plot none sms

# ---- folders with foreign files -------------------------------------------

says 'names that are commands are drawn' 0 \
    "wrote hostile/plots/speedup.svg and .png
wrote hostile/plots/iteration_time_us-by-point.svg and .png
wrote hostile/plots/iteration_time_us-by-workload.svg and .png
wrote hostile/plots/iteration_time_us-by-endpoint.svg and .png
wrote hostile/plots/utilisation.svg and .png" plot hostile
[ -z "$(find . -name 'pwned*')" ] && [ "$(ls hostile)" = "plots
runs.csv
utilisation.csv" ]
report $? 'and never run'
[ "$(cat hostile/plots/*.svg | grep -ci '<script\|<img\|<b ')" = 0 ]
report $? 'and make no element of an SVG'
cp pairs/runs.csv link/runs.csv
ln -s ../pairs link/plots
says 'a folder of plots that leads elsewhere is refused' 1 \
    'link/plots: cannot be written: Not a directory' plot link speedup
rm link/plots
mkdir link/plots
echo mine >precious
ln -s ../../precious link/plots/speedup.svg
ln -s ../../precious link/plots/speedup.png
"$ACESIM" plot link speedup >out 2>err &&
    [ "$(cat precious)" = mine ] && [ ! -L link/plots/speedup.svg ]
report $? 'a link in the place of a file is replaced, not followed'

# ---- plots on a machine without gnuplot -----------------------------------

mkdir bin
PATH=$PWD/bin "$ACESIM" plot pairs >out 2>err
[ $? = 1 ] && [ "$(cat err)" = "plots need gnuplot, which is not installed; \
on Debian it is in the package gnuplot-nox" ]
report $? 'without gnuplot plot says which package has it'
# ---- signals during a plot ------------------------------------------------

# This gnuplot sends SIGNAL to its parent process at its third call.
mkdir signals
caught() {
    cat >signals/gnuplot <<EOF
#!/bin/sh
echo >>$PWD/signals/calls
[ "\$(wc -l <$PWD/signals/calls)" != 3 ] || kill -$1 \$PPID
exec $(command -v gnuplot) "\$@"
EOF
    chmod +x signals/gnuplot
    rm -f signals/calls
    PATH=$PWD/signals:$PATH TMPDIR=$PWD/signals "$ACESIM" plot pairs >out 2>err
}
"$ACESIM" plot pairs >out 2>err && rm -rf again && cp -r pairs again &&
    sed -i 's/120/130/' pairs/runs.csv
for end in 'INT 130 2 (Interrupt)' 'TERM 143 15 (Terminated)' \
    'HUP 129 1 (Hangup)'; do
    read -r signal status text <<<"$end"
    caught "$signal"
    [ $? = "$status" ] && [ "$(cat err)" = "interrupted by signal $text" ] &&
        diff -r pairs/plots again/plots >out &&
        [ "$(ls pairs)" = "$(ls again)" ] && [ "$(ls signals)" = "calls
gnuplot" ]
    report $? "a plot that SIG$signal ends changes and leaves nothing"
done
sleep 0.01 &
wait $!
left=$!.tmp
echo mine >precious
ln -s "$PWD/precious" pairs/plots/speedup.svg.$left
"$ACESIM" plot pairs speedup >out 2>err && [ "$(cat precious)" = mine ] &&
    [ -z "$(find pairs -name '*.tmp')" ]
report $? 'what a kill left of writing is gone after the next plot'

echo "1..$n"
