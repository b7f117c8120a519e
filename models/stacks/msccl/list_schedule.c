/*
 * list_schedule.c - list scheduling: each run gets the earliest step that its
 * predecessors allow, with at most one message out of a rank and one into it in
 * a step
 *
 * Two ranks that swap chunks wait for each other without a step in between.
 * Such a cycle of runs of moves gets one step number, because each run is
 * raised together with the others.
 */
#include "models/stacks/msccl/list_schedule_impl.h"

typedef struct {
    GArray *runs;
    const uint32_t *part; /* borrowed: indices of the runs of moves */
    uint32_t n;
    /* Owned: for each GPU, the runs of moves out of it and into it that have
     * the current step, plus 1; 0: none. */
    uint32_t *out, *in;
    int64_t stuck; /* a run of moves that fits no step; -1: none */
} Numbering;

static MscclRun *run_by_index_in_part(const Numbering *numbering, uint32_t run)
{
    return &g_array_index(numbering->runs, MscclRun, run);
}

/* Raises the step number of the run of moves @run to @step, and those of the
 * runs that come after it. */
static void delay_run_and_successors(Numbering *numbering, uint32_t run,
                                     uint32_t step)
{
    g_autoptr(GArray) todo = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    run_by_index_in_part(numbering, run)->step = step;
    g_array_append_val(todo, run);
    while (todo->len > 0 && numbering->stuck < 0) {
        uint32_t position = g_array_index(todo, uint32_t, todo->len - 1);
        const MscclRun *msccl_run = run_by_index_in_part(numbering, position);

        g_array_set_size(todo, todo->len - 1);
        if (msccl_run->step >= MSCCL_MAX_STEPS)
            numbering->stuck = position;
        for (guint i = 0;
             i < msccl_run->successors->len && numbering->stuck < 0; i++) {
            const MscclEdge *edge =
                &g_array_index(msccl_run->successors, MscclEdge, i);

            if (run_by_index_in_part(numbering, edge->run)->step >=
                msccl_run->step + edge->n_apart)
                continue;
            run_by_index_in_part(numbering, edge->run)->step =
                msccl_run->step + edge->n_apart;
            g_array_append_val(todo, edge->run);
        }
    }
}

/* Moves of @step go to the next step if one of their ranks is already busy in
 * @step.  Returns TRUE if all moves stay. */
static gboolean delay_conflicting_runs_of_step(Numbering *numbering,
                                               gboolean is_added, uint32_t step)
{
    gboolean is_settled = TRUE;

    for (uint32_t i = 0; i < numbering->n; i++)
        numbering
            ->out[run_by_index_in_part(numbering, numbering->part[i])->from] =
            numbering
                ->in[run_by_index_in_part(numbering, numbering->part[i])->to] =
                0;
    for (uint32_t i = 0; i < numbering->n && numbering->stuck < 0; i++) {
        MscclRun *run = run_by_index_in_part(numbering, numbering->part[i]);

        if (run->is_added != is_added || run->step != step)
            continue;
        if (numbering->out[run->from] == 0 && numbering->in[run->to] == 0) {
            numbering->out[run->from] = numbering->in[run->to] =
                numbering->part[i] + 1;
            continue;
        }
        delay_run_and_successors(numbering, numbering->part[i], step + 1);
        is_settled = FALSE;
    }
    return is_settled;
}

/* Assigns step numbers from @from on to the runs of moves that reduce
 * (@is_added) or that store. Returns the first step number after all
 * of them. */
static uint32_t assign_steps_without_conflicts(Numbering *numbering,
                                               gboolean is_added, uint32_t from)
{
    uint32_t end = from;

    for (uint32_t step = from; step < MSCCL_MAX_STEPS && numbering->stuck < 0;
         step++)
        while (!delay_conflicting_runs_of_step(numbering, is_added, step) &&
               numbering->stuck < 0)
            ;
    for (uint32_t i = 0; i < numbering->n; i++)
        if (run_by_index_in_part(numbering, numbering->part[i])->is_added ==
            is_added)
            end = MAX(
                end,
                run_by_index_in_part(numbering, numbering->part[i])->step + 1);
    return end;
}

int64_t msccl_assign_run_steps(GArray *runs, const uint32_t *part, uint32_t n,
                               uint32_t n_gpus, uint32_t *ret_n_added,
                               uint32_t *ret_n_steps)
{
    g_autofree uint32_t *out = g_new0(uint32_t, n_gpus);
    g_autofree uint32_t *in = g_new0(uint32_t, n_gpus);
    Numbering b = { runs, part, n, out, in, -1 };

    for (uint32_t i = 0; i < n; i++)
        run_by_index_in_part(&b, part[i])->step = 0;
    for (uint32_t i = 0; i < n && b.stuck < 0; i++)
        delay_run_and_successors(&b, part[i],
                                 run_by_index_in_part(&b, part[i])->step);
    *ret_n_added = assign_steps_without_conflicts(&b, TRUE, 0);
    for (uint32_t i = 0; i < n && b.stuck < 0; i++)
        if (!run_by_index_in_part(&b, part[i])->is_added &&
            run_by_index_in_part(&b, part[i])->step < *ret_n_added)
            delay_run_and_successors(&b, part[i], *ret_n_added);
    for (uint32_t i = 0; i < n && b.stuck < 0; i++)
        if (run_by_index_in_part(&b, part[i])->is_added &&
            run_by_index_in_part(&b, part[i])->step >= *ret_n_added)
            b.stuck = part[i];
    *ret_n_steps = assign_steps_without_conflicts(&b, FALSE, *ret_n_added);
    return b.stuck;
}
