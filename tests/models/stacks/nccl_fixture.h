/* nccl_fixture.h - runs a collective with NCCL and returns its time and
 * recipe */
#ifndef TESTS_MODELS_STACKS_NCCL_FIXTURE_H
#define TESTS_MODELS_STACKS_NCCL_FIXTURE_H

#include "tests/models/run/closed_form_fixture.h"

#include "models/observe/critical_path.h"
#include "models/observe/verify_collectives.h"
#include "models/run/stack_costs.h"

#define OWN    "{chunk: auto, message: auto, window: auto, packet: 256 B}"
#define IDEAL  "{kind: ideal, message_cycles: 0}"
#define RATE   (32 * GB)
#define LINK   "links: 1, bandwidth: 32 GB/s, latency: 100 ns"
#define PAIR   "{kind: switch, npus: 2, " LINK "}"
#define TRIPLE "{kind: switch, npus: 3, " LINK "}"
#define EIGHT  "{kind: switch, npus: 8, reduces: true, " LINK "}"
#define PACKET 256
#define NODES                                                                  \
    "{kind: nested, count: 3, inner: {kind: switch, npus: 4, reduces: true, "  \
    "links: 4, bandwidth: 32 GB/s, latency: 100 ns}, nics: 4, nic: {"          \
    "bandwidth: 32 GB/s, latency: 100 ns}, rails: true, outer: {kind: "        \
    "switch, npus: 3, bandwidth: 32 GB/s, latency: 1 us}}"
typedef struct {
    Run run;
    /* The member step_ps is the part of the critical path that protocol steps
     * take. */
    SimTime iteration_ps, step_ps;
    const CollRecipe *recipe;
} Done;

/* Runs @workload and proves its data.  The caller clears the result. */
static inline Done run_workload_of_fixture(const char *topology,
                                           const char *stack,
                                           const char *workload)
{
    const Setup setup = { .topology = topology,
                          .endpoint = IDEAL,
                          .workload = workload,
                          .training = "{iterations: 1, optimiser: none}",
                          .collectives = OWN,
                          .stack = stack };
    g_autoptr(Verify) verify = NULL;
    g_autoptr(CriticalPath) path = NULL;
    g_autoptr(GError) error = NULL;
    Done done;

    read_run_setup(&done.run, &setup);
    done.run.system =
        system_new(&done.run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    verify = verify_listen_to_system(done.run.system, &error);
    assert_no_error(error);
    path = critical_path_new(done.run.system, 0);
    assert_true(system_run(done.run.system, &error) || error);
    assert_no_error(error);
    assert_true(verify_n_finished_chunks(verify) > 0);
    done.iteration_ps = system_result(done.run.system).iteration_ps;
    critical_path_finish(path, done.iteration_ps);
    done.step_ps =
        critical_path_row_time_ps(path, PATH_RESOURCES + RESOURCE_PROTOCOL);
    done.recipe = system_recipe(done.run.system, 0);
    return done;
}

static inline Done run_collective_on(const char *topology, const char *stack,
                                     CollKind kind, uint64_t payload_bytes)
{
    return run_workload_of_fixture(
        topology, stack, single_collective_workload(kind, payload_bytes));
}

static inline SimTime collective_time_on(const char *topology,
                                         const char *stack, CollKind kind,
                                         uint64_t payload_bytes)
{
    Done done = run_collective_on(topology, stack, kind, payload_bytes);

    run_clear(&done.run);
    return done.iteration_ps;
}

#endif
