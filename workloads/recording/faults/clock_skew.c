/*
 * clock_skew.c - an operation ends before an operation that it depends on has
 * begun
 *
 * Both belong to one collective or message, on ranks with different clocks.  Of
 * each collective, only the two ranks with the largest error are reported.
 */
#include "workloads/recording/clock_alignment.h"
#include "workloads/recording/lint_impl.h"

#define ROUNDED_PS 2000000.0

static double early_end_error_ps(const Lint *lint, const RecordMember *effect,
                                 const RecordMember *cause)
{
    const RecordRank *one = lint_rank(lint, effect->rank);
    const RecordRank *other = lint_rank(lint, cause->rank);
    const RecordNode *ends = record_node(one, effect->node);
    const RecordNode *begins = record_node(other, cause->node);

    if (effect->rank == cause->rank || ends->begin_ps == RECORD_NO_TIME ||
        begins->begin_ps == RECORD_NO_TIME)
        return 0;
    return (double)(other->base_ns - one->base_ns) * 1000 +
           (double)begins->begin_ps - (double)lint_node_end_ps(ends);
}

static void check_instance_order(Lint *lint, const RecordInstance *instance)
{
    const RecordMember *effect = NULL, *cause = NULL;
    double most_ps = ROUNDED_PS;

    for (uint32_t i = 0; i < instance->n; i++)
        for (uint32_t k = 0; k < instance->n; k++) {
            const RecordMember *e = record_member(lint->match, instance, i);
            const RecordMember *c = record_member(lint->match, instance, k);
            double ps = early_end_error_ps(lint, e, c);

            if (ps <= most_ps || !align_effect_needs_cause(
                                     lint->recording, instance->kind, e, c))
                continue;
            effect = e;
            cause = c;
            most_ps = ps;
        }
    if (effect)
        lint_add_fault(lint, effect->rank, effect->node,
                       "ends %.3f us before '%s' begins it, which it needs",
                       most_ps / 1e6, lint_rank(lint, cause->rank)->file);
}

static void find_clock_skew_faults(Lint *lint)
{
    for (guint i = 0; i < lint->match->instances->len; i++)
        check_instance_order(lint, record_instance(lint->match, i));
}

const FaultKind fault_clock_skew = {
    .base = { .name = "clock-skew",
              .summary = "what one rank ends another has not begun" },
    .severity = FAULT_WARNING,
    .import = "corrects the clocks, unless --clocks keep is given",
    .find_faults = find_clock_skew_faults,
};
