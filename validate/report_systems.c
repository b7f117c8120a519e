/* report_systems.c - published training systems of papers against acesim */
#include "validate/report_impl.h"
#include "validate/systems/system_study.h"

#define ORDER_PERCENT 5 /* Pairs whose times differ by less have no order. */
/* The maximum number of groups in which another rival may be the fastest. */
#define MOST_BEST 2

#define ANY 1e9

/* A limit on the errors of some rows of a table. */
typedef struct {
    const char *rival; /* The prefix of the rival of the rows. */
    double mean_percent, worst_percent;
    SystemUse use;
} ErrorBound;

#define MAX_BOUNDS 3

static const struct {
    SystemTable table;
    /* The bounds end with the first one whose rival is NULL. */
    ErrorBound bounds[MAX_BOUNDS];
    gboolean is_short; /* TRUE if the rows are not printed. */
    gboolean best;
    /* TRUE if the order must hold, and TRUE if the order is printed. */
    gboolean order, has_order;
    /* For tables whose rivals are numbers: in each group, the rival with the
     * least simulated time must be in this range.  Not checked if .least_to is
     * 0. */
    guint64 least_from, least_to;
} tables[] = {
    { .table = { "frameworks", "ddl-resnet50", "method" },
      .bounds = { { "", 5, 15, SYSTEM_HELD_OUT } },
      .order = TRUE },
    { .table = { "frameworks", "bcaffe", "schedule" },
      .bounds = { { "", 10, 15, SYSTEM_HELD_OUT },
                  { "", 20, 20, SYSTEM_FITTED } } },
    { .table = { "horovod-mpi", "horovod2017-16", "system" },
      .bounds = { { "horovod-nccl", 10, 10, SYSTEM_HELD_OUT },
                  { "horovod-mpi", 10, 10, SYSTEM_HELD_OUT },
                  { "ps-grpc", 20, 30, SYSTEM_HELD_OUT } } },
    { .table = { "frameworks", "v100-overlap", "schedule" }, .best = TRUE },
    { .table = { "frameworks", "gtopk", "method" }, .has_order = TRUE },
    { .table = { "horovod-mpi", "osu-10gbe", NULL },
      .bounds = { { "", 5, ANY, SYSTEM_FITTED },
                  { "", 35, ANY, SYSTEM_HELD_OUT } },
      .is_short = TRUE },
    { .table = { "frameworks", "contention-10gbe-alone", NULL },
      .bounds = { { "", 10, 10, SYSTEM_FITTED } } },
    { .table = { "frameworks", "contention-10gbe", NULL }, .is_short = TRUE },
    { .table = { "dpro", "dpro-16-horovod-tcp", NULL },
      .bounds = { { "", 5, 10, SYSTEM_FITTED },
                  { "", 10, 20, SYSTEM_HELD_OUT } } },
    { .table = { "dpro", "dpro-16-horovod-rdma", NULL },
      .bounds = { { "", 5, 10, SYSTEM_FITTED },
                  { "", 10, 20, SYSTEM_HELD_OUT } } },
    { .table = { "dpro", "dpro-16-byteps-tcp", NULL },
      .bounds = { { "", 5, 10, SYSTEM_FITTED },
                  { "", 10, 20, SYSTEM_HELD_OUT } } },
    { .table = { "dpro", "dpro-groups", "training.exchange.n" },
      .bounds = { { "", 10, 10, SYSTEM_HELD_OUT } },
      .least_from = 5,
      .least_to = 50 },
    { .table = { "dpro", "dpro-scale", "model" },
      .bounds = { { "VGG16", 10, 20, SYSTEM_HELD_OUT },
                  { "BERT Base", 10, 10, SYSTEM_HELD_OUT } } },
};

static void check_system_errors(Report *report, const SystemStudy *study,
                                const ErrorBound *bound)
{
    SystemErrors e = system_study_errors(study, bound->use, bound->rival);
    g_autofree char *worst =
        bound->worst_percent < ANY
            ? g_strdup_printf(" / %g", bound->worst_percent)
            : g_strdup("");

    report_add_condition(
        report,
        e.mean_percent <= bound->mean_percent &&
            e.worst_percent <= bound->worst_percent,
        "%s%s%s, %u rows that %s fitted to: %.1f / %.1f %% off, "
        "mean / worst (%s); at most %g%s is right",
        study->table->name, *bound->rival ? ", " : "", bound->rival, e.n,
        bound->use == SYSTEM_HELD_OUT ? "nothing was" : "constants were",
        e.mean_percent, e.worst_percent, e.worst ? e.worst : "none",
        bound->mean_percent, worst);
}

static char *system_order_text(const SystemStudy *study, SystemOrder order)
{
    return g_strdup_printf("%s: %u of %u pairs that differ by more than %d %% "
                           "and twice their spread are in the order measured",
                           study->table->name, order.n_right, order.n,
                           ORDER_PERCENT);
}

static void check_system_order(Report *report, const SystemStudy *study,
                               gboolean must_hold)
{
    SystemOrder order = system_study_order(study, ORDER_PERCENT);
    g_autofree char *text = system_order_text(study, order);

    if (must_hold)
        report_add_condition(report, order.n_right == order.n, "%s", text);
    else
        g_string_append_printf(report->tables, "  %s\n", text);
}

static void check_best_system(Report *report, const SystemStudy *study)
{
    SystemOrder best = system_study_best(study);

    report_add_condition(
        report, best.n_right + MOST_BEST >= best.n,
        "%s: the best is named right in %u of %u; in %d less is "
        "right",
        study->table->name, best.n_right, best.n, MOST_BEST);
}

/* Returns the row with the least simulated time in the group of @row. */
static const SystemRow *fastest_simulated_system(const SystemStudy *study,
                                                 const SystemRow *row)
{
    const SystemRow *least = row;

    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *other = system_row_at(study, i);

        if (g_str_equal(other->field, row->field) &&
            other->simulated_ms < least->simulated_ms)
            least = other;
    }
    return least;
}

/* Checks each group once.  The rows of a group are consecutive. */
static void check_fastest_system(Report *report, const SystemStudy *study,
                                 guint64 least_from, guint64 least_to)
{
    const char *field = NULL;

    for (guint i = 0; i < study->rows->len; i++) {
        const SystemRow *row = system_row_at(study, i);
        const SystemRow *least = fastest_simulated_system(study, row);
        guint64 at = g_ascii_strtoull(least->rival, NULL, 10);

        if (g_strcmp0(row->field, field) == 0)
            continue;
        field = row->field;
        report_add_condition(report, at >= least_from && at <= least_to,
                             "%s, %sthe least is at %s; from %" G_GUINT64_FORMAT
                             " to %" G_GUINT64_FORMAT " is right",
                             study->table->name, field, least->rival,
                             least_from, least_to);
    }
}

static gboolean add_system_section(Report *report, gsize i, GString *csv,
                                   GError **error)
{
    g_autoptr(SystemStudy) study =
        system_study_run(report->simulator, &tables[i].table, error);

    if (!study)
        return FALSE;
    if (!tables[i].is_short)
        system_study_render(study, report->tables);
    system_study_csv(study, csv);
    for (guint k = 0; k < MAX_BOUNDS && tables[i].bounds[k].rival; k++)
        check_system_errors(report, study, &tables[i].bounds[k]);
    if (tables[i].order || tables[i].has_order)
        check_system_order(report, study, tables[i].order);
    if (tables[i].best)
        check_best_system(report, study);
    if (tables[i].least_to > 0)
        check_fastest_system(report, study, tables[i].least_from,
                             tables[i].least_to);
    g_string_append_c(report->tables, '\n');
    g_ptr_array_add(report->studies.systems, g_steal_pointer(&study));
    return TRUE;
}

gboolean report_add_systems(Report *report, GError **error)
{
    g_autoptr(GString) csv = g_string_new(SYSTEM_CSV_HEAD);

    report_add_heading(report, "Training systems of papers, configs/papers: "
                               "iterations as published and as simulated");
    for (gsize i = 0; i < G_N_ELEMENTS(tables); i++)
        if (!add_system_section(report, i, csv, error))
            return FALSE;
    return simulator_write_file(report->simulator, "systems.csv", csv->str,
                                error);
}
