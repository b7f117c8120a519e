/* closed_form_fixture.h - runs that have a closed form */
#ifndef TESTS_MODELS_RUN_CLOSED_FORM_FIXTURE_H
#define TESTS_MODELS_RUN_CLOSED_FORM_FIXTURE_H

#include "tests/system_fixture.h"

#include "models/observe/verify.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define GB     UINT64_C(1000000000)

/* ceil(bytes / rate) in ps, written down once more. */
static inline SimTime time_of(uint64_t bytes, uint64_t bytes_per_s)
{
    return (SimTime)(((SimWide)bytes * SIM_PS_PER_SEC + bytes_per_s - 1) /
                     bytes_per_s);
}

/* Ends with the right data everywhere. */
static inline void assert_verified(const Setup *setup, FoldMode fold)
{
    GError *error = NULL;
    Verify *verify;
    Run run;

    run_read(&run, setup);
    run.system = system_new(&run.config, fold, &error);
    assert_no_error(error);
    verify = verify_listen(run.system, &error);
    assert_non_null(verify);
    if (!system_run(run.system, &error))
        fail_msg("%s%s", setup_text(setup), error->message);
    assert_true(verify_n_chunks(verify) > 0);
    verify_free(verify);
    run_clear(&run);
}

#endif
