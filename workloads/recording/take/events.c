/*
 * events.c - what a stream of the device waits for on another
 *
 * A call of the host makes a stream wait.  If the recording does not say for
 * what, it is the operation of another stream that was launched last, of those
 * that nothing waited for yet and that had ended when the next operation that
 * this thread launches began.  A communication has as many such calls behind
 * its launch as before it, by which its library goes to a stream of its own and
 * back: nobody else waits by those.  A collective for which nothing else is
 * said waits for the last kernel launched before it.  Where there are no calls
 * at all, a kernel that begins within a few us of the end of a communication,
 * and for no other reason, waited for it.
 */
#include "workloads/recording/take/take_impl.h"

#define BEGINS_AS_IT_ENDS_PS (5 * 1000000)
#define MOST_LOOKED_AT       10000
#define MOST_LAUNCHES        256

/* Of a thread: what the next operation that it launches waits for. */
typedef struct {
    guint n;       /* calls that do not say for what */
    guint n_own;   /* calls to come that are of the communication before */
    GArray *given; /* of uint32_t: operations */
} Pending;

typedef struct {
    TakeMaker *m;
    Pending *pending; /* by stream */
    GArray *order;    /* of uint32_t: operations as they were launched */
    guint8 *is_known; /* by operation: something waits for it */
    uint32_t kernel;  /* launched last of what computes */
} Launches;

static int64_t launched_ps(const TakeMaker *m, const TakeOp *op)
{
    uint32_t call = m->launch[op->node];

    return call == RECORD_NONE ? op->begin_ps : take_begin_of(m, call);
}

/* How many of .by_end have ended until then. */
static guint n_ended(const TakeMaker *m, int64_t end_ps)
{
    guint low = 0, high = m->by_end->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        uint32_t op = g_array_index(m->by_end, uint32_t, middle);

        if (take_made(m, op)->end_ps <= end_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t take_last_to_end(const TakeMaker *m, int64_t end_ps, int64_t before_ps,
                          uint32_t but)
{
    guint n = n_ended(m, end_ps);

    for (guint i = 0; i < n && i < MOST_LOOKED_AT; i++) {
        uint32_t op = g_array_index(m->by_end, uint32_t, n - 1 - i);

        if (take_made(m, op)->chain != but &&
            launched_ps(m, take_made(m, op)) < before_ps)
            return op;
    }
    return RECORD_NONE;
}

/* ---- calls ------------------------------------------------------------ */

static void note_call(TakeMaker *m, const RecordNode *node, Pending *pending)
{
    if (node->n_deps == 0 && pending->n_own > 0)
        pending->n_own--;
    else if (node->n_deps == 0)
        pending->n++;
    for (uint32_t d = 0; d < take_n_deps(m, node); d++) {
        uint32_t on = take_resolve(m, node, d);

        if (on == RECORD_NONE || m->op_of[on] == RECORD_NONE)
            take_report(m)->n[REPORT_ABSENT]++;
        else
            g_array_append_val(pending->given, m->op_of[on]);
    }
}

static gboolean has_ended(const TakeMaker *m, uint32_t on, const TakeOp *op)
{
    return take_made(m, on)->end_ps <= op->begin_ps + TAKE_TOLERANCE_PS;
}

static uint32_t last_elsewhere(const Launches *l, const TakeOp *op)
{
    for (guint i = 0; i < l->order->len && i < MOST_LAUNCHES; i++) {
        uint32_t on = g_array_index(l->order, uint32_t, l->order->len - 1 - i);

        if (take_made(l->m, on)->chain != op->chain && !l->is_known[on] &&
            has_ended(l->m, on, op))
            return on;
    }
    return RECORD_NONE;
}

static void take_pending(Launches *l, uint32_t op, Pending *pending)
{
    TakeMaker *m = l->m;
    const TakeOp *o = take_made(m, op);
    uint32_t on;

    for (guint i = 0; i < pending->given->len; i++) {
        on = g_array_index(pending->given, uint32_t, i);
        if (on == op || !has_ended(m, on, o)) {
            take_report(m)->n[REPORT_BACKWARD]++;
            continue;
        }
        take_add_pair(m, op, on);
        take_report(m)->n[REPORT_EVENTS_GIVEN]++;
    }
    for (guint i = 0; i < pending->n; i++) {
        on = last_elsewhere(l, o);
        if (on == RECORD_NONE)
            break;
        l->is_known[on] = 1;
        take_add_pair(m, op, on);
        take_report(m)->n[REPORT_EVENTS_INFERRED]++;
    }
    pending->n_own = o->kind == TAKE_SHARED ? pending->n : 0;
    pending->n = 0;
    g_array_set_size(pending->given, 0);
}

static void follow_kernel(TakeMaker *m, uint32_t op, uint32_t kernel)
{
    const TakeOp *o = take_made(m, op);

    if (kernel == RECORD_NONE || take_made(m, kernel)->chain == o->chain ||
        !has_ended(m, kernel, o))
        return;
    take_add_pair(m, op, kernel);
    take_report(m)->n[REPORT_AFTER_KERNEL]++;
}

static void look_at_call(Launches *l, uint32_t call)
{
    TakeMaker *m = l->m;
    const RecordNode *node = record_node(m->from, call);
    uint32_t op = m->first_launched[call];

    if (op != RECORD_NONE)
        take_pending(l, op, &l->pending[node->stream]);
    for (; op != RECORD_NONE; op = m->next_launched[op]) {
        if (take_made(m, op)->kind == TAKE_SHARED)
            follow_kernel(m, op, l->kernel);
        else
            l->kernel = op;
        g_array_append_val(l->order, op);
    }
    if (node->flags & RECORD_FOR_STREAM)
        note_call(m, node, &l->pending[node->stream]);
}

static void follow_calls(TakeMaker *m, const GArray *calls)
{
    guint n = m->from->streams->len;
    Launches l = { .m = m, .kernel = RECORD_NONE };

    l.pending = g_new0(Pending, n + 1);
    l.order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    l.is_known = g_new0(guint8, m->ops->len + 1);
    for (guint s = 0; s < n; s++)
        l.pending[s].given = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (guint i = 0; i < calls->len; i++)
        look_at_call(&l, g_array_index(calls, uint32_t, i));
    for (guint s = 0; s < n; s++)
        g_array_unref(l.pending[s].given);
    g_free(l.pending);
    g_array_unref(l.order);
    g_free(l.is_known);
}

/* ---- without calls ---------------------------------------------------- */

/* Until when what is known keeps each operation. */
static int64_t *known_ready(const TakeMaker *m)
{
    int64_t *ready_ps = g_new(int64_t, m->ops->len + 1);

    for (guint i = 0; i < m->ops->len; i++)
        ready_ps[i] = take_made(m, i)->floor_ps;
    for (guint p = 0; p < m->pairs->len; p++) {
        const TakePair *pair = &g_array_index(m->pairs, TakePair, p);

        if (pair->is_before)
            continue;
        ready_ps[pair->op] =
            MAX(ready_ps[pair->op], take_made(m, pair->on)->end_ps);
    }
    return ready_ps;
}

/* The last communication to end in the few us before; RECORD_NONE. */
static uint32_t just_ended(const TakeMaker *m, const TakeOp *op)
{
    guint n = n_ended(m, op->begin_ps + TAKE_TOLERANCE_PS);

    for (guint i = 0; i < n && i < MOST_LOOKED_AT; i++) {
        uint32_t on = g_array_index(m->by_end, uint32_t, n - 1 - i);
        const TakeOp *o = take_made(m, on);

        if (o->end_ps < op->begin_ps - BEGINS_AS_IT_ENDS_PS)
            return RECORD_NONE;
        if (o->kind == TAKE_SHARED && o->chain != op->chain &&
            o->begin_ps < op->begin_ps)
            return on;
    }
    return RECORD_NONE;
}

static void follow_ends(TakeMaker *m)
{
    g_autofree int64_t *ready_ps = known_ready(m);

    for (guint i = 0; i < m->by_end->len; i++) {
        uint32_t op = g_array_index(m->by_end, uint32_t, i);
        const TakeOp *o = take_made(m, op);
        uint32_t on;

        if (o->kind == TAKE_SHARED || o->begin_ps == RECORD_NO_TIME ||
            ready_ps[op] == RECORD_NO_TIME ||
            o->begin_ps - ready_ps[op] <= BEGINS_AS_IT_ENDS_PS)
            continue;
        on = just_ended(m, o);
        if (on == RECORD_NONE || on == op)
            continue;
        take_add_pair(m, op, on);
        take_report(m)->n[REPORT_BY_END]++;
    }
}

/* A collective that nobody launched, and of which nothing is said. */
static void follow_kernels(TakeMaker *m)
{
    for (guint i = 0; i < m->by_end->len; i++) {
        uint32_t op = g_array_index(m->by_end, uint32_t, i);
        const TakeOp *o = take_made(m, op);

        if (o->kind == TAKE_SHARED && m->launch[o->node] == RECORD_NONE &&
            record_node(m->from, o->node)->n_deps == 0)
            follow_kernel(m, op,
                          take_last_to_end(m, o->begin_ps + TAKE_TOLERANCE_PS,
                                           o->begin_ps, o->chain));
    }
}

void take_find_events(TakeMaker *m, const GArray *calls)
{
    follow_calls(m, calls);
    follow_kernels(m);
    follow_ends(m);
}
