/* rounded_busy_times.c - busy times of a device calculated with doubles */
#include "tests/recording/rounded_busy_times.h"

#include <stdlib.h>

#include "workloads/recording/inventory.h"

typedef struct {
    double from_us, to_us;
} Rounded;

static double round_ps_to_us(__int128 ps)
{
    g_autofree char *text =
        g_strdup_printf("%" G_GINT64_FORMAT ".%06d", (gint64)(ps / 1000000),
                        (int)(ps % 1000000));

    return g_ascii_strtod(text, NULL);
}

static int compare_by_begin(gconstpointer a, gconstpointer b)
{
    const Rounded *x = a, *y = b;

    if (x->from_us != y->from_us)
        return x->from_us < y->from_us ? -1 : 1;
    return (x->to_us > y->to_us) - (x->to_us < y->to_us);
}

/* Returns the sorted union of the intervals of device nodes, in microseconds.
 * @comm selects communication (1), computation (0) or both (-1).  @zero_ps is
 * the time of the trace's clock at which times of @rank begin. */
static GArray *union_of_busy_intervals(const RecordRank *rank, int comm,
                                       __int128 zero_ps)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(Rounded));
    guint n = 0;

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        Rounded in = { round_ps_to_us(zero_ps + node->begin_ps), 0 };

        if (!inventory_is_device(node) ||
            (comm >= 0 && comm != inventory_is_comm(node)))
            continue;
        in.to_us = in.from_us + round_ps_to_us(node->duration_ps);
        g_array_append_val(all, in);
    }
    g_array_sort(all, compare_by_begin);
    for (guint i = 0; i < all->len; i++) {
        Rounded next = g_array_index(all, Rounded, i);

        if (n > 0 && next.from_us <= g_array_index(all, Rounded, n - 1).to_us)
            g_array_index(all, Rounded, n - 1).to_us =
                MAX(g_array_index(all, Rounded, n - 1).to_us, next.to_us);
        else
            g_array_index(all, Rounded, n++) = next;
    }
    g_array_set_size(all, n);
    return all;
}

static double total_length_of_intervals(const GArray *all)
{
    double us = 0;

    for (guint i = 0; i < all->len; i++)
        us += g_array_index(all, Rounded, i).to_us -
              g_array_index(all, Rounded, i).from_us;
    return us;
}

static double total_overlap_of_intervals(const GArray *a, const GArray *b)
{
    double us = 0;
    guint i = 0, k = 0;

    while (i < a->len && k < b->len) {
        const Rounded *x = &g_array_index(a, Rounded, i);
        const Rounded *y = &g_array_index(b, Rounded, k);

        us += MAX(0, MIN(x->to_us, y->to_us) - MAX(x->from_us, y->from_us));
        if (x->to_us < y->to_us)
            i++;
        else
            k++;
    }
    return us;
}

RoundedTimes rounded_busy_times(const RecordRank *rank, __int128 zero_ps)
{
    g_autoptr(GArray) all = union_of_busy_intervals(rank, -1, zero_ps);
    g_autoptr(GArray) comm = union_of_busy_intervals(rank, 1, zero_ps);
    g_autoptr(GArray) compute = union_of_busy_intervals(rank, 0, zero_ps);

    return (RoundedTimes){
        .span_us = g_array_index(all, Rounded, all->len - 1).to_us -
                   g_array_index(all, Rounded, 0).from_us,
        .busy_us = total_length_of_intervals(all),
        .comm_busy_us = total_length_of_intervals(comm),
        .compute_busy_us = total_length_of_intervals(compute),
        .overlap_us = total_overlap_of_intervals(comm, compute),
    };
}
