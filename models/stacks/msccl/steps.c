/*
 * steps.c - list scheduling: as early as what comes before allows, one message
 * out of a rank and one into it in a step
 *
 * Runs that wait for each other in a circle without a step between - two ranks
 * that swap - get one number, since each is raised with the other.
 */
#include "models/stacks/msccl/steps_impl.h"

typedef struct {
    GArray *runs;
    const uint32_t *part; /* borrowed */
    uint32_t n;
    uint32_t *out, *in; /* owned: of each GPU, the run that has its step + 1 */
    int64_t stuck;      /* a run that would come too late; -1: none */
} Numbering;

static MscclRun *run_at(const Numbering *b, uint32_t run)
{
    return &g_array_index(b->runs, MscclRun, run);
}

/* Not before @step, and so neither what waits for it. */
static void put_off(Numbering *b, uint32_t run, uint32_t step)
{
    g_autoptr(GArray) todo = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    run_at(b, run)->step = step;
    g_array_append_val(todo, run);
    while (todo->len > 0 && b->stuck < 0) {
        uint32_t at = g_array_index(todo, uint32_t, todo->len - 1);
        const MscclRun *r = run_at(b, at);

        g_array_set_size(todo, todo->len - 1);
        if (r->step >= MSCCL_MAX_STEPS)
            b->stuck = at;
        for (guint i = 0; i < r->then->len && b->stuck < 0; i++) {
            const MscclEdge *e = &g_array_index(r->then, MscclEdge, i);

            if (run_at(b, e->run)->step >= r->step + e->n_apart)
                continue;
            run_at(b, e->run)->step = r->step + e->n_apart;
            g_array_append_val(todo, e->run);
        }
    }
}

/* TRUE: nobody of those has step @step who was put off now. */
static gboolean fill_once(Numbering *b, gboolean is_added, uint32_t step)
{
    gboolean is_settled = TRUE;

    for (uint32_t i = 0; i < b->n; i++)
        b->out[run_at(b, b->part[i])->from] = b->in[run_at(b, b->part[i])->to] =
            0;
    for (uint32_t i = 0; i < b->n && b->stuck < 0; i++) {
        MscclRun *r = run_at(b, b->part[i]);

        if (r->is_added != is_added || r->step != step)
            continue;
        if (b->out[r->from] == 0 && b->in[r->to] == 0) {
            b->out[r->from] = b->in[r->to] = b->part[i] + 1;
            continue;
        }
        put_off(b, b->part[i], step + 1);
        is_settled = FALSE;
    }
    return is_settled;
}

/* Returns the first step that none of them has, nor one after it. */
static uint32_t fill(Numbering *b, gboolean is_added, uint32_t from)
{
    uint32_t end = from;

    for (uint32_t step = from; step < MSCCL_MAX_STEPS && b->stuck < 0; step++)
        while (!fill_once(b, is_added, step) && b->stuck < 0)
            ;
    for (uint32_t i = 0; i < b->n; i++)
        if (run_at(b, b->part[i])->is_added == is_added)
            end = MAX(end, run_at(b, b->part[i])->step + 1);
    return end;
}

int64_t msccl_number(GArray *runs, const uint32_t *part, uint32_t n,
                     uint32_t n_gpus, uint32_t *ret_n_added,
                     uint32_t *ret_n_steps)
{
    g_autofree uint32_t *out = g_new0(uint32_t, n_gpus);
    g_autofree uint32_t *in = g_new0(uint32_t, n_gpus);
    Numbering b = { runs, part, n, out, in, -1 };

    for (uint32_t i = 0; i < n; i++)
        run_at(&b, part[i])->step = 0;
    for (uint32_t i = 0; i < n && b.stuck < 0; i++)
        put_off(&b, part[i], run_at(&b, part[i])->step);
    *ret_n_added = fill(&b, TRUE, 0);
    for (uint32_t i = 0; i < n && b.stuck < 0; i++)
        if (!run_at(&b, part[i])->is_added &&
            run_at(&b, part[i])->step < *ret_n_added)
            put_off(&b, part[i], *ret_n_added);
    for (uint32_t i = 0; i < n && b.stuck < 0; i++)
        if (run_at(&b, part[i])->is_added &&
            run_at(&b, part[i])->step >= *ret_n_added)
            b.stuck = part[i];
    *ret_n_steps = fill(&b, FALSE, *ret_n_added);
    return b.stuck;
}
