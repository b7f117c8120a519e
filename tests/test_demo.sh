#!/bin/bash
# test_demo.sh - what `make demo` prints: two answers and four next steps; the
# figures of README.md are those of the demo
#
# Environment: ACESIM is the program under test, SRCDIR the source folder, TMPDIR
# a folder for temporary files.

. "$SRCDIR/tests/shell.sh"

(cd "$SRCDIR" && sh sim/cli/demo.sh "$ACESIM" "$TMPDIR") >out 2>err
report $? 'the demo ends well'
sed -n '/^Is a collective/,$p' out >says
grep -c '^Is a collective engine (ace[-0-9]*) worth it? Geometric mean (range)$' \
    says | grep -qx 2
report $? 'it gives two answers'
grep -q "^Open      $TMPDIR/isca21/report.html  *causes" says &&
    grep -q "^Use       $TMPDIR/isca21/runs.csv  *72 rows" says &&
    [ -s isca21/report.html ] && [ "$(wc -l <isca21/runs.csv)" = 73 ]
report $? 'it names the files that it wrote'
why=$(sed -n 's/^Why?  *//p' says)
(cd "$SRCDIR" && $why) >out 2>err && grep -q 'exposed communication' out
report $? 'the command that it names says why'
next=$(sed -n 's/^Your own  *\([^ ]*\).*/\1/p' says)
[ -s "$SRCDIR/$next" ]
report $? 'the page that it names is there'

# figures WORKLOAD - prints mean and maximum over the best, then over the
# published baselines, as the demo has them
figures() {
    sed -n "s/^  $1  *\([0-9.]*\)x ([0-9.]*-\([0-9.]*\))  *\([0-9.]*\)x \
([0-9.]*-\([0-9.]*\)).*/\1 \2 \3 \4/p" says
}
# quoted NAME - prints the same from the table of README.md
quoted() {
    sed -n "s/^| $1 | \*\*\([0-9.]*\)\*\*[^|]*at most \([0-9.]*\)) | \
\([0-9.]*\) (at most \([0-9.]*\)) .*/\1 \2 \3 \4/p" "$SRCDIR/README.md"
}
while read -r workload name; do
    figures "$workload" >out
    quoted "$name" >err
    [ -s out ] && cmp -s out err
    report $? "README.md has the figures of $name"
done <<'END'
resnet-50 ResNet-50
gnmt GNMT
dlrm DLRM
llama-3.1-8b Llama 3.1 8B
END

# ---- the option of compare ---------------------------------------------------

says '--answer and --json exclude each other' 2 \
    '--json and --answer exclude each other
try: acesim compare --help' compare isca21 --answer --json
mkdir untuned
printf '%s\n' workload,n_npus,endpoint,iteration_time_us \
    v,4,x,20 v,4,ace,10 v,8,x,40 v,8,ace,10 >untuned/runs.csv
"$ACESIM" compare untuned --answer >out 2>err
[ "$(cat out)" = "Is a collective engine (ace) worth it? Geometric mean (range)
     over the best without it  over published baselines
  v  -                         2.83x (2.00-4.00)
Published baselines only: these may not be the best that could be built." ]
report $? 'without a tuned endpoint it does not speak of the best'

echo "1..$n"
