# cluster.sh - functions to start a Slurm cluster of N emulated nodes on this
# machine
#
# The cluster has its own folder and ports.  It does not read or change an
# installed Slurm. cluster_stop ends the processes that were started, by their
# process ids.

# free_port FIRST - prints the first of 64 consecutive unused ports
free_port() {
    local port=$1
    while [ "$port" -lt 60000 ]; do
        local taken=
        for ((i = 0; i < 8; i++)); do
            (: </dev/tcp/127.0.0.1/$((port + i))) 2>/dev/null && taken=1
        done
        [ -n "$taken" ] || { echo "$port" && return; }
        port=$((port + 64))
    done
    return 1
}

# cluster_start DIR N - starts the cluster and sets SLURM_CONF; status 1 if a
# process did not start, with the reason in a log in DIR
cluster_start() {
    cluster=$1
    local n=$2 host port user
    host=$(hostname -s)
    user=$(id -un)
    port=$(free_port $((20000 + RANDOM % 20000))) || return
    mkdir -p "$cluster/state" && chmod 711 "$cluster" || return
    dd if=/dev/urandom of="$cluster/munge.key" bs=128 count=1 2>/dev/null &&
        chmod 600 "$cluster/munge.key" || return
    munged --force --key-file="$cluster/munge.key" \
        --socket="$cluster/munge.sock" --pid-file="$cluster/munged.pid" \
        --log-file="$cluster/munged.log" --seed-file="$cluster/munge.seed" \
        >"$cluster/munged.out" 2>&1 || return
    cat >"$cluster/slurm.conf" <<END
ClusterName=acesim
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.sock
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
ReturnToService=2
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool.%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.%n.log
SlurmdTimeout=10
KillWait=2
MinJobAge=300
NodeName=n[1-$n] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + n))] CPUs=1 RealMemory=100 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    export SLURM_CONF=$cluster/slurm.conf
    slurmctld >"$cluster/slurmctld.out" 2>&1 || return
    for ((i = 1; i <= n; i++)); do
        mkdir -p "$cluster/spool.n$i" &&
            slurmd -N n$i >"$cluster/slurmd.n$i.out" 2>&1 || return
    done
    for ((i = 0; i < 100; i++)); do
        [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = "$n" ] && return
        sleep 0.2
    done
    return 1
}

# end PIDFILE... - ends processes and waits for them
end() {
    local file pid
    for file; do
        pid=$(cat "$file" 2>/dev/null) || continue
        kill "$pid" 2>/dev/null
        for ((i = 0; i < 50; i++)); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null
    done
}

cluster_stop() {
    [ ! -e "$cluster/slurmctld.pid" ] || scancel --quiet -u "$(id -un)" 2>/dev/null
    end "$cluster"/slurmd.*.pid "$cluster/slurmctld.pid" "$cluster/munged.pid"
}
