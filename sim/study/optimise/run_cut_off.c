/* run_cut_off.c - a run that stops as soon as it must take longer than
 * a limit */
#include "sim/study/optimise/run_cut_off.h"

#include "models/run/report/isolated_run.h"
#include "models/run/run.h"

/* The number of events between two checks of the time limit, which take about
 * 0.2 ms. */
#define SLICE_EVENTS 1024
/* The time of a kernel alone on its NPU may be rounded up by this much. */
#define ROUNDED_PS 2

struct CutOff {
    System *system;        /* borrowed */
    SimTime run_limit_ps;  /* limit of the whole run; SIM_TIME_MAX: none */
    uint32_t npu;          /* the NPU whose kernels are counted */
    SimTime remaining_ps;  /* sum over the kernels that have not begun */
    SimTime kernel_end_ps; /* earliest end of the running kernel */
    gboolean is_over;
};

static gboolean is_counted_kernel(const CutOff *c, uint32_t npu, uint32_t op)
{
    const Op *what = op_graph_op(system_graph(c->system), op);

    return npu == c->npu && what->type == OP_COMPUTE &&
           what->stream == OP_STREAM_MAIN;
}

static SimTime isolated_kernel_ps(const CutOff *c, uint32_t op,
                                  uint64_t iteration)
{
    SimTime alone_ps =
        system_isolated_op_time_ps(c->system, c->npu, op, iteration);

    return alone_ps - MIN(alone_ps, ROUNDED_PS);
}

static void update_bound_at_kernel(gpointer self, uint32_t npu, uint32_t op,
                                   uint64_t iteration, SimTime now_ps)
{
    CutOff *c = self;
    SimTime kernel_ps;

    if (!is_counted_kernel(c, npu, op))
        return;
    kernel_ps = isolated_kernel_ps(c, op, iteration);
    g_assert(kernel_ps <= c->remaining_ps);
    c->remaining_ps -= kernel_ps;
    c->kernel_end_ps = now_ps + kernel_ps;
}

static const TraceOps trace_ops = {
    .ahead = TRUE,
    .kernel_begins = update_bound_at_kernel,
};

static gboolean check_time_limit(gpointer self, const System *system,
                                 uint64_t n_events, GError **error)
{
    CutOff *c = self;
    SimTime now_ps = MAX(system_now_ps(system), c->kernel_end_ps);

    (void)n_events;
    (void)error;
    c->is_over = sim_time_add(now_ps, c->remaining_ps) > c->run_limit_ps;
    return !c->is_over;
}

/* Sets .npu to the first NPU that trains and is simulated.  Returns FALSE if
 * there is none. */
static gboolean find_first_training_npu(CutOff *c)
{
    const OpGraph *graph = system_graph(c->system);
    uint32_t n_npus = topology_n_npus(system_topology(c->system));

    for (c->npu = 0; c->npu < n_npus; c->npu++) {
        uint32_t role =
            coll_placement_role(system_placement(c->system), c->npu);

        if (system_simulates_npu(c->system, c->npu) &&
            !op_graph_role(graph, role)->serves)
            return TRUE;
    }
    return FALSE;
}

/* Adds up all kernels that .npu has to execute. */
static void sum_kernel_times(CutOff *c)
{
    const OpGraph *graph = system_graph(c->system);
    uint32_t role = coll_placement_role(system_placement(c->system), c->npu);
    uint64_t n = system_config(c->system)->training.n_iterations;

    for (uint32_t op = 0; op < graph->ops->len; op++) {
        if (!op_has_role(op_graph_op(graph, op), role) ||
            !is_counted_kernel(c, c->npu, op))
            continue;
        for (uint64_t i = 0; i < n; i++)
            c->remaining_ps =
                sim_time_add(c->remaining_ps, isolated_kernel_ps(c, op, i));
    }
}

CutOff *cut_off_new(System *system, SimTime limit_ps)
{
    CutOff *c = g_new0(CutOff, 1);
    uint64_t n = system_config(system)->training.n_iterations;

    c->system = system;
    c->run_limit_ps = limit_ps == 0 || limit_ps > SIM_TIME_MAX / n
                          ? SIM_TIME_MAX
                          : n * limit_ps;
    if (c->run_limit_ps == SIM_TIME_MAX || !find_first_training_npu(c))
        return c;
    sum_kernel_times(c);
    system_add_listener(system, &trace_ops, c);
    return c;
}

void cut_off_free(CutOff *cut_off)
{
    g_free(cut_off);
}

gboolean cut_off_run_system(CutOff *c, gboolean *ret_is_cut, GError **error)
{
    gboolean ok;

    if (c->run_limit_ps == SIM_TIME_MAX)
        ok = system_run(c->system, error);
    else
        ok = system_run_slices(c->system, SLICE_EVENTS, check_time_limit, c,
                               error);
    *ret_is_cut = c->is_over;
    if (ok)
        g_assert(c->remaining_ps == 0 &&
                 c->kernel_end_ps <= system_result(c->system).total_ps);
    return ok;
}
