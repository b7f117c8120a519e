/*
 * fuzz_run.c - fuzzes whole runs
 *
 * No run file may crash or hang the simulator, leak memory or allocate without
 * bound.
 *
 * Valid small runs are simulated folded and in full, and both must have the
 * same result.  In full, data is carried along and verified.  Larger runs must
 * be refused with a
 * message. */
#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#include "models/observe/verify_collectives.h"

#define MAX_MEMORY_BYTES (UINT64_C(64) << 20)
#define MAX_HOPS         20000
/* The maximum number of operations of all iterations together. */
#define MAX_OPS 2000
/* The maximum number of NPUs in a verified run; more would be slow. */
#define MAX_VERIFIED 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the duration of the run, or 0 if it fails with a message or is too
 * large. */
static SimTime simulate_config(const SystemConfig *config, FoldMode fold)
{
    const SystemSize most = { MAX_MEMORY_BYTES, MAX_HOPS };
    g_autoptr(GError) error = NULL;
    g_autoptr(System) system = system_new(
        config, (RunOptions){ .fold = fold, .limits = most }, &error);
    g_autoptr(Verify) verify = NULL;

    g_assert((system == NULL) == (error != NULL));
    if (!system || system_graph(system)->ops->len >
                       MAX_OPS / config->training.n_iterations)
        return 0;
    if (fold == FOLD_OFF && system_n_simulated_npus(system) <= MAX_VERIFIED &&
        !(verify = verify_listen_to_system(system, &error))) {
        g_assert(error && *error->message != '\0');
        return 0;
    }
    if (!system_run(system, &error)) {
        g_assert(error && *error->message != '\0');
        g_assert(error->code != SYSTEM_ERROR_WRONG_DATA);
        return 0;
    }
    return system_result(system).total_ps;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("/none/r.yaml", (const char *)data, size, &error);
    SystemConfig config = { 0 };
    SimTime folded_ps, full_ps;

    g_assert((doc == NULL) == (error != NULL));
    if (!doc || !config_doc_read(doc, system_fields, &config, &error)) {
        g_assert(error && *error->message != '\0');
        return 0;
    }
    folded_ps = simulate_config(&config, FOLD_AUTO);
    full_ps = simulate_config(&config, FOLD_OFF);
    g_assert(full_ps == 0 || folded_ps == full_ps);
    return 0;
}
