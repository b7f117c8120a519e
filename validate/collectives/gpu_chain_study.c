/* gpu_chain_study.c - broadcasts and all-reduces over chains of GPUs of a
 * DGX-1V */
#include "validate/collectives/gpu_chain_study.h"

#include <math.h>

#include "validate/deviation.h"
#include "validate/text_table.h"

#define RUN      "configs/papers/blink/dgx1v-chains.yaml"
#define MAX_GPUS 8

/* ---- reading of measured rows of chains ---------------------------------- */

enum {
    COLUMN_LOG,
    COLUMN_COLLECTIVE,
    COLUMN_CHAINS,
    COLUMN_LINKS,
    COLUMN_COUNTED,
    COLUMN_BYTES,
    COLUMN_TIME,
    N_COLUMNS
};

static const char *const column_names[N_COLUMNS] = {
    "log", "collective", "chains", "links", "counted", "bytes", "time_us",
};

static void clear_chain_result(gpointer data)
{
    ChainResult *result = data;

    g_free(result->log);
    g_free(result->collective);
    g_free(result->chains);
    g_free(result->links);
}

static gboolean read_chain_row(const CsvTable *table, guint i,
                               const guint *columns, ChainResult *ret,
                               GError **error)
{
    if (!csv_table_number(table, i, columns[COLUMN_BYTES], &ret->bytes,
                          error) ||
        !csv_table_number(table, i, columns[COLUMN_TIME], &ret->measured_us,
                          error))
        return FALSE;
    ret->log = g_strdup(csv_table_text(table, i, columns[COLUMN_LOG]));
    ret->collective =
        g_strdup(csv_table_text(table, i, columns[COLUMN_COLLECTIVE]));
    ret->chains = g_strdup(csv_table_text(table, i, columns[COLUMN_CHAINS]));
    ret->links = g_strdup(csv_table_text(table, i, columns[COLUMN_LINKS]));
    ret->is_counted =
        g_str_equal(csv_table_text(table, i, columns[COLUMN_COUNTED]), "yes");
    return TRUE;
}

static GArray *load_chain_rows(const char *path, GError **error)
{
    g_autoptr(CsvTable) table = csv_table_load(path, error);
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(ChainResult));
    guint columns[N_COLUMNS];

    g_array_set_clear_func(rows, clear_chain_result);
    for (guint c = 0; table && c < N_COLUMNS; c++)
        if (!csv_table_column(table, column_names[c], &columns[c], error))
            return NULL;
    for (guint i = 0; table && i < csv_table_n_rows(table); i++) {
        ChainResult row = { 0 };

        if (!read_chain_row(table, i, columns, &row, error))
            return NULL;
        g_array_append_val(rows, row);
    }
    return table ? g_steal_pointer(&rows) : NULL;
}

/* ---- workload of the chains of one row ----------------------------------- */

/* Appends a chain such as "0-2-1" as a list to @out, unless it is NULL.
 * Returns whether @gpu is in the chain; it may be -1. */
static gboolean append_chain_ranks(const char *chain, int gpu, GString *out)
{
    g_auto(GStrv) gpus = g_strsplit(chain, "-", -1);
    g_autofree char *list = g_strjoinv(", ", gpus);
    g_autofree char *number = g_strdup_printf("%d", gpu);

    if (out)
        g_string_append_printf(out, "[%s]", list);
    return g_strv_contains((const char *const *)gpus, number);
}

/* Returns the chain's part of the payload in bytes, rounded down. */
static double payload_bytes_of_chain(const ChainResult *row, GStrv links,
                                     guint chain)
{
    double sum = 0;

    for (guint i = 0; links[i]; i++)
        sum += g_ascii_strtod(links[i], NULL);
    return floor(row->bytes * g_ascii_strtod(links[chain], NULL) / sum);
}

/* Appends the role of @gpu: the collectives of its chains.  Returns FALSE and
 * appends nothing if it is in no chain. */
static gboolean append_role_of_gpu(const ChainResult *row, GStrv chains,
                                   GStrv links, int gpu, GString *out)
{
    gboolean has_role = FALSE;

    for (guint i = 0; chains[i]; i++) {
        if (!append_chain_ranks(chains[i], gpu, NULL))
            continue;
        if (!has_role)
            g_string_append_printf(
                out, "{name: gpu%d, ranks: {list: [%d]}, ops: [", gpu, gpu);
        g_string_append_printf(out,
                               "%s{kind: collective, name: part%u, "
                               "collective: %s, bytes: %.0f B, group: chain%u}",
                               has_role ? ", " : "", i, row->collective,
                               payload_bytes_of_chain(row, links, i), i);
        has_role = TRUE;
    }
    if (has_role)
        g_string_append(out, "]}, ");
    return has_role;
}

/* Appends a role for the other GPUs, which need an operation: a kernel of 1
 * FLOP. */
static void append_idle_gpus_role(const gboolean *busy, GString *out)
{
    g_string_append(out, "{name: idle, ranks: {list: [");
    for (int gpu = 0; gpu < MAX_GPUS; gpu++)
        if (!busy[gpu])
            g_string_append_printf(out, "%d, ", gpu);
    g_string_append(out, "]}, ops: [{kind: kernel, name: idle, flop: 1}]}");
}

char *chain_workload_yaml(const ChainResult *row)
{
    g_auto(GStrv) chains = g_strsplit(row->chains, " ", -1);
    g_auto(GStrv) links = g_strsplit(row->links, " ", -1);
    GString *out = g_string_new("{kind: program, name: ");
    gboolean busy[MAX_GPUS];

    g_string_append_printf(out, "%s, groups: [", row->log);
    for (guint i = 0; chains[i]; i++) {
        g_string_append_printf(out, "%s{name: chain%u, ranks: [",
                               i > 0 ? ", " : "", i);
        append_chain_ranks(chains[i], -1, out);
        g_string_append(out, "]}");
    }
    g_string_append(out, "], roles: [");
    for (int gpu = 0; gpu < MAX_GPUS; gpu++)
        busy[gpu] = append_role_of_gpu(row, chains, links, gpu, out);
    append_idle_gpus_role(busy, out);
    g_string_append(out, "]}");
    return g_string_free(out, FALSE);
}

/* ---- simulation of the chains of each row -------------------------------- */

static gboolean simulate_chain_row(const Simulator *simulator, const char *name,
                                   ChainResult *row, GError **error)
{
    g_autofree char *workload = chain_workload_yaml(row);
    g_autofree char *set = g_strconcat("workload=", workload, NULL);
    const char *const arguments[] = { "--set", set, NULL };
    g_autofree char *file =
        g_strdup_printf("%s/%s-%.0f", name, row->log, row->bytes);
    g_autoptr(CsvTable) table =
        simulator_run(simulator, file, RUN, arguments, error);

    if (!table || !simulator_cell_number(table, 0, "iteration_time_us",
                                         &row->simulated_us, error))
        return FALSE;
    row->error_percent =
        compare_deviation_percent(row->simulated_us, row->measured_us);
    return TRUE;
}

GArray *chain_study_run(const Simulator *simulator, const char *name,
                        const char *path, GError **error)
{
    g_autoptr(GArray) results = load_chain_rows(path, error);

    for (guint i = 0; results && i < results->len; i++)
        if (!simulate_chain_row(simulator, name,
                                &g_array_index(results, ChainResult, i), error))
            return NULL;
    return g_steal_pointer(&results);
}

/* ---- errors and output of chains ----------------------------------------- */

ChainErrors chain_study_errors(const GArray *results, double least_bytes)
{
    ChainErrors ret = { 0 };

    for (guint i = 0; i < results->len; i++) {
        const ChainResult *row = &g_array_index(results, ChainResult, i);
        double percent = fabs(row->error_percent);

        if (!row->is_counted || row->bytes < least_bytes)
            continue;
        ret.n++;
        ret.mean_percent += (percent - ret.mean_percent) / ret.n;
        ret.worst_percent = MAX(ret.worst_percent, percent);
    }
    return ret;
}

void chain_study_render(const GArray *results, GString *out)
{
    g_autoptr(TextTable) table = text_table_new("llrrrrrl");

    text_table_add_row(table, "log\tchains\tMiB\tmeasured us\tsimulated us\t"
                              "measured GB/s\terror %%\t");
    for (guint i = 0; i < results->len; i++) {
        const ChainResult *row = &g_array_index(results, ChainResult, i);

        text_table_add_row(table, "%s\t%s\t%.0f\t%.1f\t%.1f\t%.2f\t%+.1f\t%s",
                           row->log, row->chains, row->bytes / (1024 * 1024),
                           row->measured_us, row->simulated_us,
                           row->bytes / row->measured_us / 1e3,
                           row->error_percent,
                           row->is_counted ? ""
                                           : "not counted: chains are in each "
                                             "other's way");
    }
    text_table_render(table, out);
}

char *chain_study_csv(const GArray *results)
{
    GString *out = g_string_new("log,collective,chains,links,counted,bytes,"
                                "measured_us,simulated_us,error_percent\n");

    for (guint i = 0; i < results->len; i++) {
        const ChainResult *row = &g_array_index(results, ChainResult, i);

        csv_add_text(out, row->log);
        csv_add_text(out, row->collective);
        csv_add_text(out, row->chains);
        csv_add_text(out, row->links);
        csv_add_text(out, row->is_counted ? "yes" : "no");
        g_string_append_printf(out, "%.0f,%.6f,%.6f,%.3f", row->bytes,
                               row->measured_us, row->simulated_us,
                               row->error_percent);
        g_string_append_c(out, ',');
        csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
