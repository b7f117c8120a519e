/* timeline_impl.h - what the parts of a timeline share */
#ifndef SIM_VIEW_TIMELINE_TIMELINE_IMPL_H
#define SIM_VIEW_TIMELINE_TIMELINE_IMPL_H

#include "models/observe/utilisation.h"
#include "sim/view/timeline/timeline.h"
#include "sim/view/timeline/trace_file.h"
#include "workloads/queues.h"

/* Three processes an NPU, from 1, and one more where it stands beside what was
 * recorded. */
enum {
    PROCESS_NPU = 1,
    PROCESS_COLLECTIVES,
    PROCESS_CHUNKS,
    N_PROCESSES = PROCESS_CHUNKS,
    PROCESS_RECORDED,
};

/* Threads of the first. */
enum {
    THREAD_MAIN = 1, /* + OpStream */
    THREAD_WAITS = THREAD_MAIN + OP_N_STREAMS,
    THREAD_QUEUES, /* + that of the graph */
};

/* A collective or a chunk under way, and what of it has begun in the file. */
typedef struct {
    uint32_t op;
    uint32_t lane; /* thread; 0: not under way */
    gboolean shown, shows_part;
    gboolean had_phase;
} Piece;

typedef struct {
    uint32_t npu, place;  /* its name, and its number among those simulated */
    uint32_t process;     /* before its first */
    SimTime first_end_ps; /* of the first iteration, beside what was recorded */
    gboolean shows_kernel[OP_N_STREAMS];
    gboolean shows_stage[OP_MAX_QUEUES];
    gboolean has_queue[OP_MAX_QUEUES]; /* its thread has a name */
    gboolean runs;                     /* the main stream; else it waits, */
    SimTime since_ps;                  /* since */
    uint32_t last_op;                  /* that ended */
    GArray *collectives;               /* owned, of Piece: by operation */
    GArray *chunks;                    /* owned, of Piece: by slot */
    GArray *loads;                     /* owned, of Piece: of lanes, by slot */
    GArray *lanes[N_PROCESSES + 1];    /* owned, of gboolean: taken */
    Utilisation *utilisation;          /* borrowed */
} Watched;

struct Timeline {
    const char *path;             /* borrowed */
    const TimelineBeside *beside; /* borrowed; NULL: nothing */
    System *system;               /* borrowed */
    TraceFile *file;              /* owned */
    Utilisations *utilisations;   /* owned */
    GPtrArray *op_names;          /* owned, of char: by operation, some NULL */
    GHashTable *phase_names;      /* owned: of what a phase is */
    Watched **watched;            /* owned: by place, NULL where it is not */
    guint n_npus;                 /* simulated */
    guint n_watched;
};

/* NULL: nobody asked for @npu. */
static inline Watched *timeline_watched(const Timeline *t, uint32_t npu)
{
    return t->watched[system_place(t->system, npu)];
}

static inline TraceTrack timeline_track(const Watched *w, uint32_t process,
                                        uint32_t thread)
{
    return (TraceTrack){ .process = w->process + process,
                         .thread = thread,
                         .is_coarse = process == PROCESS_CHUNKS };
}

/* ---- timeline_cause.c ------------------------------------------------- */

/* What stands before the events of a file in which @npus are watched, as JSON:
 * who there is, and groups.  Owner: the caller. */
char *timeline_head(const Timeline *timeline, const GArray *npus);
/* Adds what @op is, and what it waits for on that NPU, to the @args of its
 * slice. */
void timeline_add_cause(const Timeline *timeline, const Watched *watched,
                        uint32_t op, uint64_t iteration, TraceArgs *args);

/* ---- timeline_events.c ------------------------------------------------ */

extern const TraceOps timeline_ops;

/* "all-reduce of conv1", "conv1", "conv1 elementwise".  Borrowed. */
const char *timeline_op_name(const Timeline *timeline, uint32_t op);

/* Up to @to_ps the main stream has waited, and @op ended it. */
void timeline_add_wait(Timeline *timeline, const Watched *watched, uint32_t op,
                       SimTime to_ps);

/* What is at @i of @pieces, which grow. */
Piece *timeline_piece(GArray *pieces, uint32_t i);
/* @op has a thread of its own of @process until it ends; what it is made of,
 * one after the other, is below it. */
void timeline_begin_piece(Timeline *timeline, Watched *watched,
                          uint32_t process, Piece *piece, uint32_t op,
                          const TraceArgs *args, SimTime now_ps);
void timeline_end_piece(Timeline *timeline, Watched *watched, uint32_t process,
                        Piece *piece, SimTime now_ps);
void timeline_begin_part(const Timeline *timeline, const Watched *watched,
                         uint32_t process, Piece *piece, const char *name,
                         const char *category, SimTime now_ps);
void timeline_end_part(const Timeline *timeline, const Watched *watched,
                       uint32_t process, const Piece *piece, const char *name,
                       SimTime now_ps);

/* ---- timeline_lanes.c ------------------------------------------------- */

extern const TraceOps timeline_lanes;

/* ---- timeline_stages.c ------------------------------------------------ */

extern const TraceOps timeline_stages;

/* ---- timeline_beside.c ------------------------------------------------ */

extern const TraceOps timeline_beside;
void timeline_add_beside(Timeline *timeline);

/* ---- timeline_counters.c ---------------------------------------------- */

/* Counters of @process, up to @end_ps. */
void timeline_add_counters(TraceFile *file, uint32_t process,
                           const Buckets *buckets, const System *system,
                           SimTime end_ps);

#endif
