/*
 * how.c - names of the ways to launch a case: loads, shared memory, placement
 * and order of the partner
 */
#include "validate/gpu/host/how.h"

const char *loads_name(Loads loads)
{
    static const char *const names[N_LOADS] = { "", "no-allocate", "ordinary",
                                                "cp-async" };

    return names[loads];
}

const char *shared_name(Shared shared)
{
    static const char *const names[N_SHARED] = { "", "none", "half", "whole",
                                                 "left" };

    return names[shared];
}

const char *place_name(Place place)
{
    static const char *const names[N_PLACES] = { "", "apart", "same-sm" };

    return names[place];
}

const char *first_name(First first)
{
    static const char *const names[N_FIRST] = { "", "partner", "compute" };

    return names[first];
}

const char *priority_name(Priority priority)
{
    static const char *const names[N_PRIORITIES] = { "", "partner" };

    return names[priority];
}
