/*
 * follow.h - of messages that none waits for only the first on each link is
 * made, and leads the others
 *
 * Direct collectives send all at once: a message to each other NPU.  Nearly
 * all of them wait at the first link, in the order of their steps, since their
 * keys are those of their steps and nobody else's are equal.  So what waits
 * there need not be there: the first of an NPU's lane is, and when it begins on
 * the link the next is made, which waits in its place.  Whoever else comes to
 * the link finds the same first in its line, at every moment.
 *
 * A lane's last message is sent by itself: when it goes, the phase may end.
 *
 * All are made at once, as before, where something is done to each before it
 * is on the link, or told of it: by the endpoint, a protocol, packets, or
 * somebody who listens.
 */
#ifndef MODELS_RUN_FOLLOW_FOLLOW_H
#define MODELS_RUN_FOLLOW_FOLLOW_H

#include "models/run/follow/exits.h"
#include "models/run/lane_impl.h"

/* Sends the steps of the lane @at. */
void on_demand_send_all(Npu *npu, const LaneRef *at, const LaneOps *ops);
/* See NetworkFollowFn. */
uint32_t on_demand_next(gpointer system, uint32_t message);

#endif
