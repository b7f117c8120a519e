/*
 * kineto_impl.h - for kineto/ only: a trace while it is read
 *
 * Events are read once, in the order of the file.  What refers to other events
 * waits in arrays beside the recording until all are there.
 *
 * Units    ps and bytes; a time is since .origin_ns of the trace's own clock
 */
#ifndef WORKLOADS_READERS_KINETO_IMPL_H
#define WORKLOADS_READERS_KINETO_IMPL_H

#include "workloads/readers/json/pull.h"
#include "workloads/readers/read_comm.h"
#include "workloads/readers/read_impl.h"

#define KINETO_NONE        INT64_MIN /* a number that is not there */
#define KINETO_MAX_STREAMS 65536
#define KINETO_MAX_DEVICES 64

/* What the args of an event say, as far as anybody wants it. */
typedef struct {
    int64_t device, stream, correlation, external_id, function_id, grid;
    /* of communication */
    int64_t n_in, n_out; /* elements */
    int64_t group_size, group_start, group_stride, sequence, source, target;
    const char *collective, *type, *group_name, *group_ranks; /* NULL, or of
                                                               * .texts */
    GArray *in_split, *out_split; /* of uint64_t, owned; NULL: none, or cut */
    /* of cuda_sync */
    int64_t wait_stream, wait_record;
} KinetoArgs;

typedef enum {
    KINETO_SKIPPED,
    KINETO_KERNEL,
    KINETO_COPY,
    KINETO_RUNTIME, /* a call of the driver or the runtime */
    KINETO_SYNC,    /* what such a call waits for */
    KINETO_OPERATION,
    KINETO_ANNOTATION,
    KINETO_SLICE, /* of no category that this knows */
} KinetoCategory;

typedef struct {
    uint64_t line;
    char phase; /* '\0': not seen yet */
    KinetoCategory category;
    GString *name; /* owned */
    uint64_t process, thread;
    gboolean has_begin, has_duration;
    __int128 begin_ps; /* of the trace's clock */
    uint64_t duration_ps;
    KinetoArgs args;
} KinetoEvent;

/* Communication, as a kernel or as an operation of the framework has it. */
typedef struct {
    uint32_t node;   /* the kernel; RECORD_NONE: an operation */
    uint32_t thread; /* of an operation: index of its stream */
    int64_t begin_ps;
    uint64_t duration_ps;
    gboolean is_taken; /* an operation: a kernel has its metadata */
    KinetoArgs args;
} KinetoComm;

/* What a call waits for, as cuda_sync says it. */
typedef struct {
    int64_t correlation, stream, wait_stream, wait_record;
    uint32_t call, record; /* nodes; RECORD_NONE */
} KinetoSync;

typedef struct {
    uint64_t id;
    const char *name; /* of .texts; NULL */
    uint32_t n_sms;
} KinetoDevice;

#define KINETO_MAX_COUNTS 32

/* How many events of a category there are. */
typedef struct {
    const char *name; /* of .texts */
    uint64_t n;
} KinetoCount;

/* A slice that has begun, and the one around it. */
typedef struct {
    uint32_t node, outer; /* RECORD_NONE: none */
} KinetoOpen;

typedef struct {
    JsonPull *pull; /* borrowed, as the next three */
    Recording *recording;
    RecordRank *rank;
    GPtrArray *patterns; /* read_patterns() */
    KinetoEvent event;
    gboolean has_origin;
    int64_t origin_ns, base_ns;
    GHashTable *streams;  /* of 2 x id + is_host, to 1 + index of .streams */
    GArray *correlations; /* of int64_t, one a node */
    GArray *comms;        /* of KinetoComm */
    GArray *syncs;        /* of KinetoSync */
    GArray *devices;      /* of KinetoDevice */
    GArray *counts;       /* of KinetoCount */
    GHashTable *groups;   /* of names and lists of ranks (of .texts), to 1 +
                           * index of groups */
    GArray *old_steps;    /* of uint32_t: nodes */
    GArray *opens;        /* of KinetoOpen */
    GArray *innermost;    /* of uint32_t, one a stream: of .opens */
    int64_t device;       /* of the first kernel; KINETO_NONE */
    uint64_t process;     /* of the first call */
    gboolean has_process;
    uint64_t devices_seen; /* bit d: work of device d; others are not counted */
    gboolean has_steps;    /* of the category that newer versions give them */
} Kineto;

/* ---- event.c ----------------------------------------------------------- */

/* The object that has been entered; adds what it is to the recording. */
void kineto_read_event(Kineto *kineto);

/* A name of PyTorch's profiler for an iteration. */
static inline gboolean kineto_is_step(const char *name)
{
    return g_str_has_prefix(name, "ProfilerStep#");
}

/* ---- node.c ------------------------------------------------------------ */

/* Of .event. */
void kineto_add_event(Kineto *kineto);
/* Once all events are there. */
void kineto_drop_old_steps(Kineto *kineto);

/* ---- args.c ------------------------------------------------------------ */

/* The value that comes next, if it is an object. */
void kineto_read_args(Kineto *kineto, KinetoArgs *ret);
void kineto_init_args(KinetoArgs *args);
void kineto_clear_args(KinetoArgs *args);

/* ---- comm.c ------------------------------------------------------------ */

/* All that metadata and names say of the communication of kernels. */
void kineto_set_comms(Kineto *kineto);

/* ---- links.c ----------------------------------------------------------- */

/* Launches of what ran on the device, by correlation. */
void kineto_set_launches(Kineto *kineto);
/* Metadata and id of the operation that asked for a kernel's communication. */
void kineto_set_askers(Kineto *kineto);

/* What @args do not say of communication, from @from. */
void kineto_take_over(KinetoArgs *args, const KinetoArgs *from);

/* ---- batch.c ------------------------------------------------------------ */

/* Sends and receives of a batch, which one kernel does that is launched behind
 * them: the kernel gets the first, and a node of its own each of the others.
 * After kineto_set_askers(). */
void kineto_set_batches(Kineto *kineto);

/* ---- waits.c ----------------------------------------------------------- */

/* What calls wait for: their own copies, and as cuda_sync says. */
void kineto_set_waits(Kineto *kineto);

#endif
