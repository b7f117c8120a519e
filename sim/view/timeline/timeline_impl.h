/* timeline_impl.h - shared by the files of a timeline */
#ifndef SIM_VIEW_TIMELINE_TIMELINE_IMPL_H
#define SIM_VIEW_TIMELINE_TIMELINE_IMPL_H

#include "models/observe/utilisation.h"
#include "sim/view/timeline/timeline.h"
#include "sim/view/timeline/trace_file.h"
#include "workloads/fixed_time_queues.h"

/* Trace processes of an NPU, numbered from 1; the last one exists only with a
 * recording. */
enum {
    PROCESS_NPU = 1,
    PROCESS_COLLECTIVES,
    PROCESS_CHUNKS,
    N_PROCESSES = PROCESS_CHUNKS,
    PROCESS_RECORDED,
};

/* The threads of the trace process PROCESS_NPU. */
enum {
    THREAD_MAIN = 1, /* plus the number of the OpStream */
    THREAD_WAITS = THREAD_MAIN + OP_N_STREAMS,
    THREAD_QUEUES, /* plus the index of the queue in the graph */
};

/* A collective or chunk in flight, and its open slices. */
typedef struct {
    uint32_t op;
    uint32_t thread; /* the thread of the slice; 0: not in flight */
    gboolean has_open_slice, has_open_phase_slice;
    gboolean had_phase;
} TimelinePiece;

typedef struct {
    uint32_t npu, place; /* id, and index among the simulated NPUs */
    uint32_t process;    /* the number before the first process of the NPU */
    /* The end of the first iteration of the NPU; used with a recording. */
    SimTime first_end_ps;
    gboolean shows_kernel[OP_N_STREAMS];
    gboolean shows_stage[OP_MAX_QUEUES];
    gboolean has_queue[OP_MAX_QUEUES]; /* the thread of the queue has a name */
    /* TRUE while the main stream runs a kernel; otherwise it waits. */
    gboolean runs;
    SimTime since_ps; /* the time since which the main stream runs or waits */
    uint32_t last_op; /* last operation that ended */
    GArray *collectives; /* owned: of TimelinePiece, by operation */
    GArray *chunks;      /* owned: of TimelinePiece, by slot */
    /* Owned: the fusion buffers of lanes, by slot; of TimelinePiece. */
    GArray *loads;
    /* For each process, which of its threads are in use (owned arrays of
     * gboolean). */
    GArray *is_thread_taken[N_PROCESSES + 1];
    Utilisation *utilisation; /* borrowed */
} WatchedNpu;

/* A stage of a pipeline, with the unit that it runs. */
typedef struct {
    uint32_t npu;       /* the NPU that is shown */
    const OpUnit *unit; /* borrowed */
    uint64_t iteration;
    SimTime end_ps;          /* of the last kernel */
    gboolean has_open_slice; /* the unit's slice has begun and not ended */
    char name[32];
} PipelineStage;

struct Timeline {
    const char *path;                 /* borrowed */
    const TimelineRecorded *recorded; /* borrowed; NULL without a recording */
    System *system;                   /* borrowed */
    TraceFile *file;                  /* owned */
    UtilisationSet *utilisations;     /* owned */
    /* The names of operations (owned texts); NULL if a name is not made yet. */
    GPtrArray *op_names;
    /* The names of phases by kind and dimension (owned). */
    GHashTable *phase_names;
    /* The selected NPUs, by index of the NPU; NULL if an NPU is not selected
     * (owned). */
    WatchedNpu **watched;
    /* The process of the pipeline, and its stages (owned, of PipelineStage). */
    uint32_t pipeline_process;
    GArray *stages;
    guint n_npus; /* number of simulated NPUs */
    guint n_watched;
};

/* Returns NULL if @npu is not selected. */
static inline WatchedNpu *timeline_find_watched(const Timeline *timeline,
                                                uint32_t npu)
{
    return timeline->watched[system_representative_npu(timeline->system, npu)];
}

static inline TraceTrack timeline_track_of_npu(const WatchedNpu *watched_npu,
                                               uint32_t process,
                                               uint32_t thread)
{
    return (TraceTrack){ .process = watched_npu->process + process,
                         .thread = thread,
                         .is_coarse = process == PROCESS_CHUNKS };
}

/* ---- functions of timeline_dependencies.c -------------------------------- */

/* Returns the head of a file for the NPUs @npus, as JSON: the NPUs and groups.
 * The caller owns the text. */
char *timeline_head_json(const Timeline *timeline, const GArray *npus);
/* Adds the properties of @op, and its dependencies on that NPU, to the @args of
 * its slice. */
void timeline_add_dependencies(const Timeline *timeline,
                               const WatchedNpu *watched, uint32_t op,
                               uint64_t iteration, TraceArgs *args);

/* ---- functions of timeline_events.c -------------------------------------- */

extern const TraceOps timeline_ops;

/* Adds the wait of the main stream up to @to_ps, which @op ended. */
void timeline_add_wait(Timeline *timeline, const WatchedNpu *watched,
                       uint32_t op, SimTime to_ps);

/* Returns entry @i of @pieces, which grows as needed. */
TimelinePiece *timeline_piece_at(GArray *pieces, uint32_t i);
/* Begin and end a slice for @op on a separate thread of @process.  Its parts
 * are slices below it, one after the other. */
void timeline_begin_slice_on_free_thread(Timeline *timeline,
                                         WatchedNpu *watched, uint32_t process,
                                         TimelinePiece *piece, uint32_t op,
                                         const TraceArgs *args, SimTime now_ps);
void timeline_end_slice_on_thread(Timeline *timeline, WatchedNpu *watched,
                                  uint32_t process, TimelinePiece *piece,
                                  SimTime now_ps);
void timeline_begin_child_slice(const Timeline *timeline,
                                const WatchedNpu *watched, uint32_t process,
                                TimelinePiece *piece, const char *name,
                                const char *category, SimTime now_ps);
void timeline_end_child_slice(const Timeline *timeline,
                              const WatchedNpu *watched, uint32_t process,
                              const TimelinePiece *piece, const char *name,
                              SimTime now_ps);

/* ---- functions of timeline_collective_lanes.c ---------------------------- */

extern const TraceOps timeline_lanes;

/* ---- functions of timeline_stages.c -------------------------------------- */

extern const TraceOps timeline_stages;

/* ---- functions of timeline_pipeline.c ------------------------------------ */

extern const TraceOps timeline_pipeline;
void timeline_finish_pipeline(Timeline *timeline);

/* ---- functions of timeline_recorded.c ------------------------------------ */

extern const TraceOps timeline_recorded_ops;
void timeline_add_recorded(Timeline *timeline);

/* ---- functions of timeline_counters.c ------------------------------------ */

/* Adds the counters of @process, up to @end_ps. */
void timeline_add_counters(TraceFile *file, uint32_t process,
                           const TimeBuckets *buckets, const System *system,
                           SimTime end_ps);

#endif
