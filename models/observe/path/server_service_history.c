/* server_service_history.c - which collective each server worked on,
 * and when */
#include "models/observe/path/server_service_history.h"

struct ServerHistory {
    /* Owned: maps the number of a server to its spans (GArray of
     * ServiceSpan). */
    GHashTable *servers;
};

static void free_service_spans(gpointer spans)
{
    g_array_unref(spans);
}

ServerHistory *server_history_new(void)
{
    ServerHistory *history = g_new0(ServerHistory, 1);

    history->servers = g_hash_table_new_full(g_int64_hash, g_int64_equal,
                                             g_free, free_service_spans);
    return history;
}

void server_history_free(ServerHistory *history)
{
    if (!history)
        return;
    g_hash_table_unref(history->servers);
    g_free(history);
}

static GArray *service_spans_of_server(const ServerHistory *history,
                                       uint64_t server)
{
    return g_hash_table_lookup(history->servers, &server);
}

static ServiceSpan *server_service_span_at(const GArray *spans, guint i)
{
    return &g_array_index(spans, ServiceSpan, i);
}

void server_history_add(ServerHistory *history, uint64_t server, uint32_t op,
                        SimTime from_ps, SimTime to_ps)
{
    const ServiceSpan span = { from_ps, to_ps, op };
    GArray *spans = service_spans_of_server(history, server);
    ServiceSpan *last;

    if (!spans) {
        spans = g_array_new(FALSE, FALSE, sizeof(ServiceSpan));
        g_hash_table_insert(history->servers, g_memdup2(&server, sizeof server),
                            spans);
    }
    last =
        spans->len > 0 ? server_service_span_at(spans, spans->len - 1) : NULL;
    if (last && last->op == op) {
        last->to_ps = MAX(last->to_ps, to_ps);
        return;
    }
    if (spans->len >= SERVER_HISTORY_MAX_SPANS)
        g_array_remove_range(spans, 0, SERVER_HISTORY_MAX_SPANS / 2);
    g_array_append_val(spans, span);
}

SimTime server_history_end_ps(const ServerHistory *history, uint64_t server)
{
    const GArray *spans = service_spans_of_server(history, server);

    return spans && spans->len > 0
               ? server_service_span_at(spans, spans->len - 1)->to_ps
               : 0;
}

/* Returns the latest time at which a server worked on another collective than
 * @op.  Adjacent spans have different collectives, so one of the last two is of
 * another collective. */
SimTime server_history_last_work_for_others_ps(const ServerHistory *history,
                                               uint32_t op)
{
    GHashTableIter iter;
    gpointer spans;
    SimTime others_ps = 0;

    g_hash_table_iter_init(&iter, history->servers);
    while (g_hash_table_iter_next(&iter, NULL, &spans))
        for (guint i = ((GArray *)spans)->len, k = 0; i > 0 && k < 2; i--, k++)
            if (server_service_span_at(spans, i - 1)->op != op)
                others_ps =
                    MAX(others_ps, server_service_span_at(spans, i - 1)->to_ps);
    return others_ps;
}

/* Reverses the order of @spans, which were found from the last to the first. */
static void reverse_service_spans(ServiceSpan *spans, guint n)
{
    for (guint i = 0; i < n / 2; i++) {
        ServiceSpan span = spans[i];

        spans[i] = spans[n - 1 - i];
        spans[n - 1 - i] = span;
    }
}

guint server_history_list_work_in_front(
    const ServerHistory *history, uint64_t server, SimTime from_ps,
    SimTime to_ps, ServiceSpan ret[SERVER_HISTORY_MAX_FRONT])
{
    const GArray *spans = service_spans_of_server(history, server);
    SimTime at_ps = to_ps;
    guint n = 0;

    for (guint i = spans ? spans->len : 0; i > 0 && at_ps > from_ps; i--) {
        const ServiceSpan *span = server_service_span_at(spans, i - 1);
        SimTime until_ps = MIN(at_ps, span->to_ps);
        SimTime since_ps = MAX(from_ps, span->from_ps);

        if (since_ps >= until_ps)
            continue;
        if (n == SERVER_HISTORY_MAX_FRONT) {
            ret[n - 1].from_ps = from_ps;
            break;
        }
        ret[n++] = (ServiceSpan){ since_ps, until_ps, span->op };
        at_ps = since_ps;
    }
    reverse_service_spans(ret, n);
    return n;
}

void server_history_extend_by_skipped_time(ServerHistory *history, uint32_t op,
                                           SimTime shift_ps)
{
    GHashTableIter iter;
    gpointer spans;

    g_hash_table_iter_init(&iter, history->servers);
    while (g_hash_table_iter_next(&iter, NULL, &spans)) {
        ServiceSpan *last =
            server_service_span_at(spans, ((GArray *)spans)->len - 1);

        if (last->op == op)
            last->to_ps += shift_ps;
    }
}

void server_history_clear(ServerHistory *history)
{
    g_hash_table_remove_all(history->servers);
}
