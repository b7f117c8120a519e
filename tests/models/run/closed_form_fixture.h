/* closed_form_fixture.h - helpers for runs that have a closed form */
#ifndef TESTS_MODELS_RUN_CLOSED_FORM_FIXTURE_H
#define TESTS_MODELS_RUN_CLOSED_FORM_FIXTURE_H

#include "tests/system_fixture.h"

#include "models/observe/verify_collectives.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define GB     UINT64_C(1000000000)

/* Returns ceil(bytes / rate) in picoseconds, computed independently of the
 * model. */
static inline SimTime transfer_time_ps(uint64_t bytes, uint64_t bytes_per_s)
{
    return (SimTime)(((SimWide)bytes * SIM_PS_PER_SEC + bytes_per_s - 1) /
                     bytes_per_s);
}

/* Asserts that the run ends with the right data on all NPUs. */
static inline void assert_run_verified(const Setup *setup, FoldMode fold)
{
    GError *error = NULL;
    Verify *verify;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ .fold = fold }, &error);
    assert_no_error(error);
    verify = verify_listen_to_system(run.system, &error);
    assert_non_null(verify);
    if (!system_run(run.system, &error))
        fail_msg("%s%s", setup_text(setup), error->message);
    assert_true(verify_n_finished_chunks(verify) > 0);
    collective_verifier_free(verify);
    run_clear(&run);
}

#endif
