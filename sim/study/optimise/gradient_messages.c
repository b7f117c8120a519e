/* gradient_messages.c - when gradients were submitted in a run, and when their
 * sums arrived */
#include "sim/study/optimise/gradient_messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NOT_YET UINT64_MAX

struct MessageListener {
    const System *system; /* borrowed */
    uint32_t npu;
    SimTime *submitted_ps; /* owned: by operation; NOT_YET if not submitted */
    GArray *messages;      /* owned: of GradientMessage */
};

/* ---- recording the messages of a run ------------------------------------- */

static void record_message_submission(gpointer self, uint32_t npu, uint32_t op,
                                      uint64_t iteration, SimTime now_ps)
{
    MessageListener *listener = self;

    if (npu == listener->npu && iteration == 0)
        listener->submitted_ps[op] = now_ps;
}

static void record_message_end(gpointer self, uint32_t npu, uint32_t op,
                               uint64_t iteration, SimTime now_ps)
{
    MessageListener *listener = self;
    const Op *what = op_graph_op(system_graph(listener->system), op);
    GradientMessage message = { op, what->kind, what->payload_bytes,
                                0,  now_ps,     0 };

    if (npu != listener->npu || iteration != 0 ||
        listener->submitted_ps[op] == NOT_YET ||
        what->pass != OP_WEIGHT_GRADIENT)
        return;
    message.submitted_ps = listener->submitted_ps[op];
    g_array_append_val(listener->messages, message);
}

static const TraceOps trace_ops = {
    .ahead = TRUE,
    .collective_queued = record_message_submission,
    .collective_ends = record_message_end,
};

static uint32_t first_simulated_npu(const System *system)
{
    uint32_t npu = 0;

    while (!system_simulates_npu(system, npu))
        npu++;
    return npu;
}

MessageListener *message_listener_new(System *system)
{
    MessageListener *listener = g_new0(MessageListener, 1);
    guint n_ops = system_graph(system)->ops->len;

    listener->system = system;
    listener->npu = first_simulated_npu(system);
    listener->submitted_ps = g_new(SimTime, n_ops);
    for (guint i = 0; i < n_ops; i++)
        listener->submitted_ps[i] = NOT_YET;
    listener->messages = g_array_new(FALSE, FALSE, sizeof(GradientMessage));
    system_add_listener(system, &trace_ops, listener);
    return listener;
}

void message_listener_free(MessageListener *listener)
{
    if (!listener)
        return;
    g_free(listener->submitted_ps);
    g_array_unref(listener->messages);
    g_free(listener);
}

/* ---- recorded messages as text ------------------------------------------- */

void message_listener_write(const MessageListener *listener,
                            const SimTime *path_ps, GString *out)
{
    for (guint i = 0; i < listener->messages->len; i++) {
        const GradientMessage *message =
            &g_array_index(listener->messages, GradientMessage, i);

        g_string_append_printf(out,
                               " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64
                               " %" PRIu64 " %" PRIu64,
                               message->op, message->kind, message->bytes,
                               message->submitted_ps, message->end_ps,
                               path_ps ? path_ps[message->op] : 0);
    }
}

GArray *gradient_messages_parse(const char *text)
{
    GArray *ret = g_array_new(FALSE, FALSE, sizeof(GradientMessage));
    GradientMessage m;
    int n;

    while (sscanf(text,
                  " %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64
                  " %" SCNu64 "%n",
                  &m.op, &m.kind, &m.bytes, &m.submitted_ps, &m.end_ps,
                  &m.path_ps, &n) == 6) {
        g_array_append_val(ret, m);
        text += n;
    }
    return ret;
}

/* ---- what the recorded messages show ------------------------------------- */

void gradient_messages_append_times(const GArray *messages, GArray *ret)
{
    SimTime free_ps = 0;

    for (guint i = 0; i < messages->len; i++) {
        const GradientMessage *message =
            &g_array_index(messages, GradientMessage, i);
        SimTime from_ps = MAX(free_ps, message->submitted_ps);
        GroupingMessage seen = { message->bytes, 0 };

        if (message->end_ps > from_ps) {
            seen.time_ps = message->end_ps - from_ps;
            g_array_append_val(ret, seen);
        }
        free_ps = MAX(free_ps, message->end_ps);
    }
}

static gint compare_message_ops(gconstpointer a, gconstpointer b)
{
    const GradientMessage *message = a, *y = b;

    return (message->op > y->op) - (message->op < y->op);
}

void gradient_messages_sort(GArray *messages)
{
    g_array_sort(messages, compare_message_ops);
}

/* Returns whether some messages are no all-gathers.  Then the all-gathers are
 * sparse rows; otherwise each carries a compressed tensor. */
static gboolean messages_include_other_than_all_gather(const GArray *messages)
{
    for (guint i = 0; i < messages->len; i++)
        if (g_array_index(messages, GradientMessage, i).kind != COLL_ALL_GATHER)
            return TRUE;
    return FALSE;
}

GArray *gradient_messages_list_tensors(const GArray *messages)
{
    gboolean without_rows = messages_include_other_than_all_gather(messages);
    g_autoptr(GArray) sorted = g_array_copy((GArray *)messages);
    GArray *ret = g_array_new(FALSE, FALSE, sizeof(GroupingTensor));
    SimTime ready_ps = 0;

    gradient_messages_sort(sorted);
    for (guint i = 0; i < sorted->len; i++) {
        const GradientMessage *message =
            &g_array_index(sorted, GradientMessage, i);
        GroupingTensor tensor = { .bytes = message->bytes };

        if (without_rows && message->kind == COLL_ALL_GATHER)
            continue;
        ready_ps = MAX(ready_ps, message->submitted_ps);
        tensor.ready_ps = ready_ps;
        g_array_append_val(ret, tensor);
    }
    return ret;
}

guint gradient_messages_count_tensors(const OpGraph *graph)
{
    guint n = 0, n_gathers = 0;

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const Op *op = op_graph_op(graph, i);

        if (op->type != OP_COLLECTIVE || op->pass != OP_WEIGHT_GRADIENT ||
            op->lane == OP_NO_LANE || op->is_buffer)
            continue;
        n++;
        n_gathers += op->kind == COLL_ALL_GATHER ? 1 : 0;
    }
    return n_gathers < n ? n - n_gathers : n;
}
