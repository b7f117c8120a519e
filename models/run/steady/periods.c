/* periods.c - known periods, and the snapshots that may begin one */
#include "models/run/steady/periods.h"

#define MOST_PERIODS 8

static void period_free(gpointer data)
{
    Period *period = data;

    snapshot_free(period->snapshot);
    g_array_unref(period->growth);
    g_array_unref(period->changes);
    if (period->listener_record)
        period->listener->ops->repeats->free_period(period->listener_record);
    g_free(period);
}

void periods_init(Periods *periods, StateWalker *walker)
{
    *periods = (Periods){
        .walker = walker,
        .snapshots =
            g_ptr_array_new_with_free_func((GDestroyNotify)snapshot_free),
        .periods = g_ptr_array_new_with_free_func(period_free),
    };
}

void periods_clear(Periods *periods)
{
    g_ptr_array_unref(periods->snapshots);
    g_ptr_array_unref(periods->periods);
}

void periods_drop_snapshots(Periods *periods)
{
    g_ptr_array_set_size(periods->snapshots, 0);
    g_array_set_size(periods->walker->log.changes, 0);
    periods->walker->log.is_on = FALSE;
}

guint periods_keep_snapshot(Periods *periods, Snapshot *snapshot)
{
    g_ptr_array_add(periods->snapshots, snapshot);
    periods->walker->log.is_on = TRUE;
    return periods->snapshots->len;
}

/* Returns the changes between two snapshots, with times relative to the
 * first; owner: the caller. */
static GArray *changes_between_snapshots(const StateWalker *walker,
                                         const Snapshot *from,
                                         const Snapshot *to)
{
    GArray *changes = g_array_new(FALSE, FALSE, sizeof(SteadyChange));

    for (guint i = from->n_changes; i < to->n_changes; i++) {
        SteadyChange change =
            g_array_index(walker->log.changes, SteadyChange, i);

        change.at_ps -= from->at_ps;
        g_array_append_val(changes, change);
    }
    return changes;
}

/* Returns the period between two equal snapshots. */
static Period *period_new(const StateWalker *walker, const Snapshot *from,
                          const Snapshot *to)
{
    Period *period = g_new0(Period, 1);

    period->snapshot = snapshot_copy(from);
    period->ps = to->at_ps - from->at_ps;
    period->n_chunks = (uint32_t)(to->next - from->next);
    period->growth = g_array_new(FALSE, FALSE, sizeof(SimWide));
    for (guint i = 0; i < to->counts->len; i++) {
        SimWide grows = g_array_index(to->counts, SimWide, i) -
                        g_array_index(from->counts, SimWide, i);

        g_array_append_val(period->growth, grows);
    }
    period->changes = changes_between_snapshots(walker, from, to);
    period->listener = to->listener;
    if (to->listener)
        period->listener_record =
            to->listener->ops->repeats->period_of_snapshots(
                to->listener->self, from->listener_record, to->listener_record);
    return period;
}

/* Returns an earlier snapshot that equals @snapshot, or NULL if there is none.
 * Both must be of the same collective, with no event from outside between
 * them. */
static const Snapshot *find_equal_snapshot(const Periods *periods,
                                           const Snapshot *snapshot)
{
    for (guint i = periods->snapshots->len; i > 0; i--) {
        const Snapshot *before = g_ptr_array_index(periods->snapshots, i - 1);

        if (snapshot_equals(before, snapshot) &&
            snapshot_is_undisturbed(before, snapshot) &&
            before->at_ps < snapshot->at_ps)
            return before;
    }
    return NULL;
}

const Period *periods_find_or_add_period(Periods *periods,
                                         const Snapshot *snapshot)
{
    const Snapshot *before;
    Period *period;

    for (guint i = 0; i < periods->periods->len; i++) {
        period = g_ptr_array_index(periods->periods, i);
        if (snapshot_equals(period->snapshot, snapshot))
            return period;
    }
    before = find_equal_snapshot(periods, snapshot);
    if (!before)
        return NULL;
    if (periods->periods->len == MOST_PERIODS)
        g_ptr_array_remove_index(periods->periods, 0);
    period = period_new(periods->walker, before, snapshot);
    g_ptr_array_add(periods->periods, period);
    return period;
}

uint64_t periods_max_to_skip(const Period *period, uint64_t n)
{
    const TraceListener *listener = period->listener;

    if (!listener)
        return n;
    return period->listener_record
               ? listener->ops->repeats->max_periods_to_skip(
                     listener->self, period->listener_record, n)
               : 0;
}

void periods_notify_listeners(const Period *period, uint64_t n, uint32_t op)
{
    const TraceListener *listener = period->listener;

    if (listener)
        listener->ops->repeats->skipped(listener->self, period->listener_record,
                                        n, n * period->ps, op);
}
