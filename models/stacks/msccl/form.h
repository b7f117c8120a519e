/*
 * form.h - a schedule of MSCCL, as its file has it
 *
 * MSCCL runs a collective that somebody wrote down: for each GPU thread blocks,
 * each with one peer that it sends to, one that it receives from, and a
 * channel; for each thread block steps, one after the other.  A step may wait
 * for one of another thread block of its GPU.  It is always an all-reduce here;
 * where it is in place, the output is the input.
 *
 * Whatever a step names is there, within its bounds: xml.h reads it so.
 * Whether the steps keep the collective's promise, prove.h says.
 *
 * Units    chunks: 1/n_chunks of the payload; bytes of the payload
 * Range    the MSCCL_MAX_*
 * Owner    the caller owns the Msccl, which owns all in it
 */
#ifndef MODELS_STACKS_MSCCL_FORM_H
#define MODELS_STACKS_MSCCL_FORM_H

#include "models/collectives/algorithm.h"

#define MSCCL_MAX_GPUS     1024
#define MSCCL_MAX_CHANNELS 4096
#define MSCCL_MAX_CHUNKS   65536
#define MSCCL_MAX_STEPS    64 /* of ranks whose senders differ: see lanes */

typedef enum {
    MSCCL_INPUT,
    MSCCL_OUTPUT,
    MSCCL_SCRATCH,
    MSCCL_N_BUFFERS,
} MscclBuffer;

/* What a type of step does.  One that adds what it reads to what came, or,
 * where nothing came, to what it writes to. */
typedef struct {
    const char *name;
    gboolean receives, sends;
    gboolean reads, writes, adds; /* its source; its destination; both */
} MscclType;

typedef struct {
    MscclBuffer buffer;
    uint32_t at; /* of the first chunk */
} MscclPlace;

typedef struct {
    const MscclType *type;  /* static */
    MscclPlace src, dst;    /* of the GPU itself; where its type has them */
    uint32_t n_chunks;      /* that it is about */
    int32_t dep_tb, dep_at; /* step that it waits for; -1, -1: for none */
    guint line, column;     /* where it stands, from 1 */
} MscclStep;

/* A thread block. */
typedef struct {
    int32_t send_to, recv_from; /* GPUs; -1: nobody */
    uint32_t gpu, channel;
    uint32_t first_step, n_steps;
    guint line;
} MscclTb;

typedef struct {
    uint32_t n_chunks[MSCCL_N_BUFFERS];
    uint32_t first_tb, n_tbs;
    guint line;
} MscclGpu;

typedef struct {
    char *file;   /* owned, as messages say it */
    char *name;   /* owned */
    int protocol; /* of msccl_protocols */
    gboolean is_in_place;
    uint64_t min_bytes, max_bytes; /* of the payload that it is meant for */
    uint32_t n_gpus, n_channels, n_chunks;
    guint line;
    GArray *gpus, *tbs, *steps; /* owned: MscclGpu, MscclTb, MscclStep */
} Msccl;

/* A step that was done. */
typedef struct {
    uint32_t tb, step;
} MscclDone;

/* "LL", "LL128", "Simple", then NULL. */
extern const char *const msccl_protocols[];
extern const char *const msccl_buffers[];

void msccl_free(Msccl *msccl);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Msccl, msccl_free)

/* CONFIG_ERROR at the step. */
void msccl_fail(const Msccl *msccl, const MscclStep *step, GError **error,
                const char *format, ...) G_GNUC_PRINTF(4, 5);

static inline MscclGpu *msccl_gpu(const Msccl *msccl, uint32_t gpu)
{
    return &g_array_index(msccl->gpus, MscclGpu, gpu);
}

/* Of all thread blocks; those of a GPU begin at its .first_tb. */
static inline MscclTb *msccl_tb(const Msccl *msccl, uint32_t tb)
{
    return &g_array_index(msccl->tbs, MscclTb, tb);
}

/* Likewise. */
static inline MscclStep *msccl_step(const Msccl *msccl, uint32_t step)
{
    return &g_array_index(msccl->steps, MscclStep, step);
}

/* The step of all that @step, of thread block @tb of all, waits for. */
static inline uint32_t msccl_dep(const Msccl *msccl, uint32_t tb,
                                 const MscclStep *step)
{
    uint32_t first = msccl_gpu(msccl, msccl_tb(msccl, tb)->gpu)->first_tb;

    return msccl_tb(msccl, first + (uint32_t)step->dep_tb)->first_step +
           (uint32_t)step->dep_at;
}

/* The most thread blocks that a GPU has: so many SMs it gives. */
uint32_t msccl_n_tbs(const Msccl *msccl);
/* The most chunks that a GPU sends. */
uint32_t msccl_n_sent(const Msccl *msccl);

#endif
