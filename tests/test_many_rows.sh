#!/bin/bash
# test_many_rows.sh - compare, report and plot with 100,000 rows
#
# The limit of processor time excludes algorithms that are quadratic in the
# number of rows.  Linear ones need a tenth of it with the released program, on
# any machine and under any load.

. "$SRCDIR/tests/shell.sh"
: >out
: >err

limit_s=6
case $ACESIM in */release/*) ;; *) limit_s=25 ;; esac # may have sanitizers

# rows FOLDER KEYS WORKLOADS - writes FOLDER/runs.csv with 20,000 points of 5
# endpoints, in which KEYS columns and the workload vary
rows() {
    mkdir -p "$1"
    awk -v n_keys="$2" -v n_workloads="$3" 'BEGIN {
        split("comm-opt comp-opt no-overlap ace ideal", endpoints)
        printf "endpoint"
        for (k = 1; k <= n_keys; k++)
            printf ",endpoint.key%d", k
        print ",workload,n_npus,iteration_time_us,compute_time_us," \
            "exposed_comm_us,compute_roofline_us,status"
        for (i = 0; i < 20000; i++) {
            cells = ""
            left = int(i / n_workloads)
            for (k = 1; k <= n_keys; k++) {
                base = k < n_keys ? 20 : 20000
                cells = cells "," left % base " GB/s"
                left = int(left / base)
            }
            for (e = 1; e <= 5; e++)
                printf "%s%s,w%d,16,%d.5,90,1.25,90,ok\n", endpoints[e],
                    cells, i % n_workloads, 100 + (i * 7 + e * 13) % 101
        }
    }' >"$1/runs.csv"
}

# ends NAME COMMAND... - checks that acesim succeeds within the time limit
ends() {
    local name=$1
    shift
    (ulimit -t $limit_s && exec "$ACESIM" "$@") >out 2>err
    report $? "$name"
}

# all FOLDER WHAT - runs each command on the folder
all() {
    ends "compare: 100,000 rows of $2" compare "$1"
    [ "$(wc -l <"$1/compare.csv")" = 20001 ]
    report $? "compare: each of 20,000 points of $2 has its row"
    ends "compare --json: 100,000 rows of $2" compare --json "$1"
    ends "report: 100,000 rows of $2" report "$1"
    [ "$(wc -c <"$1/report.html")" -lt 2000000 ]
    report $? "report: a page of 100,000 rows of $2 is small"
    cp "$1/report.html" out
}

rows axes 3 20
all axes '3 axes and 20 workloads'
prints 'report: it says how many comparisons it leaves out' \
    'The 24 largest of 20000 gains; compare.csv has all.'
prints 'report: it says how many points it leaves out' \
    'This page has the 1000 fastest of 100000 points; runs.csv has all.'

rows values 1 1
all values 'one axis of 20,000 values'

rows workloads 0 20000
all workloads '20,000 workloads'
prints 'report: it says how many workloads it leaves out' \
    'The 24 largest of 20000 gains; compare.csv has all.'

# Points without a comparison are ranked.
sed 's/,ok$/,failed/; /^ace,/!s/,failed$/,ok/' workloads/runs.csv >ranked.csv
mkdir -p ranked && mv ranked.csv ranked/runs.csv
ends 'report: a ranking of 20,000 workloads' report ranked

# one key of the configuration with a different value and source line for each
# point
cp -r values configured
{
    echo key,value,n_points,place,source
    awk 'BEGIN { for (i = 0; i < 100000; i++)
        printf "endpoint.key1,%d GB/s,1,sweep.yaml:%d:1,assumed: %d\n",
            i, i, i }'
} >configured/config.csv
ends 'report: a key of 100,000 values' report configured
cp configured/report.html out
prints 'report: it says how many values it leaves out' 'and 99988 more'

ends 'plot: 100,000 rows of one axis' plot values
echo "1..$n"
