/* communication_stack_kinds.c - the list of stack kinds; a test may provide its
 * own list */
#include "models/stacks/stack.h"

/* The table of stack kinds.  To add a kind, add a file to this folder and a
 * line below. */
/* clang-format off */
#define STACKS(Add)         \
    Add(stack_none)         \
    Add(stack_nccl)         \
    Add(stack_blink)        \
    Add(stack_msccl)        \
    Add(stack_library)
/* clang-format on */

#define DECLARE(Kind) extern const StackOps Kind;
STACKS(DECLARE)

#define ENTRY(Kind) &Kind.base,
static const ConfigKind *const kinds[] = { STACKS(ENTRY) NULL };

const ConfigRegistry stack_registry = { .noun = "stack", .kinds = kinds };
