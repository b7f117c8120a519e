/* mesh.c - divides ranks into axes; see mesh.h */
#include "workloads/mesh/mesh.h"

#include <string.h>

#include "sim/core/word_suggestions.h"

const char *const mesh_axis_names[MESH_N_AXES + 1] = {
    [MESH_TP] = "tp",
    [MESH_CP] = "cp",
    [MESH_DP] = "dp",
    [MESH_PP] = "pp",
    [MESH_ETP] = "etp",
    [MESH_EP] = "ep",
    [MESH_EDP] = "edp",
    [MESH_EP_LOCAL] = "ep_local",
    [MESH_EP_NODES] = "ep_nodes",
    [MESH_DP_WITHIN] = "dp_within",
    [MESH_DP_ACROSS] = "dp_across",
    [MESH_EDP_WITHIN] = "edp_within",
    [MESH_EDP_ACROSS] = "edp_across",
    [MESH_N_AXES] = NULL,
};

#define N_DENSE (MESH_PP + 1) /* axes that are not of experts */

static const char *const dense_names[] = { "tp", "cp", "dp", "pp", NULL };

const ConfigField mesh_order_item = {
    .key = "axis",
    .help = "from the innermost outwards",
    .type = CONFIG_ENUM,
    .names = dense_names,
};

const ConfigField mesh_fields[] = {
    MESH_FIELDS(MeshConfig, ),
    { .key = "dp_within",
      .help =
          "consecutive ranks of dp in a group, which divide the axis dp into "
          "dp_within and dp_across",
      .type = CONFIG_COUNT,
      .offset = offsetof(MeshConfig, dp_within),
      .min = 1,
      .max = MESH_MAX_AXIS,
      .fallback = "1",
      .source = "no groups" },
    CONFIG_END,
};

static gboolean set_mesh_error(const ConfigNode *node, GError **error,
                               char *text)
{
    config_set_error(error, node, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

/* ---- sizes -------------------------------------------------------------- */

/* Appends the degrees of the axes that are larger than 1, such as "tp 8 x pp 4
 * = 32". */
static char *append_product_of_degrees(const uint64_t *sizes, uint64_t product)
{
    GString *text = g_string_new(NULL);

    for (guint a = 0; a < N_DENSE; a++)
        if (sizes[a] != CONFIG_AUTO && sizes[a] > 1)
            g_string_append_printf(text, "%s%s %" G_GUINT64_FORMAT,
                                   text->len > 0 ? " x " : "",
                                   mesh_axis_names[a], sizes[a]);
    if (text->len == 0)
        g_string_append(text, "all axes are 1");
    else if (strchr(text->str, 'x'))
        g_string_append_printf(text, " = %" G_GUINT64_FORMAT, product);
    return g_string_free(text, FALSE);
}

/* Sets the sizes of the dense axes and the number of ranks. */
static gboolean set_sizes_of_axes(Mesh *mesh, const MeshConfig *config,
                                  uint32_t n_ranks, GError **error)
{
    const uint64_t sizes[N_DENSE] = { [MESH_TP] = config->tp,
                                      [MESH_CP] = config->cp,
                                      [MESH_DP] = config->dp,
                                      [MESH_PP] = config->pp };
    uint64_t product = 1;
    guint is_auto = N_DENSE;

    for (guint a = 0; a < N_DENSE; a++) {
        if (sizes[a] == CONFIG_AUTO && is_auto < N_DENSE)
            return set_mesh_error(
                config->node, error,
                g_strdup_printf("mesh: '%s' and '%s' are both auto; "
                                "one axis can be",
                                mesh_axis_names[is_auto], mesh_axis_names[a]));
        if (sizes[a] == CONFIG_AUTO)
            is_auto = a;
        else
            product *= sizes[a];
        if (product > MESH_MAX_AXIS)
            break;
    }
    if (n_ranks == 0)
        n_ranks = (uint32_t)MIN(product, MESH_MAX_AXIS);
    if (product > n_ranks || n_ranks % product != 0 ||
        (is_auto == N_DENSE && product != n_ranks)) {
        g_autofree char *text = append_product_of_degrees(sizes, product);

        return set_mesh_error(
            config->node, error,
            g_strdup_printf("mesh: %s %s the platform's %u NPUs; "
                            "change an axis, or the platform",
                            text,
                            is_auto < N_DENSE ? "does not divide" : "is not",
                            n_ranks));
    }
    mesh->n_ranks = n_ranks;
    for (guint a = 0; a < N_DENSE; a++)
        mesh->sizes[a] =
            a == is_auto ? n_ranks / (uint32_t)product : (uint32_t)sizes[a];
    return TRUE;
}

/* ---- digits ------------------------------------------------------------- */

/* The ends of an axis in a view of the ranks: it changes digits from .stride up
 * to below .stride * .size. */
typedef struct {
    uint32_t size, stride;
} AxisSpan;

static gint compare_strides(gconstpointer a, gconstpointer b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static gboolean order_axes_by_config(const MeshConfig *config, MeshAxis *order,
                                     GError **error)
{
    const int *given = config->order.items;
    gboolean has[N_DENSE] = { FALSE };
    guint n = 0;

    for (guint i = 0; i < config->order.n; i++) {
        if (has[given[i]])
            return set_mesh_error(config->order.node, error,
                                  g_strdup_printf("order: '%s' is given twice",
                                                  mesh_axis_names[given[i]]));
        has[given[i]] = TRUE;
        order[n++] = (MeshAxis)given[i];
    }
    for (MeshAxis a = 0; a < N_DENSE; a++)
        if (!has[a])
            order[n++] = a;
    return TRUE;
}

/* Sets the spans of the expert axes, which divide a pipeline stage. */
static gboolean set_spans_of_expert_axes(Mesh *mesh, const MeshConfig *config,
                                         AxisSpan *spans, GError **error)
{
    uint32_t pp = mesh->sizes[MESH_PP], n_stage = mesh->n_ranks / pp;
    uint64_t n = config->etp * config->ep;
    uint32_t local; /* The number of ranks of a node among which experts are
                       divided. */

    if (config->etp == 1 && config->ep == 1) {
        mesh->sizes[MESH_ETP] = mesh->sizes[MESH_EP] = 1;
        mesh->sizes[MESH_EDP] = n_stage;
    } else if (n_stage % n != 0) {
        return set_mesh_error(
            config->node, error,
            g_strdup_printf("mesh: etp %" G_GUINT64_FORMAT
                            " x ep %" G_GUINT64_FORMAT
                            " does not divide the %u ranks of a "
                            "pipeline stage; use an ep that does",
                            config->etp, config->ep, n_stage));
    } else {
        mesh->sizes[MESH_ETP] = (uint32_t)config->etp;
        mesh->sizes[MESH_EP] = (uint32_t)config->ep;
        mesh->sizes[MESH_EDP] = n_stage / (uint32_t)n;
    }
    if (n > 1 && pp > 1 && spans[MESH_PP].stride != n_stage)
        return set_mesh_error(
            config->node, error,
            g_strdup("mesh: experts divide the ranks of a pipeline "
                     "stage, so 'pp' must be the last in 'order'"));
    if (config->ep % config->ep_local != 0)
        return set_mesh_error(
            config->node, error,
            g_strdup_printf("mesh: ep_local %" G_GUINT64_FORMAT
                            " does not divide ep %" G_GUINT64_FORMAT
                            "; use the ranks of ep that share a node",
                            config->ep_local, config->ep));
    mesh->sizes[MESH_EP_LOCAL] = (uint32_t)config->ep_local;
    mesh->sizes[MESH_EP_NODES] = (uint32_t)(config->ep / config->ep_local);
    spans[MESH_ETP] = (AxisSpan){ mesh->sizes[MESH_ETP], 1 };
    local = mesh->sizes[MESH_ETP] * mesh->sizes[MESH_EP_LOCAL];
    spans[MESH_EP_LOCAL] =
        (AxisSpan){ mesh->sizes[MESH_EP_LOCAL], mesh->sizes[MESH_ETP] };
    spans[MESH_EP_NODES] =
        (AxisSpan){ mesh->sizes[MESH_EP_NODES],
                    config->ep_spread ? local * mesh->sizes[MESH_EDP] : local };
    spans[MESH_EDP] = (AxisSpan){ mesh->sizes[MESH_EDP],
                                  config->ep_spread ? local : (uint32_t)n };
    return TRUE;
}

/* Sets the spans of the two parts of dp. */
static gboolean set_spans_of_dp_parts(Mesh *mesh, const MeshConfig *config,
                                      AxisSpan *spans, GError **error)
{
    uint32_t n = (uint32_t)MAX(config->dp_within, 1);
    AxisSpan dp = spans[MESH_DP];

    if (dp.size % n != 0)
        return set_mesh_error(
            config->node, error,
            g_strdup_printf("mesh: dp_within %u does not divide dp %u; "
                            "use a divisor",
                            n, dp.size));
    spans[MESH_DP_WITHIN] = (AxisSpan){ n, dp.stride };
    spans[MESH_DP_ACROSS] = (AxisSpan){ dp.size / n, dp.stride * n };
    mesh->sizes[MESH_DP_WITHIN] = n;
    mesh->sizes[MESH_DP_ACROSS] = dp.size / n;
    return TRUE;
}

/* Cuts the number of a rank at all strides of @spans. */
static gboolean divide_rank_into_digits(Mesh *mesh, const AxisSpan *spans,
                                        GError **error)
{
    g_autoptr(GArray) cuts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint32_t last = 1;

    for (MeshAxis a = 0; a < MESH_N_AXES; a++) {
        uint32_t end = spans[a].stride * spans[a].size;

        if (spans[a].size == 1)
            continue;
        g_array_append_val(cuts, spans[a].stride);
        g_array_append_val(cuts, end);
    }
    g_array_append_val(cuts, mesh->n_ranks);
    g_array_sort(cuts, compare_strides);
    for (guint i = 0; i < cuts->len; i++) {
        uint32_t cut = g_array_index(cuts, uint32_t, i);

        if (cut == last)
            continue;
        if (cut % last != 0)
            return set_mesh_error(
                mesh->node, error,
                g_strdup_printf("mesh: the axes of experts and the "
                                "others cut each other, at %u and %u "
                                "ranks; use an ep that divides or is "
                                "divided by the product of the inner "
                                "axes",
                                last, cut));
        g_assert(mesh->n_digits < MESH_MAX_DIGITS);
        mesh->digits[mesh->n_digits++] = (MeshDigit){ cut / last, last };
        last = cut;
    }
    for (MeshAxis a = 0; a < MESH_N_AXES; a++)
        for (uint32_t d = 0; d < mesh->n_digits && spans[a].size > 1; d++)
            if (mesh->digits[d].stride >= spans[a].stride &&
                mesh->digits[d].stride < spans[a].stride * spans[a].size)
                mesh->masks[a] |= 1U << d;
    mesh->masks[MESH_EP] =
        mesh->masks[MESH_EP_LOCAL] | mesh->masks[MESH_EP_NODES];
    mesh->masks[MESH_EDP_ACROSS] =
        mesh->masks[MESH_EDP] & mesh->masks[MESH_DP_ACROSS];
    mesh->masks[MESH_EDP_WITHIN] =
        mesh->masks[MESH_EDP] & ~mesh->masks[MESH_DP_ACROSS];
    for (MeshAxis a = MESH_EDP_WITHIN; a <= MESH_EDP_ACROSS; a++)
        mesh->sizes[a] = mesh_n_ranks_of_digits(mesh, mesh->masks[a]);
    return TRUE;
}

/* Asserts that the digits of each axis make up its size. */
static void check_digits_of_axes(const Mesh *mesh)
{
    uint64_t n = 1;

    for (uint32_t d = 0; d < mesh->n_digits; d++)
        n *= mesh->digits[d].size;
    g_assert(n == mesh->n_ranks);
    for (MeshAxis a = 0; a < MESH_N_AXES; a++)
        g_assert(mesh_n_ranks_of_digits(mesh, mesh->masks[a]) ==
                 mesh->sizes[a]);
}

gboolean mesh_init(Mesh *ret, const MeshConfig *config, uint32_t n_ranks,
                   GError **error)
{
    AxisSpan spans[MESH_N_AXES] = { [MESH_EP] = { 1, 1 }, /* of two parts */
                                    [MESH_EDP_WITHIN] = { 1, 1 },
                                    [MESH_EDP_ACROSS] = { 1, 1 } };
    MeshAxis order[N_DENSE];
    uint32_t stride = 1;

    *ret = (Mesh){ .node = config->node };
    if (!set_sizes_of_axes(ret, config, n_ranks, error) ||
        !order_axes_by_config(config, order, error))
        return FALSE;
    for (guint i = 0; i < N_DENSE; i++) {
        spans[order[i]] = (AxisSpan){ ret->sizes[order[i]], stride };
        stride *= ret->sizes[order[i]];
    }
    if (!set_spans_of_dp_parts(ret, config, spans, error) ||
        !set_spans_of_expert_axes(ret, config, spans, error) ||
        !divide_rank_into_digits(ret, spans, error))
        return FALSE;
    check_digits_of_axes(ret);
    return TRUE;
}

/* ---- queries ------------------------------------------------------------ */

gboolean mesh_find_axes(const Mesh *mesh, const char *text,
                        const ConfigNode *node, uint32_t *ret, GError **error)
{
    g_auto(GStrv) names = g_strsplit(text, "+", -1);

    *ret = 0;
    for (guint i = 0; names[i]; i++) {
        const char *name = g_strstrip(names[i]);
        guint a = 0;

        if (g_str_equal(name, "mirror")) {
            if (mesh->sizes[MESH_PP] % 2 != 0)
                return set_mesh_error(
                    node, error,
                    g_strdup_printf("axis: 'mirror' needs an even "
                                    "number of stages, not %u",
                                    mesh->sizes[MESH_PP]));
            *ret |= MESH_MIRROR;
            continue;
        }
        while (a < MESH_N_AXES && !g_str_equal(mesh_axis_names[a], name))
            a++;
        if (a == MESH_N_AXES) {
            g_autofree char *quoted = words_quote_text(name);
            g_autofree char *hint =
                words_suggestion_hint(name, mesh_axis_names, "known axes");

            return set_mesh_error(
                node, error,
                g_strdup_printf("axis: there is no axis %s%s", quoted, hint));
        }
        *ret |= mesh->masks[a];
    }
    return TRUE;
}

uint32_t mesh_n_ranks_of_digits(const Mesh *mesh, uint32_t digits)
{
    uint32_t n = digits & MESH_MIRROR ? 2 : 1;

    for (uint32_t d = 0; d < mesh->n_digits; d++)
        if (digits >> d & 1)
            n *= mesh->digits[d].size;
    return n;
}

/* Returns the place of @rank among the ranks that differ in @digits only. */
static uint32_t rank_index_in_digits(const Mesh *mesh, uint32_t rank,
                                     uint32_t digits)
{
    uint32_t place = 0, weight = 1;

    for (uint32_t d = 0; d < mesh->n_digits; d++) {
        const MeshDigit *digit = &mesh->digits[d];

        if (!(digits >> d & 1))
            continue;
        place += rank / digit->stride % digit->size * weight;
        weight *= digit->size;
    }
    return place;
}

uint32_t mesh_coordinate_of_rank(const Mesh *mesh, uint32_t rank, MeshAxis axis)
{
    return rank_index_in_digits(mesh, rank, mesh->masks[axis]);
}

/* Writes @digits of the mesh to @group, with neighbours merged. */
static gboolean write_digits_to_group(const Mesh *mesh, uint32_t digits,
                                      OpGroup *group, GError **error)
{
    for (uint32_t d = 0; d < mesh->n_digits; d++) {
        const MeshDigit *digit = &mesh->digits[d];
        OpGroupDigit *last =
            group->n_digits > 0 ? &group->digits[group->n_digits - 1] : NULL;

        if (!(digits >> d & 1))
            continue;
        if (last && last->stride * last->size == digit->stride) {
            last->size *= digit->size;
            continue;
        }
        if (group->n_digits == OP_GROUP_MAX_DIGITS)
            return set_mesh_error(
                group->node, error,
                g_strdup_printf("axis: the ranks of '%s' lie in more "
                                "than %d places; change 'order'",
                                group->name, OP_GROUP_MAX_DIGITS));
        group->digits[group->n_digits++] =
            (OpGroupDigit){ digit->size, digit->stride };
    }
    group->size = mesh_n_ranks_of_digits(mesh, digits);
    if (group->n_digits <= 1) {
        group->grouped_by = GROUP_STRIDE;
        group->stride = group->n_digits == 1 ? group->digits[0].stride : 1;
    }
    return TRUE;
}

/* Lists the ranks of each communicator of mirrored stages, of both by turns: a
 * rotation of the ranks of each stage is then one of the communicator.  The
 * caller frees the ids. */
static void list_mirrored_ranks(const Mesh *mesh, uint32_t digits,
                                OpGroup *group)
{
    uint32_t pp = mesh->sizes[MESH_PP],
             half = mesh_n_ranks_of_digits(mesh, digits) / 2;
    uint32_t others =
        ((1U << mesh->n_digits) - 1) & ~digits & ~mesh->masks[MESH_PP];

    group->grouped_by = GROUP_LISTS;
    group->size = 2 * half;
    group->n_lists = mesh->n_ranks / group->size;
    group->ids = g_new0(uint32_t, mesh->n_ranks);
    for (uint32_t rank = 0; rank < mesh->n_ranks; rank++) {
        uint32_t stage = mesh_coordinate_of_rank(mesh, rank, MESH_PP);
        uint32_t low = MIN(stage, pp - 1 - stage);
        uint32_t set = rank_index_in_digits(mesh, rank, others) +
                       low * (mesh->n_ranks / pp / half);

        g_assert(set < group->n_lists);
        group->ids[set * group->size +
                   2 * rank_index_in_digits(mesh, rank, digits) +
                   (stage == low ? 0 : 1)] = rank;
    }
}

gboolean mesh_add_group(const Mesh *mesh, OpGraph *graph, const char *name,
                        uint32_t digits, const ConfigNode *node, uint32_t *ret,
                        GError **error)
{
    OpGroup group = { .name = name,
                      .grouped_by = GROUP_DIGITS,
                      .node = mesh->node };

    for (guint i = 0; i < graph->groups->len; i++)
        if (g_str_equal(op_graph_group(graph, i)->name, name)) {
            if (op_graph_group(graph, i)->node != mesh->node)
                return set_mesh_error(
                    node, error,
                    g_strdup_printf("axis: there is a group '%s', too; "
                                    "give it another name",
                                    name));
            *ret = i;
            return TRUE;
        }
    if (digits & MESH_MIRROR) {
        list_mirrored_ranks(mesh, digits, &group);
        *ret = op_graph_add_group(graph, &group);
        g_free(group.ids);
        return TRUE;
    }
    if (!write_digits_to_group(mesh, digits, &group, error))
        return FALSE;
    *ret = op_graph_add_group(graph, &group);
    return TRUE;
}

OpRole mesh_stage_role(const Mesh *mesh, const char *name, uint32_t place)
{
    uint32_t d = 0;

    if (mesh->sizes[MESH_PP] == 1)
        return (
            OpRole){ .name = name, .ranks_by = RANKS_ALL, .node = mesh->node };
    while (!(mesh->masks[MESH_PP] >> d & 1))
        d++;
    return (OpRole){ .name = name,
                     .ranks_by = RANKS_STRIDE,
                     .size = mesh->sizes[MESH_PP],
                     .stride = mesh->digits[d].stride,
                     .remainder = place,
                     .node = mesh->node };
}
