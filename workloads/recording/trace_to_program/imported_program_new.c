/*
 * imported_program_new.c - builds the program of a replay
 *
 * The steps are: NPUs of ranks, groups, roles, ranks that were not recorded,
 * and shared operations.  Each step has its own file.  If ranks that were not
 * recorded cannot get NPUs, the program has the recorded ranks only.
 */
#include "workloads/recording/trace_to_program/imported_program.h"

#include "sim/config/config_error.h"

/* Assigns NPUs to ranks in the order of their ids, from 0.  A single rank, and
 * ranks of a larger world, keep their ids. */
static void assign_npus_to_ranks(ImportedProgram *program)
{
    const Recording *recording = program->replay->recording;
    guint n = recording->ranks->len;

    program->npu_of = g_new0(uint32_t, n + 1);
    for (guint r = 0; r < n; r++) {
        uint32_t id = record_rank(recording, r)->rank;

        if (program->has_missing || (n == 1 && id < program->n_ranks)) {
            program->npu_of[r] = id;
            continue;
        }
        for (guint other = 0; other < n; other++) {
            uint32_t other_id = record_rank(recording, other)->rank;

            program->npu_of[r] +=
                other_id < id || (other_id == id && other < r) ? 1 : 0;
        }
    }
}

/* Returns the smallest world for a single rank that represents all: it holds
 * all groups by size and stride. */
static uint32_t smallest_world_size(const Recording *recording)
{
    uint64_t largest = 1;

    for (guint i = 0; i < recording->groups->len; i++) {
        const OpGroup *group = &g_array_index(recording->groups, OpGroup, i);

        if (group->grouped_by == GROUP_STRIDE)
            largest = MAX(largest, (uint64_t)MAX(group->size, 1) *
                                       MAX(group->stride, 1));
        else if (group->grouped_by == GROUP_LISTS)
            largest = MAX(largest, (uint64_t)group->size * group->n_lists);
    }
    return (uint32_t)MIN(largest, UINT32_MAX);
}

static void clear_imported_group(gpointer data)
{
    ImportedGroup *group = data;

    g_array_unref(group->ids);
    g_free(group->name);
}

static void report_rank_skew(ImportedProgram *program)
{
    RecordReport *report = &program->replay->report;
    int64_t first_ps = G_MAXINT64, last_ps = G_MININT64;

    report->n[REPORT_GROUPS] = program->groups->len - 1;
    for (guint r = 0; r < program->replay->window->spans->len; r++) {
        const RecordSpan *span =
            record_span_of_rank(program->replay->window, r);

        if (span->begin_ps == RECORD_NO_TIME)
            continue;
        first_ps = MIN(first_ps, span->begin_ps);
        last_ps = MAX(last_ps, span->begin_ps);
    }
    if (last_ps > first_ps)
        report->n[REPORT_SKEW_PS] = (uint64_t)(last_ps - first_ps);
}

/* Returns the number of ranks of the world, from the recording or from the
 * largest rank in its groups. */
static uint32_t world_size_of_recording(const Recording *recording)
{
    uint32_t n = recording->n_world;

    for (guint g = 0; g < recording->groups->len && recording->n_world == 0;
         g++) {
        const OpGroup *group = &g_array_index(recording->groups, OpGroup, g);

        for (uint32_t i = 0; group->grouped_by == GROUP_LISTS &&
                             i < group->n_lists * group->size;
             i++)
            n = MAX(n, group->ids[i] + 1);
    }
    return n;
}

/* Returns whether each rank has a number in the world and all numbers
 * differ. */
static gboolean ranks_have_unique_numbers(const Recording *recording,
                                          uint32_t n_world)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

    for (guint r = 0; r < recording->ranks->len; r++) {
        uint32_t id = record_rank(recording, r)->rank;

        if (id >= n_world || !g_hash_table_add(seen, GUINT_TO_POINTER(id)))
            return FALSE;
    }
    return recording->n_numbered == 0;
}

static void find_program_size(ImportedProgram *program, uint32_t n_ranks)
{
    const Recording *recording = program->replay->recording;
    uint32_t n = recording->ranks->len,
             n_world = world_size_of_recording(recording);

    program->n_ranks = n;
    if (n == 1) {
        program->n_ranks = n_ranks > 0 ? n_ranks
                           : recording->n_world > 0
                               ? recording->n_world
                               : smallest_world_size(recording);
    } else if (n_world > n && !recording->has_all_ranks &&
               (n_ranks == 0 || n_ranks == n_world) &&
               ranks_have_unique_numbers(recording, n_world)) {
        program->n_ranks = n_world;
        program->has_missing = TRUE;
    }
}

static ImportedProgram *new_imported_program(Replay *replay, uint32_t n_ranks)
{
    ImportedProgram *program = g_new0(ImportedProgram, 1);

    program->replay = replay;
    find_program_size(program, n_ranks);
    program->groups = g_array_new(FALSE, TRUE, sizeof(ImportedGroup));
    g_array_set_clear_func(program->groups, clear_imported_group);
    return program;
}

static void report_rank_counts(const ImportedProgram *program, uint32_t n_ranks)
{
    uint64_t *n = program->replay->report.n;
    const Recording *recording = program->replay->recording;

    if (recording->ranks->len == 1 && n_ranks == 0 && recording->n_world == 0)
        n[REPORT_RANKS_ASSUMED] = program->n_ranks;
    if (program->has_missing)
        n[REPORT_RANKS_LIKE] = program->n_ranks - recording->ranks->len;
}

/* Sets groups and roles.  Returns FALSE if @error is set, or if @program cannot
 * have NPUs for all ranks of the world. */
static gboolean find_groups_and_roles(ImportedProgram *program, GError **error)
{
    assign_npus_to_ranks(program);
    imported_find_groups(program);
    return imported_find_roles(program, error) &&
           imported_complete_groups(program);
}

ImportedProgram *imported_program_new(Replay *replay, uint32_t n_ranks,
                                      GError **error)
{
    ImportedProgram *program = new_imported_program(replay, n_ranks);
    uint32_t n = replay->recording->ranks->len;
    g_autoptr(GError) wrong = NULL;

    if (n == 0) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                    "there is no rank in the recording");
    } else if (n > 1 && n_ranks > 0 && n_ranks != n &&
               n_ranks != program->n_ranks) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                    "there are %u ranks in the recording, not %u", n, n_ranks);
    } else {
        gboolean ok = find_groups_and_roles(program, &wrong);

        if (!ok && !wrong) {
            imported_program_free(program);
            replay->report.n[REPORT_RANKS_LEFT_OUT] =
                world_size_of_recording(replay->recording) - n;
            replay->report.n[REPORT_LOOSE] = 0;
            program = new_imported_program(replay, n);
            ok = find_groups_and_roles(program, &wrong);
        }
        if (ok) {
            report_rank_counts(program, n_ranks);
            imported_find_shared_ops(program);
            report_rank_skew(program);
            return program;
        }
        g_propagate_error(error, g_steal_pointer(&wrong));
    }
    imported_program_free(program);
    return NULL;
}

void imported_program_free(ImportedProgram *program)
{
    if (!program)
        return;
    for (guint i = 0; program->shared && i < program->shared->len; i++) {
        SharedOp *shared = &g_array_index(program->shared, SharedOp, i);

        g_free(shared->name);
        g_clear_pointer(&shared->weights, g_array_unref);
    }
    g_clear_pointer(&program->shared, g_array_unref);
    g_clear_pointer(&program->roles, g_array_unref);
    g_array_unref(program->groups);
    g_free(program->shared_of);
    g_free(program->npu_of);
    g_free(program->source_of_npu);
    g_free(program->group_of);
    g_free(program->component);
    g_free(program->index_in_component);
    g_free(program);
}
