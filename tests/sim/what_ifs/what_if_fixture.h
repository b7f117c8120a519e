/* what_if_fixture.h - finds a what-if of an explanation */
#ifndef TESTS_SIM_WHAT_IFS_WHAT_IF_FIXTURE_H
#define TESTS_SIM_WHAT_IFS_WHAT_IF_FIXTURE_H

#include "tests/test.h"

#include "sim/study/explain/explain.h"

/* Returns the what-if named @name; without one, the test fails. */
static inline const WhatIf *find_what_if(const Explanation *explanation,
                                         const char *name)
{
    for (guint i = 0; i < explanation->what_ifs->len; i++)
        if (g_str_equal(g_array_index(explanation->what_ifs, WhatIf, i).name,
                        name))
            return &g_array_index(explanation->what_ifs, WhatIf, i);
    fail_msg("%s is missing", name);
    return NULL;
}

#endif
