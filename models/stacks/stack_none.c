/* stack_none.c - the stack that decides nothing, as if there were no library */
#include "models/stacks/stack.h"
#include "models/stacks/stack_params.h"

typedef struct {
    StackCommon common;
} NoneParams;

static const ConfigField none_fields[] = {
    STACK_COMMON_FIELDS(NoneParams),
    CONFIG_END,
};

static Stack *stack_none_new(const ConfigVariant *config,
                             const Topology *topology, GError **error)
{
    (void)config;
    (void)topology;
    (void)error;
    return g_new0(Stack, 1);
}

static void stack_none_free(Stack *stack)
{
    g_free(stack);
}

const StackOps stack_none = {
    .base = { .name = "none",
              .summary = "no library: `collectives` decides how, the endpoint "
                         "what it costs",
              .fields = none_fields,
              .size = sizeof(NoneParams) },
    .new = stack_none_new,
    .free = stack_none_free,
};
