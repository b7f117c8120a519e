/* report_systems.c - training systems of papers beside acesim */
#include "validate/report_impl.h"
#include "validate/systems/system_study.h"

#define ORDER_PERCENT 5 /* what differs by less is in no order */
#define MOST_BEST     2 /* of which another may be named the best */

/* What must hold of rows that nothing was fitted to. */
typedef struct {
    const char *rival; /* which: whose rival begins with it */
    double mean_percent, worst_percent;
} Bound;

#define MAX_BOUNDS 3

static const struct {
    SystemTable table;
    Bound bounds[MAX_BOUNDS]; /* up to one without percentages */
    gboolean order, best;
} tables[] = {
    { { "ddl-resnet50", "method" }, { { "", 5, 15 } }, TRUE, FALSE },
    { { "bcaffe", "schedule" }, { { "", 10, 15 } }, FALSE, FALSE },
    { { "horovod2017-16", "system" },
      { { "horovod-nccl", 10, 10 },
        { "horovod-mpi", 10, 10 },
        { "ps-grpc", 20, 30 } },
      FALSE,
      FALSE },
    { { "v100-overlap", "schedule" }, { { NULL, 0, 0 } }, FALSE, TRUE },
    { { "gtopk", "method" }, { { NULL, 0, 0 } }, TRUE, FALSE },
};

static void check_errors(Report *report, const SystemStudy *study,
                         const Bound *bound)
{
    SystemErrors held = system_errors(study, SYSTEM_HELD, bound->rival);
    SystemErrors fitted = system_errors(study, SYSTEM_FITTED, bound->rival);

    report_must_hold(report,
                     held.mean_percent <= bound->mean_percent &&
                         held.worst_percent <= bound->worst_percent,
                     "%s%s%s, %u rows that nothing was fitted to: %.1f / %.1f "
                     "%% off, mean / worst (%s); at most %g / %g is right; %u "
                     "that constants were fitted to: %.1f / %.1f %%",
                     study->table->name, *bound->rival ? ", " : "",
                     bound->rival, held.n, held.mean_percent,
                     held.worst_percent, held.worst ? held.worst : "none",
                     bound->mean_percent, bound->worst_percent, fitted.n,
                     fitted.mean_percent, fitted.worst_percent);
}

static void check_order(Report *report, const SystemStudy *study)
{
    SystemOrder order = system_order(study, ORDER_PERCENT);

    report_must_hold(report, order.n_right == order.n,
                     "%s: %u of %u pairs that differ by more than %d %% are in "
                     "the order measured",
                     study->table->name, order.n_right, order.n, ORDER_PERCENT);
}

static void check_best(Report *report, const SystemStudy *study)
{
    SystemOrder best = system_best(study);

    report_must_hold(report, best.n_right + MOST_BEST >= best.n,
                     "%s: the best is named right in %u of %u; in %d less is "
                     "right",
                     study->table->name, best.n_right, best.n, MOST_BEST);
}

gboolean report_add_systems(Report *report, GError **error)
{
    g_autoptr(GString) csv = g_string_new(SYSTEM_CSV_HEAD);

    report_heading(report, "Training systems of papers, configs/systems: "
                           "iterations as published and as simulated");
    for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_autoptr(SystemStudy) study =
            system_study_run(report->simulator, &tables[i].table, error);

        if (!study)
            return FALSE;
        system_render(study, report->tables);
        g_string_append_c(report->tables, '\n');
        system_csv(study, csv);
        for (guint k = 0; k < MAX_BOUNDS && tables[i].bounds[k].rival; k++)
            check_errors(report, study, &tables[i].bounds[k]);
        if (tables[i].order)
            check_order(report, study);
        if (tables[i].best)
            check_best(report, study);
    }
    return simulator_write(report->simulator, "systems.csv", csv->str, error);
}
