/*
 * recording.h - a recorded run of a program, or a plan that never ran
 *
 * Readers (readers/) fill a recording, one call per file.  For each rank it
 * holds the nodes in the order of the file, their dependencies as far as the
 * file has them, and their times if known.  Readers neither repair nor guess;
 * the passes in this folder do, and each counts its changes.
 *
 * A plan that never ran (ASTRA-sim's text, GOAL) has durations, but no begins.
 * A single rank with .rank RECORD_NO_RANK represents all ranks.  In a plan, a
 * dependency on a later node of the list means that node in the previous
 * iteration.
 *
 * Payloads are counted as in op.h: the whole vector of one rank, before a
 * reduce-scatter or after an all-gather.
 *
 * Units    ps since RecordRank.base_ns, which is in ns of the host's clock;
 *          bytes
 * Owner    the caller owns the recording, which owns everything in it
 */
#ifndef WORKLOADS_RECORDING_RECORDING_H
#define WORKLOADS_RECORDING_RECORDING_H

#include "workloads/recording/node_work.h"
#include "workloads/roles_and_groups.h"

#define RECORD_NO_RANK UINT32_MAX
#define RECORD_NO_TIME INT64_MIN

typedef enum {
    RECORD_KERNEL, /* computation on a stream of the device */
    RECORD_COPY,   /* memory copy or fill on a stream of the device */
    RECORD_HOST,   /* work of a host thread, including launches */
    RECORD_WAIT,   /* a host thread waits for the device */
    /* A communication, which has a RecordComm, as have the next two kinds. */
    RECORD_COLLECTIVE,
    RECORD_SEND,
    RECORD_RECEIVE,
    RECORD_OTHER, /* metadata, memory and the like: not replayed */
    RECORD_N_KINDS,
} RecordKind;

extern const char *const record_kind_names[RECORD_N_KINDS + 1];

/* Flags of a node. */
typedef enum {
    /* The node is on a host thread, whatever its kind. */
    RECORD_ON_HOST = 1 << 0,
    /* The node spans an iteration; it is not replayed. */
    RECORD_STEP = 1 << 1,
    /* A RECORD_WAIT that waits exactly for its dependencies. */
    RECORD_WAITS_FOR_DEPS = 1 << 2,
    /* A CUDA event: a stream, not the host, waits for the dependencies. */
    RECORD_STREAM_WAITS = 1 << 3,
    RECORD_ISOLATED_TIME = 1 << 4, /* the duration is that of an isolated run */
    /* The node is a no-op in the file and takes no time. */
    RECORD_NO_OP = 1 << 5,
    RECORD_UNTIMED = 1 << 6, /* the file has no valid duration */
} RecordFlags;

typedef struct {
    /* Id of the node in the file, for dependencies and messages. */
    uint64_t id;
    /* Position of the node: line of a text file, or offset in a binary file. */
    uint64_t file_position;
    /* Name of the node, owned by the recording: recording_store_text(). */
    const char *name;
    int64_t begin_ps;     /* begin of the node; RECORD_NO_TIME: unknown */
    uint64_t duration_ps; /* duration of the node; 0: none or unknown */
    uint32_t stream;      /* index of the stream in .streams */
    /* Index of the communication in .comms; RECORD_NONE: none. */
    uint32_t comm;
    /* Host node that launched this node; RECORD_NONE: unknown. */
    uint32_t launch;
    uint32_t first_dep, n_deps; /* range of the node's dependencies in .deps */
    /* Number of control dependencies, which are the last ones; they are
     * callers. */
    uint32_t n_control;
    uint32_t work; /* 1 + index of the node's work in .works; 0: unknown */
    /* 1 + the node of the kernel that sends this as a further message; 0: the
     * node is a kernel itself. */
    uint32_t part_of;
    uint8_t kind;  /* kind of node, a RecordKind */
    uint8_t flags; /* flags of the node, RecordFlags */
    uint8_t pass;  /* pass of the layer, an OpPass; OP_N_PASSES: unknown */
} RecordNode;

typedef struct {
    const char *name;
    /* The stream is a host thread; otherwise a stream of the device. */
    gboolean is_host;
    uint64_t id; /* id of the stream in the file */
    /* 1 + number of the stream's device in the file; 0: unknown. */
    uint32_t device;
} RecordStream;

typedef struct {
    uint32_t rank;      /* rank in the world; RECORD_NO_RANK: unknown */
    const char *file;   /* file name for messages */
    const char *host;   /* the host that has the clock; NULL: unknown */
    int64_t base_ns;    /* reading of that clock when .begin_ps is 0 */
    const char *device; /* name of the device; NULL: unknown */
    uint32_t n_sms;     /* SMs of the device; 0: unknown */
    uint32_t device_id; /* number of the device, of a rank of
                           split_ranks_by_device.h */
    /* Nodes in the order of the file; the elements are RecordNode. */
    GArray *nodes;
    /* Dependencies as ids in the file; the elements are uint64_t. */
    GArray *deps;
    /* Communications of nodes; the elements are RecordComm. */
    GArray *comms;
    GArray *works; /* work of nodes; the elements are RecordWork */
    /* Streams and host threads; the elements are RecordStream. */
    GArray *streams;
    /* Number of events in the file, including skipped ones. */
    uint64_t n_found;
    /* Number of devices with work in the file; 0: not counted. */
    uint32_t n_devices;
    /* Number of nodes whose event category is unknown and that count as work of
     * the device. */
    uint64_t n_assumed;
    /* Number of events by category, such as "9 cpu_op, 1 x"; NULL: unknown. */
    const char *contents;
    uint64_t n_control_deps; /* number of control dependencies in .deps */
} RecordRank;

typedef struct {
    const char *format; /* static: name of the reader of the first file */
    /* Number of files per format (file_format_counts.h); NULL: no file was
     * read. */
    GArray *formats;
    const char *version; /* version of the format in the file; NULL: unknown */
    uint32_t n_world;    /* number of ranks of the job; 0: unknown */
    /* Number of ranks without a number in the file, which are numbered by their
     * order. */
    uint32_t n_numbered;
    uint32_t n_named_ranks;  /* number of ranks of file_name_ranks.h */
    uint32_t n_device_ranks; /* number of ranks of split_ranks_by_device.h */
    /* Messages to neighbouring pipeline stages that the file only counts; they
     * are not in the lists of nodes. */
    uint64_t n_stage_messages, stage_bytes;
    /* Number of collectives with data in groups of one rank, which the reader
     * left out. */
    uint64_t n_single_rank;
    /* Number of dimensions of the network of which groups by dimension select
     * some; 0: no group does. */
    uint32_t n_network_dims;
    /* Files of this format can mark steps: without marks, all that a file has
     * is one iteration, though it may be several. */
    gboolean can_mark_steps;
    /* Ranks of the world that are absent here are idle. */
    gboolean has_all_ranks;
    /* In a plan: a control dependency means the begin of a node, other
     * dependencies its end. */
    gboolean control_is_begin;
    /* In a plan: a dependency on a later node means the previous iteration. */
    gboolean is_loop;
    uint64_t iteration_ps; /* iteration time that the file states; 0: unknown */
    /* The elements are RecordRank, in the order of reading. */
    GPtrArray *ranks;
    /* Groups by list or by stride, whose ids are ranks; the elements are
     * OpGroup. */
    GArray *groups;
    /* Maps a group name (in .texts) to 1 + index in .groups, from files that
     * only list group members; or NULL. */
    GHashTable *named;
    /* Numbers of inferred groups: see named_groups.h, and of groups whose list
     * of ranks was truncated. */
    uint32_t n_named_groups, n_sized_groups, n_continued_groups;
    GStringChunk *texts;
} Recording;

/* Returns an empty recording. */
Recording *recording_new(void);
void recording_free(Recording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Recording, recording_free)

/* Returns a copy of @n_bytes of @text, which need not end with NUL.  Equal
 * texts share one copy. */
const char *recording_store_text(Recording *recording, const char *text,
                                 gsize n_bytes);

/* Adds an empty rank with .rank RECORD_NO_RANK. */
RecordRank *record_add_rank(Recording *recording, const char *file);
/* Returns the index of the stream with @id and @is_host, which is added if it
 * is new. */
uint32_t record_add_stream(Recording *recording, RecordRank *rank, uint64_t id,
                           gboolean is_host, const char *name);
/* Returns the index of @group, which is added if it is new.  Takes ownership of
 * the ids of @group. */
uint32_t record_add_group(Recording *recording, const OpGroup *group);
/* Appends a copy of @node without dependencies, and returns its index. */
uint32_t record_add_node(RecordRank *rank, const RecordNode *node);
/* Adds a dependency to the latest node.  Control dependencies must come
 * last. */
void record_add_dep(RecordRank *rank, uint64_t id, gboolean is_control);
/* Adds a communication to node @node, which must not have one. */
RecordComm *record_add_comm(RecordRank *rank, uint32_t node, CollKind kind);

static inline RecordRank *record_rank(const Recording *recording, guint i)
{
    return g_ptr_array_index(recording->ranks, i);
}

static inline RecordNode *record_node(const RecordRank *rank, uint32_t i)
{
    return &g_array_index(rank->nodes, RecordNode, i);
}

/* Returns whether the work of a kernel is known, but not its time.  The
 * roofline of the NPU then determines the time. */
static inline gboolean record_is_roofline(const RecordNode *node)
{
    return node->kind == RECORD_KERNEL && node->work > 0 &&
           node->duration_ps == 0;
}

/* Returns the communication of @node, or NULL if the node has none. */
RecordComm *record_node_communication(const RecordRank *rank,
                                      const RecordNode *node);
/* Returns the begin of @node in ps since @first_ns, the earliest .base_ns of
 * all ranks. */
int64_t record_begin_ps(const RecordRank *rank, const RecordNode *node,
                        int64_t first_ns);

#endif
