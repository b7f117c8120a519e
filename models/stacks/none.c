/* none.c - the stack that decides nothing, as if there were no library */
#include "models/stacks/params.h"
#include "models/stacks/stack.h"

typedef struct {
    StackCommon common;
} NoneParams;

static const ConfigField none_fields[] = {
    STACK_COMMON_FIELDS(NoneParams),
    CONFIG_END,
};

static Stack *none_new(const ConfigVariant *config, const Topology *topology,
                       GError **error)
{
    (void)config;
    (void)topology;
    (void)error;
    return g_new0(Stack, 1);
}

static void none_free(Stack *stack)
{
    g_free(stack);
}

const StackOps stack_none = {
    .base = { .name = "none",
              .summary = "no library: `collectives` decides how, the endpoint "
                         "what it costs",
              .fields = none_fields,
              .size = sizeof(NoneParams) },
    .new = none_new,
    .free = none_free,
};
