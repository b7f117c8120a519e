/*
 * chunking.h - chooses chunk size, message size and window of a collective
 *
 * The window is the number of chunks in flight.  The user may leave each of the
 * three open.  A cost model proposes cuts, and rehearsals decide.
 *
 * Cost model
 *   The model computes how long a chunk stays in each phase without contention,
 *   and how long it occupies the busiest port, or the endpoint.  A step sends k
 *   messages of m bytes in parallel.  t(m) is their time on the links; an adder
 *   in a switch counts as a link, and bytes on the way down may be more.  l is
 *   the sum of all latencies.
 *
 *     round    = l + t(m) + time of the endpoint for a message
 *     stay     = (n_steps - 1) x max(k t(m), round) + round + (k - 1) t(m)
 *     period   = the largest time that any port, or the endpoint, needs for a
 *                chunk
 *     held     = n_steps x sum of s(m)^2 / (2 period), for each phase, over the
 *                messages m of all other phases; s(m) is their time at an
 *                endpoint, or on its bus
 *     alone    = sum of stays + held, if there are several chunks
 *                + the time to fetch and to store a chunk
 *     time     = alone + (payload / chunk - 1) x
 *                max(period, period of a phase that holds fewer chunks, and
 *                    alone / window, if there are more chunks than the window)
 *
 *   Held: a message in service is not preempted.  A message of another phase
 *   finds the endpoint busy with it for the fraction s(m) / period of the time,
 *   and then waits for half of s(m).
 *
 *   A phase that holds at most n chunks is a closed queueing system
 * (closed_queueing_network.h): the busiest port serves a chunk, which spends
 * the rest of its stay elsewhere.  A chunk has its room in the first phase from
 * the beginning of its fetch, so the fetch time is added there.  If chunks use
 * several orders of dimensions, each order has its share of the n.
 *
 * All chunks in flight at once
 *   If all N chunks may be in flight simultaneously, they fill each other's
 *   gaps.  A step then takes the longer of its round and the time that all
 *   chunks need of the endpoint, or of the links of a dimension.  If the latter
 *   is longer, half a round is added: older chunks go first, as many as fill
 *   it, and on average half of them are left when the others are through.  The
 *   time of the links is that of the busiest port: half of what chunks send if
 *   they go round in both directions, all of it if there is one direction.  The
 *   first chunk waits that much longer, and the last one comes N - 1 messages
 *   later.  Dimensions work in parallel, so the longest one counts.  All steps
 *   use the endpoint, so their times add up there; the total is at least the
 *   time that all chunks need of it, plus half of alone.  The smaller of both
 *   times is used.  Neither suffices without the other.
 *
 * Rehearsals
 *   The model is mostly within 2 %, but in some cases far off.  So the
 *   collective is simulated alone (CutTask.rehearse) with each chunk size,
 *   beginning with one chunk: once with one message per step, and once with the
 *   message size that the model considers best.  A size with too many messages
 *   is timed by a part of its chunks: the time of n chunks, and for each
 *   further chunk the time of one of the later n / 2.  If a part would be too
 *   short, the time of the model is corrected by its error at the last
 *   rehearsed size, and gains no more than a pipeline does, whose time is A + B
 *   / n.  Rehearsals end when sizes are clearly worse than the best, or when
 *   several in a row gain almost nothing.  No estimate is shorter than the time
 *   that the busiest port needs.
 *
 *   Then neighbours of the best rehearsed cut are rehearsed, as long as one is
 *   faster: smaller messages, and larger chunks of messages of about the same
 *   size.
 *
 *   If the time of the best cut is only an estimate, the cut is simulated.  It
 *   is given up if that needs too many messages and the estimate is little
 *   better than the best simulated time.  If the estimate is much better,
 *   the best cut with few enough messages is simulated in its place, and the
 *   result corrects the estimates of finer cuts.  Finer chunks than those
 *   of the best cut are simulated, too.  A cut that is still chosen by an
 * estimate is chosen again, with longer rehearsals; simulated times are kept.
 * If it is an estimate even then, the choice states by how much the estimate is
 * better than the best simulated time.
 *
 * Choice
 *   Smaller chunks leave less time that nothing overlaps.  Larger chunks need
 *   fewer messages, which cost time in the machine and in the simulator.  So of
 *   the cuts within CUT_TOLERANCE_PERCENT of the smallest time, the one with
 *   the fewest messages is chosen, then the one with the shortest window.  Cuts
 *   with too many messages are left out; if the best of these is faster by more
 *   than the tolerance, the choice states by how much.
 *
 *   Other collectives come first, if there are any.  A message on a link is not
 *   preempted.  So its size should not exceed the smallest payload of all
 *   collectives, which would have to wait for it, nor 1 / CUT_PARTS of its own
 *   payload (with 1/8, ideal was slower than a baseline by up to 2.6 %).
 *
 *   A window is CUT_WINDOW_FACTOR times the number of chunks that fill the
 *   pipeline (alone / period), because chunks in queues stay longer than alone.
 *   It is multiplied by the number of dimension orders, because chunks of
 *   different orders obstruct each other.  If other communicators may be active
 *   at the same time, and the endpoint holds any number of chunks, the window
 *   is CUT_MAX_WINDOW.  Chunks then wait for links that others use, and those
 *   in flight must keep the other links busy.  With the smaller window, ideal
 *   was slower than ACE by up to 3.9 %.
 *
 * Leaves out  queueing between collectives, and compute in the meantime
 * Accuracy    within 2 % of the best of all tabulated chunks, messages and
 *             orders for each payload of 1 KiB to 1 GiB, or the choice states
 *             an error (tests/models/collectives/test_cut_choices_grid.c)
 * Units       bytes, ps
 * Cost        a few hundred evaluations of all phases, and about ten rehearsals
 *             of at most CutTask.most_messages
 * Sources     derived above; the constants CUT_... are assumed, and compared
 *             with a grid of simulations in
 * tests/models/collectives/test_chunk_cut.c
 */
#ifndef MODELS_COLLECTIVES_CHUNKING_H
#define MODELS_COLLECTIVES_CHUNKING_H

#include "models/collectives/cost/chunking_task.h"

#define CUT_TOLERANCE_PERCENT 1
#define CUT_WINDOW_FACTOR     3
#define CUT_PARTS             32
#define CUT_MIN_WINDOW        8

typedef struct {
    Cut cut;
    /* The best known time of the collective alone; SIM_TIME_MAX if no cut fits
     * the endpoint. */
    SimTime time_ps;
    /* By how much, in millionths, a finer cut is estimated to be faster, which
     * would need too many messages in a simulation; 0: not by more than the
     * tolerance. */
    uint64_t error_ppm;
    gboolean is_simulated; /* .time_ps was simulated with all messages */
} CutChoice;

/* Chooses the numbers that are CONFIG_AUTO in @given. */
CutChoice choose_chunking_of_collective(const CutTask *task, const Cut *given);

/* Returns a cut without a search: one chunk of one message, where @given leaves
 * the choice. */
Cut chunking_of_one_message(uint64_t payload_bytes, const Cut *given);

#endif
