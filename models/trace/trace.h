/*
 * trace.h - callbacks that report the events of a run as they happen
 *
 * Listeners are set before the run, by system_add_listener(). They must not
 * change anything: a run with listeners gives the same result, bit for bit. A
 * run with listeners does not compute events ahead of time (see
 * network_set_early_delivery_callback()), so it has more events, unless .ahead
 * is set.
 *
 * Causes   All actions of an NPU at one instant form one chain of calls, which
 *          begins with the end of something: a kernel, a job of the endpoint,
 *          or the transfer of a message.  Hence the last reported end is the
 *          cause of every event after it, and a listener needs no other
 *          information to know why an event happens at its time.  Admission is
 *          the exception: it is decided at the end of an instant
 *          (models/endpoints/admission_consensus.h).  The cause of an admission
 * is the last end that was reported when the NPU requested it, and the request
 * is reported as well.
 *
 * Units    ps; a time without a parameter is the time of the call, @now_ps
 * Owner    the caller owns the listeners; arguments of callbacks are borrowed
 *          for the duration of the call
 */
#ifndef MODELS_TRACE_TRACE_H
#define MODELS_TRACE_TRACE_H

#include "models/trace/period_listener.h"
#include "models/trace/trace_records.h"

/* Reports an event of instance @iteration of operation @op on @npu. */
typedef void (*TraceOpFn)(gpointer self, uint32_t npu, uint32_t op,
                          uint64_t iteration, SimTime now_ps);

typedef struct {
    /* Whether events of messages may be reported ahead of their time, and
     * all parts of a transfer in one go.  Such a listener receives no events
     * of links, levels and pieces of kernels unless another listener needs
     * them. */
    gboolean ahead;
    /* Called after each event.  Returns TRUE to end the run before code that
     * relies on a broken invariant can assert, wait or loop forever.  This
     * callback makes the whole run slower. */
    gboolean (*stops)(gpointer self);
    /* Called when no event is left.  Returns FALSE and sets @error if the run
     * has failed. */
    gboolean (*ends)(gpointer self, const TraceEnd *end, GError **error);
    /* Called when only one kernel is active, which has just begun on all NPUs,
     * and before any kernel that lets a collective begin.  Visits the state of
     * the listener, and all else that can make the next iteration differ.  If
     * this state repeats, the iterations repeat too; they are skipped and the
     * listener gets no events of them. A walk with .moves must then end as if
     * the skipped iterations had been reported (core/state_walk.h).  NULL: the
     * listener needs all events, so that no iteration is skipped. */
    void (*steady)(gpointer self, SteadyWalk *walk);
    /* Static: callbacks by which periods are skipped.  NULL: the listener needs
     * every event, so that no period is skipped. */
    const TracePeriodOps *repeats;
    /* NPU @npu starts its program. */
    void (*begins)(gpointer self, uint32_t npu, SimTime now_ps);
    TraceOpFn kernel_begins;
    void (*kernel_ran)(gpointer self, uint32_t npu, const TracePiece *piece,
                       SimTime now_ps);
    TraceOpFn kernel_ends;
    /* Kernel or stage @op is ready on @npu except for the gap before it; and
     * the gap is over. */
    TraceOpFn gap_begins, gap_ends;
    /* A stage begins, and ends.  It is an input stage, or one from a
     * recording. */
    TraceOpFn stage_begins, stage_ends;
    TraceOpFn collective_begins;
    /* The launch of a collective, if it takes time, is over, so its chunks may
     * start. */
    TraceOpFn collective_launched;
    /* A recorded collective that is not simulated begins when the last NPU of
     * its set has reached it; and it ends.  Both are reported once per NPU, the
     * end before collective_ends. */
    TraceOpFn recorded_begins, recorded_ends;
    TraceOpFn collective_ends;

    /* Lanes (workloads/collective_lane.h).  In order:
     *   collective_queued  @op is ready on @npu and waits in its lane
     *   load_released        the lane lets @load begin at .begin_ps on all NPUs
     *   load_begins        the load begins on @npu
     *   load_copies        a copy into or out of its buffer begins
     *   load_copied        that copy ends
     *   load_ends          the load ends on @npu
     * The collective that carries out the load, and its members, begin and end
     * with the callbacks above. */
    TraceOpFn collective_queued;
    void (*load_released)(gpointer self, const TraceLoad *load, SimTime now_ps);
    void (*load_begins)(gpointer self, uint32_t npu, const TraceLoad *load,
                        SimTime now_ps);
    void (*load_copies)(gpointer self, uint32_t npu, const TraceLoad *load,
                        SimTime now_ps);
    void (*load_copied)(gpointer self, uint32_t npu, const TraceLoad *load,
                        SimTime now_ps);
    void (*load_ends)(gpointer self, uint32_t npu, const TraceLoad *load,
                      SimTime now_ps);

    /* Chunk @chunk is created for all NPUs; and all NPUs have finished it. */
    void (*chunk_made)(gpointer self, const Chunk *chunk, SimTime now_ps);
    void (*chunk_gone)(gpointer self, const Chunk *chunk, SimTime now_ps);
    /* Something has ended, so that @npu may be able to admit a chunk at @stage
     * (admission_consensus.h); and chunk @chunk becomes a candidate for its
     * next phase. */
    void (*may_admit)(gpointer self, uint32_t npu, uint32_t stage,
                      SimTime now_ps);
    void (*chunk_eligible)(gpointer self, const TraceChunk *chunk,
                           SimTime now_ps);
    /* NPU @npu cannot start new chunks because it lacks the resource @room. */
    void (*intake_waits)(gpointer self, uint32_t npu, TraceResource room,
                         SimTime now_ps);
    void (*chunk_begins)(gpointer self, const TraceChunk *chunk,
                         SimTime now_ps);
    /* @chunk cannot enter its next phase, or leave, because it lacks @room. */
    void (*chunk_waits)(gpointer self, const TraceChunk *chunk,
                        TraceResource room, SimTime now_ps);
    void (*phase_begins)(gpointer self, const TraceChunk *chunk, uint32_t phase,
                         SimTime now_ps);
    void (*phase_ends)(gpointer self, const TraceChunk *chunk, uint32_t phase,
                       SimTime now_ps);
    void (*chunk_ends)(gpointer self, const TraceChunk *chunk, SimTime now_ps);
    /* A whole chunk is copied to or from HBM: it is submitted to a DMA engine,
     * and the copy ends.  @by is the resource that set the time of the copy.
     * @free_ps, here and below, is the time until which @by was busy with other
     * jobs. */
    void (*chunk_submitted)(gpointer self, const TraceChunk *chunk,
                            SimTime now_ps);
    void (*chunk_moved)(gpointer self, const TraceChunk *chunk,
                        TraceResource by, SimTime free_ps, SimTime now_ps);

    /* The life of a message, by steps:
     *   step_sent      @message, of @bytes, leaves with the NPU's current data
     *   step_arrives   @message has arrived, has @bytes now, and waits
     *   step_received  the endpoint is given what has arrived for the step
     *   step_handled   the endpoint has reduced it into local data (@added), or
     *                  stored it */
    void (*step_sent)(gpointer self, const TraceStep *step, uint32_t message,
                      uint64_t bytes, SimTime now_ps);
    void (*step_arrives)(gpointer self, const TraceStep *step, uint32_t message,
                         uint64_t bytes, SimTime now_ps);
    void (*step_received)(gpointer self, const TraceStep *step, SimTime now_ps);
    void (*step_handled)(gpointer self, const TraceStep *step, gboolean added,
                         SimTime now_ps);

    /* Message @message is submitted to the endpoint of @npu, to be sent or
     * received; the resource @by has done its part for it; the message has
     * arrived at @npu. */
    void (*message_submitted)(gpointer self, uint32_t npu, uint32_t message,
                              SimTime now_ps);
    void (*message_done)(gpointer self, uint32_t npu, uint32_t message,
                         TraceResource by, SimTime free_ps, SimTime now_ps);
    void (*message_arrives)(gpointer self, uint32_t npu, uint32_t message,
                            SimTime now_ps);
    /* The links of @port carry @message from now until @end_ps.  The unit of
     * the links begins with @npu (symmetry_classes.h).  The message was ready
     * at
     * @ready_ps; if it passes through, @ready_ps is the time at which its tail
     * arrives here. */
    void (*link)(gpointer self, uint32_t npu, uint32_t port, uint32_t message,
                 SimTime ready_ps, SimTime free_ps, SimTime end_ps,
                 SimTime now_ps);
    /* One of the links of @port is busy from @from_ps to @until_ps.  @from_ps
     * may lie in the future. */
    void (*link_busy)(gpointer self, uint32_t npu, uint32_t port,
                      SimTime from_ps, SimTime until_ps, SimTime now_ps);

    /* One unit of @what, a server of the endpoint, was busy from @from_ps until
     * now. */
    void (*served)(gpointer self, uint32_t npu, TraceResource what,
                   SimTime from_ps, SimTime now_ps);
    void (*level)(gpointer self, uint32_t npu, TraceLevel what, uint64_t value,
                  SimTime now_ps);
} TraceOps;

#endif
