/*
 * server_service_history.h - which collective each server worked on, and when
 *
 * A server is a port of links or a resource of an endpoint.  A waiting message
 * or chunk waits behind the work of the server meanwhile:
 * server_history_list_work_in_front() divides the time in the queue by the
 * collectives that had the server.
 *
 * Adjacent spans of one collective are merged.  Each server keeps its last
 * spans, at most SERVER_HISTORY_MAX_SPANS; earlier time is unknown and not
 * reported.
 *
 * Units    ps
 * Order    spans of a server are added in the order of their start
 * Owner    the caller owns the history
 * Cost     24 bytes for each change from one collective to another
 */
#ifndef MODELS_OBSERVE_PATH_SERVER_SERVICE_HISTORY_H
#define MODELS_OBSERVE_PATH_SERVER_SERVICE_HISTORY_H

#include "sim/core/time.h"

#define SERVER_HISTORY_MAX_SPANS 1024 /* spans per server; assumed */
#define SERVER_HISTORY_MAX_FRONT 8    /* spans per wait; assumed */

typedef struct {
    SimTime from_ps, to_ps;
    uint32_t op; /* the collective that the server worked on */
} ServiceSpan;

typedef struct ServerHistory ServerHistory;

ServerHistory *server_history_new(void);
void server_history_free(ServerHistory *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ServerHistory, server_history_free)

/* Records that @server works on collective @op from @from_ps to @to_ps.
 * @server is any number that identifies the server. */
void server_history_add(ServerHistory *history, uint64_t server, uint32_t op,
                        SimTime from_ps, SimTime to_ps);

/* Returns the end of the work of @server so far, or 0 if it has not worked. */
SimTime server_history_end_ps(const ServerHistory *history, uint64_t server);

/* Returns the latest time at which a server worked on another collective than
 * @op, or 0 if none has. */
SimTime server_history_last_work_for_others_ps(const ServerHistory *history,
                                               uint32_t op);

/* Divides the time from @from_ps to @to_ps by the work of @server.  Sets @ret
 * to spans one after another, with gaps of unknown time, and returns their
 * number.  If there are more than SERVER_HISTORY_MAX_FRONT, the first of @ret
 * covers the earlier time. */
guint server_history_list_work_in_front(
    const ServerHistory *history, uint64_t server, SimTime from_ps,
    SimTime to_ps, ServiceSpan ret[SERVER_HISTORY_MAX_FRONT]);

/* Extends the last span of @op on each server by @shift_ps, which is the time
 * of skipped periods. */
void server_history_extend_by_skipped_time(ServerHistory *history, uint32_t op,
                                           SimTime shift_ps);

/* Forgets all work of all servers.  No message or chunk may be in flight. */
void server_history_clear(ServerHistory *history);

#endif
