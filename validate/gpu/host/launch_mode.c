/*
 * launch_mode.c - names of the ways to launch a case: loads, shared memory,
 * placement and order of the partner
 */
#include "validate/gpu/host/launch_mode.h"

const char *load_kind_name(LoadKind loads)
{
    static const char *const names[N_LOADS] = { "", "no-allocate", "ordinary",
                                                "cp-async" };

    return names[loads];
}

const char *shared_memory_use_name(SharedMemoryUse shared)
{
    static const char *const names[N_SHARED] = { "", "none", "half", "whole",
                                                 "left" };

    return names[shared];
}

const char *partner_placement_name(PartnerPlacement place)
{
    static const char *const names[N_PLACES] = { "", "apart", "same-sm" };

    return names[place];
}

const char *release_order_name(ReleaseOrder first)
{
    static const char *const names[N_RELEASE_ORDERS] = { "", "partner",
                                                         "compute" };

    return names[first];
}

const char *stream_priority_name(StreamPriority priority)
{
    static const char *const names[N_PRIORITIES] = { "", "partner" };

    return names[priority];
}
