/* endpoint_impl.h - helpers of kinds of endpoints; for models/endpoints only */
#ifndef MODELS_ENDPOINTS_ENDPOINT_IMPL_H
#define MODELS_ENDPOINTS_ENDPOINT_IMPL_H

#include "models/endpoints/endpoint.h"

/* Sets the times of @endpoint to @costs, on an NPU of @clock_hz.  Called by
 * new(). */
void endpoint_set_costs(Endpoint *endpoint, const EndpointCosts *costs,
                        uint64_t clock_hz);

/* Returns .message_ps of @costs on NPUs of @npu.  Called by pace(). */
SimTime endpoint_message_ps(const EndpointCosts *costs, const NpuConfig *npu);

/* Returns the resource that delayed the transfer that @mover has just finished:
 * HBM, or @own if the limit was the mover's own rate. */
TraceResource endpoint_mover_bound(const NpuConfig *npu, const HbmMover *mover,
                                   TraceResource own);

#endif
