/*
 * recording.h - what was recorded of a program as it ran, or as it was told
 *
 * Readers (readers/) fill a recording, one call a file: of each rank the nodes
 * in the order of the file, what each waits for as far as the file says, and
 * when it ran, where that is known.  Nothing is mended or guessed here: that is
 * the matter of the passes in this folder, each of which counts what it did.
 *
 * A plan that never ran (ASTRA-sim's text, GOAL) has durations and no begins.
 * One rank of .rank RECORD_NO_RANK stands for all.  In a plan, who waits for a
 * node behind it in the list waits for that of the iteration before.
 *
 * Payloads are counted as collectives are here (op.h): the whole vector of one
 * rank, before a reduce-scatter or after an all-gather.
 *
 * Units    ps since RecordRank.base_ns, which is ns of the host's clock; bytes
 * Owner    the caller owns the recording, which owns all that is in it
 */
#ifndef WORKLOADS_RECORDING_RECORDING_H
#define WORKLOADS_RECORDING_RECORDING_H

#include "workloads/recording/work.h"
#include "workloads/roles.h"

#define RECORD_NO_RANK UINT32_MAX
#define RECORD_NO_TIME INT64_MIN

typedef enum {
    RECORD_KERNEL,     /* computes, on a stream of the device */
    RECORD_COPY,       /* of memory, on a stream of the device */
    RECORD_HOST,       /* work of a thread of the host, a launch among it */
    RECORD_WAIT,       /* a thread of the host waits for the device */
    RECORD_COLLECTIVE, /* has a RecordComm, as the next two */
    RECORD_SEND,
    RECORD_RECEIVE,
    RECORD_OTHER, /* found and not replayed: metadata, memory */
    RECORD_N_KINDS,
} RecordKind;

extern const char *const record_kind_names[RECORD_N_KINDS + 1];

/* Of nodes: */
typedef enum {
    RECORD_ON_HOST = 1 << 0,     /* of a host's thread, whatever its kind */
    RECORD_STEP = 1 << 1,        /* spans an iteration; is not replayed */
    RECORD_WAITS_FOR = 1 << 2,   /* RECORD_WAIT: for .deps and nothing else */
    RECORD_FOR_STREAM = 1 << 3,  /* a stream waits for .deps: an event */
    RECORD_TIMES_ALONE = 1 << 4, /* .duration_ps is what it takes alone */
    RECORD_NOTHING = 1 << 5,     /* the file's word for nothing: no time */
    RECORD_UNTIMED = 1 << 6, /* no number stands where its duration should */
} RecordFlags;

typedef struct {
    uint64_t id;      /* as the file has it: of dependencies, of complaints */
    uint64_t at;      /* line, or offset of a binary file */
    const char *name; /* record_text() */
    int64_t begin_ps; /* RECORD_NO_TIME: not known */
    uint64_t duration_ps; /* 0: none, or not known */
    uint32_t stream;      /* of .streams */
    uint32_t comm;        /* of .comms; RECORD_NONE: no communication */
    uint32_t launch;      /* node of the host that started it; RECORD_NONE */
    uint32_t first_dep, n_deps; /* of .deps */
    uint32_t n_control; /* the last of them, of order alone: who called it */
    uint32_t work;      /* of .works, counted from 1; 0: not known */
    uint32_t part_of;   /* a node, counted from 1, of which this is a further
                         * message: both are one kernel; 0: it is a kernel of
                         * its own */
    uint8_t kind;       /* RecordKind */
    uint8_t flags;      /* RecordFlags */
    uint8_t pass;       /* OpPass; OP_N_PASSES: not known */
} RecordNode;

typedef struct {
    const char *name;
    gboolean is_host; /* a thread; else a stream of the device */
    uint64_t id;      /* as the file has it */
} RecordStream;

typedef struct {
    uint32_t rank;        /* of the world; RECORD_NO_RANK */
    const char *file;     /* as messages say it */
    const char *host;     /* whose clock it is; NULL: not known */
    int64_t base_ns;      /* of that clock: .begin_ps are counted from here */
    const char *device;   /* its name; NULL */
    uint32_t n_sms;       /* of the device; 0: not known */
    GArray *nodes;        /* of RecordNode */
    GArray *deps;         /* of uint64_t: ids, as the file says them */
    GArray *comms;        /* of RecordComm */
    GArray *works;        /* of RecordWork */
    GArray *streams;      /* of RecordStream */
    uint64_t n_found;     /* events or records of the file, skipped ones too */
    uint32_t n_devices;   /* whose work it has; 0: not counted */
    uint64_t n_assumed;   /* of .nodes, of a category that no version of the
                           * format   has, taken for work of the device */
    const char *contents; /* what the file has, by category: "9 cpu_op, 1 x";
                           * NULL: not said */
    uint64_t n_control_deps; /* of .deps, those that are of order alone */
} RecordRank;

typedef struct {
    const char *format;  /* static: the reader's name, of the first file */
    GArray *formats;     /* see formats.h; NULL: none was read */
    const char *version; /* as the file says it; NULL */
    uint32_t n_world;    /* ranks there were; 0: not known */
    uint32_t n_numbered; /* of .ranks, that say no number: by their order */
    /* Messages that a rank sends to the next stage of a pipeline and back,
     * which the file counts and puts nowhere: they are in no list of nodes. */
    uint64_t n_stage_messages, stage_bytes;
    gboolean
        has_all_ranks; /* ranks of the world that are not here do nothing */
    gboolean
        control_is_begin; /* of a plan: RecordNode.n_control dependencies are
                           * on the begin of a node, others on its end */
    gboolean is_loop; /* of a plan: what a node waits for that is not before it
                       * in the list is of the iteration before */
    uint64_t iteration_ps; /* as the file says; 0: not known */
    GPtrArray *ranks;  /* of RecordRank, in the order in which they were read */
    GArray *groups;    /* of OpGroup: by list or by stride, ids are ranks */
    GHashTable *named; /* name (of .texts) to 1 + index of .groups: of files
                        * that tell members of groups and nothing else; NULL */
    uint32_t n_named_groups, n_sized_groups; /* see group_names.h */
    GStringChunk *texts;
} Recording;

Recording *recording_new(void);
void recording_free(Recording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Recording, recording_free)

/* A copy of @n_bytes, which need not end in a NUL; alike texts are one. */
const char *record_text(Recording *recording, const char *text, gsize n_bytes);

/* Empty, of no rank yet. */
RecordRank *record_add_rank(Recording *recording, const char *file);
/* Its number; one that is there by @id and @is_host is not added again. */
uint32_t record_add_stream(Recording *recording, RecordRank *rank, uint64_t id,
                           gboolean is_host, const char *name);
/* Takes over the ids of @group; one that is there is not added again. */
uint32_t record_add_group(Recording *recording, const OpGroup *group);
/* @node as it stands, with no dependencies. */
uint32_t record_add_node(RecordRank *rank, const RecordNode *node);
/* Of the node that was added last. */
void record_add_dep(RecordRank *rank, uint64_t id, gboolean is_control);
/* Of @node, which has none. */
RecordComm *record_add_comm(RecordRank *rank, uint32_t node, CollKind kind);

static inline RecordRank *record_rank(const Recording *recording, guint i)
{
    return g_ptr_array_index(recording->ranks, i);
}

static inline RecordNode *record_node(const RecordRank *rank, uint32_t i)
{
    return &g_array_index(rank->nodes, RecordNode, i);
}

/* The time of a kernel is not known, but what it does: the NPU's roofline tells
 * how long that takes. */
static inline gboolean record_is_roofline(const RecordNode *node)
{
    return node->kind == RECORD_KERNEL && node->work > 0 &&
           node->duration_ps == 0;
}

/* NULL: @node has none. */
RecordComm *record_comm(const RecordRank *rank, const RecordNode *node);
/* Since @first_ns, the earliest .base_ns of all ranks. */
int64_t record_begin_ps(const RecordRank *rank, const RecordNode *node,
                        int64_t first_ns);

#endif
