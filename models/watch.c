/* watch.c - messages told to who listens, and to who checks their data */
#include "models/npu_impl.h"

void watch_send(const Npu *npu, VerifyStep at, uint32_t message)
{
    TRACE(npu->system, message_handed, npu->id, message);
    VERIFY(npu->system, send, &at, message);
}

void watch_arrive(const Npu *npu, VerifyStep at, uint32_t message)
{
    TRACE(npu->system, message_arrives, npu->id, message);
    VERIFY(npu->system, arrive, &at, message);
}

void watch_receive(const Npu *npu, uint32_t message)
{
    TRACE(npu->system, message_handed, npu->id, message);
}

void watch_handle(const Npu *npu, VerifyStep at)
{
    VERIFY(npu->system, handle, &at);
}
