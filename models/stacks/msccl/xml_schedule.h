/*
 * xml_schedule.h - a schedule of MSCCL, with the structure of its file
 *
 * An MSCCL schedule is a collective that is written down step by step.  Each
 * GPU has thread blocks.  A thread block has at most one peer that it sends to,
 * at most one that it receives from, and a channel, and does its steps one
 * after the other.  A step may wait for a step of another thread block of its
 * GPU.  Here the collective is always an all-reduce; if it is in place, the
 * output buffer is the input buffer.
 *
 * All indices in a schedule are within their bounds, as xml_reader.h checks.
 * prove_schedule.h checks whether the steps compute an all-reduce.
 *
 * Units    chunks: 1/n_chunks of the payload; bytes of the payload
 * Range    see MSCCL_MAX_*
 * Owner    the caller owns the MscclSchedule, which owns all its parts
 */
#ifndef MODELS_STACKS_MSCCL_XML_SCHEDULE_H
#define MODELS_STACKS_MSCCL_XML_SCHEDULE_H

#include "models/collectives/algorithm.h"

#define MSCCL_MAX_GPUS     1024
#define MSCCL_MAX_CHANNELS 4096
#define MSCCL_MAX_CHUNKS   65536
/* Steps of a rank with different senders; limited by LANE_MASK_STEPS. */
#define MSCCL_MAX_STEPS 64

typedef enum {
    MSCCL_INPUT,
    MSCCL_OUTPUT,
    MSCCL_SCRATCH,
    MSCCL_N_BUFFERS,
} MscclBuffer;

/* A type of step.  A type that adds, adds the chunk that it reads to the
 * received chunk or, if it receives nothing, to its destination. */
typedef struct {
    const char *name;
    gboolean receives, sends;
    /* The step reads its source, writes its destination, or adds its source to
     * the received chunk or to its destination. */
    gboolean reads, writes, adds;
} MscclType;

typedef struct {
    MscclBuffer buffer;
    uint32_t first_chunk; /* index of the first chunk */
} MscclPlace;

typedef struct {
    const MscclType *type; /* static */
    /* The source and the destination in the buffers of the step's GPU; used
     * only if the type reads or writes. */
    MscclPlace src, dst;
    uint32_t n_chunks; /* number of chunks that the step handles */
    /* The thread block and the step in it that must be done before; -1, -1 if
     * there are none. */
    int32_t dep_tb, dep_at;
    guint line, column; /* position in the file, from 1 */
} MscclStep;

/* A thread block of a GPU: a sequence of steps. */
typedef struct {
    /* The GPUs that it sends to and receives from; -1 if there are none. */
    int32_t send_to, recv_from;
    uint32_t gpu, channel;
    uint32_t first_step, n_steps;
    guint line;
} MscclThreadBlock;

typedef struct {
    uint32_t n_chunks[MSCCL_N_BUFFERS];
    uint32_t first_tb, n_tbs;
    guint line;
} MscclGpu;

typedef struct {
    char *file;   /* owned: path of the file as messages show it */
    char *name;   /* owned: name of the schedule in the file */
    int protocol; /* index in msccl_protocols */
    gboolean is_in_place;
    uint64_t min_bytes, max_bytes; /* range of payloads for the schedule */
    uint32_t n_gpus, n_channels, n_chunks;
    guint line;
    GArray *gpus, *tbs,
        *steps; /* owned: MscclGpu, MscclThreadBlock, MscclStep */
} MscclSchedule;

/* A step that has been executed, and its thread block. */
typedef struct {
    uint32_t tb, step;
} MscclDone;

/* The names of the protocols: "LL", "LL128" and "Simple", then NULL. */
extern const char *const msccl_protocols[];
/* The names of the input, output and scratch buffers, "i", "o" and "s", then
 * NULL; in the order of MscclBuffer. */
extern const char *const msccl_buffers[];

void msccl_schedule_free(MscclSchedule *msccl);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MscclSchedule, msccl_schedule_free)

/* Sets @error to a CONFIG_ERROR at the position of @step. */
void msccl_set_error(const MscclSchedule *msccl, const MscclStep *step,
                     GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

static inline MscclGpu *msccl_get_gpu(const MscclSchedule *msccl, uint32_t gpu)
{
    return &g_array_index(msccl->gpus, MscclGpu, gpu);
}

/* Returns thread block @tb, counted over all GPUs.  Those of a GPU begin at its
 * .first_tb. */
static inline MscclThreadBlock *
msccl_get_thread_block(const MscclSchedule *msccl, uint32_t tb)
{
    return &g_array_index(msccl->tbs, MscclThreadBlock, tb);
}

/* Returns step @step, counted over all thread blocks. */
static inline MscclStep *msccl_get_step(const MscclSchedule *msccl,
                                        uint32_t step)
{
    return &g_array_index(msccl->steps, MscclStep, step);
}

/* Returns the index of the step that @step of thread block @tb waits for.  Both
 * indices count over all GPUs. */
static inline uint32_t msccl_index_of_awaited_step(const MscclSchedule *msccl,
                                                   uint32_t tb,
                                                   const MscclStep *step)
{
    uint32_t first =
        msccl_get_gpu(msccl, msccl_get_thread_block(msccl, tb)->gpu)->first_tb;

    return msccl_get_thread_block(msccl, first + (uint32_t)step->dep_tb)
               ->first_step +
           (uint32_t)step->dep_at;
}

/* Returns the largest number of thread blocks of any GPU, which is the number
 * of SMs that are occupied. */
uint32_t msccl_max_thread_blocks_per_gpu(const MscclSchedule *msccl);
/* Returns the largest number of chunks that any GPU sends. */
uint32_t msccl_max_chunks_sent_by_gpu(const MscclSchedule *msccl);

#endif
