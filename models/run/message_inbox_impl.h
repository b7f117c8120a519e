/* message_inbox_impl.h - collects the messages that arrive at NPUs at one
 * instant */
#ifndef MODELS_RUN_MESSAGE_INBOX_IMPL_H
#define MODELS_RUN_MESSAGE_INBOX_IMPL_H

#include "models/endpoints/endpoint_host.h"
#include "models/run/run_state_impl.h"

/* Delivers an arriving message to the inbox of its NPU.  Implements
 * NetworkDeliverFn; @system is a System. */
void inbox_deliver_message(gpointer system, uint32_t npu, uint32_t message,
                           SimTime now_ps);
#endif
