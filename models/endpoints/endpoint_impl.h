/* endpoint_impl.h - what kinds of endpoints share; for models/endpoints only */
#ifndef MODELS_ENDPOINTS_ENDPOINT_IMPL_H
#define MODELS_ENDPOINTS_ENDPOINT_IMPL_H

#include "models/endpoints/endpoint.h"

/* For new(): what @costs say, on an NPU of @clock_hz. */
void endpoint_set_costs(Endpoint *endpoint, const EndpointCosts *costs,
                        uint64_t clock_hz);

/* For pace(): .message_ps of @costs on NPUs of @npu. */
SimTime endpoint_message_ps(const EndpointCosts *costs, const NpuConfig *npu);

/* What held a transfer of @mover up that is through now: HBM, or @own, what
 * the mover can do by itself. */
TraceResource endpoint_mover_bound(const NpuConfig *npu, const HbmMover *mover,
                                   TraceResource own);

#endif
