/* compression.c - the table of compressions */
#include "workloads/exchange/compression.h"

/* To add a compression, add a file in compressions/, and a line with its
 * CompressionOps here. */
/* clang-format off */
#define COMPRESSIONS(Add)     \
    Add(compression_none)     \
    Add(compression_fp16)     \
    Add(compression_top_k)    \
    Add(compression_gtop_k)
/* clang-format on */

#define DECLARE(Compression) extern const CompressionOps Compression;
#define KIND(Compression)    &Compression.base,

COMPRESSIONS(DECLARE)

static const ConfigKind *const kinds[] = { COMPRESSIONS(KIND) NULL };

const ConfigRegistry compression_registry = { .noun = "compression",
                                              .kinds = kinds };
