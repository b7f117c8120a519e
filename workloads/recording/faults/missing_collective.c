/* missing_collective.c - some ranks of a group lack a collective */
#include "workloads/recording/lint_impl.h"

/* Returns whether rank @rank of the recording takes part in @instance. */
static gboolean rank_takes_part_in_collective(const Lint *lint,
                                              const RecordInstance *instance,
                                              guint rank)
{
    for (uint32_t i = 0; i < instance->n; i++)
        if (record_member(lint->match, instance, i)->rank == rank)
            return TRUE;
    return FALSE;
}

/* Returns the first rank of the same set of the group that lacks the
 * collective. */
static const RecordRank *
find_rank_without_collective(const Lint *lint, const RecordInstance *instance)
{
    const OpGroup *group =
        instance->group == RECORD_NONE
            ? NULL
            : &g_array_index(lint->recording->groups, OpGroup, instance->group);
    const RecordRank *first =
        lint_rank(lint, record_member(lint->match, instance, 0)->rank);
    uint32_t set = 0, other = 0, place;

    if (group)
        (void)record_find_rank_in_group(group, first->rank, &set, &place);
    for (guint r = 0; r < lint->recording->ranks->len; r++)
        if (!rank_takes_part_in_collective(lint, instance, r) &&
            (!group || (record_find_rank_in_group(
                            group, lint_rank(lint, r)->rank, &other, &place) &&
                        other == set)))
            return lint_rank(lint, r);
    return NULL;
}

static void check_collective_participants(Lint *lint,
                                          const RecordInstance *instance)
{
    const RecordMember *first = record_member(lint->match, instance, 0);
    const RecordRank *rank = find_rank_without_collective(lint, instance);

    lint_add_fault(lint, first->rank, first->node, "is on %u of %u ranks%s%s%s",
                   instance->n, instance->n_expected,
                   rank ? ", and not in '" : "", rank ? rank->file : "",
                   rank ? "'" : "");
}

static void find_missing_collective_faults(Lint *lint)
{
    for (guint i = 0; i < lint->match->instances->len; i++) {
        const RecordInstance *instance = record_instance(lint->match, i);

        if (instance->kind != COLL_SEND && instance->n < instance->n_expected)
            check_collective_participants(lint, instance);
    }
}

const FaultKind fault_missing_collective = {
    .base = { .name = "missing-collective",
              .summary = "not all ranks of a group have a collective" },
    .severity = FAULT_ERROR,
    .import =
        "keeps it on the ranks that have it, and a run refuses the program",
    .find_faults = find_missing_collective_faults,
};
