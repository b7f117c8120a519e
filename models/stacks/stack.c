/* stack.c - operations that are common to all kinds of stacks */
#include "models/stacks/stack.h"

#include "models/stacks/stack_params.h"

/* A copy of a recipe without its costs, for `costs: false`. */
typedef struct {
    const CollRecipe *original; /* borrowed: the recipe with costs */
    CollRecipe recipe;          /* borrows the arrays of .original */
} FreeRecipe;

static const CollProtocol costs_nothing = { .name = "costs nothing",
                                            .wire_num = 1,
                                            .wire_den = 1 };

static const StackOps *stack_ops_of_config(const ConfigVariant *config)
{
    return (const StackOps *)(gconstpointer)config->kind;
}

const char *comm_stack_name(const ConfigVariant *config)
{
    const StackCommon *common = config->params;

    return g_str_equal(common->name, "unnamed") ? config->kind->name
                                                : common->name;
}

gboolean stack_chooses_recipes(const ConfigVariant *config)
{
    return stack_ops_of_config(config)->decide != NULL;
}

gboolean comm_stack_has_costs(const ConfigVariant *config)
{
    const StackCommon *common = config->params;

    return common->costs;
}

void stack_append_input_checksums(const ConfigVariant *config, GString *out)
{
    if (stack_ops_of_config(config)->append_inputs)
        stack_ops_of_config(config)->append_inputs(config, out);
}

gboolean comm_stack_describe(const ConfigVariant *config, GString *out,
                             GError **error)
{
    return !stack_ops_of_config(config)->describe ||
           stack_ops_of_config(config)->describe(config, out, error);
}

Stack *comm_stack_new(const ConfigVariant *config, const Topology *topology,
                      GError **error)
{
    Stack *stack = stack_ops_of_config(config)->new (config, topology, error);

    if (!stack)
        return NULL;
    stack->ops = stack_ops_of_config(config);
    stack->topology = topology;
    if (!comm_stack_has_costs(config))
        stack->free_recipes = g_ptr_array_new_with_free_func(g_free);
    return stack;
}

void comm_stack_free(Stack *stack)
{
    if (!stack)
        return;
    g_clear_pointer(&stack->free_recipes, g_ptr_array_unref);
    g_clear_pointer(&stack->notes, g_ptr_array_unref);
    stack->ops->free(stack);
}

static const CollRecipe *copy_recipe_without_costs(Stack *stack,
                                                   const CollRecipe *recipe)
{
    FreeRecipe *free;

    for (guint i = 0; i < stack->free_recipes->len; i++) {
        free = g_ptr_array_index(stack->free_recipes, i);
        if (free->original == recipe)
            return &free->recipe;
    }
    free = g_new0(FreeRecipe, 1);
    free->original = recipe;
    free->recipe = *recipe;
    free->recipe.protocol = &costs_nothing;
    free->recipe.launch_ps = 0;
    free->recipe.post_ps = 0;
    g_ptr_array_add(stack->free_recipes, free);
    return &free->recipe;
}

const CollRecipe *stack_choose_recipe(Stack *stack, const CollRequest *request,
                                      GError **error)
{
    gboolean is_asked =
        stack->ops->decide && (!request->is_star || stack->ops->handles_stars);
    const CollRecipe *recipe =
        is_asked ? stack->ops->decide(stack, request, error) : NULL;

    return recipe && stack->free_recipes
               ? copy_recipe_without_costs(stack, recipe)
               : recipe;
}
