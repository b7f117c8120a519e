/* endpoint_kinds.c - the lists of endpoints; a test may bring its own lists */
#include "models/endpoints/selection/selection.h"

/* The table of endpoint kinds.  To add a kind, add a file to this folder and a
 * line below. */
/* clang-format off */
#define ENDPOINTS(Add)         \
    Add(endpoint_baseline)     \
    Add(endpoint_ace)          \
    Add(endpoint_copy_engine)  \
    Add(endpoint_host_memory)  \
    Add(endpoint_ideal)
/* Kinds that stand for several endpoints. */
#define SELECTIONS(Add)          \
    Add(endpoint_by_axis)        \
    Add(endpoint_by_collective)
/* clang-format on */

#define DECLARE(Kind) extern const EndpointOps Kind;
ENDPOINTS(DECLARE)
SELECTIONS(DECLARE)

#define ENTRY(Kind) &Kind.base,
static const ConfigKind *const kinds[] = { ENDPOINTS(ENTRY) SELECTIONS(ENTRY)
                                               NULL };
static const ConfigKind *const engine_kinds[] = {
    ENDPOINTS(ENTRY) & endpoint_left_out, NULL
};
static const ConfigKind *const axis_kinds[] = {
    ENDPOINTS(ENTRY) & endpoint_by_collective.base, &endpoint_left_out, NULL
};

const ConfigRegistry endpoint_registry = { .noun = "endpoint", .kinds = kinds };
const ConfigRegistry endpoint_engine_registry = { .noun = "engine",
                                                  .kinds = engine_kinds };
const ConfigRegistry endpoint_axis_registry = { .noun = "axis-endpoint",
                                                .kinds = axis_kinds };
