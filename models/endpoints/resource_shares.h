/*
 * resource_shares.h - endpoint sizes that are given as shares of the NPU's
 * resources
 *
 * `sms: 100 %` means all SMs of the NPU, `memory_bandwidth: 50 %` half of the
 * peak HBM bandwidth, rounded down and at least the minimum of the key.
 *
 * Units    SMs, bytes per second
 * Owner    the document owns the parameters, which are changed in place
 */
#ifndef MODELS_ENDPOINTS_RESOURCE_SHARES_H
#define MODELS_ENDPOINTS_RESOURCE_SHARES_H

#include "models/npu/kernel_time.h"
#include "sim/config/config.h"

/* Sets each size of @endpoint that is given as a share to that part of @npu. */
void endpoint_resolve_shares(const ConfigVariant *endpoint,
                             const NpuConfig *npu);

/* Returns whether some size of @endpoint is given as a share. */
gboolean endpoint_has_shares(const ConfigVariant *endpoint);

#endif
