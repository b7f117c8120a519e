/*
 * shares.h - sizes of an endpoint that are shares of what the NPU has
 *
 * `sms: 100 %` is all SMs of the NPU, `memory_bandwidth: 50 %` half of the peak
 * of its HBM, rounded down and at least what the key takes.
 *
 * Units    SMs, bytes per second
 * Owner    the parameters are the document's, and changed in place
 */
#ifndef MODELS_ENDPOINTS_SHARES_H
#define MODELS_ENDPOINTS_SHARES_H

#include "models/npu/compute.h"
#include "sim/config/config.h"

/* Sets each size of @endpoint that is a share to its part of @npu. */
void endpoint_settle(const ConfigVariant *endpoint, const NpuConfig *npu);

/* Whether some size of @endpoint is a share. */
gboolean endpoint_has_shares(const ConfigVariant *endpoint);

#endif
