/*
 * state_impl.h - the state of a run, private to models/run
 *
 * A System simulates the NPUs of a platform, or one NPU of each equivalence
 * class.
 *
 *   assemble.c  builds it
 *   cuts.c      chooses how each collective is cut
 *   limits.c    refuses what would never end
 *   size.c      refuses what needs more memory than there is
 */
#ifndef MODELS_RUN_STATE_IMPL_H
#define MODELS_RUN_STATE_IMPL_H

#include "models/run/prepare/collective_class.h"
#include "models/run/prepare/op_rules.h"
#include "models/run/report/shares.h"
#include "models/run/steady/period_listener.h"
#include "models/run/steady/skip.h"
#include "models/trace/watch.h"

typedef struct Npu Npu;                       /* npu_impl.h */
typedef struct MultiProgram MultiProgram;     /* multi_program.h */
typedef struct Communicators Communicators;   /* communicators.h */
typedef struct Lanes Lanes;                   /* lanes.h */
typedef struct Stages Stages;                 /* stages.h */
typedef struct StepLinksTable StepLinksTable; /* step_links.h */
typedef struct Regions Regions;               /* regions/regions.h */

/* The kernels of a role on each stream, in order. */
typedef struct {
    GArray *of[OP_N_STREAMS]; /* owned: of uint32_t */
} StreamOps;

/* The numbers of the operations within each role, in table order.  An NPU has
 * counters for the operations of its own role only. */
typedef struct {
    /* Owned: one per operation.  An operation of one role: its number.  An
     * operation of several roles: OP_SLOT_SHARED + the index in .shared of its
     * number in the first of them; the others follow. */
    uint32_t *of_op;
    GArray *shared;    /* owned: of uint32_t */
    uint32_t *n_slots; /* owned: one per role: its operations */
} OpSlots;

#define OP_SLOT_SHARED (UINT32_C(1) << 31)

/* The share of the NPU that the side stream has; see side_share.h. */
typedef struct {
    uint64_t n_sms, bytes_per_s;
    gboolean is_chosen; /* at least one of them was chosen for this program */
} SideShare;

/* Bytes sent around the rings of each dimension, in + and in - direction, by
 * one NPU for all chunks so far. */
typedef struct {
    uint64_t bytes[TOPOLOGY_MAX_DIMS][2];
} Ways;

/* An interval of time. */
typedef struct {
    SimTime from_ps, to_ps;
} SystemSpan;

struct System {
    System *whole;    /* this, or the system of which this is a region; counters
                         that all regions share are there */
    Regions *regions; /* owned by .whole; NULL: one thread simulates all */
    uint32_t region;  /* number of this region */
    const SystemConfig *config; /* borrowed */
    SimEngine *engine;
    Topology *topology;
    Network *network;
    OpGraph *graph;
    Fold *fold; /* owned: the equivalence classes of NPUs */
    /* Owned; why there is more than one class, or NULL. */
    char *unfolded_reason;
    gboolean is_alike; /* all NPUs are in one class */
    uint32_t n_sim;    /* NPUs simulated: fold_n_ends() */
    Npu *npus;
    CollPlacement placement;   /* owned: roles, groups */
    Stack *stack;              /* owned: the library model */
    CollectiveClasses schemes; /* owned: the plans of collectives */
    Cut *cuts;                 /* owned: one per operation */
    uint64_t cut_error_ppm;    /* see system_cut_error_ppm() */
    uint64_t window;           /* maximum of chunks in flight on an NPU */
    /* SCHEDULER_FAIR only with several communicators. */
    SchedulerKind scheduler;
    uint32_t n_communicators; /* communicators that share fairly */
    /* Owned: one per operation; NULL if none share. */
    uint32_t *communicator_of;
    uint64_t *windows; /* owned: one per communicator; NULL if none share */
    gboolean may_run_ahead;    /* some rank of some collective receives nothing,
                                  and can begin the next before the others end */
    uint64_t *n_chunks_before; /* owned: one per operation: chunks of its scheme
                                  before it in the graph */
    ComputeScale *scales;      /* owned: one per operation */
    uint32_t *ranks;           /* owned: see op_times_ranks() */
    OpRules *rules;            /* owned; NULL: no `perturb.ops` */
    StreamOps *role_ops;       /* owned: one per role */
    OpSlots slots;
    guint8 *flows;       /* owned: the job of each role; NULL: one job */
    GArray **dependents; /* owned: one per operation, of uint32_t */
    /* Owned: one per operation, of CollInstance in flight. */
    GPtrArray **instances;
    GPtrArray *admissions;  /* of CollInstance: see scheduler.c */
    guint next_drop_length; /* length of .admissions at which followed ones are
                          dropped */
    /* Admissions ever; .admissions are the last of them. */
    uint64_t n_admissions;
    StepLinksTable *exits;        /* owned: for direct collectives */
    GPtrArray *chunks;            /* owned: of Chunk, by slot */
    GPtrArray *free_chunks;       /* of Chunk: records to use again */
    Ways *ways;                   /* owned: one per audience of schemes */
    Communicators *communicators; /* owned; NULL: none share */
    MultiProgram *turns;          /* owned; NULL: all NPUs have one program, or
                                     .communicators admit chunks */
    Lanes *lanes;                 /* owned; NULL: the graph has no lanes */
    Stages *stages;               /* owned; NULL: the graph has no stages */
    SkipMode skip;
    Steady *steady;             /* owned; NULL: no part of the run is skipped */
    const PeriodListener *told; /* static; the calls of .steady */
    uint64_t n_skipped;         /* chunks of NPU 0 that were skipped */
    uint64_t n_entries[COLL_MAX_PHASES]; /* entry numbers assigned so far, for
                                            Chunk.entry */
    AdmissionConsensus
        consensus; /* owned: agreement of NPUs on entries and admissions */
    uint64_t n_chunks_made, n_instances_made, n_events;
    uint64_t most_bytes; /* limit of the memory of the run */
    /* NPUs with a collective in flight; since when there are any; total time
     * with any. */
    uint32_t n_communicating;
    SimTime communicates_since_ps, communicated_ps;
    GArray *communicated; /* owned: the intervals of that time, of SystemSpan;
                             NULL without regions */
    uint32_t n_instances_live, n_chunks_live;
    uint32_t most_in_flight;           /* maximum of chunks on an NPU so far */
    uint32_t max_active_communicators; /* maximum of .communicators with chunks
                               on an NPU so far */
    gboolean depends_on_times;         /* the program depends on kernel times */
    SideShare side;                    /* share of the side stream */
    GrantedShares shares;
    Npu **arrived; /* owned: NPUs with messages in their inbox */
    uint32_t n_arrived;
    gboolean keeps_intake_order; /* chunks enter phases in order of intake */
    gboolean has_chosen_cuts;    /* some cuts depend on the endpoint */
    gpointer notes;              /* owned: see EndpointInvariance; or NULL */
    Watch watch;
    gboolean stores_at_once; /* see EndpointOps */
    gboolean is_told;        /* there is a listener, or will be */
    gboolean is_timed; /* some listener needs events at their time, none in
                          advance */
};

/* ---- assemble.c ------------------------------------------------------- */

/* Returns the tasks of endpoints on NPUs of @role, by kind.  The caller owns
 * the array of EndpointTask. */
GArray *system_tasks_of(const System *system, uint32_t role);
/* Returns the site of an endpoint with @tasks, which it borrows. */
EndpointSite system_site_of(const System *system, const GArray *tasks);

/* Builds the program and the cuts of @config without NPUs, so that it cannot be
 * run.  Returns NULL and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
System *system_new_plan(const SystemConfig *config, GError **error);

/* ---- size.c ----------------------------------------------------------- */

G_GNUC_WARN_UNUSED_RESULT
/* Returns FALSE and sets @error if the run needs more than @most; see
 * system_new_within(). */
gboolean system_check_size(System *system, SystemSize most, GError **error);

/* ---- results.c ---------------------------------------------------------- */

/* Returns whether some role has kernels on @stream. */
gboolean system_has_kernels(const System *system, OpStream stream);

/* ---- cuts.c ----------------------------------------------------------- */

/* One collective that is simulated alone, to compare cuts and orders. */
typedef struct {
    const Op *op;
    uint64_t payload_bytes; /* replaces the payload of .op */
    CollOrder order;
    Cut cut; /* complete */
    /* Messages that it moves by the cost model (see CutRehearseFn), and the
     * limit. */
    uint64_t n_messages, most_messages;
    gboolean is_whole;
} Rehearsal;

/* Returns the time of the collective, or SIM_TIME_MAX if it cannot be simulated
 * alone or within the limit of messages. */
typedef SimTime (*RehearseFn)(const System *system, const Rehearsal *what);

/* Sets the cut of each collective and the order of its chunks, as configured or
 * chosen.  @rehearse is NULL in a rehearsal, where everything is given. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_make_cuts(System *system, RehearseFn rehearse, GError **error);

/* ---- fold.c ----------------------------------------------------------- */

/* Decides which NPUs are simulated.  Returns FALSE with
 * SYSTEM_ERROR_CANNOT_FOLD if @mode requires a reduction and there is none. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_decide_fold(System *system, FoldMode mode, GError **error);

/* ---- limits.c --------------------------------------------------------- */

/* Returns FALSE and sets @error, at the value that is the cause, if kernels of
 * some stream could never end. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_check_limits(const System *system, GError **error);
/* Returns whether the kernels of an NPU may have no SMs or bandwidth while
 * chunks are in flight on it. */
gboolean system_may_starve(const System *system);
/* Adds to @text, without a line end, the properties that make the run long. */
void system_explain_length(const System *system, GString *text);

#endif
