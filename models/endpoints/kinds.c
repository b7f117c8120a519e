/* kinds.c - which endpoints there are; a test may bring a list of its own */
#include "models/endpoints/endpoint_impl.h"

/* To add an endpoint, add a file here and a line. */
static const ConfigKind *const kinds[] = {
    &endpoint_baseline.base,
    &endpoint_ace.base,
    &endpoint_copy_engine.base,
    &endpoint_ideal.base,
    NULL,
};

const ConfigRegistry endpoint_registry = { "endpoint", kinds };
