/* isomorphic_npu_sets_csv.c - the classes as CSV */
#include "sim/core/csv.h"
#include "sim/study/classes/isomorphic_npu_sets.h"

static const char *const columns[] = {
    "npus",
    "example",
    "sets",
    "links",
    "broadcast_bound_links",
    "all_reduce_tree_bound_num",
    "all_reduce_tree_bound_den",
    "rings",
    "ring_all_reduce_num",
    "ring_all_reduce_den",
    "broadcast_trees",
    "all_reduce_trees",
    "all_reduce_packed_links",
    "link_gb_per_s",
    "host_ring_gb_per_s",
    "broadcast_speedup",
    "all_reduce_speedup",
    "broadcast_simulated_speedup",
    "all_reduce_simulated_speedup",
};

static void append_example_npus(GString *out, const PackClass *set)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (uint32_t i = 0; i < set->n_ranks; i++)
        g_string_append_printf(text, "%s%u", i > 0 ? " " : "", set->ranks[i]);
    csv_add_text(out, text->str);
}

/* Adds @value with three decimals, or an empty field if it is not above 0. */
static void append_three_decimals(GString *out, double value)
{
    if (value > 0)
        csv_add_fixed(out, (uint64_t)(value * 1000 + 0.5), 3);
    else
        csv_add_empty(out);
}

static void append_class_row(GString *out, const Classes *classes,
                             const ClassesRow *row)
{
    csv_add_u64(out, row->set.n_ranks);
    append_example_npus(out, &row->set);
    csv_add_u64(out, row->set.n_sets);
    csv_add_u64(out, row->n_links);
    csv_add_u64(out, row->broadcast_links);
    csv_add_u64(out, row->all_reduce_links.num);
    csv_add_u64(out, row->all_reduce_links.den);
    csv_add_u64(out, row->n_rings);
    csv_add_u64(out, row->ring_links.num);
    csv_add_u64(out, row->ring_links.den);
    csv_add_u64(out, row->n_broadcast_trees);
    csv_add_u64(out, row->n_all_reduce_trees);
    append_three_decimals(out, row->packed_links);
    append_three_decimals(out, (double)classes->link_bytes_per_s / 1e9);
    append_three_decimals(out, (double)row->host_bytes_per_s / 1e9);
    append_three_decimals(out, row->speedups[CLASSES_BROADCAST]);
    append_three_decimals(out, row->speedups[CLASSES_ALL_REDUCE]);
    append_three_decimals(out, row->simulated[CLASSES_BROADCAST]);
    append_three_decimals(out, row->simulated[CLASSES_ALL_REDUCE]);
    csv_end_row(out);
}

GString *npu_set_classes_csv(const Classes *classes)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        csv_add_text(out, columns[i]);
    csv_end_row(out);
    for (guint i = 0; i < classes->rows->len; i++)
        append_class_row(out, classes, classes_row(classes, i));
    return out;
}
