/* endpoint_impl.h - helpers of kinds of endpoints; for models/endpoints only */
#ifndef MODELS_ENDPOINTS_ENDPOINT_IMPL_H
#define MODELS_ENDPOINTS_ENDPOINT_IMPL_H

#include "models/endpoints/endpoint.h"

/* Sets the launch, step and message times of @endpoint to @costs, on an NPU of
 * @clock_hz.  Each kind calls it when it creates an endpoint. */
void endpoint_set_costs(Endpoint *endpoint, const EndpointCosts *costs,
                        uint64_t clock_hz);

/* Returns the latency of a message with @costs on NPUs of @npu. */
SimTime endpoint_message_time_ps(const EndpointCosts *costs,
                                 const NpuConfig *npu);

/* Returns the resource that delayed the transfer that @mover has just finished:
 * HBM, or @own if the limit was the mover's own rate. */
TraceResource endpoint_resource_that_delayed_mover(const NpuConfig *npu,
                                                   const HbmMover *mover,
                                                   TraceResource own);

#endif
