/*
 * kineto_state_impl.h - a Kineto trace while it is read; private to kineto/
 *
 * Events are read once, in the order of the file.  References to other events
 * are collected in arrays and resolved when all events have been read.
 *
 * Units    ps and bytes; times are relative to .origin_ns of the trace's clock
 */
#ifndef WORKLOADS_READERS_KINETO_IMPL_H
#define WORKLOADS_READERS_KINETO_IMPL_H

#include "workloads/readers/json/pull.h"
#include "workloads/readers/read_comm.h"
#include "workloads/readers/read_impl.h"

#define KINETO_NONE        INT64_MIN /* an absent number */
#define KINETO_MAX_STREAMS 65536
#define KINETO_MAX_DEVICES 64

/* The args of an event that this reader uses. */
typedef struct {
    int64_t device, stream, correlation, external_id, function_id, grid;
    /* communication */
    int64_t n_in, n_out; /* numbers of elements */
    int64_t group_size, group_start, group_stride, sequence, source, target;
    /* in .texts; NULL if absent */
    const char *collective, *type, *group_name, *group_ranks;
    /* of uint64_t, owned; NULL if absent or truncated */
    GArray *in_split, *out_split;
    /* cuda_sync */
    int64_t wait_stream, wait_record;
} KinetoArgs;

typedef enum {
    KINETO_SKIPPED,
    KINETO_KERNEL,
    KINETO_COPY,
    KINETO_RUNTIME, /* a call of the driver or the runtime */
    KINETO_SYNC,    /* the event that such a call waits for */
    KINETO_OPERATION,
    KINETO_ANNOTATION,
    KINETO_SLICE, /* an unknown category */
} KinetoCategory;

typedef struct {
    uint64_t line;
    char phase; /* '\0' until it is read */
    KinetoCategory category;
    GString *name; /* owned */
    uint64_t process, thread;
    gboolean has_begin, has_duration;
    __int128 begin_ps; /* time of the trace's clock */
    uint64_t duration_ps;
    KinetoArgs args;
} KinetoEvent;

/* A communication: a kernel, or an operation of the framework. */
typedef struct {
    uint32_t node;   /* node of the kernel; RECORD_NONE for an operation */
    uint32_t thread; /* for an operation: index of its stream */
    int64_t begin_ps;
    uint64_t duration_ps;
    gboolean is_taken; /* a kernel has got the metadata of this operation */
    KinetoArgs args;
} KinetoComm;

/* A cuda_sync event: what a call waits for. */
typedef struct {
    int64_t correlation, stream, wait_stream, wait_record;
    uint32_t call, record; /* nodes; RECORD_NONE if there are none */
} KinetoSync;

typedef struct {
    uint64_t id;
    const char *name; /* in .texts; may be NULL */
    uint32_t n_sms;
} KinetoDevice;

#define KINETO_MAX_COUNTS 32

/* The number of events of a category. */
typedef struct {
    const char *name; /* of .texts */
    uint64_t n;
} KinetoCount;

/* An open slice and the slice that encloses it. */
typedef struct {
    uint32_t node, outer; /* RECORD_NONE: none */
} KinetoOpen;

typedef struct {
    JsonPull *pull; /* borrowed, like the next three fields */
    Recording *recording;
    RecordRank *rank;
    GPtrArray *patterns; /* from read_patterns() */
    KinetoEvent event;
    gboolean has_origin;
    int64_t origin_ns, base_ns;
    GHashTable *streams;  /* 2 x id + is_host to 1 + index of .streams */
    GArray *correlations; /* of int64_t, one per node */
    GArray *comms;        /* of KinetoComm */
    GArray *syncs;        /* of KinetoSync */
    GArray *devices;      /* of KinetoDevice */
    GArray *counts;       /* of KinetoCount */
    /* names and lists of ranks (in .texts) to 1 + index of groups */
    GHashTable *groups;
    GArray *old_steps; /* of uint32_t: steps with the category of 2021 */
    GArray *opens;     /* of KinetoOpen */
    GArray *innermost; /* of uint32_t, one per stream: index into .opens */
    int64_t device;    /* device of the first kernel; KINETO_NONE */
    uint64_t process;  /* process of the first call */
    gboolean has_process;
    uint64_t devices_seen; /* bit d: device d has work; d < 64 */
    /* steps have the category that newer versions write */
    gboolean has_steps;
} Kineto;

/* ---- event.c ----------------------------------------------------------- */

/* Reads the object that was entered and adds it to the recording. */
void kineto_read_event(Kineto *kineto);

/* Returns whether @name is an iteration of PyTorch's profiler. */
static inline gboolean kineto_is_step(const char *name)
{
    return g_str_has_prefix(name, "ProfilerStep#");
}

/* ---- node.c ------------------------------------------------------------ */

/* Adds .event to the recording. */
void kineto_add_event(Kineto *kineto);
/* Clears RECORD_STEP of steps with the category of 2021 if the file also has
 * steps of the newer category.  Must follow the last event. */
void kineto_clear_old_steps(Kineto *kineto);

/* ---- args.c ------------------------------------------------------------ */

/* Reads the next value if it is an object. */
void kineto_read_args(Kineto *kineto, KinetoArgs *ret);
void kineto_init_args(KinetoArgs *args);
void kineto_clear_args(KinetoArgs *args);

/* ---- comm.c ------------------------------------------------------------ */

/* Sets the communication of all kernels from their metadata and names. */
void kineto_set_comms(Kineto *kineto);

/* ---- correlation.c ----------------------------------------------------- */

/* Sets the launch of the nodes on the device, by correlation. */
void kineto_set_launches(Kineto *kineto);
/* Copies metadata and id of the operation that issued a communication
 * kernel. */
void kineto_link_operations(Kineto *kineto);

/* Completes the communication in @args by that of @from. */
void kineto_complete_args(KinetoArgs *args, const KinetoArgs *from);

/* ---- batch.c ------------------------------------------------------------ */

/* Assigns the operations of a batch to the kernel that is launched after them:
 * the first operation to the kernel, and each further one to a separate node.
 * Must follow kineto_link_operations(). */
void kineto_set_batches(Kineto *kineto);

/* ---- waits.c ----------------------------------------------------------- */

/* Sets what calls wait for: their own copies, and the work in cuda_sync
 * events. */
void kineto_set_waits(Kineto *kineto);

#endif
