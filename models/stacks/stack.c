/* stack.c - what is the same for all kinds of stacks */
#include "models/stacks/stack.h"

#include "models/stacks/params.h"

/* Where costs are not wanted, of a recipe the same without them. */
typedef struct {
    const CollRecipe *of; /* borrowed */
    CollRecipe recipe;    /* borrows what that has */
} Free;

static const CollProtocol costs_nothing = { .name = "costs nothing",
                                            .wire_num = 1,
                                            .wire_den = 1 };

static const StackOps *ops_of(const ConfigVariant *config)
{
    return (const StackOps *)(gconstpointer)config->kind;
}

const char *stack_name(const ConfigVariant *config)
{
    const StackCommon *common = config->params;

    return g_str_equal(common->name, "unnamed") ? config->kind->name
                                                : common->name;
}

gboolean stack_decides(const ConfigVariant *config)
{
    return ops_of(config)->decide != NULL;
}

gboolean stack_costs(const ConfigVariant *config)
{
    const StackCommon *common = config->params;

    return common->costs;
}

void stack_append_inputs(const ConfigVariant *config, GString *out)
{
    if (ops_of(config)->append_inputs)
        ops_of(config)->append_inputs(config, out);
}

gboolean stack_describe(const ConfigVariant *config, GString *out,
                        GError **error)
{
    return !ops_of(config)->describe ||
           ops_of(config)->describe(config, out, error);
}

Stack *stack_new(const ConfigVariant *config, const Topology *topology,
                 GError **error)
{
    Stack *stack = ops_of(config)->new (config, topology, error);

    if (!stack)
        return NULL;
    stack->ops = ops_of(config);
    stack->topology = topology;
    if (!stack_costs(config))
        stack->for_nothing = g_ptr_array_new_with_free_func(g_free);
    return stack;
}

void stack_free(Stack *stack)
{
    if (!stack)
        return;
    g_clear_pointer(&stack->for_nothing, g_ptr_array_unref);
    g_clear_pointer(&stack->notes, g_ptr_array_unref);
    stack->ops->free(stack);
}

static const CollRecipe *for_nothing(Stack *stack, const CollRecipe *recipe)
{
    Free *free;

    for (guint i = 0; i < stack->for_nothing->len; i++) {
        free = g_ptr_array_index(stack->for_nothing, i);
        if (free->of == recipe)
            return &free->recipe;
    }
    free = g_new0(Free, 1);
    free->of = recipe;
    free->recipe = *recipe;
    free->recipe.protocol = &costs_nothing;
    free->recipe.launch_ps = 0;
    free->recipe.post_ps = 0;
    g_ptr_array_add(stack->for_nothing, free);
    return &free->recipe;
}

const CollRecipe *stack_decide(Stack *stack, const CollRequest *request,
                               GError **error)
{
    gboolean is_asked =
        stack->ops->decide && (!request->is_star || stack->ops->knows_stars);
    const CollRecipe *recipe =
        is_asked ? stack->ops->decide(stack, request, error) : NULL;

    return recipe && stack->for_nothing ? for_nothing(stack, recipe) : recipe;
}
