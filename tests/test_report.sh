#!/usr/bin/env bash
# test_report.sh - tests of `acesim report`: the page without a browser, and the
# data beside it (tests/browser/report.py has what needs one)

. "$SRCDIR/tests/shell.sh"

# unbalanced FILE - prints the first tag that does not close the last opened
# one, or tags left open
unbalanced() {
    tr '\n' ' ' <"$1" | sed 's/<!DOCTYPE html>//; s/<style>.*<\/style>//
        s/<script type=.*<\/script>//' |
        grep -o '<[^>]*>' | awk '
        /\/>$/ || /^<\?/ { next }
        /^<\// {
            gsub(/[<\/> ]/, "")
            if (n == 0 || open[n] != $0) { print "unexpected " $0; exit }
            n--
            next
        }
        {
            sub(/^</, "")
            sub(/[ >].*/, "")
            open[++n] = $0
        }
        END { if (n) print "open " open[n] }'
}

# loads FILE - prints everything outside the scripts that a browser would load or
# run; links to files of the folder load nothing
loads() {
    tr '\n' ' ' <"$1" | sed 's/<script type=.*<\/script>//' |
        grep -Eio '<(script|img|link|iframe|object|embed)|@import|url\([^#)]*|<[^>]* (on[a-z]+|src)=[^>]*|<[^>]*href=.[^#"]*:[^>]*'
}

head=workload,n_npus,endpoint,iteration_time_us,compute_time_us,exposed_comm_us,status
mkdir pairs hostile failed one
{
    echo $head
    for n_npus in 4 16; do
        echo "w,$n_npus,slow,200,150,50,ok"
        echo "w,$n_npus,ace,120,115,5,ok"
        echo "w,$n_npus,ideal,110,110,0,ok"
    done
} >pairs/runs.csv
cat >hostile/runs.csv <<EOF
$head
"</script><b>",4,"</text></svg><script>alert(1)</script>&amp;]]>",230,150,80,ok
"</script><b>",4,ace,120,115,5,ok
"<img src=http://example.org/x onerror='alert(2)'>",8,ace,120,115,5,ok
"<img src=http://example.org/x onerror='alert(2)'>",8,"""><b id='table'>",130,115,15,ok
EOF
sed 's/,ok$/,too <b>large/' pairs/runs.csv >failed/runs.csv
sed -n 1,2p pairs/runs.csv >one/runs.csv
cat >pairs/sensitivity.csv <<'EOF'
assumption,role,now,tried,metric,base,value,effect,best,source,why,status
,base,,,speedup,1.2,1.2,0,slow,,,ok
a.b,try,1,2,speedup,1.2,0.9,0.4,slow,assumed,,ok
a.b,try,1,3,speedup,1.2,1.38,0.4,slow,assumed,,ok
"<b>$(touch pwned)",try,x,y,speedup,1.2,1.1,0.1,slow,,why,ok
EOF

says 'report wants one folder' 2 'missing DIR
try: acesim report --help' report
says 'a report says where it is, and how to know more' 0 \
    '6 points are without causes; --explain-for=TIME runs more of them
wrote pairs/report.html' report pairs
for folder in pairs hostile failed one; do
    "$ACESIM" report $folder >out 2>err
    report $? "there is a report of $folder"
    unbalanced $folder/report.html >out
    [ ! -s out ]
    report $? 'its tags are balanced'
    loads $folder/report.html >out
    [ ! -s out ]
    report $? 'it loads and runs nothing but its own script'
    grep -o '<script[^>]*>' $folder/report.html >out
    [ "$(wc -l <out)" = 2 ] && grep -q "default-src 'none'; \
style-src 'unsafe-inline'; script-src 'sha256-[A-Za-z0-9+/=]*'\"" \
        $folder/report.html
    report $? 'its policy admits one script by its hash'
    tr '\n' ' ' <$folder/report.html | sed 's/<script type=.*//' |
        grep -o '<[^>]*>' | grep -o " id=['\"][^'\"]*['\"]" | sort |
        uniq -d >out
    [ ! -s out ]
    report $? 'its ids are unique'
done
cp pairs/report.html out
prints 'it asks the question' \
    '^<h1>How much faster is an iteration with ace than with slow?</h1>'
prints 'it answers in a sentence' '^<p class="answer">1.67× the baselines (1.67'
prints 'it warns of baselines that were not tuned' '<h2>Before quoting it</h2>'
prints 'a row of the chart has its figure' '<td class="n big gain">1.67×'
prints 'it says what the result depends on' '<h2>What it depends on</h2>'
prints 'with every value tried' '<td>2</td><td class="n">0.90</td>'
prints 'as text' '&lt;b&gt;\$(touch pwned)'
cp hostile/report.html out
prints 'what was a tag is text' '&lt;img src=http://example.org/x onerror=&#39;'
[ "$(grep -c '</script>' hostile/report.html)" = 2 ] &&
    ! grep -q '<' hostile/report.json
report $? 'no name ends the block of data'
sed -n '/^<script>/,$p' pairs/report.html | sed 's/^<script>//; /<\/script>/q' >out
[ "$(wc -c <out)" -gt 1000 ] && [ "$(wc -c <out)" -le $((16 * 1024 + 10)) ]
report $? 'its script has at most 16 kB'
mkdir lines
{
    echo "a.b_gb_per_s,$head"
    for x in 10 20 40 90; do
        echo "$x,w,4,slow,200,150,50,ok"
        echo "$x,w,4,ace,$((100 + x)),115,5,ok"
    done
} >lines/runs.csv
"$ACESIM" report lines >out 2>err
cp lines/report.html out
prints 'a swept quantity of four values gives lines' '<h2>Speed-up by b</h2>'
prints 'with its unit' '<figcaption>a.b, GB/s</figcaption>'
[ "$(grep -o '<i class="point' out | wc -l)" = 4 ] &&
    ! grep -q 'class="plot"' pairs/report.html
report $? 'of a point for each comparison, and other sweeps have none'
cp failed/report.html out
prints 'if all points failed it says so' 'No point came to a result.'
prints 'and why' 'The first: too &lt;b&gt;large.'
cp one/report.html out
prints 'one point has an answer' '<p class="answer">200.0 us, for w.</p>'

small_run >run.yaml
cat >sweep.yaml <<EOF
base: run.yaml
axes:
  - collectives.window: [4, 8] # chosen <b>by hand</b>
  - cases: {size: {"a 'b'": {workload.payload: 2 MiB}, c: {}}}
EOF
"$ACESIM" sweep sweep.yaml -o swept >out 2>err &&
    "$ACESIM" report swept >out 2>err
report $? 'a sweep leaves what a report needs'
cp swept/report.html out
prints 'it has the source of a default' 'assumed; the public code does not'
prints 'it has the place of a value' '<td>sweep.yaml:3</td>'
prints 'it has the comment beside it' 'chosen &lt;b&gt;by hand&lt;/b&gt;'
prints 'it has the command of the sweep' '<code>acesim sweep sweep.yaml -o swept</code>'
prints 'it has the command of points' '<code>acesim run run.yaml</code>'
prints 'a case may set nothing' '<code>as it is</code>'
prints 'and their settings' "<code>--set &#39;workload.payload=2 MiB&#39;</code>"
cp swept/report.html first.html
"$ACESIM" report swept >out 2>err
cmp first.html swept/report.html >out 2>err
report $? 'the same folder gives the same page'
sed -i 's/\[4, 8\]/[4, 9]/' sweep.yaml
"$ACESIM" report swept >out 2>err
cp swept/report.html out
prints 'without the commands if the sweep has other points now' \
    'They are not known: sweep.yaml has other points now.'

# Results of an earlier version of a model are not explained by a new one.
cp -r swept changed
sed -i 's/\[4, 9\]/[4, 8]/' sweep.yaml
rm changed/attribution.csv
sed -i 's/^\(4,c,.*,\)[0-9]*\.\([0-9]*,[0-9.]*,[0-9.]*,[0-9.]*,.*\)/\1\2/' changed/runs.csv
awk -F, -v OFS=, 'NR > 1 { sub(/^[0-9]+/, "77", $6) } 1' swept/runs.csv >changed/runs.csv
"$ACESIM" report changed >out 2>err
cp changed/report.html out
prints 'a point that takes another time now gets no causes' \
    '4 points take another time now than in runs.csv'

mkdir link
cp pairs/runs.csv link
echo mine >precious
for file in report.html report.json compare.csv attribution.csv what_ifs.csv \
    datapackage.json; do
    ln -s ../precious link/$file
done
"$ACESIM" report link >out 2>err
[ $? = 0 ] && [ "$(cat precious)" = mine ] && [ -z "$(find link -type l)" ]
report $? 'a link in the place of a file is replaced, not followed'

# A report that a signal ends while it simulates.  A run with jitter takes a
# second, since no iteration repeats another.
cat >slow.yaml <<EOF
base: $SRCDIR/configs/runs/isca21.yaml
axes:
  - perturb.jitter: [1 %]
  - collectives.window: [64, 63]
EOF
"$ACESIM" sweep slow.yaml -q -o slow >out 2>err && cp -r slow kept
"$ACESIM" report slow --explain-for 600s >out 2>err &
pid=$!
sleep 0.5
kill -TERM $pid 2>>err
wait $pid
[ $? = 143 ] && diff -r slow kept >>err
report $? 'a signal ends a report, which changes and leaves nothing'
says 'no time for causes is a choice' 0 \
    '2 points are without causes; --explain-for=TIME runs more of them
wrote slow/report.html' report slow --explain-for '0 s'

# What a sweep finds out itself.
cat >quick.yaml <<EOF
base: $SRCDIR/configs/runs/isca21.yaml
axes:
  - collectives.window: [64, 63, 62, 61]
EOF
"$ACESIM" sweep quick.yaml -q -o caused --what-ifs >out 2>err &&
    cut -d, -f1 caused/attribution.csv | sort -u >parts_of &&
    cut -d, -f1 caused/what_ifs.csv | sort -u >what_ifs_of &&
    [ "$(wc -l <parts_of)" = 5 ] && cmp parts_of what_ifs_of
report $? 'sweep --what-ifs writes parts and what-ifs of all points'
says 'a report needs no run then' 0 'wrote caused/report.html' \
    report caused --explain-for '0 s'
cp caused/attribution.csv all.csv
sed -i '2,8d' caused/attribution.csv
"$ACESIM" sweep quick.yaml -q -o caused --attribution >out 2>err &&
    cmp all.csv caused/attribution.csv
report $? 'the same command finds out what is missing'
"$ACESIM" sweep slow.yaml -q -o whole --attribution >out 2>err
"$ACESIM" sweep slow.yaml -q -o stopped >out 2>err
"$ACESIM" sweep slow.yaml -q -o stopped --attribution >out 2>err &
pid=$!
sleep 0.3
kill -TERM $pid 2>>err
wait $pid
[ $? = 143 ] &&
    "$ACESIM" sweep slow.yaml -q -o stopped --attribution >out 2>err &&
    cmp whole/attribution.csv stopped/attribution.csv
report $? 'it continues after a signal'

echo "1..$n"
