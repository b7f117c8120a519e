/* chunking.c - tries cuts by the cost model (chunk_time_estimate.h) and by
 * rehearsals */
#include "models/collectives/chunking.h"

#include "models/collectives/cost/chunk_time_estimate.h"
#include "sim/config/config.h"

#define MIN_CHUNK   256
#define MIN_MESSAGE 256
/* Limits on the messages of one collective in a simulation: those of one NPU,
 * which take up to a second; and those of all NPUs if they cannot be folded,
 * which take up to three (assumed). */
#define MAX_MESSAGES       (1 << 20)
#define MAX_WHOLE_MESSAGES (1 << 21)
/* If not even the largest chunks can all be simulated, up to MAX_PARTS sizes
 * are timed by a part of their chunks, at least MIN_PART and twice as many as
 * fill the pipeline (assumed). */
#define MAX_PARTS 4
#define MIN_PART  64
/* Rehearsals end after MAX_WORSE sizes in a row that take that much longer than
 * the best (assumed: times fall and then rise with the number of chunks). */
#define MAX_WORSE      2
#define WORSE_PER_CENT 110
/* Rehearsals also end after MAX_FLAT sizes in a row, or MAX_FLAT_MESSAGES
 * message sizes of one chunk, that gain less than GAIN_PER_MILLE over the best
 * (assumed, for the same reason). */
#define MAX_FLAT          3
#define MAX_FLAT_MESSAGES 2
#define GAIN_PER_MILLE    1
/* A cut that is chosen by an estimate is chosen again, with rehearsals of up to
 * this part of the messages that the run is going to simulate.  Each size has
 * half of the messages of the next, so all of them together cost a quarter of
 * the run.  The check of a choice may then simulate as many
 * messages as the run (assumed). */
#define REHEARSED_PART 8
/* Messages that such a rehearsal may move at most, about 0.1 s each
 * (assumed). */
#define MAX_REHEARSED_MESSAGES (1 << 17)
/* The best rehearsed cut is compared with at most this many neighbours
 * (assumed: two for each of four steps). */
#define MAX_NEIGHBOURS 8
/* With fewer chunks per dimension order, a pipeline shows no gain yet
 * (assumed). */
#define PIPELINE_CHUNKS 16
/* If the best size was only estimated, it is simulated after all, if that takes
 * at most CHECK_FACTOR times the messages of a rehearsal.  At most MAX_CHECKS
 * cuts are checked. A more expensive cut must beat the simulated ones by
 * ESTIMATE_PER_CENT, which is about the error of estimates (assumed). */
#define CHECK_FACTOR      8
#define MAX_CHECKS        6
#define ESTIMATE_PER_CENT 3
/* Checks simulate chunks that are smaller by at most this factor, which is two
 * sizes (assumed). */
#define FINER_FACTOR 4

/* Returns the time of all chunks after the first, at @period_ps per chunk. */
static SimTime time_of_remaining_chunks_ps(const CutTask *task, const Cut *cut,
                                           SimTime period_ps)
{
    uint64_t chunk_bytes = MIN(cut->chunk_bytes, task->payload_bytes);
    SimWide ps =
        (SimWide)period_ps * (task->payload_bytes - chunk_bytes) / chunk_bytes;

    return (SimTime)MIN(ps, SIM_TIME_MAX);
}

static SimTime estimated_time_of_chunking(const CutTask *task,
                                          const CutEstimate *estimate,
                                          const Cut *cut)
{
    uint64_t n = count_chunks_of_payload(task, cut->chunk_bytes);
    SimTime time_ps = sim_time_add(
        estimate->alone_ps,
        time_of_remaining_chunks_ps(task, cut, estimate->period_ps));

    if (!estimate->fits)
        return SIM_TIME_MAX;
    if (cut->window < n)
        return MAX(
            time_ps,
            sim_time_add(estimate->alone_ps,
                         time_of_remaining_chunks_ps(
                             task, cut, estimate->alone_ps / cut->window)));
    if (n > CUT_MAX_WINDOW)
        return time_ps;
    return MIN(time_ps, sim_time_add(estimate->together_ps,
                                     time_of_remaining_chunks_ps(
                                         task, cut, estimate->apart_ps)));
}

/* ---- the choice ------------------------------------------------------- */

/* Returns the number of chunks that fill the pipeline. */
static uint64_t n_chunks_that_fill_pipeline(const CutTask *task,
                                            const CutEstimate *estimate)
{
    uint64_t n = estimate->period_ps > 0
                     ? estimate->alone_ps / estimate->period_ps + 1
                     : 1;

    return n * task->n_plans;
}

/* Returns the window.  It may exceed the number of chunks of the collective:
 * then chunks of other collectives fill it. */
static uint64_t chunk_window_for_estimate(const CutTask *task,
                                          const CutEstimate *estimate)
{
    uint64_t n =
        n_chunks_that_fill_pipeline(task, estimate) * CUT_WINDOW_FACTOR;

    if (task->shares_links && !estimate->holds_few_chunks)
        return CUT_MAX_WINDOW;
    return CLAMP(n, CUT_MIN_WINDOW, CUT_MAX_WINDOW);
}

/* A candidate: one cut with its time. */
typedef struct {
    Cut cut;
    SimTime model_ps; /* time by the model */
    SimTime time_ps;  /* best known time */
    /* Messages of the collective that one NPU sends, or all NPUs if ranks send
     * different amounts. */
    uint64_t n_messages;
    /* Messages that a rehearsal of all chunks moves. */
    uint64_t n_moved;
    /* Number of chunks that fill the pipeline. */
    uint64_t n_filling;
    /* Lower bound of the time: that of the busiest port. */
    SimTime least_ps;
    gboolean is_over; /* the trial needs too many messages to be chosen */
    /* Bytes of the largest message, or the message size that delays no other
     * collective, whichever is larger. */
    uint64_t long_bytes;
    gboolean is_timed; /* .time_ps comes from a rehearsal of all chunks or a
                          part of them */
    gboolean is_known; /* .time_ps was simulated with all chunks */
} ChunkingTrial;

static ChunkingTrial *chunking_trial_at(GArray *trials, guint i)
{
    return &g_array_index(trials, ChunkingTrial, i);
}

/* Returns the message size up to which other collectives may have to wait. */
static uint64_t max_blocking_bytes(const CutTask *task)
{
    if (task->max_blocking_bytes > 0)
        return task->max_blocking_bytes;
    return task->has_others
               ? MIN(task->least_bytes, task->payload_bytes / CUT_PARTS)
               : UINT64_MAX;
}

static void add_chunking_trial(const CutTask *task, const Cut *given,
                               uint64_t chunk_bytes, uint64_t message_bytes,
                               GArray *trials)
{
    ChunkingTrial trial = { .cut = { .chunk_bytes = chunk_bytes,
                                     .message_bytes = message_bytes,
                                     .window = given->window } };
    CutEstimate estimate = estimate_chunking_time(task, &trial.cut);

    if (!estimate.fits)
        return;
    trial.n_messages =
        estimate.n_messages * count_chunks_of_payload(task, chunk_bytes);
    trial.n_moved =
        estimate.n_moved * count_chunks_of_payload(task, chunk_bytes);
    trial.n_filling = n_chunks_that_fill_pipeline(task, &estimate);
    trial.least_ps = sim_time_add(
        estimate.port_ps,
        time_of_remaining_chunks_ps(task, &trial.cut, estimate.port_ps));
    trial.is_over = given->chunk_bytes == CONFIG_AUTO &&
                    trial.n_messages >
                        (estimate.is_whole ? MAX_WHOLE_MESSAGES : MAX_MESSAGES);
    if (trial.cut.window == CONFIG_AUTO)
        trial.cut.window = chunk_window_for_estimate(task, &estimate);
    trial.model_ps = trial.time_ps =
        estimated_time_of_chunking(task, &estimate, &trial.cut);
    trial.long_bytes = MAX(estimate.most_bytes, max_blocking_bytes(task));
    g_array_append_val(trials, trial);
}

/* Adds candidates, the largest message first.  The order of all candidates is
 * thus a sweep downwards, which begins with a single chunk, or message. */
static void add_message_size_trials(const CutTask *task, const Cut *given,
                                    uint64_t chunk_bytes, GArray *trials)
{
    if (given->message_bytes != CONFIG_AUTO) {
        add_chunking_trial(task, given, chunk_bytes, given->message_bytes,
                           trials);
        return;
    }
    for (uint64_t m = MAX(chunk_bytes, MIN_MESSAGE); m >= MIN_MESSAGE; m /= 4)
        add_chunking_trial(task, given, chunk_bytes, m, trials);
}

static uint64_t next_power_of_two(uint64_t bytes)
{
    uint64_t power = MIN_CHUNK;

    while (power < bytes)
        power *= 2;
    return power;
}

/* Returns the size of a chunk if there are @n chunks, in multiples of
 * MIN_CHUNK. Chunks have equal sizes, so that no odd chunk goes round a ring
 * alone. */
static uint64_t chunk_bytes_for_n_chunks(uint64_t bytes, uint64_t n)
{
    return ((bytes - 1) / n / MIN_CHUNK + 1) * MIN_CHUNK;
}

static GArray *list_chunking_trials(const CutTask *task, const Cut *given)
{
    GArray *trials = g_array_new(FALSE, FALSE, sizeof(ChunkingTrial));
    uint64_t least = task->are_channels ? task->n_plans : 1;

    if (given->chunk_bytes != CONFIG_AUTO) {
        add_message_size_trials(task, given, given->chunk_bytes, trials);
        return trials;
    }
    for (uint64_t n = least; task->payload_bytes / n >= MIN_CHUNK || n == least;
         n *= 2)
        add_message_size_trials(
            task, given, chunk_bytes_for_n_chunks(task->payload_bytes, n),
            trials);
    return trials;
}

Cut chunking_of_one_message(uint64_t payload_bytes, const Cut *given)
{
    uint64_t chunk_bytes = given->chunk_bytes != CONFIG_AUTO
                               ? given->chunk_bytes
                               : next_power_of_two(payload_bytes);

    return (Cut){
        .chunk_bytes = chunk_bytes,
        .message_bytes = given->message_bytes != CONFIG_AUTO
                             ? given->message_bytes
                             : chunk_bytes,
        .window = given->window != CONFIG_AUTO ? given->window : CUT_MIN_WINDOW,
    };
}

/* Returns whether trial @a is preferable to @b if both take equally long.
 * Prefers the cut that delays other collectives less, then the one with fewer
 * messages, then the one with the shorter window. */
static gboolean chunking_has_fewer_messages(const ChunkingTrial *a,
                                            const ChunkingTrial *b)
{
    if (a->long_bytes != b->long_bytes)
        return a->long_bytes < b->long_bytes;
    if (a->n_messages != b->n_messages)
        return a->n_messages < b->n_messages;
    return a->cut.window < b->cut.window;
}

/* ---- rehearsals -------------------------------------------------------- */

/* Returns the index after the last candidate that has the chunk size of
 * candidate @first. */
static guint index_after_trials_of_chunk_size(GArray *trials, guint first)
{
    guint end = first + 1;

    while (end < trials->len &&
           chunking_trial_at(trials, end)->cut.chunk_bytes ==
               chunking_trial_at(trials, first)->cut.chunk_bytes)
        end++;
    return end;
}

/* Returns the candidate from @first to before @end that the model considers
 * fastest, among those that may be chosen. */
static guint find_fastest_of_chunk_size(GArray *trials, guint first, guint end)
{
    guint least = first;

    for (guint i = first + 1; i < end; i++)
        if (!chunking_trial_at(trials, i)->is_over &&
            chunking_trial_at(trials, i)->model_ps <
                chunking_trial_at(trials, least)->model_ps)
            least = i;
    return least;
}

static SimTime simulate_n_chunks_alone(const CutTask *task,
                                       const ChunkingTrial *trial, uint64_t n)
{
    uint64_t payload_bytes = n * trial->cut.chunk_bytes;

    return task->rehearse(task->rehearsal,
                          MIN(payload_bytes, task->payload_bytes), &trial->cut);
}

/* Returns the time of all chunks, extrapolated from simulations of @n and @n /
 * 2 of them: each further chunk takes as long as each of the later half. */
static SimTime extrapolate_chunk_times(const CutTask *task,
                                       const ChunkingTrial *trial, uint64_t n)
{
    uint64_t n_all = count_chunks_of_payload(task, trial->cut.chunk_bytes),
             half = n / 2;
    SimTime half_ps = simulate_n_chunks_alone(task, trial, half), whole_ps;
    SimWide remaining_ps;

    if (half_ps == SIM_TIME_MAX)
        return SIM_TIME_MAX;
    whole_ps = simulate_n_chunks_alone(task, trial, n);
    if (whole_ps == SIM_TIME_MAX || whole_ps < half_ps)
        return SIM_TIME_MAX;
    remaining_ps = (SimWide)(whole_ps - half_ps) * (n_all - n) / (n - half);
    return MAX(sim_time_add(whole_ps, (SimTime)MIN(remaining_ps, SIM_TIME_MAX)),
               trial->least_ps);
}

/* Returns the time of a candidate by simulation, or SIM_TIME_MAX.  If it has
 * too many messages and @in_part is set, fewer chunks are simulated. */
static SimTime simulate_chunking_alone(const CutTask *task,
                                       const ChunkingTrial *trial,
                                       gboolean in_part)
{
    uint64_t n_all = count_chunks_of_payload(task, trial->cut.chunk_bytes);
    uint64_t n = (uint64_t)((SimWide)n_all * task->most_messages /
                            MAX(1, trial->n_moved));

    if (trial->is_known)
        return trial->time_ps;
    if (n >= n_all)
        return simulate_n_chunks_alone(task, trial, n_all);
    return in_part && n >= MAX(MIN_PART, 2 * trial->n_filling)
               ? extrapolate_chunk_times(task, trial, n)
               : SIM_TIME_MAX;
}

/* The time of a rehearsal, and the time that the model predicted for it. */
typedef struct {
    SimTime ps, model_ps;
} RehearsedTime;

/* Returns @model_ps corrected by the error that the model had in @known;
 * SIM_TIME_MAX if @known is empty. */
static SimTime corrected_model_ps(SimTime model_ps, const RehearsedTime *known)
{
    SimWide ps = (SimWide)model_ps * known->ps / MAX(1, known->model_ps);

    return known->ps == 0 ? SIM_TIME_MAX : (SimTime)MIN(ps, SIM_TIME_MAX);
}

/* Simulates two candidates of one chunk size: one message per step, and the
 * message size that the model considers best. known[0] becomes the time of the
 * first, and known[1] that of the other; both only if it was affordable.
 * Returns whether any was simulated. */
static gboolean simulate_chunk_size_alone(const CutTask *task, GArray *trials,
                                          guint first, guint least,
                                          gboolean in_part,
                                          RehearsedTime *known)
{
    const guint tried[] = { first, least };
    gboolean any = FALSE;

    for (guint i = 0; i < G_N_ELEMENTS(tried); i++) {
        const ChunkingTrial *trial = chunking_trial_at(trials, tried[i]);
        SimTime ps = SIM_TIME_MAX;

        if (i == 0 || least != first)
            ps = simulate_chunking_alone(task, trial, in_part);
        if (ps == SIM_TIME_MAX)
            continue;
        known[i] = (RehearsedTime){ ps, trial->model_ps };
        any = TRUE;
    }
    return any;
}

static gboolean is_clearly_faster(SimTime ps, SimTime best_ps)
{
    return (SimWide)ps * 1000 < (SimWide)best_ps * (1000 - GAIN_PER_MILLE);
}

/* Simulates the message sizes of one chunk size, from the largest on.  Returns
 * the index of the best candidate. */
static guint simulate_message_sizes(const CutTask *task, GArray *trials,
                                    guint first, guint end)
{
    SimTime best_ps = SIM_TIME_MAX;
    guint best = first, n_flat = 0;

    for (guint i = first; i < end && n_flat < MAX_FLAT_MESSAGES; i++) {
        SimTime ps =
            simulate_chunking_alone(task, chunking_trial_at(trials, i), FALSE);

        n_flat = is_clearly_faster(ps, best_ps) ? 0 : n_flat + 1;
        if (ps >= best_ps)
            continue;
        best_ps = ps;
        best = i;
    }
    return best;
}

static SimTime shorter_simulated_time_ps(const RehearsedTime *known)
{
    return MIN(known[0].ps > 0 ? known[0].ps : SIM_TIME_MAX,
               known[1].ps > 0 ? known[1].ps : SIM_TIME_MAX);
}

/* Replaces the times of the model by simulated times for one chunk size, and
 * gives up the candidates that were not simulated. */
static void use_simulated_times(const CutTask *task, GArray *trials,
                                guint first, guint end, guint least,
                                const RehearsedTime *known)
{
    for (guint i = first; i < end; i++) {
        ChunkingTrial *trial = chunking_trial_at(trials, i);

        if (trial->is_known)
            continue;
        gboolean is_simulated =
            (i == first || i == least) && known[i > first].ps > 0;

        trial->time_ps = is_simulated ? known[i > first].ps : SIM_TIME_MAX;
        trial->is_timed = is_simulated;
        trial->is_known = is_simulated && trial->n_moved <= task->most_messages;
    }
}

/* The chunk sizes simulated so far. */
typedef struct {
    RehearsedTime last[2];      /* rehearsals of the last size */
    SimTime last_ps, before_ps; /* time of the last size, and of the one before
                                   it; SIM_TIME_MAX if there is none */
    SimTime best_ps;
    guint n_after; /* sizes after the last one that could not be simulated */
    guint n_worse, n_flat, n_parts;
    uint64_t n_chunks; /* number of chunks of each order, at the current size */
} RehearsedSizes;

/* Estimates a size that cannot be simulated: the model's time, corrected by its
 * error at the last simulated size.  The estimate has a lower bound.  The time
 * of a pipeline is A + B / n, so each time the chunks are halved, the gain is
 * at most half of the gain before.  If several sizes gained nothing, the best
 * time is a lower bound, too. */
static void correct_estimates_by_simulated_time(GArray *trials, guint first,
                                                guint end,
                                                const RehearsedSizes *history)
{
    SimTime gain_ps = history->before_ps < SIM_TIME_MAX &&
                              history->before_ps > history->last_ps
                          ? history->before_ps - history->last_ps
                          : 0;
    SimTime left_ps = history->n_after < 64 ? gain_ps >> history->n_after : 0;
    SimTime floor_ps =
        history->last_ps - MIN(history->last_ps, gain_ps - left_ps);

    if (history->before_ps == SIM_TIME_MAX)
        floor_ps = 0;
    if (history->n_flat >= MAX_FLAT)
        floor_ps = MAX(floor_ps, history->best_ps);
    for (guint i = first; i < end; i++) {
        ChunkingTrial *trial = chunking_trial_at(trials, i);

        if (!trial->is_known)
            trial->time_ps = MAX(
                corrected_model_ps(trial->model_ps, &history->last[i > first]),
                MAX(floor_ps, trial->least_ps));
    }
}

/* Adds the result of a size. A size that was timed by a part of its chunks, and
 * gained nothing, counts twice. */
static void add_size_to_history(RehearsedSizes *history,
                                const RehearsedTime *known, gboolean in_part)
{
    SimTime ps = shorter_simulated_time_ps(known);
    gboolean is_better = (SimWide)ps * 101 < (SimWide)history->best_ps * 100;

    for (guint k = 0; k < 2; k++)
        if (known[k].ps > 0)
            history->last[k] = known[k];
    history->n_worse =
        (SimWide)ps * 100 > (SimWide)history->best_ps * WORSE_PER_CENT
            ? history->n_worse + 1
            : 0;
    history->n_flat = is_clearly_faster(ps, history->best_ps) ||
                              history->n_chunks < PIPELINE_CHUNKS
                          ? 0
                          : history->n_flat + 1;
    history->best_ps = MIN(history->best_ps, ps);
    history->before_ps = history->last_ps;
    history->last_ps = ps;
    if (in_part)
        history->n_parts += is_better ? 1 : 2;
}

/* Simulates as many candidates as allowed, from the largest chunks on. */
static void simulate_best_chunkings_alone(const CutTask *task, GArray *trials)
{
    RehearsedSizes history = { .last_ps = SIM_TIME_MAX,
                               .before_ps = SIM_TIME_MAX,
                               .best_ps = SIM_TIME_MAX };

    for (guint i = 0, end; i < trials->len; i = end) {
        gboolean in_part = history.n_parts < MAX_PARTS;
        RehearsedTime known[2] = { 0 };
        guint least;

        end = index_after_trials_of_chunk_size(trials, i);
        history.n_chunks =
            count_chunks_of_payload(
                task, chunking_trial_at(trials, i)->cut.chunk_bytes) /
            MAX(1, task->n_plans);
        least = i == 0 ? simulate_message_sizes(task, trials, i, end) : 0;
        if (least == 0)
            least = find_fastest_of_chunk_size(trials, i, end);
        if (history.n_after == 0 && history.n_worse < MAX_WORSE &&
            history.n_flat < MAX_FLAT &&
            simulate_chunk_size_alone(task, trials, i, least, in_part, known)) {
            use_simulated_times(task, trials, i, end, least, known);
            add_size_to_history(&history, known,
                                chunking_trial_at(trials, i)->n_moved >
                                    task->most_messages);
        } else if (history.last_ps < SIM_TIME_MAX) {
            history.n_after++;
            correct_estimates_by_simulated_time(trials, i, end, &history);
        }
    }
}

/* ---- neighbours of the best rehearsed candidate -------------------------- */

static ChunkingTrial *best_timed_trial(GArray *trials)
{
    ChunkingTrial *best = NULL;

    for (guint i = 0; i < trials->len; i++) {
        ChunkingTrial *trial = chunking_trial_at(trials, i);

        if (trial->is_timed && !trial->is_over &&
            (!best || trial->time_ps < best->time_ps))
            best = trial;
    }
    return best;
}

/* Returns the trial with the chunks of @best and the next smaller messages, or
 * NULL if there is none. */
static ChunkingTrial *trial_with_smaller_messages(GArray *trials,
                                                  const ChunkingTrial *best)
{
    for (guint i = 0; i < trials->len; i++) {
        ChunkingTrial *trial = chunking_trial_at(trials, i);

        if (trial->cut.chunk_bytes == best->cut.chunk_bytes &&
            trial->cut.message_bytes < best->cut.message_bytes)
            return trial;
    }
    return NULL;
}

/* Returns the trial with the next larger chunks and with messages that are not
 * larger than those of @best, or NULL if there is none. */
static ChunkingTrial *trial_with_larger_chunks(GArray *trials,
                                               const ChunkingTrial *best)
{
    ChunkingTrial *found = NULL;

    for (guint i = 0; i < trials->len; i++) {
        ChunkingTrial *trial = chunking_trial_at(trials, i);

        if (trial->cut.chunk_bytes > best->cut.chunk_bytes &&
            trial->cut.message_bytes <= best->cut.message_bytes &&
            (!found || trial->cut.chunk_bytes < found->cut.chunk_bytes))
            found = trial;
    }
    return found;
}

/* Rehearses @trial if it was not rehearsed before.  Returns whether it is
 * clearly faster than @best_ps. */
static gboolean rehearse_neighbour_trial(const CutTask *task,
                                         ChunkingTrial *trial, SimTime best_ps,
                                         guint *n_rehearsed)
{
    if (!trial || trial->is_timed || trial->is_over)
        return FALSE;
    (*n_rehearsed)++;
    trial->time_ps = simulate_chunking_alone(task, trial, TRUE);
    trial->is_timed = trial->time_ps < SIM_TIME_MAX;
    trial->is_known = trial->is_timed && trial->n_moved <= task->most_messages;
    return is_clearly_faster(trial->time_ps, best_ps);
}

/* Rehearses neighbours of the best candidate as long as one of them is faster:
 * smaller messages, and larger chunks of messages of about the same size.  The
 * model proposes one message size for each chunk size, and often a single
 * message. */
static void rehearse_neighbours_of_best(const CutTask *task, GArray *trials)
{
    guint n_rehearsed = 0;
    gboolean is_faster = TRUE;

    while (is_faster && n_rehearsed < MAX_NEIGHBOURS) {
        const ChunkingTrial *best = best_timed_trial(trials);
        SimTime best_ps;

        if (!best)
            return;
        best_ps = best->time_ps;
        is_faster = rehearse_neighbour_trial(
            task, trial_with_smaller_messages(trials, best), best_ps,
            &n_rehearsed);
        is_faster |= rehearse_neighbour_trial(
            task, trial_with_larger_chunks(trials, best), best_ps,
            &n_rehearsed);
    }
}

/* ---- choice of a candidate --------------------------------------------- */

static SimTime min_estimated_time_of_trials_ps(GArray *trials,
                                               gboolean with_over)
{
    SimTime least = SIM_TIME_MAX;

    for (guint i = 0; i < trials->len; i++)
        if (with_over || !chunking_trial_at(trials, i)->is_over)
            least = MIN(least, chunking_trial_at(trials, i)->time_ps);
    return least;
}

static SimTime time_plus_tolerance_ps(const CutTask *task, SimTime ps)
{
    return sim_time_add(
        ps, ps / 100 * MAX(CUT_TOLERANCE_PERCENT, task->tolerance_percent));
}

static uint64_t cost_model_underestimate_ppm(const CutTask *task,
                                             SimTime time_ps, SimTime best_ps)
{
    if (time_ps <= time_plus_tolerance_ps(task, best_ps))
        return 0;
    return (uint64_t)MIN(
        (SimWide)(time_ps - best_ps) * 1000000 / MAX(1, best_ps), UINT64_MAX);
}

/* Returns the lightest trial within the slack of the best, or NULL if no cut
 * fits the endpoint.  *@best_ps becomes the least time of all trials, including
 * those with too many messages. */
static ChunkingTrial *find_lightest_trial(const CutTask *task, GArray *trials,
                                          SimTime *best_ps)
{
    ChunkingTrial *best = NULL;
    SimTime most_ps;

    *best_ps = min_estimated_time_of_trials_ps(trials, TRUE);
    most_ps = MAX(min_estimated_time_of_trials_ps(trials, FALSE),
                  time_plus_tolerance_ps(task, *best_ps));
    for (guint i = 0; i < trials->len; i++) {
        ChunkingTrial *trial = chunking_trial_at(trials, i);

        if (!trial->is_over && trial->time_ps <= most_ps &&
            (!best || chunking_has_fewer_messages(trial, best)))
            best = trial;
    }
    return best;
}

static SimTime min_simulated_time_ps(GArray *trials)
{
    SimTime least = SIM_TIME_MAX;

    for (guint i = 0; i < trials->len; i++)
        if (chunking_trial_at(trials, i)->is_known)
            least = MIN(least, chunking_trial_at(trials, i)->time_ps);
    return least;
}

/* Returns whether @trial has few enough messages to be simulated by a check. */
static gboolean trial_can_be_simulated(const CutTask *task,
                                       const ChunkingTrial *trial)
{
    return trial->n_moved <= CHECK_FACTOR * task->most_messages;
}

/* Returns whether one more check may simulate @trial, and counts the check. */
static gboolean count_simulation_if_allowed(const CutTask *task,
                                            const ChunkingTrial *trial,
                                            guint *n_checks)
{
    return trial_can_be_simulated(task, trial) && (*n_checks)++ < MAX_CHECKS;
}

static SimTime simulate_all_chunks_alone(const CutTask *task,
                                         const ChunkingTrial *trial)
{
    return simulate_n_chunks_alone(
        task, trial, count_chunks_of_payload(task, trial->cut.chunk_bytes));
}

/* Sets the time of @trial to a simulated one; SIM_TIME_MAX ends the trial. */
static void set_simulated_time(ChunkingTrial *trial, SimTime ps)
{
    trial->is_known = ps < SIM_TIME_MAX;
    trial->time_ps = ps;
}

/* Replaces the estimated time of @trial by a simulated one.  If the simulation
 * would need too many messages, a trial that is little better than @known_ps,
 * the best simulated time, is given up.  Returns FALSE if the
 * estimate stays. */
static gboolean replace_estimate_by_simulation(const CutTask *task,
                                               ChunkingTrial *trial,
                                               SimTime known_ps,
                                               guint *n_checks)
{
    SimTime ps = count_simulation_if_allowed(task, trial, n_checks)
                     ? simulate_all_chunks_alone(task, trial)
                     : SIM_TIME_MAX;

    if (ps == SIM_TIME_MAX && (SimWide)trial->time_ps * 100 <
                                  (SimWide)known_ps * (100 - ESTIMATE_PER_CENT))
        return FALSE;
    set_simulated_time(trial, ps);
    return TRUE;
}

/* Returns the trial with the least estimate among those that a check can
 * simulate and that are expected to be faster than @known_ps.  Returns NULL if
 * no trial is. */
static ChunkingTrial *best_trial_to_check(const CutTask *task, GArray *trials,
                                          SimTime known_ps)
{
    ChunkingTrial *best = NULL;

    for (guint i = 0; i < trials->len; i++) {
        ChunkingTrial *trial = chunking_trial_at(trials, i);

        if (!trial->is_known && !trial->is_over &&
            trial_can_be_simulated(task, trial) &&
            trial->time_ps < (best ? best->time_ps : known_ps))
            best = trial;
    }
    return best;
}

/* Multiplies the estimates of trials with finer chunks than @checked by the
 * error of the estimate of @checked, which was @expected_ps. */
static void correct_finer_estimates(GArray *trials,
                                    const ChunkingTrial *checked,
                                    SimTime expected_ps)
{
    const RehearsedTime known = { checked->time_ps, expected_ps };

    for (guint i = 0; i < trials->len; i++) {
        ChunkingTrial *trial = chunking_trial_at(trials, i);

        if (!trial->is_known && trial->time_ps < SIM_TIME_MAX &&
            trial->cut.chunk_bytes < checked->cut.chunk_bytes)
            trial->time_ps = MAX(corrected_model_ps(trial->time_ps, &known),
                                 trial->least_ps);
    }
}

/* Checks another trial than the best one, which has too many messages for a
 * check.  The result corrects the estimates of trials with finer chunks.
 * Returns FALSE if no other trial is expected to be faster than @known_ps. */
static gboolean simulate_next_best_trial(const CutTask *task, GArray *trials,
                                         SimTime known_ps, guint *n_checks)
{
    ChunkingTrial *trial = best_trial_to_check(task, trials, known_ps);
    SimTime expected_ps;

    if (!trial || !count_simulation_if_allowed(task, trial, n_checks))
        return FALSE;
    expected_ps = trial->time_ps;
    set_simulated_time(trial, simulate_all_chunks_alone(task, trial));
    if (trial->is_known)
        correct_finer_estimates(trials, trial, expected_ps);
    return TRUE;
}

/* Returns whether the candidate at @i is worth a check beside @best: it has one
 * message for each step, or the largest messages that are not larger than those
 * of @best. */
static gboolean is_finer_neighbour(GArray *trials, guint i,
                                   const ChunkingTrial *best)
{
    const ChunkingTrial *trial = chunking_trial_at(trials, i), *before;

    if (trial->is_known || trial->is_over ||
        trial->cut.chunk_bytes >= best->cut.chunk_bytes ||
        trial->cut.chunk_bytes < best->cut.chunk_bytes / FINER_FACTOR)
        return FALSE;
    before = chunking_trial_at(trials, i - 1);
    return before->cut.chunk_bytes != trial->cut.chunk_bytes ||
           (trial->cut.message_bytes <= best->cut.message_bytes &&
            before->cut.message_bytes > best->cut.message_bytes);
}

/* Rehearsals may end because they became too expensive while finer chunks were
 * still faster.  This simulates the next finer chunks as well.  Returns FALSE
 * if they were simulated before or need too many messages. */
static gboolean simulate_finer_trial(const CutTask *task, GArray *trials,
                                     const ChunkingTrial *best, guint *n_checks)
{
    for (guint i = 1; i < trials->len; i++) {
        ChunkingTrial *next = chunking_trial_at(trials, i);

        if (!is_finer_neighbour(trials, i, best) ||
            next->n_moved <= task->most_messages)
            continue;
        if (!count_simulation_if_allowed(task, next, n_checks))
            return FALSE;
        set_simulated_time(next, simulate_all_chunks_alone(task, next));
        return TRUE;
    }
    return FALSE;
}

/* Simulates one more trial if that may change the choice of @best.  Returns
 * TRUE if the choice has to be repeated. */
static gboolean refine_chunking_choice(const CutTask *task, GArray *trials,
                                       ChunkingTrial *best, guint *n_checks)
{
    SimTime known_ps = min_simulated_time_ps(trials);

    if (!best || !task->rehearse || known_ps == SIM_TIME_MAX)
        return FALSE;
    return best->is_known
               ? simulate_finer_trial(task, trials, best, n_checks)
               : replace_estimate_by_simulation(task, best, known_ps,
                                                n_checks) ||
                     simulate_next_best_trial(task, trials, known_ps, n_checks);
}

/* Returns by how much, in millionths, @best is faster than the best simulated
 * trial if that is only estimated.  The estimate may be wrong by as much. */
static uint64_t unverified_gain_ppm(const CutTask *task, GArray *trials,
                                    const ChunkingTrial *best)
{
    SimTime known_ps = min_simulated_time_ps(trials);

    if (best->is_known || known_ps == SIM_TIME_MAX)
        return 0;
    return cost_model_underestimate_ppm(task, known_ps, best->time_ps);
}

/* Forgets all times that were not simulated with all chunks. */
static void reset_estimated_trials(GArray *trials)
{
    for (guint i = 0; i < trials->len; i++) {
        ChunkingTrial *trial = chunking_trial_at(trials, i);

        if (trial->is_known)
            continue;
        trial->time_ps = trial->model_ps;
        trial->is_timed = FALSE;
    }
}

/* Chooses among @trials, with rehearsals if the task allows any.  Returns NULL
 * if no cut fits the endpoint.  *@best_ps becomes the least time of
 * all trials. */
static ChunkingTrial *choose_among_trials(const CutTask *task, GArray *trials,
                                          SimTime *best_ps)
{
    ChunkingTrial *best;
    guint n_checks = 0;

    if (task->rehearse) {
        reset_estimated_trials(trials);
        simulate_best_chunkings_alone(task, trials);
        rehearse_neighbours_of_best(task, trials);
    }
    best = find_lightest_trial(task, trials, best_ps);
    while (refine_chunking_choice(task, trials, best, &n_checks))
        best = find_lightest_trial(task, trials, best_ps);
    return best;
}

CutChoice choose_chunking_of_collective(const CutTask *task, const Cut *given)
{
    g_autoptr(GArray) trials = list_chunking_trials(task, given);
    CutTask longer = *task;
    SimTime best_ps;
    ChunkingTrial *best = choose_among_trials(task, trials, &best_ps);

    while (task->rehearse && best && !best->is_known) {
        uint64_t most =
            MIN(best->n_moved / REHEARSED_PART, MAX_REHEARSED_MESSAGES);

        if (most <= longer.most_messages)
            break;
        longer.most_messages = most;
        best = choose_among_trials(&longer, trials, &best_ps);
    }
    if (best)
        return (CutChoice){ best->cut, best->time_ps,
                            MAX(cost_model_underestimate_ppm(
                                    task, best->time_ps, best_ps),
                                unverified_gain_ppm(task, trials, best)),
                            best->is_known };
    /* No cut fits the endpoint, which reports the error later. */
    return (CutChoice){ chunking_of_one_message(task->payload_bytes, given),
                        SIM_TIME_MAX, 0, FALSE };
}
