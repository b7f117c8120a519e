/* cut.c - cuts are tried by what flow.h makes of them */
#include "models/collectives/cut.h"

#include "models/collectives/cost/flow.h"
#include "sim/config/config.h"

#define MIN_CHUNK   256
#define MIN_MESSAGE 256
/* Messages of one collective on one NPU, which somebody has to simulate: a
 * fraction of a second of that (assumed, as the others are). */
#define MAX_MESSAGES (1 << 20)

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
    SimTime time_ps;
    uint64_t n_messages; /* of the collective, on one NPU */
    uint64_t long_bytes; /* of a message, or what holds up nobody */
} Trial;

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

    trial.n_messages = flow.n_messages * cut_n_chunks(task, chunk_bytes);
    if (!flow.fits ||
        (given->chunk_bytes == CONFIG_AUTO && trial.n_messages > MAX_MESSAGES))
        return;
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

Cut cut_choose(const CutTask *task, const Cut *given)
{
    g_autoptr(GArray) trials = try_all(task, given);
    SimTime most_ps = SIM_TIME_MAX;
    const Trial *best = NULL;

    for (guint i = 0; i < trials->len; i++)
        most_ps = MIN(most_ps, g_array_index(trials, Trial, i).time_ps);
    most_ps = sim_time_add(
        most_ps, most_ps / 100 * MAX(CUT_SLACK_PERCENT, task->slack_percent));
    for (guint i = 0; i < trials->len; i++) {
        const Trial *trial = &g_array_index(trials, Trial, i);

        if (trial->time_ps <= most_ps && (!best || is_lighter(trial, best)))
            best = trial;
    }
    /* What nothing fits is for the endpoint to complain of. */
    return best ? best->cut : cut_without_choice(task->payload_bytes, given);
}
