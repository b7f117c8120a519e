/* ace_sizes_with_same_results.h - whether ACE would have behaved identically
 * with other sizes */
#ifndef MODELS_ENDPOINTS_ACE_ACE_SIZES_WITH_SAME_RESULTS_H
#define MODELS_ENDPOINTS_ACE_ACE_SIZES_WITH_SAME_RESULTS_H

#include "models/endpoints/endpoints_with_same_results.h"

extern const EndpointInvariance ace_invariance;

#endif
