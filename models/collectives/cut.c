/* cut.c - cuts are tried by what flow.h makes of them */
#include "models/collectives/cut.h"

#include "models/collectives/cost/flow.h"
#include "sim/config/config.h"

#define MIN_CHUNK   256
#define MIN_MESSAGE 256
/* Messages of one collective that are simulated: those of one NPU, for which a
 * simulation takes up to a second; and those of all NPUs, where they cannot be
 * folded, up to three (assumed). */
#define MAX_MESSAGES       (1 << 20)
#define MAX_WHOLE_MESSAGES (1 << 21)
/* Where not even the largest chunks can all be simulated, so many sizes are
 * told by a part of their chunks, by so many chunks at least (assumed: what
 * fills a pipeline is less). */
#define MAX_PARTS 4
#define MIN_PART  64
/* Rehearsals end where so many sizes in a row take that much longer than the
 * best (assumed: times fall and then rise with the number of chunks). */
#define MAX_WORSE      2
#define WORSE_PER_CENT 110
/* They also end where so many sizes in a row, or so many sizes of messages of
 * one chunk, gain less than that over the best (assumed, likewise). */
#define MAX_FLAT          3
#define MAX_FLAT_MESSAGES 2
#define GAIN_PER_MILLE    1
/* Fewer chunks for each order of the dimensions do not tell what a pipeline of
 * them gains (assumed). */
#define PIPELINE_CHUNKS 16
/* A size that was not simulated and is taken to be the best is simulated after
 * all, if that takes no more than so many times the messages of a rehearsal; at
 * most so many such cuts.  What takes more has to be that much better than
 * what was simulated, as estimates are off by about that (assumed). */
#define CHECK_FACTOR      8
#define MAX_CHECKS        4
#define ESTIMATE_PER_CENT 3

/* @period_ps for all of the payload but its first chunk. */
static SimTime rest_ps(const CutTask *task, const Cut *cut, SimTime period_ps)
{
    uint64_t chunk_bytes = MIN(cut->chunk_bytes, task->payload_bytes);
    SimWide ps =
        (SimWide)period_ps * (task->payload_bytes - chunk_bytes) / chunk_bytes;

    return (SimTime)MIN(ps, SIM_TIME_MAX);
}

static SimTime time_of(const CutTask *task, const Flow *flow, const Cut *cut)
{
    uint64_t n = cut_n_chunks(task, cut->chunk_bytes);
    SimTime time_ps =
        sim_time_add(flow->alone_ps, rest_ps(task, cut, flow->period_ps));

    if (!flow->fits)
        return SIM_TIME_MAX;
    if (cut->window < n)
        return MAX(
            time_ps,
            sim_time_add(flow->alone_ps,
                         rest_ps(task, cut, flow->alone_ps / cut->window)));
    if (n > CUT_MAX_WINDOW)
        return time_ps;
    return MIN(time_ps, sim_time_add(flow->together_ps,
                                     rest_ps(task, cut, flow->apart_ps)));
}

SimTime cut_time_ps(const CutTask *task, const Cut *cut)
{
    Flow flow = cut_flow(task, cut);

    return time_of(task, &flow, cut);
}

/* ---- the choice ------------------------------------------------------- */

/* May be more than the collective has chunks: then others find room, too. */
static uint64_t window_for(const CutTask *task, const Flow *flow)
{
    uint64_t fills =
        flow->period_ps > 0 ? flow->alone_ps / flow->period_ps + 1 : 1;
    uint64_t n = fills * CUT_WINDOW_FACTOR * task->n_plans;

    return CLAMP(n, CUT_MIN_WINDOW, CUT_MAX_WINDOW);
}

/* One size that is tried. */
typedef struct {
    Cut cut;
    SimTime time_ps;     /* by the model; later as far as is known */
    uint64_t n_messages; /* of the collective, that a simulation moves, */
    gboolean is_whole;   /* of all NPUs */
    gboolean is_over;    /* more than may be */
    uint64_t long_bytes; /* of a message, or what holds up nobody */
    gboolean is_known;   /* .time_ps was simulated */
} Trial;

static Trial *trial_at(GArray *trials, guint i)
{
    return &g_array_index(trials, Trial, i);
}

/* The message that other collectives may have to wait for. */
static uint64_t may_hold_bytes(const CutTask *task)
{
    if (task->may_hold_bytes > 0)
        return task->may_hold_bytes;
    return task->has_others
               ? MIN(task->least_bytes, task->payload_bytes / CUT_PARTS)
               : UINT64_MAX;
}

static void try(const CutTask *task, const Cut *given, uint64_t chunk_bytes,
                uint64_t message_bytes, GArray *trials)
{
    Trial trial = { .cut = { .chunk_bytes = chunk_bytes,
                             .message_bytes = message_bytes,
                             .window = given->window } };
    Flow flow = cut_flow(task, &trial.cut);

    if (!flow.fits)
        return;
    trial.n_messages = flow.n_messages * cut_n_chunks(task, chunk_bytes);
    trial.is_whole = flow.is_whole;
    trial.is_over =
        given->chunk_bytes == CONFIG_AUTO &&
        trial.n_messages > (flow.is_whole ? MAX_WHOLE_MESSAGES : MAX_MESSAGES);
    if (trial.cut.window == CONFIG_AUTO)
        trial.cut.window = window_for(task, &flow);
    trial.time_ps = time_of(task, &flow, &trial.cut);
    trial.long_bytes = MAX(flow.most_bytes, may_hold_bytes(task));
    g_array_append_val(trials, trial);
}

/* Largest chunk first, of these the largest message: that is a sweep down,
 * which begins with what is one chunk, or message. */
static void try_messages(const CutTask *task, const Cut *given,
                         uint64_t chunk_bytes, GArray *trials)
{
    if (given->message_bytes != CONFIG_AUTO) {
        try(task, given, chunk_bytes, given->message_bytes, trials);
        return;
    }
    for (uint64_t m = MAX(chunk_bytes, MIN_MESSAGE); m >= MIN_MESSAGE; m /= 4)
        try(task, given, chunk_bytes, m, trials);
}

static uint64_t power_of_two_from(uint64_t bytes)
{
    uint64_t power = MIN_CHUNK;

    while (power < bytes)
        power *= 2;
    return power;
}

/* Of chunks that are alike none is left to go round a ring alone. */
static uint64_t nth_part(uint64_t bytes, uint64_t n)
{
    return ((bytes - 1) / n / MIN_CHUNK + 1) * MIN_CHUNK;
}

static GArray *try_all(const CutTask *task, const Cut *given)
{
    GArray *trials = g_array_new(FALSE, FALSE, sizeof(Trial));
    uint64_t least = task->are_channels ? task->n_plans : 1;

    if (given->chunk_bytes != CONFIG_AUTO) {
        try_messages(task, given, given->chunk_bytes, trials);
        return trials;
    }
    for (uint64_t n = least; task->payload_bytes / n >= MIN_CHUNK || n == least;
         n *= 2)
        try_messages(task, given, nth_part(task->payload_bytes, n), trials);
    return trials;
}

Cut cut_without_choice(uint64_t payload_bytes, const Cut *given)
{
    uint64_t chunk_bytes = given->chunk_bytes != CONFIG_AUTO
                               ? given->chunk_bytes
                               : power_of_two_from(payload_bytes);

    return (Cut){
        .chunk_bytes = chunk_bytes,
        .message_bytes = given->message_bytes != CONFIG_AUTO
                             ? given->message_bytes
                             : chunk_bytes,
        .window = given->window != CONFIG_AUTO ? given->window : CUT_MIN_WINDOW,
    };
}

/* What holds nobody up, then fewer messages, then a shorter window. */
static gboolean is_lighter(const Trial *a, const Trial *b)
{
    if (a->long_bytes != b->long_bytes)
        return a->long_bytes < b->long_bytes;
    if (a->n_messages != b->n_messages)
        return a->n_messages < b->n_messages;
    return a->cut.window < b->cut.window;
}

/* ---- rehearsals -------------------------------------------------------- */

/* Trials [first, end) are of one size of chunks. */
static guint end_of_size(GArray *trials, guint first)
{
    guint end = first + 1;

    while (end < trials->len && trial_at(trials, end)->cut.chunk_bytes ==
                                    trial_at(trials, first)->cut.chunk_bytes)
        end++;
    return end;
}

static guint least_of_size(GArray *trials, guint first, guint end)
{
    guint least = first;

    for (guint i = first + 1; i < end; i++)
        if (trial_at(trials, i)->time_ps < trial_at(trials, least)->time_ps)
            least = i;
    return least;
}

static SimTime rehearse_chunks(const CutTask *task, const Trial *trial,
                               uint64_t n)
{
    uint64_t payload_bytes = n * trial->cut.chunk_bytes;

    return task->rehearse(
        task->rehearsal, MIN(payload_bytes, task->payload_bytes), &trial->cut,
        trial->n_messages * n / cut_n_chunks(task, trial->cut.chunk_bytes),
        trial->is_whole);
}

/* The time of so many chunks as may be simulated, and for each of the rest what
 * each of the later half of them takes longer. */
static SimTime extrapolate(const CutTask *task, const Trial *trial, uint64_t n)
{
    uint64_t n_all = cut_n_chunks(task, trial->cut.chunk_bytes), half = n / 2;
    SimTime half_ps = rehearse_chunks(task, trial, half), whole_ps;
    SimWide rest_ps;

    if (half_ps == SIM_TIME_MAX)
        return SIM_TIME_MAX;
    whole_ps = rehearse_chunks(task, trial, n);
    if (whole_ps == SIM_TIME_MAX || whole_ps < half_ps)
        return SIM_TIME_MAX;
    rest_ps = (SimWide)(whole_ps - half_ps) * (n_all - n) / (n - half);
    return sim_time_add(whole_ps, (SimTime)MIN(rest_ps, SIM_TIME_MAX));
}

/* A cut of more messages than may be simulated is timed by fewer chunks, if
 * @in_part: a quarter of them, and so on, where several NPUs are simulated. */
static SimTime rehearse_one(const CutTask *task, const Trial *trial,
                            gboolean in_part)
{
    uint64_t n_all = cut_n_chunks(task, trial->cut.chunk_bytes);
    uint64_t n = (uint64_t)((SimWide)n_all * task->most_messages /
                            MAX(1, trial->n_messages));
    SimTime ps = SIM_TIME_MAX;

    if (n >= n_all) {
        ps = rehearse_chunks(task, trial, n_all);
        n = n_all / 4;
    }
    for (; in_part && ps == SIM_TIME_MAX && n >= MIN_PART; n /= 4)
        ps = extrapolate(task, trial, n);
    return ps;
}

/* The time that a rehearsal took, and the time that the model expected. */
typedef struct {
    SimTime ps, model_ps;
} Known;

/* By the model, which was off by as much as in @known; SIM_TIME_MAX where
 * nothing is known. */
static SimTime scaled(SimTime model_ps, const Known *known)
{
    SimWide ps = (SimWide)model_ps * known->ps / MAX(1, known->model_ps);

    return known->ps == 0 ? SIM_TIME_MAX : (SimTime)MIN(ps, SIM_TIME_MAX);
}

/* Simulates two trials of one size of chunks: one message for each step,
 * and the messages that the model takes to be best.  *@known is the first of
 * them, known[1] the other, where it was affordable.  Returns whether any was.
 */
static gboolean rehearse_size(const CutTask *task, GArray *trials, guint first,
                              guint least, gboolean in_part, Known *known)
{
    const guint tried[] = { first, least };
    gboolean any = FALSE;

    for (guint i = 0; i < G_N_ELEMENTS(tried); i++) {
        const Trial *trial = trial_at(trials, tried[i]);
        SimTime ps = SIM_TIME_MAX;

        if (i == 0 || least != first)
            ps = rehearse_one(task, trial, in_part);
        if (ps == SIM_TIME_MAX)
            continue;
        known[i] = (Known){ ps, trial->time_ps };
        any = TRUE;
    }
    return any;
}

static gboolean gains(SimTime ps, SimTime best_ps)
{
    return (SimWide)ps * 1000 < (SimWide)best_ps * (1000 - GAIN_PER_MILLE);
}

/* Returns the messages of one size that are best of all that may be simulated,
 * from the largest on. */
static guint least_simulated(const CutTask *task, GArray *trials, guint first,
                             guint end)
{
    SimTime best_ps = SIM_TIME_MAX;
    guint best = first, n_flat = 0;

    for (guint i = first; i < end && n_flat < MAX_FLAT_MESSAGES; i++) {
        SimTime ps = rehearse_one(task, trial_at(trials, i), FALSE);

        n_flat = gains(ps, best_ps) ? 0 : n_flat + 1;
        if (ps >= best_ps)
            continue;
        best_ps = ps;
        best = i;
    }
    return best;
}

static SimTime lesser(const Known *known)
{
    return MIN(known[0].ps > 0 ? known[0].ps : SIM_TIME_MAX,
               known[1].ps > 0 ? known[1].ps : SIM_TIME_MAX);
}

/* Puts what was simulated of a size in the place of the model's times, and
 * gives up the rest. */
static void take_known(const CutTask *task, GArray *trials, guint first,
                       guint end, guint least, const Known *known)
{
    for (guint i = first; i < end; i++) {
        Trial *trial = trial_at(trials, i);

        gboolean is_told =
            (i == first || i == least) && known[i > first].ps > 0;

        trial->time_ps = is_told ? known[i > first].ps : SIM_TIME_MAX;
        trial->is_known = is_told && trial->n_messages <= task->most_messages;
    }
}

/* Sizes of chunks that were simulated, so far. */
typedef struct {
    Known last[2];              /* of the last of them */
    SimTime last_ps, before_ps; /* of that, and of the one before it; or
                                   SIM_TIME_MAX */
    SimTime best_ps;
    guint n_after; /* sizes since then that could not be */
    guint n_worse, n_flat, n_parts;
    uint64_t n_chunks; /* of each order, at that size */
} Past;

/* The model, scaled by what it was off at the last size that was simulated, but
 * no less than what simulated times fall to if halving chunks goes on to gain
 * half as much each time, as a pipeline does: its time is A + B / n.  No less
 * than the best where several sizes gained nothing. */
static void take_scaled(GArray *trials, guint first, guint end,
                        const Past *past)
{
    SimTime gain_ps =
        past->before_ps < SIM_TIME_MAX && past->before_ps > past->last_ps
            ? past->before_ps - past->last_ps
            : 0;
    SimTime left_ps = past->n_after < 64 ? gain_ps >> past->n_after : 0;
    SimTime floor_ps = past->last_ps - MIN(past->last_ps, gain_ps - left_ps);

    if (past->before_ps == SIM_TIME_MAX)
        floor_ps = 0;
    if (past->n_flat >= MAX_FLAT)
        floor_ps = MAX(floor_ps, past->best_ps);
    for (guint i = first; i < end; i++) {
        Trial *trial = trial_at(trials, i);

        trial->time_ps =
            MAX(scaled(trial->time_ps, &past->last[i > first]), floor_ps);
    }
}

/* A size that was told by a part of its chunks and gained nothing counts
 * twice. */
static void note(Past *past, const Known *known, gboolean in_part)
{
    SimTime ps = lesser(known);
    gboolean is_better = (SimWide)ps * 101 < (SimWide)past->best_ps * 100;

    for (guint k = 0; k < 2; k++)
        if (known[k].ps > 0)
            past->last[k] = known[k];
    past->n_worse = (SimWide)ps * 100 > (SimWide)past->best_ps * WORSE_PER_CENT
                        ? past->n_worse + 1
                        : 0;
    past->n_flat = gains(ps, past->best_ps) || past->n_chunks < PIPELINE_CHUNKS
                       ? 0
                       : past->n_flat + 1;
    past->best_ps = MIN(past->best_ps, ps);
    past->before_ps = past->last_ps;
    past->last_ps = ps;
    if (in_part)
        past->n_parts += is_better ? 1 : 2;
}

/* Simulates what may be, from the largest chunks on. */
static void rehearse(const CutTask *task, GArray *trials)
{
    Past past = { .last_ps = SIM_TIME_MAX,
                  .before_ps = SIM_TIME_MAX,
                  .best_ps = SIM_TIME_MAX };

    for (guint i = 0, end; i < trials->len; i = end) {
        gboolean in_part = past.n_parts < MAX_PARTS;
        Known known[2] = { 0 };
        guint least;

        end = end_of_size(trials, i);
        past.n_chunks =
            cut_n_chunks(task, trial_at(trials, i)->cut.chunk_bytes) /
            MAX(1, task->n_plans);
        least = i == 0 ? least_simulated(task, trials, i, end) : 0;
        if (least == 0)
            least = least_of_size(trials, i, end);
        if (past.n_after == 0 && past.n_worse < MAX_WORSE &&
            past.n_flat < MAX_FLAT &&
            rehearse_size(task, trials, i, least, in_part, known)) {
            take_known(task, trials, i, end, least, known);
            note(&past, known,
                 trial_at(trials, i)->n_messages > task->most_messages);
        } else if (past.last_ps < SIM_TIME_MAX) {
            past.n_after++;
            take_scaled(trials, i, end, &past);
        }
    }
}

/* ---- what is taken ----------------------------------------------------- */

static SimTime least_ps(GArray *trials, gboolean with_over)
{
    SimTime least = SIM_TIME_MAX;

    for (guint i = 0; i < trials->len; i++)
        if (with_over || !trial_at(trials, i)->is_over)
            least = MIN(least, trial_at(trials, i)->time_ps);
    return least;
}

static SimTime with_slack(const CutTask *task, SimTime ps)
{
    return sim_time_add(ps,
                        ps / 100 * MAX(CUT_SLACK_PERCENT, task->slack_percent));
}

static uint64_t error_ppm(const CutTask *task, SimTime time_ps, SimTime best_ps)
{
    if (time_ps <= with_slack(task, best_ps))
        return 0;
    return (uint64_t)MIN(
        (SimWide)(time_ps - best_ps) * 1000000 / MAX(1, best_ps), UINT64_MAX);
}

/* Returns the lightest trial within the slack of the best, or NULL if none fits
 * the endpoint.  *@best_ps becomes the least time of all trials, including
 * those with too many messages. */
static Trial *lightest(const CutTask *task, GArray *trials, SimTime *best_ps)
{
    Trial *best = NULL;
    SimTime most_ps;

    *best_ps = least_ps(trials, TRUE);
    most_ps = MAX(least_ps(trials, FALSE), with_slack(task, *best_ps));
    for (guint i = 0; i < trials->len; i++) {
        Trial *trial = trial_at(trials, i);

        if (!trial->is_over && trial->time_ps <= most_ps &&
            (!best || is_lighter(trial, best)))
            best = trial;
    }
    return best;
}

static SimTime least_known_ps(GArray *trials)
{
    SimTime least = SIM_TIME_MAX;

    for (guint i = 0; i < trials->len; i++)
        if (trial_at(trials, i)->is_known)
            least = MIN(least, trial_at(trials, i)->time_ps);
    return least;
}

/* Returns whether one more check may simulate @trial, and counts it. */
static gboolean may_check(const CutTask *task, const Trial *trial,
                          guint *n_checks)
{
    return trial->n_messages <= CHECK_FACTOR * task->most_messages &&
           (*n_checks)++ < MAX_CHECKS;
}

static SimTime rehearse_all(const CutTask *task, const Trial *trial)
{
    return rehearse_chunks(task, trial,
                           cut_n_chunks(task, trial->cut.chunk_bytes));
}

/* SIM_TIME_MAX gives up the trial. */
static void replace_estimate(Trial *trial, SimTime ps)
{
    trial->is_known = ps < SIM_TIME_MAX;
    trial->time_ps = ps;
}

/* Replaces the estimated time of @trial by a simulated one.  Where a simulation
 * needs too many messages, it gives up a trial that is little better than
 * @known_ps, the best simulated time.  Returns FALSE if the estimate stays. */
static gboolean check(const CutTask *task, Trial *trial, SimTime known_ps,
                      guint *n_checks)
{
    SimTime ps = may_check(task, trial, n_checks) ? rehearse_all(task, trial)
                                                  : SIM_TIME_MAX;

    if (ps == SIM_TIME_MAX && (SimWide)trial->time_ps * 100 <
                                  (SimWide)known_ps * (100 - ESTIMATE_PER_CENT))
        return FALSE;
    replace_estimate(trial, ps);
    return TRUE;
}

/* Returns the trial of the next finer chunks with one message for each step, or
 * NULL if @best has the finest chunks. */
static Trial *finer(GArray *trials, const Trial *best)
{
    for (guint i = 0; i < trials->len; i++)
        if (trial_at(trials, i)->cut.chunk_bytes < best->cut.chunk_bytes)
            return trial_at(trials, i);
    return NULL;
}

/* Rehearsals may end because they became too expensive while finer chunks were
 * still faster.  This simulates the next finer chunks as well.  Returns FALSE
 * if they were simulated before or need too many messages. */
static gboolean look_further(const CutTask *task, GArray *trials,
                             const Trial *best, guint *n_checks)
{
    Trial *next = finer(trials, best);

    if (!next || next->is_known || next->is_over ||
        next->n_messages <= task->most_messages ||
        !may_check(task, next, n_checks))
        return FALSE;
    replace_estimate(next, rehearse_all(task, next));
    return TRUE;
}

/* Simulates one more trial where that may change the choice of @best.  Returns
 * TRUE if the choice has to be made again. */
static gboolean know_more(const CutTask *task, GArray *trials, Trial *best,
                          guint *n_checks)
{
    SimTime known_ps = least_known_ps(trials);

    if (!best || !task->rehearse || known_ps == SIM_TIME_MAX)
        return FALSE;
    return best->is_known ? look_further(task, trials, best, n_checks)
                          : check(task, best, known_ps, n_checks);
}

CutChoice cut_choose(const CutTask *task, const Cut *given)
{
    g_autoptr(GArray) trials = try_all(task, given);
    Trial *best;
    SimTime best_ps;
    guint n_checks = 0;

    if (task->rehearse)
        rehearse(task, trials);
    best = lightest(task, trials, &best_ps);
    while (know_more(task, trials, best, &n_checks))
        best = lightest(task, trials, &best_ps);
    if (best)
        return (CutChoice){ best->cut, best->time_ps,
                            error_ppm(task, best->time_ps, best_ps),
                            best->n_messages, best->is_known };
    /* What nothing fits is for the endpoint to complain of. */
    return (CutChoice){ cut_without_choice(task->payload_bytes, given),
                        SIM_TIME_MAX, 0, 0, FALSE };
}
