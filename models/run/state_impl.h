/*
 * state_impl.h - what the parts of a system share; for models/run only
 *
 * A System runs the NPUs of a platform, or the one that stands for all.
 *
 *   assemble.c  puts it together
 *   cuts.c      says how each collective is cut
 *   limits.c    refuses what would never end
 *   size.c      refuses what there is no memory for
 */
#ifndef MODELS_RUN_STATE_IMPL_H
#define MODELS_RUN_STATE_IMPL_H

#include "models/run/prepare/op_rules.h"
#include "models/run/prepare/scheme.h"
#include "models/run/report/shares.h"
#include "models/run/steady/skip.h"
#include "models/run/steady/told.h"
#include "models/trace/watch.h"

typedef struct Npu Npu;                     /* npu_impl.h */
typedef struct MultiProgram MultiProgram;   /* turns.h */
typedef struct Communicators Communicators; /* communicators.h */
typedef struct Lanes Lanes;                 /* lanes.h */
typedef struct Stages Stages;               /* stages.h */
typedef struct ExitsTable ExitsTable;       /* exits.h */
typedef struct Regions Regions;             /* regions/regions.h */

/* Compute operations of a role, in order. */
typedef struct {
    GArray *of[OP_N_STREAMS]; /* owned: of uint32_t */
} StreamOps;

/* The part of the NPU that the side stream has; see side_share.h. */
typedef struct {
    uint64_t n_sms, bytes_per_s;
    gboolean is_chosen; /* at least one of them, for this program */
} SideShare;

/* Bytes sent round each dimension, once a chunk: + and - */
typedef struct {
    uint64_t bytes[TOPOLOGY_MAX_DIMS][2];
} Ways;

/* From one time to another. */
typedef struct {
    SimTime from_ps, to_ps;
} SystemSpan;

struct System {
    System *whole; /* this, or whose region it is: what all change is there */
    Regions *regions;           /* owned by .whole; NULL: it has none, */
    uint32_t region;            /* or which of them this is */
    const SystemConfig *config; /* borrowed */
    SimEngine *engine;
    Topology *topology;
    Network *network;
    OpGraph *graph;
    Fold *fold;            /* owned: which NPUs stand for which */
    char *unfolded_reason; /* owned; NULL when there is one class */
    gboolean is_alike;     /* one NPU could stand for all */
    uint32_t n_sim;        /* NPUs simulated: fold_n() */
    Npu *npus;
    CollCast cast;             /* owned: roles, groups */
    Stack *stack;              /* owned: who decides how, */
    Schemes schemes;           /* owned: how collectives go */
    Cut *cuts;                 /* owned: one an op */
    uint64_t cut_error_ppm;    /* see system_cut_error_ppm() */
    uint64_t window;           /* chunks in flight on an NPU, the most */
    SchedulerKind scheduler;   /* SCHEDULER_FAIR: with several communicators */
    uint32_t n_communicators;  /* that share; 0: none share */
    uint32_t *communicator_of; /* owned: one an op; NULL: none share */
    uint64_t *windows;         /* owned: of each, on an NPU; likewise */
    gboolean may_run_ahead;    /* some rank of some collective gets nothing, and
                                * begins the next while the others are at it */
    uint64_t *n_chunks_before; /* owned: one an op: of its scheme, in the
                                * graph */
    ComputeScale *scales;      /* owned: one an op */
    uint32_t *ranks;           /* owned: see op_times_ranks() */
    OpRules *rules;            /* owned; NULL: of `perturb.ops` there is none */
    StreamOps *role_ops;       /* owned: one a role */
    guint8 *flows;             /* owned: of messages, one a role; NULL: all are
                                * of one job */
    GArray **dependents;       /* owned: one an op, of uint32_t */
    GPtrArray **instances;     /* owned: one an op, of CollInstance in flight */
    GPtrArray *admissions;     /* of CollInstance: see scheduler.c */
    guint next_forget;         /* length at which to look what all have made */
    uint64_t n_admissions;     /* ever: those are the last of them */
    ExitsTable *exits;         /* owned: of direct collectives */
    GPtrArray *chunks;         /* owned: of Chunk, by slot */
    GPtrArray *free_chunks;    /* of Chunk: records to use again */
    Ways *ways;                /* owned: one an audience */
    Communicators *communicators; /* owned; NULL: none share */
    MultiProgram *turns;          /* owned; NULL: all NPUs have one program, or
                                   * .communicators say what is taken in */
    Lanes *lanes;                 /* owned; NULL: the graph has none */
    Stages *stages;               /* owned; NULL: the graph has none */
    SkipMode skip;
    Steady *steady;                      /* owned; NULL: all is simulated */
    const SteadyTold *told;              /* static; with it */
    uint64_t n_skipped;                  /* chunks of NPU 0 */
    uint64_t n_entries[COLL_MAX_PHASES]; /* given out, of Chunk.entry */
    Accord accord;                       /* owned: on that, and on admissions */
    uint64_t n_chunks_made, n_instances_made, n_events;
    uint64_t most_bytes; /* of memory that a run may take */
    /* NPUs that are at a collective; since when there are any, and how long
     * there were. */
    uint32_t n_communicating;
    SimTime communicates_since_ps, communicated_ps;
    GArray *communicated; /* owned: those times, of SystemSpan; NULL: there are
                           * no regions */
    uint32_t n_instances_live, n_chunks_live;
    uint32_t most_in_flight; /* chunks on an NPU, ever */
    uint32_t most_together;  /* of .communicators, with some of them */
    gboolean asked_times;    /* the program hangs on how long kernels take */
    SideShare side;          /* of the side stream */
    SharesGiven shares;
    Npu **arrived; /* owned: those with something in their inbox */
    uint32_t n_arrived;
    gboolean keeps_intake;    /* chunks enter phases in order of intake */
    gboolean has_chosen_cuts; /* some hang on what the endpoint has */
    gpointer notes;           /* owned: see EndpointSlack; or NULL */
    Watch watch;
    gboolean stores_at_once; /* see EndpointOps */
    gboolean is_told;        /* somebody listens, or is going to */
    gboolean is_timed; /* some listener is told nothing ahead of its time */
};

/* ---- assemble.c ------------------------------------------------------- */

/* What endpoints of NPUs of @role have to do, by kind.  Owner: the caller, of
 * EndpointTask. */
GArray *system_tasks_of(const System *system, uint32_t role);
/* Where an endpoint with @tasks, which it borrows, is. */
EndpointSite system_site_of(const System *system, const GArray *tasks);

/* What @config has to do and how collectives are cut, without NPUs: it cannot
 * be run. */
G_GNUC_WARN_UNUSED_RESULT
System *system_new_plan(const SystemConfig *config, GError **error);

/* ---- size.c ----------------------------------------------------------- */

G_GNUC_WARN_UNUSED_RESULT
gboolean system_check_size(System *system, SystemSize most, GError **error);

/* ---- count.c ---------------------------------------------------------- */

/* Whether some role has any on @stream. */
gboolean system_has_kernels(const System *system, OpStream stream);

/* ---- cuts.c ----------------------------------------------------------- */

/* One collective of a system with nothing beside it, that is simulated to see
 * how its choices compare. */
typedef struct {
    const Op *op;
    uint64_t payload_bytes; /* in the place of the operation's */
    CollOrder order;
    Cut cut; /* all of whose numbers are given */
    /* What it moves by the cost model, as a CutRehearseFn has it, and may. */
    uint64_t n_messages, most_messages;
    gboolean is_whole;
} Rehearsal;

/* Returns the time of the collective; SIM_TIME_MAX: it cannot be simulated
 * alone, or not by so few messages. */
typedef SimTime (*RehearseFn)(const System *system, const Rehearsal *what);

/* How each collective is cut, and in which orders its chunks go, as configured
 * or chosen.  @rehearse is NULL in a rehearsal, in which nothing is left to be
 * chosen. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_make_cuts(System *system, RehearseFn rehearse, GError **error);

/* ---- fold.c ----------------------------------------------------------- */

/* Which NPUs are simulated.  SYSTEM_ERROR_CANNOT_FOLD: all, where fewer are
 * asked for. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_decide_fold(System *system, FoldMode mode, GError **error);

/* ---- limits.c --------------------------------------------------------- */

/* FALSE: some stream of kernels would never end, at the value to blame. */
G_GNUC_WARN_UNUSED_RESULT
gboolean system_check_limits(const System *system, GError **error);
/* While chunks are in flight on an NPU its kernels may have nothing to run
 * with. */
gboolean system_may_starve(const System *system);
/* What makes a run take so long, in a line without its end. */
void system_explain_length(const System *system, GString *text);

#endif
