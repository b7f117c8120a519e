/*
 * protocol_costs_impl.h - the costs of messages under the protocol of the stack
 *
 * If the stack has chosen a protocol, each message pays the protocol's step
 * instead of the endpoint's.  The cost depends on how far apart sender and
 * receiver are.  This distance is looked up together with the path, and is kept
 * in flags of the message.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_PROTOCOL_COSTS_IMPL_H
#define MODELS_RUN_PROTOCOL_COSTS_IMPL_H

#include "models/run/chunk_impl.h"
#include "models/run/npu_impl.h"
#include "models/run/stack_costs.h"

/* Returns the protocol costs that @message pays on its path, as a bit mask that
 * MESSAGE_PAYS() makes, or 0 if there is no protocol.  The path of the message
 * must be set. */
uint8_t protocol_reach_of_message(const Npu *npu, const Chunk *chunk,
                                  const NetMessage *message);

/* Returns when @message may be sent.  @ready_ps includes the endpoint's step.
 * The thread that posts messages posts them one after the other. */
SimTime protocol_ready_ps(Npu *npu, const NetMessage *message,
                          SimTime ready_ps);

#endif
