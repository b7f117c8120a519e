/* library_fixture.h - runs a collective with a library and returns its time */
#ifndef TESTS_MODELS_STACKS_LIBRARY_FIXTURE_H
#define TESTS_MODELS_STACKS_LIBRARY_FIXTURE_H

#include "tests/system_fixture.h"

#include "models/observe/verify_collectives.h"
#include "models/run/stack_costs.h"

/* A byte takes 1000 ps and a link 1 us.  A message over the switch waits there
 * until its first packet is complete. */
#define BYTE_PS    UINT64_C(1000)
#define LATENCY_PS UINT64_C(1000000)
#define PACKET     UINT64_C(256)
#define US         UINT64_C(1000000)

typedef struct {
    SimTime took_ps;
    char *algorithm; /* The algorithm of the recipe; NULL without a recipe. */
} Done;

static inline const char *host_switch_text(uint32_t n)
{
    return format_text(
        "{kind: switch, npus: %u, bandwidth: 1 GB/s, latency: 1 us}", n);
}

#define IDEAL "{kind: ideal, message_cycles: 0}"

/* Runs @workload with @stack and proves its data. */
static inline Done run_collective_on(const char *topology, const char *endpoint,
                                     const char *stack, const char *workload)
{
    const Setup setup = {
        .topology = topology,
        .endpoint = endpoint,
        .workload = workload,
        .collectives = "{chunk: auto, message: auto, window: auto}",
        .stack = format_text("{kind: library, %s}", stack),
    };
    g_autoptr(Verify) verify = NULL;
    g_autoptr(GError) error = NULL;
    const CollRecipe *recipe;
    Done done;
    Run run;

    read_run_setup(&run, &setup);
    run.system =
        system_new(&run.config, (RunOptions){ .fold = FOLD_OFF }, &error);
    assert_no_error(error);
    verify = verify_listen_to_system(run.system, &error);
    assert_no_error(error);
    assert_true(system_run(run.system, &error) || error);
    assert_no_error(error);
    done.took_ps = system_result(run.system).iteration_ps;
    recipe = system_recipe(run.system, 0);
    done.algorithm = recipe ? g_strdup(recipe->algorithm) : NULL;
    run_clear(&run);
    return done;
}

static inline Done run_workload_of_fixture(const char *topology,
                                           const char *stack,
                                           const char *workload)
{
    return run_collective_on(topology, IDEAL, stack, workload);
}

static inline SimTime took_ps(uint32_t n, const char *stack, CollKind kind,
                              uint64_t bytes)
{
    Done done = run_workload_of_fixture(
        host_switch_text(n), stack, single_collective_workload(kind, bytes));

    g_free(done.algorithm);
    return done.took_ps;
}

/* Returns the time of a message of @bytes over the switch. */
static inline SimTime host_hop_time_ps(uint64_t bytes)
{
    return 2 * LATENCY_PS + BYTE_PS * (bytes + MIN(bytes, PACKET));
}

#endif
