/* chunk_progress_impl.h - moves chunks through phases, and phases
 * through steps */
#ifndef MODELS_RUN_CHUNK_PROGRESS_IMPL_H
#define MODELS_RUN_CHUNK_PROGRESS_IMPL_H

#include "models/run/chunk_impl.h"
#include "models/run/npu_impl.h"

/* Lets @chunk enter its next phase on the NPU.  Implements a function of
 * EndpointHostOps. */
void chunk_progress_enter_phase(EndpointHost *host, Chunk *chunk);
void chunk_progress_transmit_message(EndpointHost *host, uint32_t message,
                                     SimTime ready_ps);
void chunk_progress_on_message_handled(EndpointHost *host, uint32_t message,
                                       gboolean added);

/* Receives @message, which has arrived at @npu after all messages before it. */
void chunk_progress_receive_arrived(Npu *npu, uint32_t message);
/* Event: a parallel lane's last message is sent, which ends its phase. @npu is
 * an Npu. */
void chunk_progress_on_last_ready(gpointer npu, uint32_t message,
                                  uint64_t now_ps);
/* Receives a message ahead of its arrival, for endpoints that need not see
 * every message.  Implements NetworkEarlyDeliveryFn. */
gboolean chunk_progress_receive_early(gpointer system, uint32_t npu,
                                      uint32_t message, SimTime at_ps);

#endif
