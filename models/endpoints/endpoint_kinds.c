/* endpoint_kinds.c - the list of endpoints; a test may bring its own list */
#include "models/endpoints/endpoint.h"

/* The table of endpoint kinds.  To add a kind, add a file to this folder and a
 * line below. */
/* clang-format off */
#define ENDPOINTS(Add)         \
    Add(endpoint_baseline)     \
    Add(endpoint_ace)          \
    Add(endpoint_copy_engine)  \
    Add(endpoint_host_memory)  \
    Add(endpoint_ideal)
/* clang-format on */

#define DECLARE(Kind) extern const EndpointOps Kind;
ENDPOINTS(DECLARE)

#define ENTRY(Kind) &Kind.base,
static const ConfigKind *const kinds[] = { ENDPOINTS(ENTRY) NULL };

const ConfigRegistry endpoint_registry = { .what = "endpoint", .kinds = kinds };
