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

#include "sim/config/json/pull_parser.h"
#include "workloads/readers/communication_kernels.h"
#include "workloads/readers/reader_common_impl.h"

#define KINETO_NONE        INT64_MIN /* value of an absent number */
#define KINETO_MAX_STREAMS 65536
#define KINETO_MAX_DEVICES 64

/* The args of an event that this reader uses. */
typedef struct {
    int64_t device, stream, correlation, external_id, function_id, grid;
    /* Numbers of elements before and after the communication. */
    int64_t n_in, n_out;
    int64_t group_size, group_start, group_stride, sequence, source, target;
    /* Texts of a communication, in .texts; NULL if absent. */
    const char *collective, *type, *group_name, *group_ranks;
    const char *label; /* name of a process or thread, likewise */
    /* Elements per rank, owned; NULL if absent or truncated.  The elements are
     * uint64_t. */
    GArray *in_split, *out_split;
    /* Stream and record of a cuda_sync event. */
    int64_t wait_stream, wait_record;
} KinetoArgs;

typedef enum {
    KINETO_SKIPPED,
    KINETO_KERNEL,
    KINETO_COPY,
    KINETO_RUNTIME, /* a call of the driver or of the runtime */
    KINETO_SYNC,    /* the CUDA event that such a call waits for */
    KINETO_OPERATION,
    KINETO_ANNOTATION,
    KINETO_SLICE, /* a slice of an unknown category */
} KinetoCategory;

typedef struct {
    uint64_t line;
    char phase; /* phase of the event; '\0' until it is read */
    KinetoCategory category;
    GString *name; /* owned: name of the event */
    uint64_t process, thread;
    gboolean has_begin, has_duration;
    __int128 begin_ps; /* begin on the clock of the trace */
    uint64_t duration_ps;
    KinetoArgs args;
} KinetoEvent;

/* A communication of the trace: a kernel, or an operation of the framework. */
typedef struct {
    uint32_t node;   /* node of the kernel; RECORD_NONE for an operation */
    uint32_t thread; /* for an operation: index of the stream of its thread */
    int64_t begin_ps;
    uint64_t duration_ps;
    gboolean is_taken; /* a kernel already has the metadata of this operation */
    KinetoArgs args;
} KinetoComm;

/* A cuda_sync event, which says what a call waits for. */
typedef struct {
    int64_t correlation, stream, wait_stream, wait_record;
    /* The call, and the node that recorded the event; RECORD_NONE if there is
     * none. */
    uint32_t call, record;
} KinetoSync;

typedef struct {
    uint64_t id;
    const char *name; /* name of the device, in .texts; may be NULL */
    uint32_t n_sms;
} KinetoDevice;

#define KINETO_MAX_COUNTS 32

/* The number of events of a category. */
typedef struct {
    const char *name; /* name of the category, in .texts */
    uint64_t n;
} KinetoCount;

/* Kinds of marks of steps, from the most to the least reliable. */
typedef enum {
    KINETO_STEP,         /* a step of PyTorch's profiler */
    KINETO_STEP_OF_2021, /* the same with the category of operations */
    KINETO_STEP_OF_USER, /* another annotation, named as a step */
    KINETO_N_STEP_KINDS,
} KinetoStepKind;

/* An event that marks a step, if the file has no more reliable marks. */
typedef struct {
    uint32_t node;
    KinetoStepKind kind;
    int word; /* reader_find_step_word() of its name */
} KinetoStepMark;

/* An open slice and the slice that encloses it. */
typedef struct {
    /* The slice and the one around it; RECORD_NONE: none. */
    uint32_t node, outer;
} KinetoOpen;

typedef struct {
    JsonPull *pull; /* borrowed, like the next three fields */
    Recording *recording;
    RecordRank *rank;
    /* Patterns of communication kernels from reader_compile_name_patterns(). */
    GPtrArray *patterns;
    uint32_t n_world; /* ranks of the job as the file has it; 0: unknown */
    KinetoEvent event;
    gboolean has_origin;
    int64_t origin_ns, base_ns;
    GHashTable *streams; /* maps 2 x id + is_host to 1 + index in .streams */
    /* The correlation of each node; the elements are int64_t. */
    GArray *correlations;
    GArray *comms; /* communications; the elements are KinetoComm */
    GArray *syncs; /* cuda_sync events; the elements are KinetoSync */
    /* Devices of the machine; the elements are KinetoDevice. */
    GArray *devices;
    /* Number of events per category; the elements are KinetoCount. */
    GArray *counts;
    /* Maps names and lists of ranks (in .texts) to 1 + index of the group. */
    GHashTable *groups;
    /* Events that may mark steps; the elements are KinetoStepMark. */
    GArray *step_marks;
    GArray *opens; /* the open slices; the elements are KinetoOpen */
    /* For each stream the index in .opens of its innermost slice; the elements
     * are uint32_t. */
    GArray *innermost;
    /* Device of the first kernel; KINETO_NONE: no kernel yet. */
    int64_t device;
    uint64_t process; /* process of the first call of the runtime */
    gboolean has_process;
    uint64_t devices_seen; /* bit d: device d has work; d < 64 */
} Kineto;

/* ---- event_reader.c ------------------------------------------------------ */

/* Reads the object of an event that was entered and adds the event to the
 * recording. */
void kineto_read_event(Kineto *kineto);

/* Returns whether @name is an iteration of PyTorch's profiler. */
static inline gboolean kineto_is_step(const char *name)
{
    return g_str_has_prefix(name, "ProfilerStep#");
}

/* ---- traces_of_other_profilers.c
 * ---------------------------------------------------- */

/* Sets the error of .pull if a category or the name of a process or thread
 * shows that another tool wrote the file, which does not say enough for an
 * import. */
void kineto_refuse_tool_of_category(Kineto *kineto, const char *text, gsize n);
void kineto_refuse_tool_of_process(Kineto *kineto, const char *name);

/* ---- event_nodes.c ------------------------------------------------------- */

/* Adds the last event, .event, to the recording. */
void kineto_add_event(Kineto *kineto);
/* Sets RECORD_STEP of the most reliable marks of the file: of one kind and, if
 * users named them, of the word that occurs first.  Must follow the last
 * event. */
void kineto_set_steps(Kineto *kineto);

/* ---- event_args.c -------------------------------------------------------- */

/* Reads the args of an event: the next value if it is an object. */
void kineto_read_args(Kineto *kineto, KinetoArgs *ret);
void kineto_init_args(KinetoArgs *args);
void kineto_clear_args(KinetoArgs *args);

/* ---- kernel_communication.c ---------------------------------------------- */

/* Sets the communication of all kernels from their metadata and names. */
void kineto_set_comms(Kineto *kineto);

/* ---- launch_correlation.c ------------------------------------------------ */

/* Sets the launch of the nodes on the device, by correlation. */
void kineto_set_launches(Kineto *kineto);
/* Copies metadata and id of the operation that issued a communication
 * kernel. */
void kineto_link_operations(Kineto *kineto);

/* Completes the communication in @args by that of @from. */
void kineto_complete_args(KinetoArgs *args, const KinetoArgs *from);

/* ---- send_receive_batches.c ---------------------------------------------- */

/* Assigns the operations of a batch to the kernel that is launched after them:
 * the first operation to the kernel, and each further one to a separate node.
 * Must follow kineto_link_operations(). */
void kineto_set_batches(Kineto *kineto);

/* ---- cuda_sync_waits.c --------------------------------------------------- */

/* Sets what calls wait for: their own copies, and the work in cuda_sync
 * events. */
void kineto_set_waits(Kineto *kineto);

#endif
