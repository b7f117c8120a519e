/* chunk_cut_fixture.h - runs to judge a chosen cut of payloads into chunks and
 * messages */
#ifndef TESTS_MODELS_COLLECTIVES_CHUNK_CUT_FIXTURE_H
#define TESTS_MODELS_COLLECTIVES_CHUNK_CUT_FIXTURE_H

#include "tests/test.h"

#include <string.h>

#include "models/run/system.h"

/* The maximum time of a chosen cut, relative to the best known cut. */
#define MAX_LOSS 1.1

typedef struct {
    Cut cut;
    uint64_t n_events;
    SimTime ps;
    uint64_t
        error_ppm; /* The value of system_chunking_error_ppm() for the run. */
} Outcome;

static inline Outcome run_workload_of_fixture(const char *platform,
                                              const char *endpoint,
                                              const char *workload,
                                              const char *collectives)
{
    g_autofree char *text = g_strdup_printf(
        "platform: %s\nendpoint: %s\nworkload: {name: c, %s}\n"
        "training: {iterations: 1, compute: measured}\ncollectives: %s\n",
        platform, endpoint, workload, collectives);
    GError *error = NULL;
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("run.yaml", text, strlen(text), &error);
    g_autoptr(System) system = NULL;
    SystemConfig config;
    Outcome outcome;

    assert_no_error(error);
    (void)!config_doc_read(doc, system_fields, &config, &error);
    assert_no_error(error);
    system = system_new(&config, (RunOptions){ 0 }, &error);
    assert_no_error(error);
    assert_true(system_run(system, &error) || error);
    assert_no_error(error);
    outcome.cut = *system_chunking_of_largest_collective(system);
    outcome.ps = system_result(system).iteration_ps;
    outcome.error_ppm = system_chunking_error_ppm(system);
    outcome.n_events = system_result(system).n_events;
    return outcome;
}

#endif
