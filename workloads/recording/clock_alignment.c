/* clock_alignment.c - collects the constraints on clocks, and corrects the
 * start times */
#include "workloads/recording/clock_alignment.h"

#include <inttypes.h>
#include <math.h>

#define PS_PER_US  INT64_C(1000000)
#define PS_PER_NS  1000
#define ROUNDED_US 2.0   /* error of times in whole us: one at both ends */
#define EXACT_US   0.002 /* error of times in whole ns: one at both ends */
/* Largest number of collectives that are used; of more, a regular sample is
 * used. */
#define MOST_TIES 4000
/* Largest number of members of a collective that yield bounds. */
#define MOST_BOUNDS 64

typedef struct {
    const Recording *recording;
    const RecordMatch *match;
    Align *align;
    AlignProblem *problem;
    int64_t first_ns;
} Aligning;

/* ---- clocks ----------------------------------------------------------- */

static void find_clock_hosts(Align *align, const Recording *recording)
{
    for (uint32_t r = 0; r < align->n_ranks; r++) {
        const char *host = record_rank(recording, r)->host;
        AlignHost added = { host, r, 0 };
        uint32_t h = host ? 0 : align->hosts->len;

        while (h < align->hosts->len &&
               g_strcmp0(g_array_index(align->hosts, AlignHost, h).host,
                         host) != 0)
            h++;
        if (h == align->hosts->len)
            g_array_append_val(align->hosts, added);
        g_array_index(align->hosts, AlignHost, h).n_ranks++;
        align->host_of[r] = h;
    }
}

/* Returns the tolerance for rounded times: it depends on whether the file has
 * whole us or finer times. */
static double rounding_tolerance_us(const Recording *recording)
{
    for (guint r = 0; r < recording->ranks->len; r++) {
        const RecordRank *rank = record_rank(recording, r);

        for (guint i = 0; i < rank->nodes->len; i++)
            if (record_node(rank, i)->begin_ps != RECORD_NO_TIME &&
                record_node(rank, i)->begin_ps % PS_PER_US != 0)
                return EXACT_US;
    }
    return ROUNDED_US;
}

/* ---- constraints ------------------------------------------------------ */

static const RecordNode *recorded_node_of_member(const Aligning *alignment,
                                                 const RecordMember *member)
{
    return record_node(record_rank(alignment->recording, member->rank),
                       member->node);
}

/* Returns the end or the begin of @member on the clock of its host. */
static AlignEvent clock_event_of_member(const Aligning *alignment,
                                        const RecordMember *member,
                                        gboolean is_end)
{
    const RecordRank *rank = record_rank(alignment->recording, member->rank);
    const RecordNode *node = recorded_node_of_member(alignment, member);
    int64_t at_ps = is_end ? record_end_ps(rank, node, alignment->first_ns)
                           : record_begin_ps(rank, node, alignment->first_ns);

    return (AlignEvent){ alignment->align->host_of[member->rank],
                         (double)at_ps / (double)PS_PER_US };
}

/* Returns whether each rank gets data from every other rank, so that no rank
 * can end before all ranks have begun. */
static gboolean kind_ends_on_all_ranks(CollKind kind)
{
    const CollContract *promise;

    if (kind >= COLL_N_KINDS)
        return FALSE;
    promise = coll_contract(kind);
    return !promise->collective_has_root;
}

/* Returns whether @instance has several members, all with times. */
static gboolean collective_instance_has_times(const Aligning *alignment,
                                              const RecordInstance *instance)
{
    for (uint32_t i = 0; i < instance->n; i++)
        if (recorded_node_of_member(
                alignment, record_member(alignment->match, instance, i))
                ->begin_ps == RECORD_NO_TIME)
            return FALSE;
    return instance->n > 1;
}

/* Returns whether @instance was matched only by the order of collectives. */
static gboolean correction_is_guess(const Aligning *alignment,
                                    const RecordInstance *instance)
{
    const RecordMember *one = record_member(alignment->match, instance, 0);
    const RecordComm *comm =
        record_node_communication(record_rank(alignment->recording, one->rank),
                                  recorded_node_of_member(alignment, one));

    return instance->kind != COLL_SEND && comm && comm->is_guess;
}

static gboolean collective_spans_several_clocks(const Aligning *alignment,
                                                const RecordInstance *instance)
{
    uint32_t first =
        alignment->align
            ->host_of[record_member(alignment->match, instance, 0)->rank];

    for (uint32_t i = 1; i < instance->n; i++)
        if (alignment->align
                ->host_of[record_member(alignment->match, instance, i)->rank] !=
            first)
            return TRUE;
    return FALSE;
}

/* Adds the bounds that no rank ends @instance before a rank on which it depends
 * has begun it. */
static void add_collective_bounds(Aligning *alignment,
                                  const RecordInstance *instance)
{
    uint32_t n = MIN(instance->n, MOST_BOUNDS);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            const RecordMember *cause =
                record_member(alignment->match, instance, i);
            const RecordMember *effect =
                record_member(alignment->match, instance, k);

            if (alignment->align->host_of[cause->rank] ==
                    alignment->align->host_of[effect->rank] ||
                !align_effect_needs_cause(alignment->recording, instance->kind,
                                          effect, cause))
                continue;
            align_add_bound(alignment->problem,
                            clock_event_of_member(alignment, cause, FALSE),
                            clock_event_of_member(alignment, effect, TRUE));
            alignment->align->n_bounds++;
        }
}

static void add_collective_constraints(Aligning *alignment,
                                       const RecordInstance *instance)
{
    g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(AlignEvent));

    add_collective_bounds(alignment, instance);
    if (!kind_ends_on_all_ranks(instance->kind))
        return;
    for (uint32_t i = 0; i < MIN(instance->n, MOST_BOUNDS); i++) {
        AlignEvent e = clock_event_of_member(
            alignment, record_member(alignment->match, instance, i), TRUE);

        g_array_append_val(events, e);
    }
    align_add_simultaneous(alignment->problem,
                           &g_array_index(events, AlignEvent, 0), events->len);
    alignment->align->n_collectives++;
}

static void add_message_constraint(Aligning *alignment,
                                   const RecordInstance *instance)
{
    const RecordMember *sender = record_member(alignment->match, instance, 0);
    const RecordMember *receiver = record_member(alignment->match, instance, 1);

    align_add_message(alignment->problem,
                      clock_event_of_member(alignment, sender, TRUE),
                      clock_event_of_member(alignment, receiver, TRUE));
    align_add_bound(alignment->problem,
                    clock_event_of_member(alignment, sender, FALSE),
                    clock_event_of_member(alignment, receiver, TRUE));
    alignment->align->n_messages++;
    alignment->align->n_bounds++;
}

static void add_all_constraints(Aligning *alignment)
{
    guint n = alignment->match->instances->len;
    guint every = 1 + n / MOST_TIES;

    for (guint i = 0; i < n; i += every) {
        const RecordInstance *instance = record_instance(alignment->match, i);

        if (!collective_instance_has_times(alignment, instance) ||
            correction_is_guess(alignment, instance) ||
            !collective_spans_several_clocks(alignment, instance))
            continue;
        if (instance->kind < COLL_N_KINDS)
            add_collective_constraints(alignment, instance);
        else if (instance->n == 2)
            add_message_constraint(alignment, instance);
    }
}

/* ---- the alignment ---------------------------------------------------- */

static double clock_shift_at(const AlignClock *clock, double at_us)
{
    return clock->shift_us + clock->drift * at_us;
}

/* Computes .max_shift_us.  The correction of a clock is largest at the first or
 * the last begin of its ranks. */
static void find_max_clock_shift(Aligning *alignment)
{
    Align *align = alignment->align;

    for (uint32_t r = 0; r < align->n_ranks; r++) {
        const RecordRank *rank = record_rank(alignment->recording, r);
        const AlignClock *clock = &g_array_index(align->solution->clocks,
                                                 AlignClock, align->host_of[r]);

        for (guint i = 0; i < rank->nodes->len; i++) {
            const RecordNode *node = record_node(rank, i);
            double at_us;

            if (node->begin_ps == RECORD_NO_TIME)
                continue;
            at_us = (double)record_begin_ps(rank, node, alignment->first_ns) /
                    (double)PS_PER_US;
            align->max_shift_us =
                fmax(align->max_shift_us, fabs(clock_shift_at(clock, at_us)));
        }
    }
}

static gboolean has_several_hosts(const Align *align)
{
    return align->hosts->len > 1 &&
           g_array_index(align->hosts, AlignHost, 0).host != NULL;
}

Align *align_clocks(const Recording *recording, const RecordMatch *match)
{
    Align *align = g_new0(Align, 1);
    Aligning a = { .recording = recording,
                   .match = match,
                   .align = align,
                   .first_ns = record_earliest_clock_base_ns(recording) };

    align->n_ranks = recording->ranks->len;
    align->hosts = g_array_new(FALSE, FALSE, sizeof(AlignHost));
    align->host_of = g_new0(uint32_t, align->n_ranks + 1);
    find_clock_hosts(align, recording);
    a.problem =
        align_problem_new(align->hosts->len, rounding_tolerance_us(recording));
    add_all_constraints(&a);
    align->solution = align_solve(a.problem);
    align->is_needed =
        has_several_hosts(align) || align->solution->n_broken_before > 0;
    find_max_clock_shift(&a);
    align_problem_free(a.problem);
    return align;
}

void align_free(Align *align)
{
    if (!align)
        return;
    align_solution_free(align->solution);
    g_array_unref(align->hosts);
    g_free(align->host_of);
    g_free(align);
}

void align_apply_corrections(const Align *align, Recording *recording)
{
    int64_t first_ns = record_earliest_clock_base_ns(recording);

    for (uint32_t r = 0; r < align->n_ranks; r++) {
        RecordRank *rank = record_rank(recording, r);
        const AlignClock *clock = &g_array_index(align->solution->clocks,
                                                 AlignClock, align->host_of[r]);
        int64_t whole_ns = (int64_t)floor(clock->shift_us * 1000);
        double rest_us = clock->shift_us - (double)whole_ns / 1000;

        for (guint i = 0; i < rank->nodes->len; i++) {
            RecordNode *node = record_node(rank, i);
            double at_us;

            if (node->begin_ps == RECORD_NO_TIME)
                continue;
            at_us = (double)record_begin_ps(rank, node, first_ns) /
                    (double)PS_PER_US;
            node->begin_ps +=
                llround((rest_us + clock->drift * at_us) * (double)PS_PER_US);
        }
        rank->base_ns += whole_ns;
    }
}
