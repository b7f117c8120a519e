/*
 * independent_chunk_schedules.c - finds dependent chunks and makes tables of
 * steps from their runs
 *
 * Chunks that share a thread block stay together, so that the thread block
 * handles them in the order of its steps.  If that needs too many steps, only
 * chunks that share a message stay together.
 */
#include "models/stacks/msccl/independent_chunk_schedules.h"

#include <string.h>

#include "models/stacks/msccl/contribution_sets_impl.h"
#include "models/stacks/msccl/list_schedule_impl.h"
#include "sim/config/config_error.h"

/* ---- dependent chunks -------------------------------------------------- */

/* Returns the smallest chunk of the independent part that contains @chunk
 * (union-find). */
static uint32_t smallest_chunk_of_part(uint32_t *parts, uint32_t chunk)
{
    while (parts[chunk] != chunk) {
        parts[chunk] = parts[parts[chunk]];
        chunk = parts[chunk];
    }
    return chunk;
}

static void join_parts_of_chunks(uint32_t *parts, uint32_t a, uint32_t b)
{
    uint32_t one = smallest_chunk_of_part(parts, a),
             other = smallest_chunk_of_part(parts, b);

    parts[MAX(one, other)] = MIN(one, other);
}

/* Returns for each chunk the smallest chunk of its independent part. @moves is
 * in the order of messages. With @by_tb, chunks that share a thread block are
 * in one part. */
static uint32_t *find_part_of_each_chunk(const MscclSchedule *msccl,
                                         const GArray *moves,
                                         const uint32_t *tb_of, gboolean by_tb)
{
    uint32_t *parts = g_new(uint32_t, msccl->n_chunks);
    g_autofree uint32_t *last = g_new(uint32_t, msccl->tbs->len);

    for (uint32_t c = 0; c < msccl->n_chunks; c++)
        parts[c] = c;
    for (uint32_t t = 0; t < msccl->tbs->len; t++)
        last[t] = msccl->n_chunks;
    for (guint i = 0; i < moves->len; i++) {
        const Move *m = &g_array_index(moves, Move, i);
        uint32_t tbs[] = { tb_of[m->step], tb_of[m->taken] };

        if (i > 0 && m[-1].message == m->message)
            join_parts_of_chunks(parts, m[-1].chunk, m->chunk);
        for (int end = 0; by_tb && end < 2; end++) {
            if (last[tbs[end]] < msccl->n_chunks)
                join_parts_of_chunks(parts, last[tbs[end]], m->chunk);
            last[tbs[end]] = m->chunk;
        }
    }
    for (uint32_t c = 0; c < msccl->n_chunks; c++)
        parts[c] = smallest_chunk_of_part(parts, c);
    return parts;
}

/* ---- tables ------------------------------------------------------------ */

typedef struct {
    const MscclSchedule *msccl;
    const GArray *moves;
    GArray *runs;
    /* Borrowed: for each chunk, its block in the schedule of its independent
     * part. */
    const uint32_t *block_of;
} Build;

static void add_run_to_schedule(const Build *build, CollSchedule *schedule,
                                uint32_t run)
{
    const MscclRun *r = &g_array_index(build->runs, MscclRun, run);
    const Move *m = &g_array_index(build->moves, Move, r->first);
    CollStep *sent = coll_schedule_step_at(schedule, r->from, r->step);
    CollStep *got = coll_schedule_step_at(schedule, r->to, r->step);

    g_assert(sent->n_blocks == 0 && got->recv_none);
    sent->send_to = r->to;
    sent->send_block = build->block_of[m->chunk];
    sent->n_blocks = r->n;
    got->recv_from = r->from;
    got->recv_block = build->block_of[m->chunk];
    got->n_recv_blocks = r->n;
    got->recv_none = FALSE;
}

static CollSchedule *make_schedule_of_runs(const Build *build,
                                           const GArray *part,
                                           uint32_t n_blocks, GError **error)
{
    const uint32_t *runs = (const uint32_t *)(gpointer)part->data;
    uint32_t n_ranks = build->msccl->n_gpus, n_added = 0, n_steps = 0;
    int64_t stuck = msccl_assign_run_steps(build->runs, runs, part->len,
                                           n_ranks, &n_added, &n_steps);
    CollSchedule *schedule;

    if (stuck >= 0) {
        const MscclRun *r = &g_array_index(build->runs, MscclRun, stuck);
        const Move *m = &g_array_index(build->moves, Move, r->first);

        msccl_set_error(build->msccl, msccl_get_step(build->msccl, m->step),
                        error,
                        "finds no place in %u steps that first reduce and then "
                        "store: that holds, but cannot be run here",
                        MSCCL_MAX_STEPS);
        return NULL;
    }
    schedule = coll_schedule_new(COLL_ALL_REDUCE, n_ranks, n_steps, n_blocks);
    for (uint32_t r = 0; r < n_ranks; r++)
        for (uint32_t s = 0; s < n_added; s++)
            coll_schedule_step_at(schedule, r, s)->reduces = TRUE;
    for (guint i = 0; i < part->len; i++)
        add_run_to_schedule(build, schedule, runs[i]);
    coll_schedule_finish(schedule);
    return schedule;
}

/* ---- check of the result ------------------------------------------------ */

/* Executes step @step of rank @r on @sets.  @before holds the values before the
 * step.  Returns FALSE if the step adds a contribution twice. */
static gboolean execute_schedule_step(const CollSchedule *schedule,
                                      const MscclContributionSets *before,
                                      MscclContributionSets *sets, uint32_t r,
                                      uint32_t step)
{
    const CollStep *s = coll_schedule_step_at(schedule, r, step);
    uint32_t n = coll_step_n_received_blocks(s);

    for (uint32_t b = s->recv_block; b < s->recv_block + n; b++) {
        uint32_t to = r * schedule->n_blocks + b;
        uint32_t from = s->recv_from * schedule->n_blocks + b;

        if (!s->reduces)
            msccl_contributions_copy(sets, to, before, from);
        else if (msccl_contributions_find_common_gpu(sets, to, before, from) >=
                 0)
            return FALSE;
        else
            msccl_contributions_add(sets, to, before, from);
    }
    return TRUE;
}

static gboolean schedule_is_all_reduce(const CollSchedule *schedule)
{
    uint32_t n = schedule->n_ranks * schedule->n_blocks;
    g_autoptr(MscclContributionSets) sets =
        msccl_contributions_new(n, schedule->n_ranks);
    g_autoptr(MscclContributionSets) before =
        msccl_contributions_new(n, schedule->n_ranks);

    for (uint32_t i = 0; i < n; i++)
        msccl_contributions_set_single_gpu(sets, i, i % schedule->n_blocks,
                                           i / schedule->n_blocks);
    for (uint32_t s = 0; s < schedule->n_steps; s++) {
        for (uint32_t i = 0; i < n; i++)
            msccl_contributions_copy(before, i, sets, i);
        for (uint32_t r = 0; r < schedule->n_ranks; r++)
            if (!execute_schedule_step(schedule, before, sets, r, s))
                return FALSE;
    }
    for (uint32_t i = 0; i < n; i++)
        if (msccl_contributions_find_missing_gpu(sets, i) >= 0)
            return FALSE;
    return TRUE;
}

/* ---- all parts ---------------------------------------------------------- */

static gboolean schedules_are_equal(const CollSchedule *a,
                                    const CollSchedule *b)
{
    return a->n_steps == b->n_steps && a->n_blocks == b->n_blocks &&
           memcmp(a->steps, b->steps,
                  (gsize)a->n_ranks * a->n_steps * sizeof(*a->steps)) == 0;
}

static void add_or_count_schedule_part(GArray *parts, CollSchedule *schedule)
{
    MscclPart part = { schedule, 1 };

    for (guint i = 0; i < parts->len; i++) {
        MscclPart *other = &g_array_index(parts, MscclPart, i);

        if (schedules_are_equal(other->schedule, schedule)) {
            other->n_copies++;
            coll_schedule_free(schedule);
            return;
        }
    }
    g_array_append_val(parts, part);
}

/* Makes the schedule of the independent part whose smallest chunk is @least and
 * adds it to @parts. */
static gboolean add_schedule_of_part(const Build *build,
                                     const uint32_t *part_by, uint32_t least,
                                     uint32_t n_blocks, GArray *parts,
                                     GError **error)
{
    g_autoptr(GArray) part = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    CollSchedule *schedule;

    for (uint32_t i = 0; i < build->runs->len; i++) {
        uint32_t first = g_array_index(build->runs, MscclRun, i).first;

        if (part_by[g_array_index(build->moves, Move, first).chunk] == least)
            g_array_append_val(part, i);
    }
    schedule = make_schedule_of_runs(build, part, n_blocks, error);
    if (!schedule)
        return FALSE;
    if (schedule_is_all_reduce(schedule)) {
        add_or_count_schedule_part(parts, schedule);
        return TRUE;
    }
    coll_schedule_free(schedule);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_CONFLICT,
                "%s:%u:1: holds, but steps of ranks that do the same were not "
                "found",
                build->msccl->file, build->msccl->line);
    return FALSE;
}

static GArray *make_schedule_parts(Build *build, const uint32_t *part_by,
                                   GError **error)
{
    uint32_t n_chunks = build->msccl->n_chunks;
    g_autofree uint32_t *block_of = g_new(uint32_t, n_chunks);
    g_autofree uint32_t *n_blocks = g_new0(uint32_t, n_chunks);
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(MscclPart));

    for (uint32_t c = 0; c < n_chunks; c++)
        block_of[c] = n_blocks[part_by[c]]++;
    build->block_of = block_of;
    for (uint32_t c = 0; c < n_chunks; c++)
        if (n_blocks[c] > 0 &&
            !add_schedule_of_part(build, part_by, c, n_blocks[c], parts,
                                  error)) {
            msccl_parts_free(parts);
            return NULL;
        }
    return parts;
}

GArray *msccl_find_independent_parts(const MscclSchedule *msccl,
                                     const GArray *order, GError **error)
{
    g_autofree uint32_t *tb_of = g_new(uint32_t, msccl->steps->len);
    g_autoptr(GArray) moves = msccl_find_moves(msccl, order, error);
    g_autofree uint32_t *by_tb = NULL, *by_message = NULL;
    Build build = { msccl, moves, NULL, NULL };
    GArray *parts;

    if (!moves)
        return NULL;
    build.runs = msccl_group_moves_to_runs(msccl, moves, error);
    if (!build.runs)
        return NULL;
    for (uint32_t t = 0; t < msccl->tbs->len; t++)
        for (uint32_t s = 0; s < msccl_get_thread_block(msccl, t)->n_steps; s++)
            tb_of[msccl_get_thread_block(msccl, t)->first_step + s] = t;
    by_tb = find_part_of_each_chunk(msccl, moves, tb_of, TRUE);
    by_message = find_part_of_each_chunk(msccl, moves, tb_of, FALSE);
    parts = make_schedule_parts(&build, by_tb, NULL);
    if (!parts)
        parts = make_schedule_parts(&build, by_message, error);
    msccl_runs_free(build.runs);
    return parts;
}

void msccl_parts_free(GArray *parts)
{
    for (guint i = 0; i < parts->len; i++)
        coll_schedule_free(g_array_index(parts, MscclPart, i).schedule);
    g_array_free(parts, TRUE);
}
