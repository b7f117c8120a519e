/*
 * protocol_impl.h - what messages pay to the protocol that a stack has chosen
 *
 * Instead of the endpoint's step each message pays that of its protocol, by
 * how far its way leads.  That is looked up once where the way is, and told by
 * flags of the message.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_PROTOCOL_IMPL_H
#define MODELS_RUN_PROTOCOL_IMPL_H

#include "models/run/chunk_impl.h"
#include "models/run/decided.h"
#include "models/run/npu_impl.h"

/* MESSAGE_PAYS() of what goes @m's way, which is set; 0: nothing. */
uint8_t protocol_pays(const Npu *npu, const Chunk *chunk, const NetMessage *m);

/* When @m may go, which is new and may go at @ready_ps if its endpoint's step
 * is paid.  Who posts what goes into the network takes one after the other. */
SimTime protocol_ready_ps(Npu *npu, const NetMessage *m, SimTime ready_ps);

#endif
