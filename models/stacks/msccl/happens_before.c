/* happens_before.c - vector clocks of thread blocks, and the accesses to each
 * place */
#include "models/stacks/msccl/happens_before_impl.h"

/* An access to a place by step .step of thread block .tb. */
typedef struct {
    uint32_t tb, step;
    /* Number of steps that .tb had begun then; 0: there was no access. */
    uint32_t time;
} Access;

typedef struct {
    Access writer;
    /* Owned: the reads since the last write (Access); NULL: there are none. */
    GArray *readers;
} Place;

struct MscclHappensBefore {
    uint32_t n_tbs, n_places;
    /* Owned: the vector clock of thread block t begins at t * n_tbs. */
    uint32_t *clocks;
    Place *places; /* owned */
};

MscclHappensBefore *msccl_happens_before_new(const MscclSchedule *msccl,
                                             uint32_t n_places)
{
    MscclHappensBefore *before = g_new0(MscclHappensBefore, 1);

    before->n_tbs = msccl->tbs->len;
    before->n_places = n_places;
    before->clocks = g_new0(uint32_t, (gsize)before->n_tbs * before->n_tbs);
    before->places = g_new0(Place, n_places);
    return before;
}

void msccl_happens_before_free(MscclHappensBefore *before)
{
    for (uint32_t p = 0; p < before->n_places; p++)
        if (before->places[p].readers)
            g_array_free(before->places[p].readers, TRUE);
    g_free(before->places);
    g_free(before->clocks);
    g_free(before);
}

static uint32_t *vector_clock_of_thread_block(const MscclHappensBefore *before,
                                              uint32_t tb)
{
    g_assert(tb < before->n_tbs);
    return before->clocks + (gsize)tb * before->n_tbs;
}

void msccl_happens_before_begin_step(MscclHappensBefore *before, uint32_t tb,
                                     uint32_t position)
{
    vector_clock_of_thread_block(before, tb)[tb] = position + 1;
}

void msccl_happens_before_merge_clock(MscclHappensBefore *before, uint32_t tb,
                                      const uint32_t *clock)
{
    uint32_t *own = vector_clock_of_thread_block(before, tb);

    for (uint32_t t = 0; clock && t < before->n_tbs; t++)
        own[t] = MAX(own[t], clock[t]);
}

uint32_t *msccl_happens_before_copy_clock(const MscclHappensBefore *before,
                                          uint32_t tb)
{
    return g_memdup2(vector_clock_of_thread_block(before, tb),
                     before->n_tbs * sizeof(uint32_t));
}

static gboolean access_happens_before(const MscclHappensBefore *before,
                                      const Access *access, uint32_t tb)
{
    return vector_clock_of_thread_block(before, tb)[access->tb] >= access->time;
}

static Access access_by_current_step(const MscclHappensBefore *before,
                                     uint32_t tb, uint32_t step)
{
    return (Access){ tb, step, vector_clock_of_thread_block(before, tb)[tb] };
}

int64_t msccl_happens_before_record_read(MscclHappensBefore *before,
                                         uint32_t tb, uint32_t step,
                                         uint32_t place)
{
    Place *p = &before->places[place];
    Access access = access_by_current_step(before, tb, step);

    if (!access_happens_before(before, &p->writer, tb))
        return p->writer.step;
    if (!p->readers)
        p->readers = g_array_new(FALSE, FALSE, sizeof(Access));
    for (guint i = 0; i < p->readers->len; i++) {
        Access *reader = &g_array_index(p->readers, Access, i);

        if (reader->tb == tb) {
            *reader = access;
            return -1;
        }
    }
    g_array_append_val(p->readers, access);
    return -1;
}

int64_t msccl_happens_before_record_write(MscclHappensBefore *before,
                                          uint32_t tb, uint32_t step,
                                          uint32_t place)
{
    Place *p = &before->places[place];

    if (!access_happens_before(before, &p->writer, tb))
        return p->writer.step;
    for (guint i = 0; p->readers && i < p->readers->len; i++) {
        const Access *reader = &g_array_index(p->readers, Access, i);

        if (!access_happens_before(before, reader, tb))
            return reader->step;
    }
    if (p->readers)
        g_array_set_size(p->readers, 0);
    p->writer = access_by_current_step(before, tb, step);
    return -1;
}

int64_t msccl_happens_before_last_writer(const MscclHappensBefore *before,
                                         uint32_t place)
{
    const Access *writer = &before->places[place].writer;

    return writer->time > 0 ? (int64_t)writer->step : -1;
}
