/* pipeline_impl.h - chunks through phases, phases through steps */
#ifndef MODELS_RUN_PIPELINE_IMPL_H
#define MODELS_RUN_PIPELINE_IMPL_H

#include "models/run/chunk_impl.h"
#include "models/run/npu_impl.h"

/* See EndpointHostOps. */
void pipeline_enter(EndpointHost *host, Chunk *chunk);
void pipeline_transmit(EndpointHost *host, uint32_t message, SimTime ready_ps);
void pipeline_handled(EndpointHost *host, uint32_t message, gboolean added);

/* @message has come in at @npu, with all that came before it. */
void pipeline_arrive(Npu *npu, uint32_t message);
/* The event of a lane's last message, which ends its phase when it goes; @npu
 * is the Npu. */
void pipeline_on_last_ready(gpointer npu, uint32_t message, uint64_t now_ps);
/* See NetworkForeseeFn: for endpoints that need not see every message. */
gboolean pipeline_foresee(gpointer system, uint32_t npu, uint32_t message,
                          SimTime at_ps);

#endif
