/* collective_families.c - compares measured rows of collectives with acesim */
#include <math.h>
#include <string.h>

#include "validate/accuracy/families.h"
#include "validate/collectives/gpu_chain_study.h"

#define DEEPBENCH "DEEPBENCH"

/* A link of NVLink 2.0, one direction; data sheet of V100. */
#define NVLINK2_BYTES_PER_US      25e3
#define BYTES_PER_US_PER_GB_PER_S 1e3

/* ---- collectives by NCCL ------------------------------------------------- */

/* The columns of machines.csv that describe the system of a row. */
typedef struct {
    double nominal_gb_per_s;
    gboolean is_fitted_to, is_cluster;
} Machine;

/* A name such as "2 x p5", and one platform of several machines, begin with a
 * number of machines. */
static gboolean is_cluster_name(const char *system)
{
    return g_ascii_isdigit(*system) && strstr(system, " x ");
}

static gboolean read_machine_of_row(const CsvTable *machines,
                                    const CollectiveRow *row, Machine *ret,
                                    GError **error)
{
    for (guint i = 0; i < csv_table_n_rows(machines); i++) {
        const char *system = simulator_cell_text(machines, i, "system", error);
        const char *fitted;
        double n_npus;

        if (!system ||
            !simulator_cell_number(machines, i, "n_npus", &n_npus, error))
            return FALSE;
        if (!g_str_equal(system, row->system) || (guint)n_npus != row->n_npus)
            continue;
        fitted = simulator_cell_text(machines, i, "fitted", error);
        if (!fitted || !simulator_cell_number(machines, i, "nominal_gb_per_s",
                                              &ret->nominal_gb_per_s, error))
            return FALSE;
        ret->is_fitted_to = g_str_equal(fitted, "yes");
        ret->is_cluster = is_cluster_name(system);
        return TRUE;
    }
    g_set_error(error, VALIDATE_ERROR, VALIDATE_ERROR_RESULT,
                "%s, %u: machines.csv has no such line", row->system,
                row->n_npus);
    return FALSE;
}

static gboolean is_row_of_family(const CollectiveRow *row,
                                 const Machine *machine,
                                 const CollectiveDetail *detail)
{
    if (g_str_equal(row->source, DEEPBENCH) != detail->is_deepbench)
        return FALSE;
    return detail->is_deepbench ||
           (machine->is_cluster == detail->is_cluster &&
            row->bytes >= detail->from && row->bytes < detail->below);
}

/* Returns the time at the nominal bandwidth: each rank sends a payload less a
 * part, in an all-reduce twice. */
static double time_at_nominal_bandwidth_us(const CollectiveRow *row,
                                           const Machine *machine)
{
    double n_payloads = (row->n_npus - 1.0) / row->n_npus *
                        (g_str_equal(row->kind, "all-reduce") ? 2 : 1);

    return n_payloads * row->bytes /
           (machine->nominal_gb_per_s * BYTES_PER_US_PER_GB_PER_S);
}

static JudgeRow collective_judge_row(const CollectiveRow *row,
                                     const Machine *machine,
                                     const CollectiveDetail *detail)
{
    g_autofree char *system =
        g_strdup_printf("%s, %u GPUs", row->system, row->n_npus);
    g_autofree char *kind = detail->is_deepbench
                                ? g_strdup_printf("%u ranks", row->n_npus)
                                : g_strdup_printf("%s %s", row->kind, row->pin);

    return (JudgeRow){
        .system = g_intern_string(system),
        .kind = g_intern_string(kind),
        .wide_kind = g_intern_string(row->kind),
        .x = log2(row->bytes),
        .measured = row->measured_us,
        .simulated = row->simulated_us,
        .basis = detail->is_constant
                     ? 1
                     : time_at_nominal_bandwidth_us(row, machine),
        .is_fitted_to = machine->is_fitted_to,
    };
}

gboolean add_collective_rows(const MeasuredStudies *studies,
                             const AccuracyFamily *family, GArray *rows,
                             GError **error)
{
    const CollectiveDetail *detail = family->detail;

    for (guint i = 0; i < studies->collectives->rows->len; i++) {
        const CollectiveRow *row =
            published_collective_at(studies->collectives, i);
        Machine machine = { 0 };
        JudgeRow ret;

        if (row->simulated_us <= 0)
            continue;
        if (!read_machine_of_row(studies->collectives->machines, row, &machine,
                                 error))
            return FALSE;
        if (!is_row_of_family(row, &machine, detail))
            continue;
        ret = collective_judge_row(row, &machine, detail);
        g_array_append_val(rows, ret);
    }
    return TRUE;
}

/* ---- chains of NVLinks --------------------------------------------------- */

static double number_of_links(const char *links)
{
    g_auto(GStrv) all = g_strsplit(links, " ", -1);
    double n = 0;

    for (guint i = 0; all[i]; i++)
        n += g_ascii_strtod(all[i], NULL);
    return n;
}

gboolean add_chain_rows(const MeasuredStudies *studies,
                        const AccuracyFamily *family, GArray *rows,
                        GError **error)
{
    (void)family;
    (void)error;
    for (guint i = 0; i < studies->chains->len; i++) {
        const ChainResult *result =
            &g_array_index(studies->chains, ChainResult, i);
        JudgeRow row = {
            .system = g_intern_string(result->log),
            .kind = g_intern_string(result->collective),
            .wide_kind = g_intern_string(""),
            .x = log2(result->bytes),
            .measured = result->measured_us,
            .simulated = result->simulated_us,
            .basis = result->bytes /
                     (number_of_links(result->links) * NVLINK2_BYTES_PER_US),
            /* The constants were fitted only to the logs that count. */
            .is_fitted_to = result->is_counted,
        };

        g_array_append_val(rows, row);
    }
    return TRUE;
}
