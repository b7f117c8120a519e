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

static gboolean is_kernel_counted_in_bound(const CutOff *off, uint32_t npu,
                                           uint32_t op)
{
    const Op *what = op_graph_op(system_graph(off->system), op);

    return npu == off->npu && what->type == OP_COMPUTE &&
           what->stream == OP_STREAM_MAIN;
}

static SimTime isolated_kernel_ps(const CutOff *off, uint32_t op,
                                  uint64_t iteration)
{
    SimTime alone_ps =
        system_isolated_op_time_ps(off->system, off->npu, op, iteration);

    return alone_ps - MIN(alone_ps, ROUNDED_PS);
}

static void update_bound_at_kernel(gpointer self, uint32_t npu, uint32_t op,
                                   uint64_t iteration, SimTime now_ps)
{
    CutOff *off = self;
    SimTime kernel_ps;

    if (!is_kernel_counted_in_bound(off, npu, op))
        return;
    kernel_ps = isolated_kernel_ps(off, op, iteration);
    g_assert(kernel_ps <= off->remaining_ps);
    off->remaining_ps -= kernel_ps;
    off->kernel_end_ps = now_ps + kernel_ps;
}

static const TraceOps trace_ops = {
    .ahead = TRUE,
    .kernel_begins = update_bound_at_kernel,
};

static gboolean check_time_limit(gpointer self, const System *system,
                                 uint64_t n_events, GError **error)
{
    CutOff *off = self;
    SimTime now_ps = MAX(system_now_ps(system), off->kernel_end_ps);

    (void)n_events;
    (void)error;
    off->is_over = sim_time_add(now_ps, off->remaining_ps) > off->run_limit_ps;
    return !off->is_over;
}

/* Sets .npu to the first NPU that trains and is simulated.  Returns FALSE if
 * there is none. */
static gboolean find_training_npu_for_cut_off(CutOff *off)
{
    const OpGraph *graph = system_graph(off->system);
    uint32_t n_npus = topology_n_npus(system_topology(off->system));

    for (off->npu = 0; off->npu < n_npus; off->npu++) {
        uint32_t role =
            coll_placement_role(system_placement(off->system), off->npu);

        if (system_simulates_npu(off->system, off->npu) &&
            !op_graph_role(graph, role)->serves)
            return TRUE;
    }
    return FALSE;
}

/* Adds up all kernels that .npu has to execute. */
static void sum_kernel_times(CutOff *off)
{
    const OpGraph *graph = system_graph(off->system);
    uint32_t role =
        coll_placement_role(system_placement(off->system), off->npu);
    uint64_t n = system_config(off->system)->training.n_iterations;

    for (uint32_t op = 0; op < graph->ops->len; op++) {
        if (!op_has_role(op_graph_op(graph, op), role) ||
            !is_kernel_counted_in_bound(off, off->npu, op))
            continue;
        for (uint64_t i = 0; i < n; i++)
            off->remaining_ps =
                sim_time_add(off->remaining_ps, isolated_kernel_ps(off, op, i));
    }
}

CutOff *cut_off_new(System *system, SimTime limit_ps)
{
    CutOff *off = g_new0(CutOff, 1);
    uint64_t n = system_config(system)->training.n_iterations;

    off->system = system;
    off->run_limit_ps = limit_ps == 0 || limit_ps > SIM_TIME_MAX / n
                            ? SIM_TIME_MAX
                            : n * limit_ps;
    if (off->run_limit_ps == SIM_TIME_MAX ||
        !find_training_npu_for_cut_off(off))
        return off;
    sum_kernel_times(off);
    system_add_listener(system, &trace_ops, off);
    return off;
}

void cut_off_free(CutOff *cut_off)
{
    g_free(cut_off);
}

gboolean cut_off_run_until_limit(CutOff *off, gboolean *ret_is_cut,
                                 GError **error)
{
    gboolean ok;

    if (off->run_limit_ps == SIM_TIME_MAX)
        ok = system_run(off->system, error);
    else
        ok = system_run_slices(off->system, SLICE_EVENTS, check_time_limit, off,
                               error);
    *ret_is_cut = off->is_over;
    if (ok)
        g_assert(off->remaining_ps == 0 &&
                 off->kernel_end_ps <= system_result(off->system).total_ps);
    return ok;
}
