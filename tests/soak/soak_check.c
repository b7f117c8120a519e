/* soak_check.c - runs a random system and checks its invariants */
#include "tests/soak/soak_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/observe/verify_collectives.h"
#include "models/run/regions/thread_count.h"
#include "tests/result_invariants.h"
#include "tests/soak/soak_bounds.h"

void soak_report_failure(Soak *soak, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)printf("seed " U ": ", soak->seed);
    (void)vprintf(format, arguments);
    (void)printf("\n    reproduce: %s -v " U "\n", soak->program, soak->seed);
    va_end(arguments);
    soak->n_failed++;
}

/* ---- runs of a random system --------------------------------------------- */

typedef struct {
    SystemResult result;
    /* The lower bounds of compute time and of link time. */
    double compute_ps, links_ps;
    SoakRange sent_bytes;
    gboolean compute_is_exact;
    /* TRUE if no link was busy for longer than the run. */
    gboolean links_within_capacity;
    uint64_t n_messages;
    /* The division of the largest collective into chunks and messages. */
    Cut cut;
} Outcome;

static void collect_run_outcome(const SoakCase *c, const System *system,
                                Outcome *ret)
{
    const OpGraph *graph = system_graph(system);
    const Topology *topology = system_topology(system);
    gboolean computes = FALSE;

    ret->result = system_result(system);
    ret->compute_ps = soak_compute_bound_ps(c, graph, &ret->compute_is_exact);
    ret->links_ps = soak_link_bound_ps(c, graph);
    ret->sent_bytes = soak_sent_bytes_range(c, graph);
    ret->links_within_capacity = TRUE;
    ret->n_messages = 0;
    if (system_chunking_of_largest_collective(system))
        ret->cut = *system_chunking_of_largest_collective(system);
    for (uint32_t i = 0; i < graph->ops->len; i++)
        computes |= op_graph_op(graph, i)->type == OP_COMPUTE;
    for (uint32_t p = 0; p < topology_n_ports(topology); p++) {
        const TopologyPort *port = topology_get_port(topology, p);
        NetPortStats stats = system_port_stats(system, p);
        double all_ps = (double)port->n_links * (double)ret->result.total_ps;

        ret->n_messages += stats.n_messages;
        if (computes && !c->drain)
            continue; /* The link would be busy after the end of the run. */
        if ((double)stats.busy_ps > all_ps)
            ret->links_within_capacity = FALSE;
    }
}

/* Runs @c.  With one thread and without folding, data is carried along and
 * verified.  Returns FALSE and sets *@ret_refused if the configuration is
 * refused or if several threads cannot run it.  Returns FALSE after a failure,
 * which is reported. */
static gboolean run_soak_case_with_threads(Soak *soak, const SoakCase *c,
                                           FoldMode fold, uint32_t n_threads,
                                           Outcome *ret, gboolean *ret_refused)
{
    g_autofree char *text = soak_case_text(c);
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("soak", text, strlen(text), &error);
    g_autoptr(System) system = NULL;
    g_autoptr(Verify) verify = NULL;
    SystemConfig config;
    const char *fault;

    *ret_refused = FALSE;
    soak->n_runs++;
    if (doc && config_doc_read(doc, system_fields, &config, &error))
        system = system_new(
            &config, (RunOptions){ .fold = fold, .n_threads = n_threads },
            &error);
    if (!system &&
        g_error_matches(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT)) {
        *ret_refused = TRUE;
        return FALSE;
    }
    if (!system ||
        (fold == FOLD_OFF && n_threads == 1 &&
         !(verify = verify_listen_to_system(system, &error))) ||
        !system_run(system, &error)) {
        *ret_refused = system && system_needs_one_thread(system);
        if (!*ret_refused)
            soak_report_failure(soak, "%s\n%s", error->message, text);
        return FALSE;
    }
    soak->n_divided += system_n_threads(system) > 1 ? 1 : 0;
    collect_run_outcome(c, system, ret);
    fault = impossible_result_reason(&config, system, FALSE);
    if (fault)
        soak_report_failure(soak, "%s\n%s", fault, text);
    return TRUE;
}

static gboolean run_soak_case(Soak *soak, const SoakCase *c, FoldMode fold,
                              Outcome *ret, gboolean *ret_refused)
{
    return run_soak_case_with_threads(soak, c, fold, 1, ret, ret_refused);
}

/* Returns TRUE if both results are equal, apart from the amount of
 * simulation. */
static gboolean results_are_equal(SystemResult a, const SystemResult *b)
{
    a.n_simulated = b->n_simulated;
    a.n_hops = b->n_hops;
    a.n_events = b->n_events;
    return memcmp(&a, b, sizeof a) == 0;
}

/* ---- invariant checks of a random system --------------------------------- */

/* The tolerance of a double compared with whole picoseconds. */
#define EPSILON 1e-9

static gboolean is_below_bound(double value, double bound)
{
    return value < bound * (1 - EPSILON) - 1;
}

static void check_time_bounds(Soak *soak, const SoakCase *c, const Outcome *o)
{
    const SystemResult *result = &o->result;
    double n = (double)result->n_iterations,
           total_ps = (double)result->total_ps;
    gboolean all_counts = c->drain || c->work == SOAK_COLLECTIVE;
    /* Kernels are rounded up to a picosecond, blocks and lanes to a byte.  If
     * NPU 0 is a root, the other NPUs send more messages than it does. */
    double n_messages =
        MAX((double)o->n_messages,
            (double)result->n_hops / (double)result->n_simulated);
    double rounding_ps = 100, padding = 2.0 * result->n_npus * n_messages;

    if (result->compute_ps + result->exposed_ps != result->iteration_ps)
        soak_report_failure(soak, "compute and exposed are not the iteration");
    if (soak_case_only_slows(c) &&
        is_below_bound((double)result->compute_ps, o->compute_ps))
        soak_report_failure(soak, "computes in " U " ps, less than %.0f",
                            result->compute_ps, o->compute_ps);
    if (o->compute_is_exact && (double)result->compute_ps >
                                   o->compute_ps * (1 + EPSILON) + rounding_ps)
        soak_report_failure(soak, "computes in " U " ps instead of %.0f",
                            result->compute_ps, o->compute_ps);
    if (soak_case_only_slows(c) && is_below_bound(total_ps, n * o->compute_ps))
        soak_report_failure(soak, "ends before its kernels can");
    if (all_counts && is_below_bound(total_ps, n * o->links_ps))
        soak_report_failure(soak, "takes %.0f ps, its links need %.0f",
                            total_ps, n * o->links_ps);
    if (!o->links_within_capacity)
        soak_report_failure(soak,
                            "a link was busy for longer than the run took");
    if (is_below_bound((double)result->sent_bytes, o->sent_bytes.min))
        soak_report_failure(soak, "sends " U " bytes, less than %.0f",
                            result->sent_bytes, o->sent_bytes.min);
    if (!c->packet_fidelity &&
        n * (double)result->sent_bytes > n * o->sent_bytes.max + padding)
        soak_report_failure(soak, "sends " U " bytes, more than %.0f",
                            result->sent_bytes, o->sent_bytes.max);
}

static void check_equal_runs(Soak *soak, const SoakCase *c, const Outcome *o)
{
    gboolean refused;
    Outcome full;

    if (!run_soak_case(soak, c, FOLD_OFF, &full, &refused))
        return;
    if (!results_are_equal(full.result, &o->result))
        soak_report_failure(soak,
                            o->result.n_simulated == 1
                                ? "in full it takes " U " ps, folded " U
                                : "now it takes " U " ps, before " U,
                            full.result.total_ps, o->result.total_ps);
    soak->n_folded += o->result.n_simulated == 1 ? 1 : 0;
}

/* Checks that a run by two or three threads has the same result as one thread,
 * or is refused. */
static void check_threads_agree(Soak *soak, const SoakCase *c, const Outcome *o)
{
    uint32_t n_threads = 2 + (uint32_t)(soak->seed % 2);
    gboolean gives_up;
    Outcome divided;

    if (run_soak_case_with_threads(soak, c, FOLD_OFF, n_threads, &divided,
                                   &gives_up) &&
        !results_are_equal(divided.result, &o->result))
        soak_report_failure(soak, "by %u threads it takes " U " ps, by one " U,
                            n_threads, divided.result.total_ps,
                            o->result.total_ps);
}

static void print_chunk_cut(const Cut *cut)
{
    (void)printf(" (chunk " U ", message " U ", window " U ")\n",
                 cut->chunk_bytes, cut->message_bytes, cut->window);
}

/* Runs @c with improvement @i. *@ret_ppm is the slowdown in parts per million.
 * Returns FALSE if the improvement does not apply or the run failed. */
static gboolean run_case_with_improvement(Soak *soak, const SoakCase *c,
                                          const Outcome *o, gsize i,
                                          double *ret_ppm)
{
    SoakCase improved = *c;
    gboolean refused;
    Outcome helped;

    if (!soak_improvements[i].change(&improved) ||
        !run_soak_case(soak, &improved, FOLD_AUTO, &helped, &refused))
        return FALSE;
    check_time_bounds(soak, &improved, &helped);
    *ret_ppm = 1e6 * ((double)helped.result.total_ps /
                          MAX(1, (double)o->result.total_ps) -
                      1);
    if (soak->verbose) {
        (void)printf("%-28s %14" G_GUINT64_FORMAT " ps, %+.0f ppm",
                     soak_improvements[i].name, helped.result.total_ps,
                     *ret_ppm);
        print_chunk_cut(&helped.cut);
    }
    return TRUE;
}

static void check_improvements_do_not_slow(Soak *soak, const SoakCase *c,
                                           const Outcome *o)
{
    for (gsize i = 0; i < SOAK_N_IMPROVEMENTS; i++) {
        Tally *tally = &soak->tallies[i];
        double ppm;

        if (!run_case_with_improvement(soak, c, o, i, &ppm))
            continue;
        tally->n_runs++;
        tally->n_slower += ppm > 0 ? 1 : 0;
        tally->n_many += ppm > SOAK_NOTABLE_PPM ? 1 : 0;
        tally->n_much += ppm > SOAK_LARGE_PPM ? 1 : 0;
        if (soak->defaults && ppm > SOAK_NOTABLE_PPM)
            (void)printf("seed " U ": %s: %+.0f ppm\n", soak->seed,
                         soak_improvements[i].name, ppm);
        if (ppm > tally->worst_ppm) {
            tally->worst_ppm = ppm;
            tally->worst_seed = soak->seed;
        }
        if (ppm > SOAK_MAX_PPM)
            soak_report_failure(soak, "%s makes it %.0f ppm slower",
                                soak_improvements[i].name, ppm);
    }
}

/* Checks @c with one message at a time.  There are no choices, so a shorter
 * step can only make all later steps earlier, and no improvement may slow the
 * run. */
static void check_chain_bound(Soak *soak, const SoakCase *c)
{
    SoakCase chain = *c;
    gboolean refused;
    Outcome o;

    soak_case_make_chain(&chain);
    if (soak->verbose)
        (void)printf("one message at a time:\n");
    if (!run_soak_case(soak, &chain, FOLD_AUTO, &o, &refused)) {
        if (refused)
            soak_report_failure(soak, "one message at a time is refused");
        return;
    }
    check_time_bounds(soak, &chain, &o);
    for (gsize i = 0; i < SOAK_N_IMPROVEMENTS; i++) {
        double ppm;

        if (!run_case_with_improvement(soak, &chain, &o, i, &ppm))
            continue;
        soak->n_chains++;
        if (ppm > 0)
            soak_report_failure(
                soak, "%s makes it %.3f ppm slower, one message at a time",
                soak_improvements[i].name, ppm);
    }
}

static void check_exact_time(Soak *soak, const SoakCase *c)
{
    SoakCase exact = *c;
    gboolean refused;
    Outcome o;
    double expected_ps;

    soak_case_make_exact(&exact);
    if (!run_soak_case(soak, &exact, FOLD_AUTO, &o, &refused)) {
        if (refused)
            soak_report_failure(soak, "its closed form is refused");
        return;
    }
    expected_ps = soak_exact_time_ps(&exact);
    /* Each of the 2 (n - 1) steps is rounded up. */
    if (fabs((double)o.result.total_ps - expected_ps) >
        (double)exact.n_iterations * 2 * o.result.n_npus + 1)
        soak_report_failure(soak, "takes " U " ps where %.0f is exact",
                            o.result.total_ps, expected_ps);
    soak->n_exact++;
}

/* Fixes the sizes of @c to those that a run of it chooses.  Returns FALSE if
 * the run fails. */
static gboolean keep_sizes_chosen_by_run(Soak *soak, SoakCase *c)
{
    gboolean refused;
    Outcome o;

    if (!run_soak_case(soak, c, FOLD_AUTO, &o, &refused))
        return FALSE;
    c->chunk_bytes = o.cut.chunk_bytes;
    c->message_bytes = o.cut.message_bytes;
    c->window = o.cut.window;
    return TRUE;
}

void soak_check_case(Soak *soak)
{
    gboolean refused;
    Outcome o;
    SoakCase c;

    soak_case_init(&c, soak->seed);
    if (soak->defaults)
        soak_case_make_default(&c, soak->variant);
    if (soak->variant == SOAK_SIZES_KEPT && !keep_sizes_chosen_by_run(soak, &c))
        return;
    if (soak->verbose) {
        g_autofree char *text = soak_case_text(&c);

        (void)printf("%s", text);
    }
    if (!run_soak_case(soak, &c, FOLD_AUTO, &o, &refused)) {
        soak->n_refused += refused ? 1 : 0;
        return;
    }
    if (soak->verbose) {
        (void)printf("%-28s %14" G_GUINT64_FORMAT " ps", "as it is",
                     o.result.total_ps);
        print_chunk_cut(&o.cut);
    }
    c.chosen_window = o.cut.window;
    soak->n_cases++;
    check_time_bounds(soak, &c, &o);
    check_improvements_do_not_slow(soak, &c, &o);
    if (soak->defaults)
        return;
    check_equal_runs(soak, &c, &o);
    check_threads_agree(soak, &c, &o);
    check_exact_time(soak, &c);
    check_chain_bound(soak, &c);
}
