/*
 * run_state_impl.h - the state of a run, private to models/run
 *
 * A System simulates the NPUs of a platform, or one NPU of each equivalence
 * class.
 *
 *   system_assembly.c  builds it
 *   chunking_choice.c      chooses how each collective is cut
 *   config_limits.c    refuses what would never end
 *   size_estimate.c      refuses what needs more memory than there is
 */
#ifndef MODELS_RUN_RUN_STATE_IMPL_H
#define MODELS_RUN_RUN_STATE_IMPL_H

#include "models/npu/kernel_demands.h"
#include "models/run/prepare/collective_class.h"
#include "models/run/prepare/op_rules.h"
#include "models/run/quiescent/quiescent_callbacks.h"
#include "models/run/report/granted_npu_shares.h"
#include "models/run/steady/period_listener.h"
#include "models/run/steady/skip_mode.h"
#include "models/trace/listener_list.h"

typedef struct Npu Npu; /* defined in npu_impl.h */
/* defined in collective_instance_impl.h */
typedef struct CollInstance CollInstance;
typedef struct MultiProgram
    MultiProgram; /* defined in multi_program_scheduler.h */
typedef struct Communicators Communicators; /* defined in communicators.h */
typedef struct Lanes Lanes;                 /* defined in collective_lanes.h */
typedef struct FixedTimeQueues
    FixedTimeQueues; /* defined in fixed_time_queues.h */
typedef struct StepLinksTable
    StepLinksTable;             /* defined in first_link_of_steps.h */
typedef struct Regions Regions; /* defined in regions/regions.h */

/* The operations of a role, in order. */
typedef struct {
    /* Owned: all but the buffers of lanes; the elements are uint32_t. */
    GArray *ops;
    /* Owned: the kernels of each stream; the elements are uint32_t
     * operations. */
    GArray *by_stream[OP_N_STREAMS];
} RoleOps;

/* The numbers of the operations within each role: those of its collectives in
 * table order, then those of the others.  An NPU has counters for the
 * operations of its own role only, and times for its collectives only. */
typedef struct {
    /* Owned: one per operation.  An operation of one role: its number.  An
     * operation of several roles: OP_SLOT_SHARED + the index in .shared of its
     * number in the first of them; the others follow. */
    uint32_t *of_op;
    GArray *shared;          /* owned: of uint32_t */
    uint32_t *n_slots;       /* owned: one per role: its operations */
    uint32_t *n_collectives; /* owned: one per role: its collectives */
} OpSlots;

#define OP_SLOT_SHARED (UINT32_C(1) << 31)

/* The share of the NPU that the side stream has; see side_stream_share.h. */
typedef struct {
    uint64_t n_sms, bytes_per_s;
    /* At least one of the values was chosen for this program. */
    gboolean is_chosen;
} SideShare;

/* Bytes that one NPU has sent around the rings of each dimension, in + and in -
 * direction, for all chunks so far. */
typedef struct {
    uint64_t bytes[TOPOLOGY_MAX_DIMS][2];
} RingBytes;

/* An interval of simulated time. */
typedef struct {
    SimTime from_ps, to_ps;
} SystemSpan;

/* The part of a run that is fixed before the first event.  All regions have
 * equal plans.  Owned members are freed by system_free() of the
 * whole system. */
typedef struct {
    const SystemConfig *config; /* borrowed */
    Topology *topology;         /* owned */
    OpGraph *graph;             /* owned */
    SymmetryFold *fold;         /* owned: the equivalence classes of NPUs */
    /* Number of simulated NPUs: symmetry_fold_n_simulated_ends(). */
    uint32_t n_sim;
    gboolean is_alike; /* all NPUs are in one equivalence class */
    /* Largest number of chunks in flight on an NPU. */
    uint64_t window;
    /* SCHEDULER_FAIR only if there are several communicators. */
    SchedulerKind scheduler;
    /* Number of communicators that share NPUs and links fairly. */
    uint32_t n_communicators;
    /* Owned: the communicator of each operation; NULL if none share. */
    uint32_t *communicator_of;
    /* Owned: one per communicator; NULL if none share. */
    uint64_t *communicator_windows;
    CollPlacement placement;              /* owned: roles and groups of NPUs */
    CollectiveClasses collective_classes; /* owned: the plans of collectives */
    Cut *cuts;                            /* owned: the cut of each operation */
    ComputeScale *kernel_scales;          /* owned: one per operation */
    uint32_t *op_npu_indices; /* owned: see op_times_npu_indices() */
    OpRules *op_rules;        /* owned; NULL: no `perturb.ops` */
    RoleOps *role_ops;        /* owned: one per role */
    OpSlots slots;
    /* Owned: the operations that depend on each operation; a collective depends
     * on itself, its instance before.  See system_dependents(). */
    uint32_t *dependents;
    /* Owned: for each operation the index in .dependents of its first
     * dependent; one more element holds the length of .dependents. */
    uint32_t *first_dependents;
    /* Owned: one per operation: chunks of its collective class before it in the
     * graph. */
    uint64_t *n_chunks_before;
    /* SMs and HBM bandwidth of the side stream. */
    SideShare side_share;
    guint8 *job_of_role;   /* owned; NULL: one job */
    Stack *stack;          /* owned: the library model */
    OpEndpoints endpoints; /* owned: the endpoint of each operation */
    SkipMode skip;
    /* Some rank of some collective receives nothing, so it may begin the next
     * collective before the other ranks end. */
    gboolean may_run_ahead;
    /* Chunks enter phases in the order in which they were started. */
    gboolean keeps_intake_order;
    gboolean stores_at_once; /* value of EndpointOps.stores_at_once */
    gboolean has_listener;   /* the run has a listener, or will have one */
    /* Some listener needs events at their own time, none in advance. */
    gboolean needs_exact_times;
    gboolean depends_on_times; /* the program depends on kernel times */
    /* Some cuts were chosen by the cost model and depend on the endpoint. */
    gboolean has_chosen_cuts;
    uint64_t cut_error_ppm; /* result of system_chunking_error_ppm() */
    uint64_t memory_limit_bytes;
    /* Owned: why there is more than one equivalence class, or NULL. */
    char *unfolded_reason;
} SystemPlan;

/* The part of a run that events change.  Regions have an engine, a network,
 * .demands, .step_links, .consensus and .arrived of their own.  They share the
 * rest. */
typedef struct {
    SimEngine *engine;
    Network *network;
    Npu *npus;
    Npu **arrived; /* owned: NPUs with messages in their inbox */
    uint32_t n_arrived;
    /* Number of NPUs with a collective in flight, and since when there are
     * any. */
    uint32_t n_communicating;
    SimTime communicates_since_ps;
    uint32_t n_instances_live, n_chunks_live;
    /* Owned: the chunks in flight, by slot; the elements are Chunk. */
    GPtrArray *chunks;
    /* Records that can be reused; the elements are Chunk. */
    GPtrArray *free_chunks;
    uint64_t n_chunks_made, n_instances_made;
    /* Owned: one per operation: the collectives in flight, linked by
     * CollInstance.next, or NULL. */
    CollInstance **instances;
    /* The admissions that some NPU has yet to follow (chunk_scheduler.c); the
     * elements are CollInstance. */
    GPtrArray *admissions;
    /* Length of .admissions at which those that all NPUs have followed are
     * dropped. */
    guint next_drop_length;
    /* Number of admissions of the whole run; .admissions holds the last of
     * them. */
    uint64_t n_admissions;
    KernelDemands *demands; /* owned */
    /* Owned: the first links of steps, for direct collectives. */
    StepLinksTable *step_links;
    /* Owned: one element for each distinct set of NPUs that run a collective
     * (CollectiveClass.audience). */
    RingBytes *ring_bytes;
    /* Owned; NULL: no communicators share an NPU. */
    Communicators *communicators;
    /* Owned; NULL: all NPUs have one program, or .communicators admit
     * chunks. */
    MultiProgram *multi_program;
    /* Owned; NULL: all collectives are simulated. */
    QuiescentCollectives *quiescent;
    /* Static: the callbacks of .quiescent. */
    const QuiescentListener *quiescent_callbacks;
    Lanes *lanes;            /* owned; NULL: the graph has no lanes */
    FixedTimeQueues *stages; /* owned; NULL: the graph has no stages */
    /* Owned: steady-state detection; NULL: no part of the run is skipped. */
    Steady *steady;
    const PeriodListener *period_listener; /* static: callbacks of .steady */
    /* Owned: agreement of NPUs on the order of entries and admissions. */
    AdmissionConsensus consensus;
    /* Entry numbers assigned so far in each phase, for Chunk.entry. */
    uint64_t n_entries[COLL_MAX_PHASES];
    Watch watch;
} SystemState;

/* The counts for the report of a run.  Skipping also reads .most_in_flight. */
typedef struct {
    uint64_t n_events;
    uint64_t n_skipped;      /* chunks of NPU 0 that were skipped */
    uint64_t n_skip_checked; /* those that SKIP_CHECK compared instead */
    ReplayCounts replay_counts;
    SimTime communicated_ps; /* total time with a collective in flight */
    /* Owned: the intervals of time with a collective in flight, of SystemSpan;
     * NULL without regions. */
    GArray *communicated;
    /* Largest number of chunks in flight on an NPU so far. */
    uint32_t most_in_flight;
    /* Largest number of SystemState.communicators with chunks in flight on an
     * NPU so far. */
    uint32_t max_active_communicators;
    GrantedShares shares;
    /* Owned: what the endpoint records for invariance (EndpointInvariance); or
     * NULL. */
    gpointer endpoint_notes;
} SystemCounters;

struct System {
    /* The system itself, or the system of which it is a region.  The counters
     * that all regions share are those of .whole. */
    System *whole;
    Regions *regions; /* owned by .whole; NULL: one thread simulates all NPUs */
    uint32_t region;  /* index of this region among the regions */
    SystemPlan plan;
    SystemState state;
    SystemCounters counters;
};

/* Returns the operations that depend on @op, and sets *@ret_n to their
 * number. */
static inline const uint32_t *system_dependents(const System *system,
                                                uint32_t op, uint32_t *ret_n)
{
    const uint32_t *first = &system->plan.first_dependents[op];

    *ret_n = first[1] - first[0];
    return &system->plan.dependents[first[0]];
}

/* ---- system_assembly.c --------------------------------------------------- */

/* Returns the tasks of endpoints on NPUs of @role, by kind.  The caller owns
 * the array of EndpointTask. */
GArray *system_endpoint_tasks(const System *system, uint32_t role);
/* Returns the site of an endpoint with @tasks, which it borrows. */
EndpointSite system_endpoint_site(const System *system, const GArray *tasks);

/* Builds the program and the cuts of @config without NPUs, so that it cannot be
 * run.  Returns NULL and sets @error on failure. */
G_GNUC_WARN_UNUSED_RESULT
System *system_new_plan(const SystemConfig *config, GError **error);

/* ---- size_estimate.c ----------------------------------------------------- */

G_GNUC_WARN_UNUSED_RESULT
/* Returns FALSE and sets @error if the run needs more than @most; see
 * RunOptions.limits. */
gboolean system_check_size(System *system, SystemSize most, GError **error);

/* ---- run_results.c ------------------------------------------------------- */

/* Returns whether some role has kernels on @stream. */
gboolean system_has_kernels(const System *system, OpStream stream);

/* ---- chunking_choice.c --------------------------------------------------- */

/* One collective that is simulated alone, to compare cuts and orders. */
typedef struct {
    const Op *op;
    uint64_t payload_bytes; /* payload that replaces that of .op */
    CollOrder order;
    Cut cut;       /* to simulate; values that are CONFIG_AUTO are chosen */
    int algorithm; /* index of coll_algorithm_names; 0: as configured */
    uint64_t most_hops; /* more are not simulated; 0: no limit */
} Rehearsal;

typedef struct {
    /* Returns the number of NPUs that a run of @rehearsal simulates, which
     * does not depend on the payload and the cut.  Returns 0 if the collective
     * cannot be simulated alone. */
    uint32_t (*n_sim)(const System *system, const Rehearsal *rehearsal);
    /* Returns the time of the collective, or SIM_TIME_MAX if the collective
     * cannot be simulated alone or within its limit. */
    SimTime (*time_ps)(const System *system, const Rehearsal *rehearsal);
} RehearsalOps;

/* Sets the cut of each collective and the order of its chunks, as configured or
 * chosen.  @ops is NULL in a rehearsal, where all values are given. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_choose_chunkings(System *system, const RehearsalOps *ops,
                                 GError **error);

/* Does the work of system_find_faster_algorithm(). */
gboolean find_faster_algorithm(const System *system, const RehearsalOps *ops,
                               FasterAlgorithm *ret);

/* ---- npu_folding.c ------------------------------------------------------- */

/* Decides which NPUs are simulated.  Returns FALSE with
 * SYSTEM_ERROR_CANNOT_FOLD if @mode requires a reduction and there is none. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_decide_folding(System *system, FoldMode mode, GError **error);

/* ---- config_limits.c ----------------------------------------------------- */

/* Returns FALSE and sets @error, at the value that is the cause, if kernels of
 * some stream could never end. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_check_limits(const System *system, GError **error);
/* Returns whether the kernels of an NPU may have no SMs or bandwidth while
 * chunks are in flight on it. */
gboolean system_kernels_may_starve(const System *system);
/* Adds to @text, without a line end, the properties that make the run long. */
void system_explain_run_length(const System *system, GString *text);

#endif
