/*
 * worker_liveness.c - detects whether the process that has a claim is alive;
 * see worker_liveness.h
 */
#include "sim/sweep/shard/worker_liveness.h"

#include <string.h>
#include <unistd.h>

#include "sim/sweep/journal/journal_lock.h"

#define BOOT_FILE  "/proc/sys/kernel/random/boot_id"
#define BOOT_CHARS 8

/* Host names are not enough, because containers on two machines may have the
 * same name. */
static char *read_machine_boot_id(void)
{
    g_autofree char *text = NULL;

    if (!g_file_get_contents(BOOT_FILE, &text, NULL, NULL))
        return g_strdup("unknown");
    return g_strndup(text, BOOT_CHARS);
}

char *liveness_own_process_name(void)
{
    g_autofree char *boot = read_machine_boot_id();
    g_autofree char *host = g_strdup(g_get_host_name());

    g_strcanon(host, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_", '-');
    return g_strdup_printf("%s.%d.%s", host, (int)getpid(), boot);
}

gboolean liveness_is_local_process(const char *process)
{
    g_autofree char *boot = read_machine_boot_id();
    const char *boot_of_process = strrchr(process, '.');

    return boot_of_process && strcmp(boot_of_process + 1, boot) == 0;
}

char *liveness_describe_process(const char *process)
{
    g_auto(GStrv) words = g_strsplit(process, ".", 3);

    if (g_strv_length(words) != 3)
        return g_strdup(process);
    return g_strdup_printf("process %s on %s", words[1], words[0]);
}

ProcessLiveness liveness_judge_by_time(const char *claim,
                                       const ClaimClock *clock, gint64 stale_us,
                                       LivenessWatch *watch)
{
    gint64 now_us = g_get_monotonic_time();
    gint64 touched_us;

    if (!claim_last_touch_us(claim, &touched_us))
        return LIVENESS_GONE;
    if (watch->since_us == 0 || watch->touched_us != touched_us) {
        watch->is_alive = watch->since_us > 0;
        watch->touched_us = touched_us;
        watch->since_us = now_us;
    }
    if (claim_server_time_us(clock) - touched_us > stale_us ||
        now_us - watch->since_us > stale_us)
        return LIVENESS_DEAD;
    return watch->is_alive ? LIVENESS_ALIVE : LIVENESS_UNSURE;
}

gboolean liveness_has_local_process_ended(const char *process,
                                          const char *journal)
{
    int pid;

    return liveness_is_local_process(process) &&
           journal_query_lock(journal, &pid) == JOURNAL_FREE;
}

ProcessLiveness
worker_liveness_of_process(const char *process, const char *claim,
                           const char *journal, const ClaimClock *clock,
                           gint64 stale_us, LivenessWatch *watch)
{
    ProcessLiveness life =
        liveness_judge_by_time(claim, clock, stale_us, watch);
    JournalLock lock;
    int pid;

    if (life == LIVENESS_GONE || !liveness_is_local_process(process))
        return life;
    lock = journal_query_lock(journal, &pid);
    if (lock == JOURNAL_NO_LOCKS)
        return life;
    return lock == JOURNAL_LOCKED ? LIVENESS_ALIVE : LIVENESS_DEAD;
}
