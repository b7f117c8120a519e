/* isomorphic_npu_sets_text.c - equivalence classes of sets of NPUs, as text */
#include "sim/view/text/isomorphic_npu_sets_text.h"

#include <inttypes.h>

#include "sim/config/quantity.h"
#include "sim/core/aligned_table.h"

#define EXAMPLE_CHARS 24

char *npu_set_classes_example_npus_text(const PackClass *set)
{
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < set->n_ranks; i++)
        g_string_append_printf(text, "%s%u", i > 0 ? " " : "", set->ranks[i]);
    return g_string_free(text, FALSE);
}

static void add_fraction_cell(Table *table, PackRatio ratio)
{
    if (ratio.den == 1)
        table_add_cell_printf(table, "%u", ratio.num);
    else
        table_add_cell_printf(table, "%u/%u", ratio.num, ratio.den);
}

static void add_class_table_row(Table *table, const ClassesRow *row,
                                gboolean is_simulated)
{
    g_autofree char *example = npu_set_classes_example_npus_text(&row->set);

    table_add_cell_printf(table, "%u", row->set.n_ranks);
    table_add_cell(table, example);
    table_add_cell_printf(table, "%" PRIu64, row->set.n_sets);
    table_add_cell_printf(table, "%u", row->n_rings);
    table_add_cell_printf(table, "%u", row->broadcast_links);
    table_add_factor_cell(table, row->speedups[CLASSES_BROADCAST]);
    if (is_simulated)
        table_add_factor_cell(table, row->simulated[CLASSES_BROADCAST]);
    add_fraction_cell(table, row->all_reduce_links);
    table_add_factor_cell(table, row->speedups[CLASSES_ALL_REDUCE]);
    if (is_simulated)
        table_add_factor_cell(table, row->simulated[CLASSES_ALL_REDUCE]);
}

static void append_speedup_definition(const Classes *classes, GString *out)
{
    g_autofree char *link =
        quantity_format(classes->link_bytes_per_s, CONFIG_BANDWIDTH);
    g_autofree char *host =
        classes->host_bytes_per_s > 0
            ? quantity_format(classes->host_bytes_per_s, CONFIG_BANDWIDTH)
            : g_strdup("what the platform gives it");

    g_string_append_printf(
        out,
        "\nSpeedup of packed trees over rings, large payloads, by links alone:\n"
        "trees at their bound times %s a link, over all rings times as much (a\n"
        "broadcast) or k/(2(k-1)) of it (an all-reduce of k); where no ring "
        "fits\n(%u classes), one through the host at %s.\n",
        link, npu_set_classes_n_without_rings(classes), host);
}

static const char *const names[] = { "broadcast", "all-reduce" };

static void append_mean_speedup(GString *out, const char *name, double mean,
                                double most)
{
    if (mean > 0)
        g_string_append_printf(out, "%-10s  geometric mean %.2fx, most %.1fx\n",
                               name, mean, most);
}

static void append_simulated_means(const Classes *classes, GString *out)
{
    g_autofree char *payload =
        quantity_format(classes->payload_bytes, CONFIG_BYTES);

    g_string_append_printf(
        out,
        "\nSimulated: %s of %s over %s on the example of each class.  By links\n"
        "alone it is over rings; a stack may choose others, as nccl does: over\n"
        "its rings it is with --over nccl-rings.\n",
        payload, classes->stack, classes->over);
    for (guint of = 0; of < G_N_ELEMENTS(names); of++)
        append_mean_speedup(out, names[of],
                            npu_set_classes_geomean_simulated(classes, of),
                            npu_set_classes_max_simulated(classes, of));
    if (classes->reason)
        g_string_append_printf(out, "Some could not be run: %s\n",
                               classes->reason);
    if (classes->failed_runs.n_failed > 0)
        g_string_append_printf(
            out, "%u of %u were not run: %s\n", classes->failed_runs.n_failed,
            classes->failed_runs.n, classes->failed_runs.reason);
}

static Table *new_classes_table(gboolean is_simulated)
{
    static const TableColumn by_links[] = {
        { "NPUs", TRUE, 0 },       { "example", FALSE, EXAMPLE_CHARS },
        { "sets", TRUE, 0 },       { "rings", TRUE, 0 },
        { "broadcast", TRUE, 0 },  { "speedup", TRUE, 0 },
        { "all-reduce", TRUE, 0 }, { "speedup", TRUE, 0 },
    };
    static const TableColumn both[] = {
        { "NPUs", TRUE, 0 },      { "example", FALSE, EXAMPLE_CHARS },
        { "sets", TRUE, 0 },      { "rings", TRUE, 0 },
        { "broadcast", TRUE, 0 }, { "speedup", TRUE, 0 },
        { "simulated", TRUE, 0 }, { "all-reduce", TRUE, 0 },
        { "speedup", TRUE, 0 },   { "simulated", TRUE, 0 },
    };

    return is_simulated ? table_new(both, G_N_ELEMENTS(both))
                        : table_new(by_links, G_N_ELEMENTS(by_links));
}

GString *npu_set_classes_text(const Classes *classes)
{
    gboolean is_simulated = classes->payload_bytes > 0;
    g_autoptr(Table) table = new_classes_table(is_simulated);
    GString *out = g_string_new(NULL);

    g_string_append_printf(out,
                           "%s: %u classes of sets that near links join; most "
                           "rings that share no link,\nand bounds of trees, in "
                           "links\n",
                           classes->name, classes->rows->len);
    for (guint i = 0; i < classes->rows->len; i++)
        add_class_table_row(table, classes_row(classes, i), is_simulated);
    table_write(table, out, 0, table_terminal_width());
    append_speedup_definition(classes, out);
    for (guint of = 0; of < G_N_ELEMENTS(names); of++)
        append_mean_speedup(out, names[of],
                            npu_set_classes_geomean_speedup(classes, of),
                            npu_set_classes_max_speedup(classes, of));
    if (is_simulated)
        append_simulated_means(classes, out);
    return out;
}
