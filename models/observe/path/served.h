/*
 * served.h - which collective each server worked on, and when
 *
 * A server is a port of links or a resource of an endpoint.  What waits in its
 * queue waits behind what the server works on meanwhile: served_in_front()
 * divides the time in the queue by the collectives that had the server.
 *
 * Two spans of one collective with no other between are one span.  Of time of
 * which nothing is known (a server of which SERVED_MOST_SPANS were told since)
 * the caller is told nothing.
 *
 * Units    ps
 * Order    spans of a server are told in the order in which it begins them
 * Owner    the caller owns the Served
 * Cost     24 bytes for each change from one collective to another
 */
#ifndef MODELS_OBSERVE_SERVED_H
#define MODELS_OBSERVE_SERVED_H

#include "sim/core/time.h"

#define SERVED_MOST_SPANS 1024 /* of a server, assumed */
#define SERVED_MOST_FRONT 8 /* spans that one wait is divided into, assumed */

typedef struct {
    SimTime from_ps, to_ps;
    uint32_t op; /* the collective */
} ServedSpan;

typedef struct Served Served;

Served *served_new(void);
void served_free(Served *served);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Served, served_free)

/* @server, any number that names it, works on @op from @from_ps to @to_ps. */
void served_add(Served *served, uint64_t server, uint32_t op, SimTime from_ps,
                SimTime to_ps);

/* When what @server has worked on so far ends; 0: it has not worked. */
SimTime served_until_ps(const Served *served, uint64_t server);

/* When a server last worked on another collective than @op; 0: none has. */
SimTime served_others_ps(const Served *served, uint32_t op);

/* Divides @from_ps to @to_ps by what @server worked on: returns how many spans
 * of @ret there are, one after the other, with gaps where nothing is known.
 * Earlier time than that of the last SERVED_MOST_FRONT spans is added to the
 * first of them. */
guint served_in_front(const Served *served, uint64_t server, SimTime from_ps,
                      SimTime to_ps, ServedSpan ret[SERVED_MOST_FRONT]);

/* @op goes on as it did for @shift_ps more, of which nothing is told. */
void served_skip(Served *served, uint32_t op, SimTime shift_ps);

/* Nothing is under way, and nothing will wait for what there was. */
void served_clear(Served *served);

#endif
