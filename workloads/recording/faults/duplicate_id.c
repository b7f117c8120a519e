/* duplicate_id.c - two nodes of a file have one id, so dependencies are
 * ambiguous */
#include "workloads/recording/lint_impl.h"

static void find_duplicate_id_faults(Lint *lint)
{
    for (guint r = 0; r < lint->recording->ranks->len; r++) {
        const GArray *ids = lint->ranks[r].ids;

        /* Without dependencies, duplicate ids are harmless. */
        for (guint i = 1; i < ids->len && lint_rank(lint, r)->deps->len; i++)
            if (g_array_index(ids, LintId, i).id ==
                g_array_index(ids, LintId, i - 1).id)
                lint_add_fault(lint, r, g_array_index(ids, LintId, i).node,
                               "has the id of another node");
    }
}

const FaultKind fault_id_twice = {
    .base = { .name = "id-twice",
              .summary = "two nodes of a file have one id" },
    .severity = FAULT_ERROR,
    .import = "takes the first of them as what others wait for",
    .find_faults = find_duplicate_id_faults,
};
