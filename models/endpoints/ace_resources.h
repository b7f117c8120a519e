/*
 * ace_resources.h - the resources of ACE that chunks and messages wait for
 *
 * Owner    static
 */
#ifndef MODELS_ENDPOINTS_ACE_RESOURCES_H
#define MODELS_ENDPOINTS_ACE_RESOURCES_H

#include "models/trace/resource.h"

enum {
    ACE_ALUS,
    ACE_SRAM,
    ACE_FSMS,
    ACE_N_RESOURCES,
};

extern const ResourceKind ace_resources[ACE_N_RESOURCES + 1];

#endif
