/* periods.c - known periods, and the snapshots that may begin one */
#include "models/run/steady/periods.h"

#define MOST_PERIODS 8

static void period_free(gpointer data)
{
    Period *period = data;

    look_free(period->look);
    g_array_unref(period->grows);
    g_array_unref(period->changes);
    if (period->told)
        period->listener->ops->repeats->let_period_go(period->told);
    g_free(period);
}

void periods_init(Periods *periods, Looker *looker)
{
    *periods = (Periods){
        .looker = looker,
        .looks = g_ptr_array_new_with_free_func((GDestroyNotify)look_free),
        .known = g_ptr_array_new_with_free_func(period_free),
    };
}

void periods_clear(Periods *periods)
{
    g_ptr_array_unref(periods->looks);
    g_ptr_array_unref(periods->known);
}

void periods_forget_looks(Periods *periods)
{
    g_ptr_array_set_size(periods->looks, 0);
    g_array_set_size(periods->looker->log.changes, 0);
    periods->looker->log.is_on = FALSE;
}

guint periods_keep(Periods *periods, Look *look)
{
    g_ptr_array_add(periods->looks, look);
    periods->looker->log.is_on = TRUE;
    return periods->looks->len;
}

static GArray *changes_of(const Looker *looker, const Look *from,
                          const Look *to)
{
    GArray *changes = g_array_new(FALSE, FALSE, sizeof(SteadyChange));

    for (guint i = from->n_changes; i < to->n_changes; i++) {
        SteadyChange change =
            g_array_index(looker->log.changes, SteadyChange, i);

        change.at_ps -= from->at_ps;
        g_array_append_val(changes, change);
    }
    return changes;
}

/* Returns the period between two equal snapshots. */
static Period *period_new(const Looker *looker, const Look *from,
                          const Look *to)
{
    Period *period = g_new0(Period, 1);

    period->look = look_copy(from);
    period->ps = to->at_ps - from->at_ps;
    period->n_chunks = (uint32_t)(to->next - from->next);
    period->grows = g_array_new(FALSE, FALSE, sizeof(SimWide));
    for (guint i = 0; i < to->counts->len; i++) {
        SimWide grows = g_array_index(to->counts, SimWide, i) -
                        g_array_index(from->counts, SimWide, i);

        g_array_append_val(period->grows, grows);
    }
    period->changes = changes_of(looker, from, to);
    period->listener = to->listener;
    if (to->listener)
        period->told = to->listener->ops->repeats->between(
            to->listener->self, from->told, to->told);
    return period;
}

/* Returns an earlier snapshot that equals @look, or NULL if there is none.
 * Both must be of the same collective, with no event from outside between
 * them. */
static const Look *find_equal(const Periods *periods, const Look *look)
{
    for (guint i = periods->looks->len; i > 0; i--) {
        const Look *before = g_ptr_array_index(periods->looks, i - 1);

        if (look_equals(before, look) && look_lasts(before, look) &&
            before->at_ps < look->at_ps)
            return before;
    }
    return NULL;
}

const Period *periods_find(Periods *periods, const Look *look)
{
    const Look *before;
    Period *period;

    for (guint i = 0; i < periods->known->len; i++) {
        period = g_ptr_array_index(periods->known, i);
        if (look_equals(period->look, look))
            return period;
    }
    before = find_equal(periods, look);
    if (!before)
        return NULL;
    if (periods->known->len == MOST_PERIODS)
        g_ptr_array_remove_index(periods->known, 0);
    period = period_new(periods->looker, before, look);
    g_ptr_array_add(periods->known, period);
    return period;
}

uint64_t periods_most(const Period *period, uint64_t n)
{
    const TraceListener *l = period->listener;

    if (!l)
        return n;
    return period->told ? l->ops->repeats->most(l->self, period->told, n) : 0;
}

void periods_tell(const Period *period, uint64_t n, uint32_t op)
{
    const TraceListener *l = period->listener;

    if (l)
        l->ops->repeats->skipped(l->self, period->told, n, n * period->ps, op);
}
