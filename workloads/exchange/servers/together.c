/*
 * together.c - workers push and pull as one: bulk synchronous
 *
 * A push is a reduce by a star, from all workers straight to the server; a pull
 * a broadcast straight from it.  So a server begins to add when the last worker
 * has come to it, and what each sent before is not on its way yet: what a
 * straggler costs is the most that it can.
 *
 * Where machines reduce first, the workers of each reduce a part to one of
 * them, from part to part the next, which pushes it and pulls it and broadcasts
 * it in its machine.
 */
#include "workloads/exchange/servers/servers.h"

/* Of one part. */
typedef struct {
    const Placed *part;
    uint32_t local;       /* place in a machine of those that push */
    uint64_t workers;     /* the roles of these */
    uint32_t push, there; /* operations: the push, and after which the server
                           * has the sum */
} Trip;

static uint32_t add(const Servers *s, const Trip *trip, CollKind kind,
                    uint32_t group, uint32_t root, uint64_t roles)
{
    const ExchangeTensor *tensor = servers_tensor(s, trip->part);
    uint32_t op = op_graph_add_collective(
        s->graph, tensor->layer,
        kind == COLL_REDUCE ? OP_WEIGHT_GRADIENT : OP_UPDATE, kind,
        trip->part->bytes, tensor->priority);
    gboolean ok;

    op_graph_set_roles(s->graph, op, roles);
    op_graph_set_group(s->graph, op, group);
    ok = op_graph_set_root(s->graph, op, root, s->exchange->node, NULL);
    g_assert(ok);
    return op;
}

static uint32_t add_star(const Servers *s, const Trip *trip, CollKind kind)
{
    uint32_t server = trip->part->server;
    uint32_t op =
        add(s, trip, kind, s->groups[server * s->n_local + trip->local], 0,
            trip->workers | servers_role(s, server));

    op_graph_set_star(s->graph, op);
    servers_set_lane(s, op, kind == COLL_REDUCE ? s->push_lanes : s->pull_lanes,
                     0);
    return op;
}

static void add_push(const Servers *s, Trip *trip)
{
    uint32_t on = servers_ready(s, servers_tensor(s, trip->part));

    if (s->n_local > 1) {
        uint32_t reduced = add(s, trip, COLL_REDUCE, s->machines, trip->local,
                               s->worker_roles);

        op_graph_add_dep(s->graph, reduced, on, 0);
        on = reduced;
    }
    trip->push = add_star(s, trip, COLL_REDUCE);
    op_graph_add_dep_of(s->graph, trip->push, on, 0, trip->workers);
    trip->there = servers_add_update(s, trip->part, trip->push);
}

/* A server answers when it has the sum; under `pull: step` all sums that it has
 * to bring, and workers ask when they have come to their end. */
static void add_pull(const Servers *s, const GArray *trips, const Trip *trip)
{
    const ExchangeTensor *tensor = servers_tensor(s, trip->part);
    uint64_t server = servers_role(s, trip->part->server);
    uint32_t pull = add_star(s, trip, COLL_BROADCAST), brought = pull;

    op_graph_add_dep_of(s->graph, pull, trip->push, 0, trip->workers);
    if (s->params->pull == PULL_STEP) {
        op_graph_add_dep_of(s->graph, pull, s->request->last, 0, trip->workers);
        for (guint i = 0; i < trips->len; i++) {
            const Trip *other = &g_array_index(trips, Trip, i);

            if (other->part->server == trip->part->server)
                op_graph_add_dep_of(s->graph, pull, other->there, 0, server);
        }
    } else {
        op_graph_add_dep_of(s->graph, pull, trip->there, 0, server);
    }
    if (s->n_local > 1) {
        brought = add(s, trip, COLL_BROADCAST, s->machines, trip->local,
                      s->worker_roles);
        op_graph_add_dep_of(s->graph, brought, pull, 0, trip->workers);
    }
    op_graph_add_dep_of(s->graph, tensor->needed, brought, 1, s->worker_roles);
}

void servers_add_together(const Servers *s)
{
    g_autoptr(GArray) trips = g_array_new(FALSE, FALSE, sizeof(Trip));

    for (guint i = 0; i < s->parts->len; i++) {
        Trip trip = { .part = &g_array_index(s->parts, Placed, i),
                      .local = i % s->n_local };

        trip.workers =
            s->n_local > 1 ? UINT64_C(1) << trip.local : s->worker_roles;
        add_push(s, &trip);
        g_array_append_val(trips, trip);
    }
    for (guint i = 0; i < trips->len; i++)
        add_pull(s, trips, &g_array_index(trips, Trip, i));
}
