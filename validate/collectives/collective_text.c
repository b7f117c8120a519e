/* collective_text.c - writes collectives as tables, CSV and points of plots */
#include "validate/collectives/collective_text.h"

#include <string.h>

#include "validate/deviation.h"
#include "validate/text_table.h"

#define MIN_POINTS 5 /* The minimum number of points of a curve. */

static const char *const range_names[COLLECTIVE_N_RANGES] = {
    [COLLECTIVE_BELOW_64_KIB] = "below 64 KiB",
    [COLLECTIVE_TO_1_MIB] = "to 1 MiB",
    [COLLECTIVE_TO_256_MIB] = "1 to 256 MiB",
    [COLLECTIVE_TO_1_GIB] = "512 MiB",
    [COLLECTIVE_FROM_1_GIB] = "1 GiB and more",
};

/* ---- tables of collective errors ----------------------------------------- */

static char *error_cell_text(const CollectiveErrors *errors)
{
    if (errors->n == 0)
        return g_strdup("-");
    return g_strdup_printf("%.1f / %.0f", errors->mean, errors->worst);
}

static void append_error_line(const CollectiveRows *rows, TextTable *table,
                              const char *name, CollectiveFilter filter)
{
    GString *line = g_string_new(name);
    guint n = 0;

    for (guint range = 0; range < COLLECTIVE_N_RANGES; range++) {
        CollectiveErrors errors;
        g_autofree char *text = NULL;

        filter.range = (CollectiveRange)range;
        errors = collective_study_errors(rows, &filter);
        text = error_cell_text(&errors);
        n += errors.n;
        g_string_append_printf(line, "\t%s", text);
    }
    text_table_add_row(table, "%s\t%u", line->str, n);
    g_string_free(line, TRUE);
}

/* Adds two lines for one system: with the constants that hold for all systems,
 * and with its fitted start time and rate. */
static void append_system_line(const CollectiveRows *rows, TextTable *table,
                               const CollectiveRow *row)
{
    CollectiveFilter filter = { .system = row->system };
    g_autofree char *name =
        g_strdup_printf("%s [%s]", row->system, row->source);

    if (!row->platform) {
        text_table_add_row(table, "%s\tno file\t\t\t\t\t", name);
        return;
    }
    append_error_line(rows, table, name, filter);
    filter.own = TRUE;
    append_error_line(rows, table, "  its own start and rate", filter);
}

/* Adds the mean of the means of the systems, so that a system with many rows
 * does not count more. */
static void append_systems_table(const CollectiveRows *rows, TextTable *table,
                                 const GPtrArray *systems, gboolean own)
{
    GString *line = g_string_new(own ? "  of their own" : "mean of systems");

    for (guint range = 0; range < COLLECTIVE_N_RANGES; range++) {
        double sum = 0;
        guint n = 0;

        for (guint i = 0; i < systems->len; i++) {
            const CollectiveFilter filter = { .system = systems->pdata[i],
                                              .not_source = "DEEPBENCH",
                                              .range = (CollectiveRange)range,
                                              .own = own };
            CollectiveErrors errors = collective_study_errors(rows, &filter);

            sum += errors.mean;
            n += errors.n > 0;
        }
        g_string_append_printf(line, "\t%.1f", n > 0 ? sum / n : 0);
    }
    text_table_add_row(table, "%s\t", line->str);
    g_string_free(line, TRUE);
}

static gboolean contains_system_name(const GPtrArray *systems, const char *name)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)systems, name,
                                            g_str_equal, NULL);
}

static void render_choice_ranks(const CollectiveRows *rows, GString *out)
{
    static const guint n_ranks[] = { 2, 8, 32 };
    g_autoptr(TextTable) table = text_table_new("lrrr");
    const CollectiveFilter all = { .source = "DEEPBENCH",
                                   .range = COLLECTIVE_N_RANGES };
    GString *plain = g_string_new("all constants");
    GString *own = g_string_new("start and rate of 2 ranks");

    for (guint i = 0; i < G_N_ELEMENTS(n_ranks); i++) {
        CollectiveFilter filter = all;
        CollectiveErrors errors;
        g_autofree char *a = NULL, *b = NULL;

        filter.n_npus = n_ranks[i];
        errors = collective_study_errors(rows, &filter);
        a = error_cell_text(&errors);
        filter.own = TRUE;
        errors = collective_study_errors(rows, &filter);
        b = error_cell_text(&errors);
        g_string_append_printf(plain, "\t%s", a);
        g_string_append_printf(own, "\t%s", b);
    }
    text_table_add_row(table, "DeepBench by ranks\t2\t8\t32");
    text_table_add_row(table, "%s", plain->str);
    text_table_add_row(table, "%s", own->str);
    g_string_append_c(out, '\n');
    text_table_render(table, out);
    g_string_free(plain, TRUE);
    g_string_free(own, TRUE);
}

void collective_study_render(const CollectiveRows *rows, GString *out)
{
    CollectiveFilter all = { .not_source = "DEEPBENCH" };
    g_autoptr(TextTable) table = text_table_new("lrrrrrr");
    g_autoptr(GPtrArray) systems = g_ptr_array_new();
    GString *head = g_string_new("system");

    for (guint i = 0; i < COLLECTIVE_N_RANGES; i++)
        g_string_append_printf(head, "\t%s", range_names[i]);
    text_table_add_row(table, "%s\trows", head->str);
    g_string_free(head, TRUE);
    for (guint i = 0; i < rows->rows->len; i++) {
        const CollectiveRow *row = published_collective_at(rows, i);

        if (contains_system_name(systems, row->system))
            continue;
        g_ptr_array_add(systems, (gpointer)row->system);
        append_system_line(rows, table, row);
    }
    append_error_line(rows, table, "all rows but DeepBench's", all);
    all.own = TRUE;
    append_error_line(rows, table, "  their systems' own", all);
    append_systems_table(rows, table, systems, FALSE);
    append_systems_table(rows, table, systems, TRUE);
    text_table_render(table, out);
    render_choice_ranks(rows, out);
}

/* ---- CSV rows of collectives --------------------------------------------- */

static void append_csv_number(GString *out, double value)
{
    if (value > 0)
        g_string_append_printf(out, "%.3f,", value);
    else
        csv_add_empty(out);
}

static void append_csv_error(GString *out, double value, double measured)
{
    if (value > 0)
        g_string_append_printf(out, "%.2f,",
                               compare_deviation_percent(value, measured));
    else
        csv_add_empty(out);
}

char *collective_study_csv(const CollectiveRows *rows)
{
    GString *out = g_string_new(
        "source,system,n_npus,collective,pin,payload_bytes,algorithm,protocol,"
        "measured_us,simulated_us,error_percent,own_us,own_error_percent,"
        "fitted_to\n");

    for (guint i = 0; i < rows->rows->len; i++) {
        const CollectiveRow *row = published_collective_at(rows, i);

        csv_add_text(out, row->source);
        csv_add_text(out, row->system);
        csv_add_u64(out, row->n_npus);
        csv_add_text(out, row->kind);
        csv_add_text(out, row->pin);
        csv_add_u64(out, (guint64)row->bytes);
        csv_add_text(out, row->algorithm ?: "");
        csv_add_text(out, row->protocol ?: "");
        append_csv_number(out, row->measured_us);
        append_csv_number(out, row->simulated_us);
        append_csv_error(out, row->simulated_us, row->measured_us);
        append_csv_number(out, row->own_us);
        append_csv_error(out, row->own_us, row->measured_us);
        csv_add_text(out, row->is_fitted_to ? "yes" : "no");
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}

/* ---- points of bandwidth plots ------------------------------------------- */

/* Returns the bus bandwidth of an all-reduce in GB/s: 2 (n - 1) / n times the
 * payload, divided by time.  1 byte per us is 1/1000 GB/s.  Returns 0 if the
 * time is unknown. */
static double bus_bandwidth_gb_per_s(const CollectiveRow *row, double us)
{
    return us > 0 ? row->bytes / us / 1e3 * 2 * (row->n_npus - 1) / row->n_npus
                  : 0;
}

char *collective_study_points(const CollectiveRows *rows, guint first, guint n,
                              char **ret_name)
{
    const CollectiveRow *row = published_collective_at(rows, first);
    GString *out;

    *ret_name = NULL;
    if (n < MIN_POINTS || *row->pin != '\0' || row->simulated_us <= 0 ||
        !g_str_equal(row->kind, "all-reduce"))
        return NULL;
    *ret_name =
        g_strdup_printf("collectives/%s-%u.dat", row->system, row->n_npus);
    for (char *c = *ret_name; *c != '\0'; c++)
        if (!g_ascii_isalnum(*c) && !strchr("/.-", *c))
            *c = '-';
        else
            *c = g_ascii_tolower(*c);
    out = g_string_new(NULL);
    g_string_append_printf(out, "# %s, %u GPUs\n", row->system, row->n_npus);
    for (guint i = 0; i < n; i++) {
        row = published_collective_at(rows, first + i);
        g_string_append_printf(out, "%.0f %.4f %.4f %.4f\n", row->bytes,
                               bus_bandwidth_gb_per_s(row, row->measured_us),
                               bus_bandwidth_gb_per_s(row, row->simulated_us),
                               bus_bandwidth_gb_per_s(row, row->own_us));
    }
    return g_string_free(out, FALSE);
}
