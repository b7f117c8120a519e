/*
 * on_demand_messages.h - creates the messages of direct collectives on demand
 *
 * A direct collective sends one message to each other NPU at the start of its
 * phase. Nearly all of them wait at their first link, in the order of their
 * steps, because the key of a message contains its step, and keys are unique.
 * Therefore waiting messages need not exist. Only the first message of a
 * parallel lane on each link is created. When it begins on the link, the next
 * one is created and takes its place in the queue. Messages of other lanes find
 * the same head of the queue at every moment.
 *
 * The last message of a parallel lane is sent separately, because the phase may
 * end when it is sent.
 *
 * All messages are created at the start if each has to be processed or reported
 * before it is on the link: by the endpoint, by a protocol, as packets, or for
 * a listener.
 */
#ifndef MODELS_RUN_ON_DEMAND_ON_DEMAND_MESSAGES_H
#define MODELS_RUN_ON_DEMAND_ON_DEMAND_MESSAGES_H

#include "models/run/on_demand/first_link_of_steps.h"
#include "models/run/phase_lane_impl.h"

/* Sends the messages of the parallel lane @lane_ref, and creates them on demand
 * if possible. */
void on_demand_send_all(Npu *npu, const LaneRef *lane_ref, const LaneOps *ops);
/* Creates the message that follows @message on the same link.  Implements
 * NetworkOnDemandSendFn. */
uint32_t on_demand_send_next_message(gpointer system, uint32_t message);

#endif
