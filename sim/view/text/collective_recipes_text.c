/* collective_recipes_text.c - recipes of the stack: their operations and times,
 * as text */
#include "sim/view/text/collective_recipes_text.h"

#include "models/run/stack_costs.h"
#include "sim/config/quantity.h"
#include "sim/core/aligned_table.h"
#include "sim/view/text/time_text.h"

#define MOST_ROWS 12

/* The operations that the stack carries out by the same recipe. */
typedef struct {
    const CollRecipe *recipe;
    const Op *op; /* the first operation */
    uint64_t n;
    SimTime total_ps, waited_ps; /* sums over all operations and iterations */
} RecipeUse;

/* Returns whether the operation ran.  Operations that a lane has fused do not
 * run, and not all fusion buffers are used. */
static gboolean is_operation_run(const System *system, uint32_t op,
                                 const CollectiveTimes *times)
{
    return op_graph_op(system_graph(system), op)->lane == OP_NO_LANE ||
           times[op].took_ps > 0;
}

static GArray *list_recipe_uses(const System *system)
{
    const OpGraph *graph = system_graph(system);
    g_autofree CollectiveTimes *times = system_collective_times(system);
    GArray *uses = g_array_new(FALSE, TRUE, sizeof(RecipeUse));

    for (uint32_t i = 0; i < graph->ops->len; i++) {
        const CollRecipe *recipe = system_recipe(system, i);
        guint u = 0;

        if (!recipe || !is_operation_run(system, i, times))
            continue;
        while (u < uses->len &&
               g_array_index(uses, RecipeUse, u).recipe != recipe)
            u++;
        if (u == uses->len)
            g_array_append_val(
                uses,
                ((RecipeUse){ .recipe = recipe, .op = op_graph_op(graph, i) }));
        g_array_index(uses, RecipeUse, u).n++;
        g_array_index(uses, RecipeUse, u).total_ps += times[i].took_ps;
        g_array_index(uses, RecipeUse, u).waited_ps += times[i].waited_ps;
    }
    return uses;
}

static gint compare_recipe_times(gconstpointer a, gconstpointer b)
{
    const RecipeUse *use = a, *y = b;
    uint64_t p = use->n * use->op->payload_bytes,
             q = y->n * y->op->payload_bytes;

    return p > q ? -1 : p < q;
}

static void add_mean_time_cell(Table *table, SimTime ps)
{
    g_autofree char *text = time_text(ps);

    table_add_cell(table, ps > 0 ? text : "-");
}

static void add_recipe_row(Table *table, const RecipeUse *use,
                           uint64_t n_iterations)
{
    const CollRecipe *recipe = use->recipe;
    g_autofree char *bytes =
        quantity_format(use->op->payload_bytes, CONFIG_BYTES);

    table_add_cell(table, coll_kind_name(use->op->kind));
    table_add_cell(table, bytes);
    table_add_cell_printf(table, "%" G_GUINT64_FORMAT, use->n);
    table_add_cell(table, recipe->algorithm);
    table_add_cell(table, recipe->protocol ? recipe->protocol->name : "-");
    if (recipe->n_sms > 0)
        table_add_cell_printf(table, "%u", recipe->n_sms);
    else
        table_add_cell_printf(table, "%u", recipe->n_channels);
    add_mean_time_cell(table, recipe->predicted_ps);
    add_mean_time_cell(table, use->waited_ps / (use->n * n_iterations));
    add_mean_time_cell(table, (use->total_ps - use->waited_ps) /
                                  (use->n * n_iterations));
}

/* Writes a note for each endpoint that has fewer SMs than the kernels of the
 * stack need.  An endpoint that demands switches has registered buffers, with
 * which kernels need fewer. */
static void write_sm_shortage_note(const System *system,
                                   const SystemConfig *config, GString *out)
{
    EndpointMembers members;

    endpoint_find_members(&config->endpoint, &members);
    for (uint32_t i = 0; i < members.n; i++) {
        const ConfigVariant *endpoint = &members.endpoints[i];
        uint64_t has = endpoint_claim_resources(endpoint).n_sms;
        uint32_t most = system_stack_sms_of_endpoint(system, endpoint);

        if (has == 0 || has >= most || endpoint_common(endpoint)->algorithm)
            continue;
        if (members.n == 1)
            g_string_append_printf(out,
                                   "  its kernels take up to %u SMs, the "
                                   "endpoint has %" G_GUINT64_FORMAT
                                   " (--set endpoint.sms=%u)\n",
                                   most, has, most);
        else
            g_string_append_printf(out,
                                   "  its kernels take up to %u SMs, endpoint "
                                   "'%s' has %" G_GUINT64_FORMAT "\n",
                                   most, endpoint_name(endpoint), has);
    }
}

/* Writes a note if the file has settings that the stack ignores. */
static void write_ignored_settings(const SystemConfig *config, GString *out)
{
    if (config->collectives.algorithm != COLL_AUTO ||
        config->collectives.choices.n > 0)
        g_string_append(out, "  the stack chooses the algorithms; those of "
                             "`collectives` have no effect\n");
}

char *collective_recipes_text(const SystemConfig *config, const System *system)
{
    const TableColumn columns[] = {
        { "collective", FALSE, 0 }, { "payload", TRUE, 0 },
        { "n", TRUE, 0 },           { "algorithm", FALSE, 0 },
        { "protocol", FALSE, 0 },   { "channels", TRUE, 0 },
        { "expected", TRUE, 0 },    { "waited", TRUE, 0 },
        { "in flight", TRUE, 0 },
    };
    g_autoptr(GArray) uses = list_recipe_uses(system);
    g_autoptr(Table) table = table_new(columns, G_N_ELEMENTS(columns));
    g_autoptr(GString) about = g_string_new(NULL);
    GString *out = g_string_new(NULL);

    if (uses->len == 0)
        return g_string_free(out, FALSE);
    g_array_sort(uses, compare_recipe_times);
    for (guint i = 0; i < MIN(uses->len, MOST_ROWS); i++)
        add_recipe_row(table, &g_array_index(uses, RecipeUse, i),
                       config->training.n_iterations);
    g_string_append_printf(out, "stack %s:\n", comm_stack_name(&config->stack));
    table_write(table, out, 2, 0);
    if (comm_stack_describe(&config->stack, about, NULL) && about->len > 0)
        g_string_append_printf(out, "  %s\n", about->str);
    if (uses->len > MOST_ROWS)
        g_string_append_printf(out, "  and %u more\n", uses->len - MOST_ROWS);
    g_string_append(out, "  waited: until the last rank had issued it; in "
                         "flight: from then to its end, queues included\n"
                         "  (--explain separates service from queues)\n");
    write_sm_shortage_note(system, config, out);
    write_ignored_settings(config, out);
    return g_string_free(out, FALSE);
}
