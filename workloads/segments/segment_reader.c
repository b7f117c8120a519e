/*
 * segment_reader.c - reads the segments of a program's file into a plan
 *
 * In `after`, an operation names others of its segment; "name@-1" is that of
 * the iteration before, and "segment@first" and "segment@last" are the exits of
 * the stage's first and last unit of a segment.  A repeated segment is its list
 * of operations several times, where the roots of each wait for the exit of the
 * one before.
 */
#include "workloads/segments/segment_config.h"

#include <string.h>

#include "sim/core/word_suggestions.h"

typedef enum {
    SEGMENT_FORWARD,
    SEGMENT_BACKWARD,
    SEGMENT_INPUT,
    SEGMENT_WEIGHT,
    SEGMENT_UPDATE,
    SEGMENT_N_PASSES,
} SegmentPass;

static const char *const pass_names[SEGMENT_N_PASSES + 1] = {
    [SEGMENT_FORWARD] = "forward",      [SEGMENT_BACKWARD] = "backward",
    [SEGMENT_INPUT] = "input-gradient", [SEGMENT_WEIGHT] = "weight-gradient",
    [SEGMENT_UPDATE] = "update",        [SEGMENT_N_PASSES] = NULL,
};

static const OpPass op_passes[SEGMENT_N_PASSES] = {
    [SEGMENT_FORWARD] = OP_FORWARD,      [SEGMENT_BACKWARD] = OP_INPUT_GRADIENT,
    [SEGMENT_INPUT] = OP_INPUT_GRADIENT, [SEGMENT_WEIGHT] = OP_WEIGHT_GRADIENT,
    [SEGMENT_UPDATE] = OP_UPDATE,
};

static const UnitPass unit_passes[SEGMENT_UPDATE] = {
    [SEGMENT_FORWARD] = UNIT_FORWARD,
    [SEGMENT_BACKWARD] = UNIT_BACKWARD,
    [SEGMENT_INPUT] = UNIT_INPUT,
    [SEGMENT_WEIGHT] = UNIT_WEIGHT,
};

/* ---- fields -------------------------------------------------------------- */

static const ConfigField where_item = {
    .key = "number",
    .help = "counted from 0",
    .type = CONFIG_COUNT,
    .max = SCHEDULE_MAX_STAGES * SCHEDULE_MAX_CHUNKS - 1,
};

static const ConfigField op_item = {
    .key = "op",
    .help = "one operation",
    .type = CONFIG_KIND,
    .registry = &program_op_registry,
};

#define OFFSET(member) .offset = offsetof(SegmentConfig, member)
#define NO_SEGMENT     "none"

static const ConfigField segment_fields[] = {
    { .key = "name",
      .help = "by which other segments name it",
      .type = CONFIG_NAME,
      OFFSET(name) },
    { .key = "pass",
      .help = "units that run it; an update runs once, at the end",
      .type = CONFIG_ENUM,
      OFFSET(pass),
      .names = pass_names,
      .fallback = "forward",
      .source = "the name of most" },
    { .key = "of",
      .help = "the segment of the forward pass that it belongs to",
      .type = CONFIG_NAME,
      OFFSET(forward_segment),
      .fallback = NO_SEGMENT,
      .source = "all that have no other" },
    { .key = "stages",
      .help = "virtual stages that run it, or stages that run an update",
      .type = CONFIG_LIST,
      OFFSET(where),
      .max = SCHEDULE_MAX_STAGES * SCHEDULE_MAX_CHUNKS,
      .item = &where_item,
      .item_size = sizeof(uint64_t),
      .fallback = "[]",
      .source = "all that no other segment names" },
    { .key = "passes_on",
      .help = "bytes of a micro-batch for the neighbouring virtual stage",
      .type = CONFIG_BYTES,
      OFFSET(passes_on_bytes),
      .max = UINT64_C(1) << 40,
      .fallback = "0 B",
      .source = "nothing" },
    { .key = "keeps",
      .help = "bytes of activations of a micro-batch, until its backward pass",
      .type = CONFIG_BYTES,
      OFFSET(keeps_bytes),
      .max = UINT64_C(1) << 50,
      .fallback = "0 B",
      .source = "not known" },
    { .key = "repeat",
      .help = "how many times the operations follow each other, as layers do",
      .type = CONFIG_COUNT,
      OFFSET(n_repeats),
      .min = 1,
      .max = SEGMENT_MAX_REPEATS,
      .fallback = "1",
      .source = "once" },
    { .key = "ops",
      .help = "of one unit; the last one is its exit",
      .type = CONFIG_LIST,
      OFFSET(ops),
      .min = 1,
      .max = PROGRAM_MAX_OPS,
      .item = &op_item,
      .item_size = sizeof(ConfigVariant) },
    CONFIG_END,
};

#undef OFFSET

const ConfigField segment_item = {
    .key = "segment",
    .help = "a block of operations that a schedule runs many times",
    .type = CONFIG_SECTION,
    .fields = segment_fields,
    .node_offset = offsetof(SegmentConfig, node),
};

/* ---- operations ---------------------------------------------------------- */

typedef struct {
    SegmentPlan *plan;
    const SegmentConfig *configs;
    guint n_configs;
    GPtrArray *owned; /* borrowed */
} SegmentReader;

static gboolean set_segment_error(const ConfigNode *where, GError **error,
                                  char *text)
{
    config_set_error(error, where, CONFIG_ERROR_CONFLICT, "%s", text);
    g_free(text);
    return FALSE;
}

/* Returns the index of the segment @name, or SEGMENT_NONE. */
static uint32_t find_segment_by_name(const SegmentReader *reader,
                                     const char *name)
{
    for (guint i = 0; i < reader->n_configs; i++)
        if (g_str_equal(reader->configs[i].name, name))
            return i;
    return SEGMENT_NONE;
}

/* Returns the index of the operation @name of @config, or SEGMENT_NONE. */
static uint32_t find_segment_op_by_name(const SegmentConfig *config,
                                        const char *name)
{
    const ConfigVariant *ops = config->ops.items;

    for (guint i = 0; i < config->ops.n; i++)
        if (g_str_equal(program_op_common(&ops[i])->name, name))
            return i;
    return SEGMENT_NONE;
}

/* Returns a copy of @op whose layer and pass are those of the segment unless it
 * names others. */
static ConfigVariant copy_op_with_segment_defaults(SegmentReader *reader,
                                                   const SegmentConfig *config,
                                                   const ConfigVariant *op)
{
    ProgramCommon *common = g_memdup2(op->params, op->kind->size);
    ConfigVariant copy = *op;

    if (g_str_equal(common->layer, PROGRAM_OWN_LAYER)) {
        char *layer = g_strdup_printf("%s.%s", config->name, common->name);

        common->layer = layer;
        g_ptr_array_add(reader->owned, layer);
    }
    if (common->pass == OP_FORWARD)
        common->pass = (int)op_passes[config->pass];
    copy.params = common;
    g_ptr_array_add(reader->owned, common);
    return copy;
}

/* Sets @error: @text, of `after`, names nothing. */
static gboolean set_unknown_dependency_error(const SegmentConfig *config,
                                             const ConfigVariant *op,
                                             const char *text, GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    const ConfigVariant *ops = config->ops.items;
    g_autofree char *quoted = words_quote_text(text);
    g_autofree char *hint = NULL;

    for (guint i = 0; i < config->ops.n; i++)
        g_ptr_array_add(known, (gpointer)program_op_common(&ops[i])->name);
    g_ptr_array_add(known, NULL);
    hint = words_suggestion_hint(text, (const char *const *)known->pdata,
                                 "known operations");
    return set_segment_error(
        op->node, error,
        g_strdup_printf("after: segment '%s' has no operation %s%s",
                        config->name, quoted, hint));
}

/* Sets @error at @where: @key names the segment @name, which does not exist. */
static gboolean set_unknown_segment_error(const SegmentReader *reader,
                                          const char *key, const char *name,
                                          const ConfigNode *where,
                                          GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    g_autofree char *hint = NULL;

    for (guint i = 0; i < reader->n_configs; i++)
        g_ptr_array_add(known, (gpointer)reader->configs[i].name);
    g_ptr_array_add(known, NULL);
    hint = words_suggestion_hint(name, (const char *const *)known->pdata,
                                 "known segments");
    return set_segment_error(
        where, error,
        g_strdup_printf("%s: there is no segment '%s'%s", key, name, hint));
}

/* Adds the dependency on a unit of another segment that @text names as
 * "segment@first" or "segment@last". */
static gboolean add_dependency_on_unit(const SegmentReader *reader,
                                       const SegmentConfig *config,
                                       uint32_t segment, uint32_t op,
                                       const char *text, SegmentDepKind kind,
                                       GError **error)
{
    g_autofree char *name = g_strndup(text, (gsize)(strrchr(text, '@') - text));
    uint32_t dependency = find_segment_by_name(reader, name);
    SegmentDep dep = { .kind = kind, .segment = dependency };
    const ConfigVariant *ops = config->ops.items;
    const SegmentConfig *of;

    if (dependency == SEGMENT_NONE)
        return set_unknown_segment_error(reader, "after", name,
                                         ops[op % config->ops.n].node, error);
    of = &reader->configs[dependency];
    dep.op = of->ops.n * (uint32_t)of->n_repeats - 1;
    segment_add_dep(g_ptr_array_index(reader->plan->segments, segment), op,
                    &dep);
    return TRUE;
}

/* Adds what @text, of the `after` of operation @i in repeat @repeat, names. */
static gboolean add_dependency_named_in_after(const SegmentReader *reader,
                                              uint32_t segment, guint i,
                                              uint32_t repeat, const char *text,
                                              GError **error)
{
    const SegmentConfig *config = &reader->configs[segment];
    const ConfigVariant *op = (const ConfigVariant *)config->ops.items + i;
    uint32_t first = repeat * config->ops.n;
    gboolean is_back = g_str_has_suffix(text, "@-1");
    g_autofree char *name =
        g_strndup(text, strlen(text) - (is_back ? strlen("@-1") : 0));
    SegmentDep dep = { .kind = SEGMENT_DEP_LOCAL,
                       .n_iterations_back = is_back ? 1 : 0 };
    uint32_t dependency;

    if (g_str_has_suffix(text, "@first"))
        return add_dependency_on_unit(reader, config, segment, first + i, text,
                                      SEGMENT_DEP_FIRST, error);
    if (g_str_has_suffix(text, "@last"))
        return add_dependency_on_unit(reader, config, segment, first + i, text,
                                      SEGMENT_DEP_LAST, error);
    dependency = find_segment_op_by_name(config, name);
    if (dependency == SEGMENT_NONE)
        return set_unknown_dependency_error(config, op, name, error);
    if (!is_back && dependency >= i)
        return set_segment_error(
            op->node, error,
            g_strdup_printf(
                "after: '%s' does not stand before '%s' in the unit; "
                "write '%s@-1' for the iteration before",
                name, program_op_common(op)->name, name));
    dep.op = first + dependency;
    segment_add_dep(g_ptr_array_index(reader->plan->segments, segment),
                    first + i, &dep);
    return TRUE;
}

static gboolean op_has_no_dependency(const ConfigVariant *op)
{
    const ConfigList *after = &program_op_common(op)->after;
    const char *const *names = after->items;

    for (guint i = 0; i < after->n; i++)
        if (!g_str_has_suffix(names[i], "@-1"))
            return FALSE;
    return TRUE;
}

static gboolean check_segment_ops(const SegmentConfig *config, GError **error)
{
    const ConfigVariant *ops = config->ops.items;

    for (guint i = 0; i < config->ops.n; i++) {
        const char *name = program_op_common(&ops[i])->name;

        if (program_op_kind(&ops[i])->type == PROGRAM_MESSAGE)
            return set_segment_error(
                ops[i].node, error,
                g_strdup("kind: a segment sends by 'passes_on', not by "
                         "a message"));
        if (find_segment_op_by_name(config, name) < i)
            return set_segment_error(
                ops[i].node, error,
                g_strdup_printf("name: there are two operations '%s' "
                                "in segment '%s'",
                                name, config->name));
    }
    return TRUE;
}

static void append_segment(SegmentReader *reader, const SegmentConfig *config)
{
    const ConfigVariant *ops = config->ops.items;
    Segment *segment = segment_new(config->name, config->node);
    g_autoptr(GArray) copies = g_array_new(FALSE, FALSE, sizeof(ConfigVariant));

    segment->passes_on_bytes = config->passes_on_bytes;
    segment->keeps_bytes = config->keeps_bytes;
    for (guint i = 0; i < config->ops.n; i++) {
        ConfigVariant copy =
            copy_op_with_segment_defaults(reader, config, &ops[i]);

        g_array_append_val(copies, copy);
    }
    for (uint64_t n = 0; n < config->n_repeats; n++)
        for (guint i = 0; i < config->ops.n; i++)
            segment_add_op(segment, &g_array_index(copies, ConfigVariant, i));
    g_ptr_array_add(reader->plan->segments, segment);
}

static gboolean resolve_dependencies_of_segment(const SegmentReader *reader,
                                                uint32_t segment,
                                                GError **error)
{
    const SegmentConfig *config = &reader->configs[segment];
    const ConfigVariant *ops = config->ops.items;

    for (uint32_t repeat = 0; repeat < config->n_repeats; repeat++)
        for (guint i = 0; i < config->ops.n; i++) {
            const ConfigList *after = &program_op_common(&ops[i])->after;
            const char *const *names = after->items;
            uint32_t first = repeat * config->ops.n;

            if (repeat > 0 && op_has_no_dependency(&ops[i]))
                segment_add_dep(
                    g_ptr_array_index(reader->plan->segments, segment),
                    first + i,
                    &(SegmentDep){ .kind = SEGMENT_DEP_LOCAL,
                                   .op = first - 1 });
            for (guint a = 0; a < after->n; a++)
                if (!add_dependency_named_in_after(reader, segment, i, repeat,
                                                   names[a], error))
                    return FALSE;
        }
    return TRUE;
}

/* ---- where segments run -------------------------------------------------- */

/* Returns the index of the segment whose virtual stages @config has: itself, or
 * the one that `of` names. */
static gboolean find_segment_that_sets_stages(const SegmentReader *reader,
                                              const SegmentConfig *config,
                                              const SegmentConfig **ret,
                                              GError **error)
{
    uint32_t of;

    *ret = config;
    if (g_str_equal(config->forward_segment, NO_SEGMENT))
        return TRUE;
    of = find_segment_by_name(reader, config->forward_segment);
    if (of == SEGMENT_NONE)
        return set_unknown_segment_error(reader, "of", config->forward_segment,
                                         config->node, error);
    *ret = &reader->configs[of];
    return TRUE;
}

/* Sets segment @i in @slots, an array of @n virtual stages or stages, where it
 * is named, or where @is_rest, in all that are still free. */
static gboolean assign_segment_to_stages(const SegmentReader *reader,
                                         uint32_t i, uint32_t *slots,
                                         uint32_t n, gboolean is_rest,
                                         GError **error)
{
    const SegmentConfig *config = &reader->configs[i], *owner;
    const uint64_t *where;

    if (!find_segment_that_sets_stages(reader, config, &owner, error))
        return FALSE;
    if ((config->where.n > 0 ? config : owner)->where.n == 0) {
        for (uint32_t v = 0; v < n && is_rest; v++)
            if (slots[v] == SEGMENT_NONE)
                slots[v] = i;
        return TRUE;
    }
    if (config->where.n > 0)
        owner = config;
    where = owner->where.items;
    for (guint w = 0; w < owner->where.n && !is_rest; w++) {
        if (where[w] >= n)
            return set_segment_error(
                config->node, error,
                g_strdup_printf("stages: there is no %" G_GUINT64_FORMAT
                                " among %u, counted from 0",
                                where[w], n));
        if (slots[where[w]] != SEGMENT_NONE)
            return set_segment_error(
                config->node, error,
                g_strdup_printf("stages: %" G_GUINT64_FORMAT
                                " has the segment '%s' of this pass already",
                                where[w],
                                reader->configs[slots[where[w]]].name));
        slots[where[w]] = i;
    }
    return TRUE;
}

static gboolean assign_all_segments_to_stages(const SegmentReader *reader,
                                              GError **error)
{
    const Schedule *schedule = reader->plan->schedule;

    for (int is_rest = 0; is_rest <= 1; is_rest++)
        for (guint i = 0; i < reader->n_configs; i++) {
            gboolean is_update = reader->configs[i].pass == SEGMENT_UPDATE;

            if (!assign_segment_to_stages(
                    reader, i,
                    is_update ? reader->plan->updates
                              : reader->plan->segment_of
                                    [unit_passes[reader->configs[i].pass]],
                    is_update ? schedule->shape.n_stages
                              : schedule->n_virtual_stages,
                    is_rest, error))
                return FALSE;
        }
    return TRUE;
}

/* A pass that is called input-gradient is the whole backward pass where there
 * is no weight-gradient. */
static void use_input_pass_as_whole_backward(SegmentPlan *plan)
{
    for (uint32_t v = 0; v < plan->schedule->n_virtual_stages; v++)
        if (plan->segment_of[UNIT_BACKWARD][v] == SEGMENT_NONE &&
            plan->segment_of[UNIT_WEIGHT][v] == SEGMENT_NONE)
            plan->segment_of[UNIT_BACKWARD][v] =
                plan->segment_of[UNIT_INPUT][v];
}

gboolean segments_read(SegmentPlan *plan, const ConfigList *list,
                       GPtrArray *owned, GError **error)
{
    SegmentReader r = { .plan = plan,
                        .configs = list->items,
                        .n_configs = list->n,
                        .owned = owned };

    for (guint i = 0; i < r.n_configs; i++) {
        if (find_segment_by_name(&r, r.configs[i].name) < i)
            return set_segment_error(
                r.configs[i].node, error,
                g_strdup_printf("name: there are two segments '%s'",
                                r.configs[i].name));
        if (!check_segment_ops(&r.configs[i], error))
            return FALSE;
        append_segment(&r, &r.configs[i]);
    }
    for (uint32_t i = 0; i < r.n_configs; i++)
        if (!resolve_dependencies_of_segment(&r, i, error))
            return FALSE;
    if (!assign_all_segments_to_stages(&r, error))
        return FALSE;
    use_input_pass_as_whole_backward(plan);
    return TRUE;
}
