/*
 * cut.h - how a payload is cut: bytes of a chunk, bytes of a message, and how
 * many chunks are in flight, where the user leaves that to us
 *
 * A cost model proposes, rehearsals decide.  The model asks of a chunk how long
 * it stays in each phase with nothing in the way, and how long it occupies the
 * port, or the endpoint, that it needs longest; with k messages side by side in
 * a step of m bytes each, of which t(m) is the time on the links (an adder in a
 * switch is one, and what comes down there may be more) and l all latencies,
 *
 *     round    = l + t(m) + what the endpoint takes for a message
 *     stay     = (n_steps - 1) x max(k t(m), round) + round + (k - 1) t(m)
 *     period   = the most that any port, or the endpoint, needs for a chunk
 *     held     = n_steps x sum of s(m)^2 / (2 period), of each phase, over the
 *                messages m of all others: s(m) at an endpoint, or on its bus
 *     alone    = sum of stays, of what they are held up where there are more
 *                chunks, and what it takes to fetch and store a chunk
 *     time     = alone + (payload / chunk - 1) x
 *                max(period, period of a phase that holds fewer chunks, and,
 *                    where there are more than the window, alone / window)
 *
 * A message on its way is not overtaken, so that one of another phase finds the
 * endpoint busy with it s(m) / period of the time, and waits for half of it.
 *
 * A phase that holds n chunks is a closed system (closed.h): served by its
 * busiest port, and elsewhere for the rest of the stay; to which the time of
 * its fetching is added for what has room in the first phase from then on.
 * Where chunks go in several orders, those of each have their part of the n.
 *
 * Where all N chunks may be in flight at once, they fill each other's gaps:
 * a step takes the longer of its round and what all need of the endpoint, or of
 * the links of a dimension, and if that is longer, half a round besides (older
 * chunks go first, as many as fill it; of those that are left when they are
 * through there are as many as half of that, on average).  What all need of the
 * links goes by the busiest port: half of what they send where they go round
 * both ways, all where there is one way.  The first of all
 * waits so much longer, the last comes N - 1 messages behind.  Dimensions go on
 * side by side, so that the longest counts; of the endpoint all steps do, and
 * it takes what all need of it, and half of alone besides, at least.  The
 * lesser of both times is taken, neither of which can be done without.
 *
 * Rehearsals.  The model is mostly within 2 % and in places off by far more,
 * so the collective is simulated alone (CutTask.rehearse) with each size of
 * chunks, from one chunk on: with one message for each step, and with the
 * messages that the model takes to be best.  A size whose messages are too many
 * is told by a part of its chunks: time of n chunks, and for each of the rest
 * what each of the later n / 2 takes.  Where a part would be too short, the
 * model is scaled by what it was off at the last size that was rehearsed, and
 * gains no more over that than a pipeline does, whose time is A + B / n.
 * Rehearsals end where sizes are clearly worse than the best, and where several
 * in a row gain next to nothing.
 *
 * The best cut may be one whose time is only estimated.  It is simulated then,
 * or given up if a simulation needs too many messages and the estimate is
 * little better than the best simulated time.  The next finer chunks are
 * simulated, too.
 *
 * The smaller a chunk, the shorter is what nothing else overlaps; the larger,
 * the fewer messages have to be paid for, by the machine and by whoever
 * simulates it.  So of the cuts within CUT_SLACK_PERCENT of the least time the
 * one with the fewest messages is taken, then the shortest window.  Cuts of too
 * many messages are left out; where the best of those is faster by more than
 * the slack, the choice states by how much.
 *
 * Where there are other collectives, that comes second.  A message on a link
 * is not overtaken, so one is rather no longer than the least payload of all,
 * which would wait for it, nor than 1 / CUT_PARTS of its own collective (with
 * eighths ideal was slower than a baseline by up to 2.6 %).
 *
 * A window is CUT_WINDOW_FACTOR times what fills the pipeline (alone / period),
 * because chunks that queue stay longer than alone; and so many times that as
 * there are orders of the dimensions, since chunks of different orders get in
 * each other's way.
 *
 * Leaves out queueing between collectives, and what compute does meanwhile.
 * Held against tables of chunks, messages and orders for each payload of 1 KiB
 * to 1 GiB, the choice is within 2 % of the best, or states an error
 * (tests/models/collectives/test_choices_grid.c).
 *
 * Units    bytes, ps
 * Cost     some hundred evaluations, each of all phases, and some ten
 *          rehearsals of CutTask.most_messages at most
 * Sources  derived above; the constants CUT_... are assumed, and held against
 *          a grid of simulations in tests/models/collectives/test_cut.c
 */
#ifndef MODELS_COLLECTIVES_CUT_H
#define MODELS_COLLECTIVES_CUT_H

#include "models/collectives/cost/cut_task.h"

#define CUT_SLACK_PERCENT 1
#define CUT_WINDOW_FACTOR 3
#define CUT_PARTS         32
#define CUT_MIN_WINDOW    8

/* What the model makes of @cut, all of whose numbers are given; SIM_TIME_MAX
 * where the endpoint cannot. */
SimTime cut_time_ps(const CutTask *task, const Cut *cut);

typedef struct {
    Cut cut;
    /* What the collective takes alone, as far as is known: SIM_TIME_MAX where
     * nothing fits the endpoint. */
    SimTime time_ps;
    /* By how much a finer cut, which would take too many messages to simulate,
     * is estimated to be faster; 0: by no more than the slack. */
    uint64_t error_ppm;
    uint64_t n_messages;   /* that an NPU sends, cut like this */
    gboolean is_simulated; /* all of its messages were rehearsed */
} CutChoice;

/* Chooses what @given leaves open. */
CutChoice cut_choose(const CutTask *task, const Cut *given);

/* The same where nothing is to be known: one chunk, of one message. */
Cut cut_without_choice(uint64_t payload_bytes, const Cut *given);

#endif
