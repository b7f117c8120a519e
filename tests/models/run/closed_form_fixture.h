/* closed_form_fixture.h - runs that have a closed form */
#ifndef TESTS_MODELS_RUN_CLOSED_FORM_FIXTURE_H
#define TESTS_MODELS_RUN_CLOSED_FORM_FIXTURE_H

#include "tests/system_fixture.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define GB     UINT64_C(1000000000)

/* ceil(bytes / rate) in ps, written down once more. */
static inline SimTime time_of(uint64_t bytes, uint64_t bytes_per_s)
{
    return (SimTime)(((SimWide)bytes * SIM_PS_PER_SEC + bytes_per_s - 1) /
                     bytes_per_s);
}

#endif
