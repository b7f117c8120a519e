/*
 * trace.h - who listens to a run is told what happens in it, as it happens
 *
 * Listeners are set before the run, by system_listen().  They may not change
 * anything: a run that is listened to gives the same result, bit for bit.
 * Nothing is told ahead of time then (see network_let_foresee()), so it has
 * more events; but for a listener that does not mind, see .ahead below.
 *
 * Everything that an NPU does at an instant is done in one chain of calls that
 * begins with the end of something: of a kernel, of a job of the endpoint, of
 * a message's way.  So what a call brings about was caused by the end that was
 * told last, and a listener needs no more to know why anything happened when
 * it did.  But what NPUs take is decided at the end of an instant
 * (models/endpoints/accord.h): that an NPU takes it was caused by the end that
 * was told last when it asked, and that is told.
 *
 * Units    ps; times that are no parameter are those of the call, @now_ps
 * Owner    the caller owns the listeners; what calls are given is borrowed for
 *          their duration
 */
#ifndef MODELS_TRACE_TRACE_H
#define MODELS_TRACE_TRACE_H

#include "models/trace/repeats.h"
#include "models/trace/told.h"

/* Of instance @iteration of operation @op on @npu. */
typedef void (*TraceOpFn)(gpointer self, uint32_t npu, uint32_t op,
                          uint64_t iteration, SimTime now_ps);

typedef struct {
    /* TRUE: what happens to messages may be told ahead of its time, the parts
     * of a message's way all at once; of links, levels and pieces of kernels
     * nothing is told to such a listener alone. */
    gboolean ahead;
    /* Asked after each event: TRUE ends the run, before anything built on what
     * is wrong can assert, wait or go round for ever.  The whole run is slower
     * for it. */
    gboolean (*stops)(gpointer self);
    /* Nothing moves any more.  FALSE with @error set: the run has failed. */
    gboolean (*ends)(gpointer self, const TraceEnd *end, GError **error);
    /* Told when nothing is under way but a kernel, which has just begun on all
     * NPUs, before any that lets a collective begin: visits what it has that
     * counts, and what else could make another iteration of the next.  If that
     * repeats, so do iterations, and it is told of no more: a walk that moves
     * has to end as if this one had not begun (core/steady.h).  NULL: it is
     * told of all. */
    void (*steady)(gpointer self, SteadyWalk *walk);
    const TraceRepeats *repeats; /* static; NULL: told of all under way */
    /* @npu begins. */
    void (*begins)(gpointer self, uint32_t npu, SimTime now_ps);
    TraceOpFn kernel_begins;
    void (*kernel_ran)(gpointer self, uint32_t npu, const TracePiece *piece,
                       SimTime now_ps);
    TraceOpFn kernel_ends;
    /* Kernel or stage @op could begin on @npu, but for the gap before it; that
     * is over. */
    TraceOpFn gap_begins, gap_ends;
    /* A stage, of the input or as it was recorded. */
    TraceOpFn stage_begins, stage_ends;
    TraceOpFn collective_begins;
    /* Its launch, of some time, is over: chunks may start. */
    TraceOpFn collective_launched;
    /* It is none that is simulated, and the last NPU of its set has come to it:
     * told of each of them, as is its end, before that below. */
    TraceOpFn recorded_begins, recorded_ends;
    TraceOpFn collective_ends;

    /* Of lanes (workloads/lane.h).  @op could begin on @npu, and waits in its
     * lane; that lets @load begin at .begin_ps on all NPUs; it begins; it is
     * being copied into its buffer, or out of it again, and has been; and it
     * ends.  What it carries out, and its members, begin and end as above. */
    TraceOpFn collective_handed;
    void (*load_let_go)(gpointer self, const TraceLoad *load, SimTime now_ps);
    void (*load_begins)(gpointer self, uint32_t npu, const TraceLoad *load,
                        SimTime now_ps);
    void (*load_copies)(gpointer self, uint32_t npu, const TraceLoad *load,
                        SimTime now_ps);
    void (*load_copied)(gpointer self, uint32_t npu, const TraceLoad *load,
                        SimTime now_ps);
    void (*load_ends)(gpointer self, uint32_t npu, const TraceLoad *load,
                      SimTime now_ps);

    /* @chunk is there for all NPUs, and all of them are done with it. */
    void (*chunk_made)(gpointer self, const Chunk *chunk, SimTime now_ps);
    void (*chunk_gone)(gpointer self, const Chunk *chunk, SimTime now_ps);
    /* @npu may have a chunk to take at @stage, now that something has ended;
     * and
     * @chunk is one that could go on to its next phase. */
    void (*asks)(gpointer self, uint32_t npu, uint32_t stage, SimTime now_ps);
    void (*chunk_asks)(gpointer self, const TraceChunk *chunk, SimTime now_ps);
    /* Chunks of @npu cannot be taken in for want of @room. */
    void (*intake_waits)(gpointer self, uint32_t npu, TraceResource room,
                         SimTime now_ps);
    void (*chunk_begins)(gpointer self, const TraceChunk *chunk,
                         SimTime now_ps);
    /* It cannot go on to its next phase, or out, for want of @room. */
    void (*chunk_waits)(gpointer self, const TraceChunk *chunk,
                        TraceResource room, SimTime now_ps);
    void (*phase_begins)(gpointer self, const TraceChunk *chunk, uint32_t phase,
                         SimTime now_ps);
    void (*phase_ends)(gpointer self, const TraceChunk *chunk, uint32_t phase,
                       SimTime now_ps);
    void (*chunk_ends)(gpointer self, const TraceChunk *chunk, SimTime now_ps);
    /* To and from HBM, whole: handed to a DMA engine, and through.  @free_ps,
     * here and below: others wanted what @by names until then. */
    void (*chunk_handed)(gpointer self, const TraceChunk *chunk,
                         SimTime now_ps);
    void (*chunk_moved)(gpointer self, const TraceChunk *chunk,
                        TraceResource by, SimTime free_ps, SimTime now_ps);

    /* @message, of @bytes, sets out with what the NPU has now; it is at the
     * NPU, as large as it is now, and waits there; the endpoint is handed what
     * came for the step, and has @added it to what was there, or stored it. */
    void (*step_sent)(gpointer self, const TraceStep *at, uint32_t message,
                      uint64_t bytes, SimTime now_ps);
    void (*step_arrives)(gpointer self, const TraceStep *at, uint32_t message,
                         uint64_t bytes, SimTime now_ps);
    void (*step_received)(gpointer self, const TraceStep *at, SimTime now_ps);
    void (*step_handled)(gpointer self, const TraceStep *at, gboolean added,
                         SimTime now_ps);

    /* @message is handed to the endpoint of @npu, to send or to take in; @by
     * has done its part for it; it has come in at @npu. */
    void (*message_handed)(gpointer self, uint32_t npu, uint32_t message,
                           SimTime now_ps);
    void (*message_done)(gpointer self, uint32_t npu, uint32_t message,
                         TraceResource by, SimTime free_ps, SimTime now_ps);
    void (*message_arrives)(gpointer self, uint32_t npu, uint32_t message,
                            SimTime now_ps);
    /* The links of @port of the unit that begins with @npu (symmetry.h) take
     * @message from now on, until @end_ps,
     * which was ready at @ready_ps or, if it passes through, has its tail here
     * then. */
    void (*link)(gpointer self, uint32_t npu, uint32_t port, uint32_t message,
                 SimTime ready_ps, SimTime free_ps, SimTime end_ps,
                 SimTime now_ps);
    /* One of the links of @port works from @from_ps, which may be to come. */
    void (*link_busy)(gpointer self, uint32_t npu, uint32_t port,
                      SimTime from_ps, SimTime until_ps, SimTime now_ps);

    /* One unit of @what, a server of the endpoint's, has worked since @from_ps.
     */
    void (*served)(gpointer self, uint32_t npu, TraceResource what,
                   SimTime from_ps, SimTime now_ps);
    void (*level)(gpointer self, uint32_t npu, TraceLevel what, uint64_t value,
                  SimTime now_ps);
} TraceOps;

#endif
