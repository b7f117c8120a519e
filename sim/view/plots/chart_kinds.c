/* chart_kinds.c - kinds of plots that are names for charts (chart.h) */
#include "sim/view/plots/chart_draw.h"
#include "sim/view/plots/plot_kinds_impl.h"

/* The script of each chart is chart.gp. */
#define CHART_KIND(id, kind_name, says, ...)                                   \
    const PlotKind plot_##id = {                                               \
        .name = (kind_name),                                                   \
        .summary = (says),                                                     \
        .chart = &(const ChartRequest){ __VA_ARGS__ },                         \
        .script = text_chart_gp,                                               \
    }

CHART_KIND(speedup, "speedup",
           "the offload over the best without it, and over the published",
           .y = CHART_SPEEDUP, .form = CHART_DOTS);
CHART_KIND(break_even, "break-even",
           "the speedup by two numeric axes, as a heat map", .y = CHART_SPEEDUP,
           .form = CHART_CELLS);
CHART_KIND(iteration_time, "iteration-time",
           "time of an iteration: compute and exposed communication",
           .y = "iteration_time_us", .form = CHART_BARS);
CHART_KIND(scaling, "scaling", "time of an iteration by the number of NPUs",
           .y = "iteration_time_us", .x = "n_npus", .form = CHART_LINES);
CHART_KIND(memory_bandwidth, "memory-bandwidth",
           "network bandwidth by the endpoint's memory bandwidth",
           .y = "net_bw_gb_per_s", .x = "endpoint.memory_bandwidth",
           .form = CHART_LINES);
CHART_KIND(bandwidth, "bandwidth",
           "network bandwidth by the size of a collective",
           .y = "net_bw_gb_per_s", .x = "workload.payload",
           .form = CHART_LINES);
CHART_KIND(sms, "sms", "network bandwidth by the endpoint's SMs",
           .y = "net_bw_gb_per_s", .x = "endpoint.sms", .form = CHART_LINES);
CHART_KIND(sram_fsm, "sram-fsm",
           "network bandwidth by FSMs and SRAM, as a heat map",
           .y = "net_bw_gb_per_s", .x = "endpoint.fsms",
           .series = "endpoint.sram", .form = CHART_CELLS);
