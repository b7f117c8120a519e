#!/bin/bash
# run.sh - tests a sweep on four emulated Slurm nodes, one of which fails (make
# test-slurm)
#
# The script that --slurm prints is run as one job with four workers.  During
# the job one slurmd, its step and its worker are killed.  The command that the
# job prints then gathers the results. runs.csv must equal that of a sweep on
# one machine, and no point may have two rows.
#
# Environment: ACESIM is the program under test, SRCDIR the source folder,
# TMPDIR a folder for temporary files.

. "$SRCDIR/tests/shell.sh"
. "$SRCDIR/tests/slurm/cluster.sh"

n_points=400
cat >sweep.yaml <<END
base:
$(small_run | sed 's/^/  /')
axes:
  - workload.payload: [$(seq -s ', ' -f '%g0 KiB' $((n_points / 5)))]
  - training.iterations: [600, 800, 1000, 1200, 1400]
END

trap cluster_stop EXIT
cluster_start "$TMPDIR/cluster" 4
status=$?
cat "$TMPDIR"/cluster/*.out >out 2>/dev/null
tail -qn 3 "$TMPDIR"/cluster/*.log >err 2>/dev/null
report $status 'slurmctld and four slurmd are there'
[ $status = 0 ] || { echo "1..$n" && exit 1; }

sweep=(sweep sweep.yaml --fold=off --stale '5 s')
"$ACESIM" "${sweep[@]}" -q -o alone >out 2>err
report $? 'the sweep on one machine'

# ---- the Slurm job --------------------------------------------------------

"$ACESIM" "${sweep[@]}" -o study --slurm '--nodes=4 --ntasks-per-node=1 -J sweep' \
    >job.sh 2>err && grep -q '^#SBATCH --nodes=4 --ntasks-per-node=1' job.sh
report $? '--slurm prints a script'

# A wrapper of the worker records its process id by node.
mkdir who
cat >worker.sh <<END
#!/bin/sh
echo \$\$ >"$PWD/who/\$SLURMD_NODENAME"
exec "$ACESIM" "\$@"
END
chmod +x worker.sh
program=$(readlink -f "$ACESIM")
sed "s|^    $program |    $PWD/worker.sh |" job.sh >noted.sh
sbatch --parsable -o job.log noted.sh >out 2>err
report $? 'sbatch takes it'
job=$(cat out)

# n_rows - counts complete records of all journals
n_rows() {
    cat study/runs.journal* 2>/dev/null |
        LC_ALL=C grep -acE '^[0-9a-f]{64} [0-9]+ [0-9a-f]{64}$'
}
for ((i = 0; i < 600; i++)); do
    [ "$(n_rows)" -ge $((n_points / 4)) ] && [ -e who/n3 ] && break
    sleep 0.1
done
[ "$(ls who | xargs)" = 'n1 n2 n3 n4' ] && [ "$(n_rows)" -lt $n_points ]
report $? 'four workers are in the midst of it'

# ---- failure of a Slurm node ----------------------------------------------

worker=$(cat who/n3)
step=$(awk '{ print $4 }' "/proc/$worker/stat")
kill -9 "$(cat cluster/slurmd.n3.pid)" "$step" "$worker"
rows_at_death=$(n_rows)
for ((i = 0; i < 1200; i++)); do
    [ -z "$(squeue -h -j "$job" 2>/dev/null)" ] && break
    sleep 0.1
done
[ -z "$(squeue -h -j "$job" 2>/dev/null)" ]
report $? 'the job ends all the same'
cp job.log out
rows=$(n_rows)
LC_ALL=C grep -aohE '^[0-9a-f]{64} [0-9]+ [0-9a-f]{64}$' study/runs.journal.* |
    cut -c 1-64 | sort | uniq -d >twice
[ ! -s twice ]
report $? 'no point has rows twice'
[ "$rows" -ge $((n_points - 1)) ]
report $? 'the other three did all but what the dead one was at'

# ---- gathering of the results ---------------------------------------------

gather=$(sed -n 's/^#   //p' job.sh)
sh -c "$gather" >out 2>err && cmp alone/runs.csv study/runs.csv >>err
report $? 'one more command: runs.csv is what one machine makes'
[ "$(ls study)" = "$(ls alone)" ]
report $? 'and nothing of the workers is left'
echo "# $n_points points, $rows_at_death rows when the node died," \
    "$rows when the job had ended"
"$ACESIM" "${sweep[@]}" -q -o sent --slurm '--nodes=2 -J sent' --submit >out 2>err
report $? '--submit hands it over'
echo "1..$n"
