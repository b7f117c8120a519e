/*
 * clock_initial_offsets.c - computes initial shifts of clocks from pairs of
 * events
 *
 * Each pair of simultaneous events gives a difference between two clocks.  The
 * median difference of two clocks is their offset.  The shifts follow from a
 * walk along the offsets from the first clock of each connected component.
 */
#include "workloads/recording/clock_least_squares_impl.h"

/* The time by which clock .b is behind clock .a, according to one pair of
 * events. */
typedef struct {
    uint32_t a, b;
    double behind_us;
} ClockOffset;

static int compare_offsets_by_clocks(gconstpointer x, gconstpointer y)
{
    const ClockOffset *one = x, *other = y;

    if (one->a != other->a)
        return one->a < other->a ? -1 : 1;
    if (one->b != other->b)
        return one->b < other->b ? -1 : 1;
    return (one->behind_us > other->behind_us) -
           (one->behind_us < other->behind_us);
}

static void add_clock_offset(GArray *offsets, AlignEvent one, AlignEvent other)
{
    ClockOffset there = { one.clock, other.clock, one.at_us - other.at_us };
    ClockOffset back = { other.clock, one.clock, other.at_us - one.at_us };

    if (one.clock == other.clock)
        return;
    g_array_append_val(offsets, there);
    g_array_append_val(offsets, back);
}

/* Returns one ClockOffset per pair of clocks, the median of their differences.
 * The caller owns the array. */
static GArray *median_clock_offsets(const AlignProblem *problem)
{
    GArray *offsets = g_array_new(FALSE, FALSE, sizeof(ClockOffset));
    guint at = 0, n = 0;

    for (guint i = 0; i < problem->sizes->len; i++) {
        guint size = g_array_index(problem->sizes, guint, i);

        for (guint k = 1; k < size; k++)
            add_clock_offset(
                offsets, g_array_index(problem->events, AlignEvent, at),
                g_array_index(problem->events, AlignEvent, at + k));
        at += size;
    }
    for (guint i = 0; i < problem->pairs->len; i++)
        add_clock_offset(offsets,
                         g_array_index(problem->pairs, AlignPair, i).cause,
                         g_array_index(problem->pairs, AlignPair, i).effect);
    g_array_sort(offsets, compare_offsets_by_clocks);
    for (guint i = 0, end; i < offsets->len; i = end) {
        const ClockOffset *first = &g_array_index(offsets, ClockOffset, i);

        for (end = i + 1; end < offsets->len; end++)
            if (g_array_index(offsets, ClockOffset, end).a != first->a ||
                g_array_index(offsets, ClockOffset, end).b != first->b)
                break;
        g_array_index(offsets, ClockOffset, n++) =
            g_array_index(offsets, ClockOffset, i + (end - i) / 2);
    }
    g_array_set_size(offsets, n);
    return offsets;
}

/* Goes along the offsets from the first clock of each connected component. Sets
 * @is_first for the first clocks. */
void align_initial_shifts(const AlignProblem *problem, AlignClock *clocks,
                          gboolean *is_first)
{
    g_autoptr(GArray) offsets = median_clock_offsets(problem);
    g_autofree gboolean *is_seen = g_new0(gboolean, problem->n_clocks);
    g_autoptr(GArray) reached = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t c = 0; c < problem->n_clocks; c++) {
        if (is_seen[c])
            continue;
        is_seen[c] = is_first[c] = TRUE;
        g_array_set_size(reached, 0);
        g_array_append_val(reached, c);
        for (guint r = 0; r < reached->len; r++)
            for (guint i = 0; i < offsets->len; i++) {
                const ClockOffset *offset =
                    &g_array_index(offsets, ClockOffset, i);

                if (offset->a != g_array_index(reached, uint32_t, r) ||
                    is_seen[offset->b])
                    continue;
                is_seen[offset->b] = TRUE;
                clocks[offset->a].is_tied = clocks[offset->b].is_tied = TRUE;
                clocks[offset->b].shift_us =
                    clocks[offset->a].shift_us + offset->behind_us;
                g_array_append_val(reached, offset->b);
            }
    }
}
