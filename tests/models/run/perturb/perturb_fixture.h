/* perturb_fixture.h - runs with a `perturb` section */
#ifndef TESTS_MODELS_RUN_PERTURB_FIXTURE_H
#define TESTS_MODELS_RUN_PERTURB_FIXTURE_H

#include "tests/system_fixture.h"

#include <signal.h>
#include <unistd.h>

static inline SystemResult
run_with_perturbation(const Setup *base, const char *perturb, FoldMode fold)
{
    Setup s = *base;
    Run run;
    SystemResult r;

    s.perturb = perturb;
    r = run_to_result(&run, &s, fold);
    run_clear(&run);
    return r;
}

#endif
