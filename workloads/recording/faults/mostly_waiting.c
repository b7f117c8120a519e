/*
 * mostly_waiting.c - most of the apparent communication of a rank is waiting
 * for others
 *
 * A collective kernel runs from its own launch, and waits inside for the last
 * rank.  Its total time therefore contains computation of other ranks.
 */
#include "workloads/recording/lint_impl.h"

#define MIN_REPORTED_PS 100e6

typedef struct {
    double all_ps, waiting_ps;
} WaitSum;

static void add_instance_wait(const Lint *lint, const RecordInstance *instance,
                              WaitSum *sums)
{
    for (uint32_t i = 0; i < instance->n; i++) {
        const RecordMember *member = record_member(lint->match, instance, i);
        const RecordRank *rank = lint_rank(lint, member->rank);
        const RecordNode *node = record_node(rank, member->node);
        double ps = (double)node->duration_ps;
        double late_ps;

        if (!inventory_is_device(node) || node->begin_ps == RECORD_NO_TIME)
            continue;
        late_ps = (double)instance->last_begin_ps -
                  (double)(rank->base_ns - lint->first_ns) * 1000 -
                  (double)node->begin_ps;
        sums[member->rank].all_ps += ps;
        sums[member->rank].waiting_ps += CLAMP(late_ps, 0, ps);
    }
}

static void find_mostly_waiting_faults(Lint *lint)
{
    guint n = lint->recording->ranks->len;
    g_autofree WaitSum *sums = g_new0(WaitSum, n + 1);

    for (guint i = 0; i < lint->match->instances->len; i++) {
        const RecordInstance *instance = record_instance(lint->match, i);

        if (instance->n > 1 && instance->last_begin_ps != RECORD_NO_TIME)
            add_instance_wait(lint, instance, sums);
    }
    for (guint r = 0; r < n; r++)
        if (sums[r].waiting_ps > sums[r].all_ps / 2 &&
            sums[r].waiting_ps > MIN_REPORTED_PS)
            lint_add_fault(
                lint, r, RECORD_NONE,
                "of %.3f ms of communication it waits %.3f ms for other "
                "ranks",
                sums[r].all_ps / 1e9, sums[r].waiting_ps / 1e9);
}

const FaultKind fault_waiting = {
    .base = { .name = "waiting",
              .summary =
                  "most of the communication time of a rank is waiting" },
    .severity = FAULT_NOTE,
    .import = "lets a collective last from the last rank's begin",
    .find_faults = find_mostly_waiting_faults,
};
