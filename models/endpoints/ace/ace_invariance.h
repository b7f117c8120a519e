/* ace_invariance.h - whether ACE would have behaved identically
 * with other sizes */
#ifndef MODELS_ENDPOINTS_ACE_ACE_INVARIANCE_H
#define MODELS_ENDPOINTS_ACE_ACE_INVARIANCE_H

#include "models/endpoints/endpoints_with_same_results.h"

extern const EndpointInvariance ace_invariance;

#endif
