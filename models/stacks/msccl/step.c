/* step.c - one step of a schedule, on sets */
#include "models/stacks/msccl/proof_impl.h"

/* A step of a thread block, as it is being done. */
typedef struct {
    uint32_t tb, step; /* of all */
    const MscclStep *s;
    MscclSets *sets; /* what it has come to */
} Doing;

static uint32_t place_of(const MscclProof *p, const Doing *d, MscclPlace place,
                         uint32_t i)
{
    uint32_t gpu = msccl_tb(p->msccl, d->tb)->gpu;

    return p->first_place[gpu * MSCCL_N_BUFFERS + (uint32_t)place.buffer] +
           place.at + i;
}

static gboolean is_alone(const MscclProof *p, const Doing *d, int64_t other,
                         gboolean writes, MscclPlace place, uint32_t i,
                         GError **error)
{
    if (other < 0)
        return TRUE;
    msccl_fail(p->msccl, d->s, error,
               "GPU %u %s chunk %u of '%s', which line %u %s, before it "
               "or after it: nothing says which",
               msccl_tb(p->msccl, d->tb)->gpu, writes ? "writes" : "reads",
               place.at + i, msccl_buffers[place.buffer],
               msccl_step(p->msccl, (uint32_t)other)->line,
               writes ? "uses" : "writes");
    return FALSE;
}

/* Chunk @i of @place joins the step's sets, or is added to them. */
static gboolean take_chunk(MscclProof *p, Doing *d, MscclPlace place,
                           uint32_t i, gboolean adds, GError **error)
{
    uint32_t gpu = msccl_tb(p->msccl, d->tb)->gpu;
    uint32_t at = place_of(p, d, place, i);
    const char *buffer = msccl_buffers[place.buffer];
    int64_t twice;

    if (!is_alone(p, d, msccl_before_read(p->before, d->tb, d->step, at), FALSE,
                  place, i, error))
        return FALSE;
    if (p->places->chunks[at] == MSCCL_NOTHING) {
        msccl_fail(p->msccl, d->s, error,
                   "reads chunk %u of '%s' of GPU %u, which nothing was "
                   "written to",
                   place.at + i, buffer, gpu);
        return FALSE;
    }
    if (!adds) {
        msccl_sets_copy(d->sets, i, p->places, at);
        return TRUE;
    }
    if (p->places->chunks[at] != d->sets->chunks[i]) {
        msccl_fail(p->msccl, d->s, error,
                   "adds chunk %u of the payload to chunk %u, in chunk %u of "
                   "'%s' of GPU %u",
                   d->sets->chunks[i], p->places->chunks[at], place.at + i,
                   buffer, gpu);
        return FALSE;
    }
    twice = msccl_sets_common(d->sets, i, p->places, at);
    if (twice >= 0) {
        msccl_fail(p->msccl, d->s, error,
                   "adds GPU %" G_GINT64_FORMAT "'s part of chunk %u a second "
                   "time, in chunk %u of '%s' of GPU %u",
                   twice, d->sets->chunks[i], place.at + i, buffer, gpu);
        return FALSE;
    }
    msccl_sets_add(d->sets, i, p->places, at);
    return TRUE;
}

static gboolean take(MscclProof *p, Doing *d, MscclPlace place, gboolean adds,
                     GError **error)
{
    for (uint32_t i = 0; i < d->s->n_chunks; i++)
        if (!take_chunk(p, d, place, i, adds, error))
            return FALSE;
    return TRUE;
}

static gboolean put(MscclProof *p, Doing *d, GError **error)
{
    for (uint32_t i = 0; i < d->s->n_chunks; i++) {
        uint32_t at = place_of(p, d, d->s->dst, i);

        if (!is_alone(p, d, msccl_before_write(p->before, d->tb, d->step, at),
                      TRUE, d->s->dst, i, error))
            return FALSE;
        msccl_sets_copy(p->places, at, d->sets, i);
    }
    return TRUE;
}

static gboolean receive(MscclProof *p, Doing *d, GError **error)
{
    MscclTbState *sender = &p->tbs[p->tbs[d->tb].sender];
    MscclMessage *message = g_queue_pop_head(&sender->sent);

    msccl_before_after(p->before, d->tb, message->clock);
    d->sets = g_steal_pointer(&message->sets);
    if (d->sets->n != d->s->n_chunks)
        msccl_fail(p->msccl, d->s, error,
                   "receives %u chunks where line %u sends %u", d->s->n_chunks,
                   msccl_step(p->msccl, message->step)->line, d->sets->n);
    g_free(message->clock);
    g_free(message);
    return d->sets->n == d->s->n_chunks;
}

static void send(MscclProof *p, const Doing *d)
{
    MscclMessage *message = g_new(MscclMessage, 1);

    *message = (MscclMessage){ msccl_sets_new(d->s->n_chunks, p->msccl->n_gpus),
                               msccl_before_clock(p->before, d->tb), d->step };
    for (uint32_t i = 0; i < d->s->n_chunks; i++)
        msccl_sets_copy(message->sets, i, d->sets, i);
    g_queue_push_tail(&p->tbs[d->tb].sent, message);
}

/* What came, or what is read; the two added; written; sent. */
static gboolean carry_out(MscclProof *p, Doing *d, GError **error)
{
    const MscclType *type = d->s->type;
    gboolean is_local = !type->receives;

    if (!is_local && !receive(p, d, error))
        return FALSE;
    if (is_local)
        d->sets = msccl_sets_new(d->s->n_chunks, p->msccl->n_gpus);
    if (type->reads && !take(p, d, d->s->src, !is_local, error))
        return FALSE;
    if (is_local && type->adds && !take(p, d, d->s->dst, TRUE, error))
        return FALSE;
    if (type->writes && !put(p, d, error))
        return FALSE;
    if (type->sends)
        send(p, d);
    return TRUE;
}

gboolean msccl_do_step(MscclProof *p, uint32_t tb, GError **error)
{
    uint32_t step = msccl_tb(p->msccl, tb)->first_step + p->tbs[tb].n_done;
    Doing d = { tb, step, msccl_step(p->msccl, step), NULL };
    MscclDone done = { tb, step };
    gboolean is_right;

    msccl_before_begin(p->before, tb, p->tbs[tb].n_done);
    if (d.s->dep_tb >= 0)
        msccl_before_after(p->before, tb,
                           p->clocks[msccl_dep(p->msccl, tb, d.s)]);
    is_right = carry_out(p, &d, error);
    g_clear_pointer(&d.sets, msccl_sets_free);
    if (p->is_awaited[step])
        p->clocks[step] = msccl_before_clock(p->before, tb);
    g_array_append_val(p->done, done);
    p->tbs[tb].n_done++;
    return is_right;
}
