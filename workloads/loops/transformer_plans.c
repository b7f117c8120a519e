/*
 * transformer_plans.c - the ways to divide a language model among the NPUs
 *
 * Candidate values of a key
 *
 *   tp         divisors of the number of NPUs, up to the limit
 *   cp         divisors of the rest that leave a rank LEAST_TOKENS tokens of a
 *              sequence
 *   pp         divisors of the rest, up to the number of layers
 *   dp         the rest
 *   ep         divisors of the number of experts, up to the ranks of a stage
 *   micro      powers of two, up to MOST_MICRO
 *   schedule   the kinds that a step can have; gpipe is left out, since 1f1b
 *              has the same bubble and holds less
 *   chunks     of a schedule that has any number: chunk_numbers
 *   recompute  full, or the least that is kept without
 *   cp_exchange  both, if cp is greater than 1 and attention is fused
 *   pieces     powers of two, up to MOST_PIECES
 *   shard      zero-1 if there are copies, and fsdp without a pipeline: zero-2
 *              and fsdp communicate for each micro-batch
 *   overlap    of gradients and weights with kernels, if there are copies
 *
 * and the values of the file in addition.  The bounds are assumed: beyond them
 * products are too small to be efficient.
 */
#include <string.h>

#include "workloads/loops/transformer_impl.h"
#include "workloads/transformer/modules/modules.h"

#define LEAST_TOKENS 2048
#define MOST_MICRO   8
#define MOST_PIECES  4

static const uint32_t chunk_numbers[] = { 2, 3, 4, 5, 6, 8, 10, 12, 16 };

const char *const plan_key_names[PLAN_N_KEYS + 1] = {
    [PLAN_TP] = "tp",
    [PLAN_CP] = "cp",
    [PLAN_PP] = "pp",
    [PLAN_EP] = "ep",
    [PLAN_DP] = "dp",
    [PLAN_SCHEDULE] = "schedule",
    [PLAN_CHUNKS] = "chunks",
    [PLAN_MICRO] = "micro",
    [PLAN_SHARD] = "shard",
    [PLAN_OVERLAP] = "overlap",
    [PLAN_RECOMPUTE] = "recompute",
    [PLAN_CP_EXCHANGE] = "cp_exchange",
    [PLAN_PIECES] = "pieces",
    [PLAN_N_KEYS] = NULL,
};

/* ---- the parameters of a plan -------------------------------------------- */

static uint64_t index_of_kind(const ConfigRegistry *registry,
                              const ConfigKind *kind)
{
    uint64_t i = 0;

    while (registry->kinds[i] != kind)
        i++;
    return i;
}

/* The parameters of the file with the values of a plan. */
typedef struct {
    TransformerParams params;
    ScheduleCommon schedule;
} PlannedParams;

static gboolean is_schedule_of_file(const TransformerParams *file,
                                    const WorkloadPlan *plan)
{
    const ScheduleCommon *common = schedule_common(&file->schedule);

    return schedule_registry.kinds[plan->values[PLAN_SCHEDULE]] ==
               file->schedule.kind &&
           (common->n_chunks == CONFIG_AUTO ? 1 : common->n_chunks) ==
               plan->values[PLAN_CHUNKS];
}

static gboolean is_sharding_of_file(const TransformerParams *file,
                                    const WorkloadPlan *plan)
{
    return sharding_registry.kinds[plan->values[PLAN_SHARD]] ==
               file->shard.kind &&
           (sharding_of_variant(&file->shard).overlaps ? 1 : 0) ==
               plan->values[PLAN_OVERLAP];
}

static ConfigVariant sharding_of_plan(const TransformerParams *file,
                                      const WorkloadPlan *plan)
{
    return is_sharding_of_file(file, plan)
               ? file->shard
               : sharding_of_kind(
                     sharding_registry.kinds[plan->values[PLAN_SHARD]],
                     plan->values[PLAN_OVERLAP] != 0, file->shard.node);
}

/* Returns the word of a set that plans try beside that of the file. */
static RecomputeWord recompute_word_of_set(RecomputeSet set)
{
    RecomputeWord word = RECOMPUTE_NONE;

    while (recompute_set_of_word(word) != set)
        word++;
    return word;
}

static void init_planned_params(PlannedParams *ret,
                                const TransformerParams *file,
                                const WorkloadPlan *plan)
{
    const uint64_t *values = plan->values;
    TransformerParams *params = &ret->params;

    *params = *file;
    params->parallel.mesh.tp = values[PLAN_TP];
    params->parallel.mesh.cp = values[PLAN_CP];
    params->parallel.mesh.pp = values[PLAN_PP];
    params->parallel.mesh.ep = values[PLAN_EP];
    params->parallel.mesh.dp = values[PLAN_DP];
    params->parallel.cp_exchange = (int)values[PLAN_CP_EXCHANGE];
    params->parallel.n_pieces = values[PLAN_PIECES];
    params->batch.micro = values[PLAN_MICRO];
    if (values[PLAN_RECOMPUTE] != transformer_recompute(file))
        params->recompute = recompute_list_of_word(
            recompute_word_of_set(values[PLAN_RECOMPUTE]));
    params->shard = sharding_of_plan(file, plan);
    if (is_schedule_of_file(file, plan))
        return;
    ret->schedule = (ScheduleCommon){ .n_micro_batches = CONFIG_AUTO,
                                      .n_chunks = values[PLAN_CHUNKS] > 1
                                                      ? values[PLAN_CHUNKS]
                                                      : CONFIG_AUTO };
    params->schedule.kind = schedule_registry.kinds[values[PLAN_SCHEDULE]];
    params->schedule.params = &ret->schedule;
}

/* Sets *@ret to the values of the file; returns FALSE if they are no division
 * of the NPUs. */
static gboolean plan_given_by_file(const TransformerParams *file,
                                   uint32_t n_npus, WorkloadPlan *ret)
{
    const ScheduleCommon *common = schedule_common(&file->schedule);
    uint64_t *values = ret->values;
    Mesh mesh;

    if (!mesh_init(&mesh, &file->parallel.mesh, n_npus, NULL))
        return FALSE;
    values[PLAN_TP] = mesh.sizes[MESH_TP];
    values[PLAN_CP] = mesh.sizes[MESH_CP];
    values[PLAN_PP] = mesh.sizes[MESH_PP];
    values[PLAN_EP] = mesh.sizes[MESH_EP];
    values[PLAN_DP] = mesh.sizes[MESH_DP];
    values[PLAN_SCHEDULE] =
        index_of_kind(&schedule_registry, file->schedule.kind);
    values[PLAN_CHUNKS] =
        common->n_chunks == CONFIG_AUTO ? 1 : common->n_chunks;
    values[PLAN_MICRO] = file->batch.micro;
    values[PLAN_SHARD] = index_of_kind(&sharding_registry, file->shard.kind);
    values[PLAN_OVERLAP] = sharding_of_variant(&file->shard).overlaps ? 1 : 0;
    values[PLAN_RECOMPUTE] = transformer_recompute(file);
    values[PLAN_CP_EXCHANGE] = (uint64_t)file->parallel.cp_exchange;
    values[PLAN_PIECES] = file->parallel.n_pieces;
    return TRUE;
}

/* ---- the candidate values of a key --------------------------------------- */

typedef struct {
    const TransformerParams *file;
    const TrainingConfig *training;
    const PlanLimits *limits;
    gboolean has_file; /* .of_file is valid */
    WorkloadPlan of_file;
    GArray *ret; /* borrowed: of WorkloadPlan */
} PlanLister;

static void append_candidate_value(GArray *values, uint64_t value)
{
    for (guint i = 0; i < values->len; i++)
        if (g_array_index(values, uint64_t, i) == value)
            return;
    g_array_append_val(values, value);
}

static void append_divisors(GArray *values, uint64_t of, uint64_t most)
{
    for (uint64_t value = 1; value <= MIN(of, most); value++)
        if (of % value == 0)
            append_candidate_value(values, value);
}

static gboolean schedule_is_possible(const ConfigKind *kind,
                                     const WorkloadPlan *plan)
{
    const ScheduleOps *ops = (const ScheduleOps *)kind;

    if (plan->values[PLAN_PP] == 1)
        return g_str_equal(kind->name, "1f1b");
    return !ops->has_no_backward && !ops->has_two_directions &&
           !g_str_equal(kind->name, "file") &&
           !g_str_equal(kind->name, "gpipe");
}

static gboolean plan_has_data_parallel_copies(const WorkloadPlan *plan)
{
    return plan->values[PLAN_DP] * plan->values[PLAN_CP] > 1;
}

static void append_candidate_shardings(const WorkloadPlan *plan, GArray *values)
{
    for (uint64_t i = 0; sharding_registry.kinds[i]; i++) {
        Sharding sharding = sharding_divided_by(sharding_registry.kinds[i]);

        if (!sharding_has_defaults(sharding_registry.kinds[i]))
            continue;
        if (plan_has_data_parallel_copies(plan)
                ? sharding.states &&
                      (!sharding.gradients ||
                       (sharding.weights && plan->values[PLAN_PP] == 1))
                : !sharding.states)
            append_candidate_value(values, i);
    }
}

static gboolean plan_communicates_in_passes(const WorkloadPlan *plan)
{
    return sharding_divided_by(
               sharding_registry.kinds[plan->values[PLAN_SHARD]])
        .gradients;
}

static void append_candidate_chunk_counts(const PlanLister *lister,
                                          const WorkloadPlan *plan,
                                          GArray *values)
{
    const ConfigKind *kind =
        schedule_registry.kinds[plan->values[PLAN_SCHEDULE]];

    if (((const ScheduleOps *)kind)->n_chunks > 0 ||
        !g_str_equal(kind->name, "interleaved")) {
        append_candidate_value(values, 1);
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(chunk_numbers); i++)
        if (chunk_numbers[i] * plan->values[PLAN_PP] <=
            lister->file->model.n_layers)
            append_candidate_value(values, chunk_numbers[i]);
}

/* Adds the values of @key that go with the values of @plan for the keys before
 * it. */
static void append_candidate_values_of_key(const PlanLister *lister,
                                           PlanKey key,
                                           const WorkloadPlan *plan,
                                           GArray *values)
{
    const TransformerParams *file = lister->file;
    const uint64_t *own = plan->values;
    uint64_t n_npus = lister->limits->n_npus, rest;

    switch (key) {
    case PLAN_TP:
        append_divisors(values, n_npus, lister->limits->most_tp);
        return;
    case PLAN_CP:
        append_divisors(values, n_npus / own[PLAN_TP],
                        MAX(file->sequence / LEAST_TOKENS, 1));
        return;
    case PLAN_PP:
        append_divisors(values, n_npus / own[PLAN_TP] / own[PLAN_CP],
                        file->model.n_layers);
        return;
    case PLAN_EP:
        rest = n_npus / own[PLAN_PP];
        append_divisors(values, MAX(file->model.experts.n_experts, 1), rest);
        return;
    case PLAN_DP:
        rest = own[PLAN_TP] * own[PLAN_CP] * own[PLAN_PP];
        if (n_npus % rest == 0)
            append_candidate_value(values, n_npus / rest);
        return;
    case PLAN_SCHEDULE:
        for (uint64_t i = 0; schedule_registry.kinds[i]; i++)
            if (schedule_is_possible(schedule_registry.kinds[i], plan))
                append_candidate_value(values, i);
        return;
    case PLAN_CHUNKS:
        append_candidate_chunk_counts(lister, plan, values);
        return;
    case PLAN_MICRO:
        for (uint64_t value = 1; value <= MOST_MICRO; value *= 2)
            append_candidate_value(values, value);
        return;
    case PLAN_SHARD:
        append_candidate_shardings(plan, values);
        return;
    case PLAN_OVERLAP:
        if (sharding_has_defaults(sharding_registry.kinds[own[PLAN_SHARD]]))
            append_candidate_value(values,
                                   plan_has_data_parallel_copies(plan) ? 1 : 0);
        else /* it is kept */
            append_candidate_value(values,
                                   lister->of_file.values[PLAN_OVERLAP]);
        return;
    case PLAN_RECOMPUTE:
        if (file->attention != 0)
            append_candidate_value(values,
                                   recompute_set_of_word(RECOMPUTE_NONE));
        append_candidate_value(values,
                               recompute_set_of_word(RECOMPUTE_SELECTIVE));
        append_candidate_value(values, recompute_set_of_word(RECOMPUTE_FULL));
        return;
    case PLAN_CP_EXCHANGE:
        append_candidate_value(values, CP_ALL_GATHER);
        if (own[PLAN_CP] > 1 && file->attention == 0)
            append_candidate_value(values, CP_RING);
        return;
    case PLAN_PIECES:
        for (uint64_t value = 1; value <= MOST_PIECES; value *= 2)
            if (value == 1 ||
                (own[PLAN_TP] > 1 && file->parallel.divides_sequence))
                append_candidate_value(values, value);
        return;
    case PLAN_N_KEYS:
        break;
    }
    g_assert_not_reached();
}

/* ---- the valid plans ----------------------------------------------------- */

static void keep_plan_memory(gpointer self, const TransformerStages *stages)
{
    ((WorkloadPlan *)self)->memory_bytes = stages->memory_bytes;
}

static gboolean plans_are_equal(const WorkloadPlan *a, const WorkloadPlan *b)
{
    return memcmp(a->values, b->values, sizeof a->values) == 0;
}

/* Sets the memory of @plan; returns whether it is valid. */
static gboolean set_plan_memory_if_valid(const PlanLister *lister,
                                         WorkloadPlan *plan)
{
    PlannedParams planned;

    init_planned_params(&planned, lister->file, plan);
    return transformer_visit_stages(&planned.params, lister->training,
                                    lister->limits->n_npus, keep_plan_memory,
                                    plan);
}

/* Adds the valid plans with the values of @plan for the keys before @key.  All
 * values of PLAN_PIECES, the last key, need the same memory. */
static void append_plans_from_key(PlanLister *lister, PlanKey key,
                                  const WorkloadPlan *plan)
{
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    WorkloadPlan next = *plan;

    if (key == PLAN_PIECES) {
        next.values[PLAN_PIECES] = 1;
        if (!set_plan_memory_if_valid(lister, &next))
            return;
    }
    if (lister->has_file && lister->limits->n_kept >> key & 1)
        append_candidate_value(values, lister->of_file.values[key]);
    else
        append_candidate_values_of_key(lister, key, plan, values);
    for (guint i = 0; i < values->len; i++) {
        next.values[key] = g_array_index(values, uint64_t, i);
        if (key + 1 < PLAN_N_KEYS)
            append_plans_from_key(lister, key + 1, &next);
        else if (!lister->has_file || !plans_are_equal(&next, &lister->of_file))
            g_array_append_val(lister->ret, next);
    }
}

static gboolean list_valid_plans(const ConfigVariant *workload,
                                 const TrainingConfig *training,
                                 const PlanLimits *limits, GArray *ret)
{
    PlanLister l = { .file = workload->params,
                     .training = training,
                     .limits = limits,
                     .ret = ret };
    const WorkloadPlan none = { 0 };

    l.has_file = plan_given_by_file(l.file, limits->n_npus, &l.of_file);
    if (l.has_file && set_plan_memory_if_valid(&l, &l.of_file))
        g_array_append_val(ret, l.of_file);
    append_plans_from_key(&l, PLAN_TP, &none);
    return ret->len > 0 &&
           plans_are_equal(&g_array_index(ret, WorkloadPlan, 0), &l.of_file);
}

/* ---- as settings --------------------------------------------------------- */

/* Appends the settings on which the time of a layer depends. */
static void append_layer_settings(const TransformerParams *file,
                                  const WorkloadPlan *plan, GString *out)
{
    const uint64_t *values = plan->values;
    ConfigVariant shard = sharding_of_plan(file, plan);
    g_autofree char *recompute = recompute_text(values[PLAN_RECOMPUTE]);
    g_autofree char *shard_text =
        sharding_summary_text(&shard, values[PLAN_OVERLAP] != 0);

    g_string_append_printf(out,
                           "parallel.tp=%" G_GUINT64_FORMAT
                           "\nparallel.cp=%" G_GUINT64_FORMAT,
                           values[PLAN_TP], values[PLAN_CP]);
    if (values[PLAN_CP_EXCHANGE] != CP_ALL_GATHER ||
        file->parallel.cp_exchange != CP_ALL_GATHER)
        g_string_append_printf(out, "\nparallel.cp_exchange=%s",
                               cp_exchange_names[values[PLAN_CP_EXCHANGE]]);
    if (file->model.experts.n_experts > 0)
        g_string_append_printf(out, "\nparallel.ep=%" G_GUINT64_FORMAT,
                               values[PLAN_EP]);
    if (values[PLAN_PIECES] != 1 || file->parallel.n_pieces != 1)
        g_string_append_printf(out, "\nparallel.tp_pieces=%" G_GUINT64_FORMAT,
                               values[PLAN_PIECES]);
    g_string_append_printf(
        out, "\nbatch.micro=%" G_GUINT64_FORMAT "\nrecompute=%s\nshard=%s",
        values[PLAN_MICRO], recompute, shard_text);
}

static char *plan_settings_text(const ConfigVariant *workload,
                                const WorkloadPlan *plan)
{
    const TransformerParams *file = workload->params;
    const uint64_t *values = plan->values;
    GString *out = g_string_new(NULL);

    append_layer_settings(file, plan, out);
    g_string_append_printf(out,
                           "\nparallel.pp=%" G_GUINT64_FORMAT
                           "\nparallel.dp=%" G_GUINT64_FORMAT,
                           values[PLAN_PP], values[PLAN_DP]);
    if (is_schedule_of_file(file, plan) &&
        g_str_equal(file->schedule.kind->name, "file"))
        return g_string_free(out, FALSE);
    g_string_append_printf(
        out, "\nschedule={kind: %s",
        schedule_registry.kinds[values[PLAN_SCHEDULE]]->name);
    if (values[PLAN_CHUNKS] > 1)
        g_string_append_printf(out, ", chunks: %" G_GUINT64_FORMAT,
                               values[PLAN_CHUNKS]);
    g_string_append_c(out, '}');
    return g_string_free(out, FALSE);
}

/* Returns whether a plan with @set is not worth a word: fused attention keeps
 * no scores. */
static gboolean recompute_set_is_usual(const TransformerParams *file,
                                       RecomputeSet set)
{
    return file->attention == 0 &&
           (set == recompute_set_of_word(RECOMPUTE_NONE) ||
            set == recompute_set_of_word(RECOMPUTE_SELECTIVE));
}

/* Returns a summary that leaves out usual values. */
static char *plan_summary(const ConfigVariant *workload,
                          const WorkloadPlan *plan)
{
    const TransformerParams *file = workload->params;
    const uint64_t *values = plan->values;
    g_autofree char *recompute = recompute_text(values[PLAN_RECOMPUTE]);
    GString *out = g_string_new(NULL);

    for (PlanKey key = PLAN_TP; key <= PLAN_DP; key++)
        if (values[key] > 1)
            g_string_append_printf(out, "%s %" G_GUINT64_FORMAT ", ",
                                   plan_key_names[key], values[key]);
    if (values[PLAN_CP] > 1 && values[PLAN_CP_EXCHANGE] == CP_RING)
        g_string_append(out, "ring attention, ");
    g_string_append_printf(out, "micro %" G_GUINT64_FORMAT, values[PLAN_MICRO]);
    if (values[PLAN_PP] > 1)
        g_string_append_printf(
            out, ", %s", schedule_registry.kinds[values[PLAN_SCHEDULE]]->name);
    if (values[PLAN_CHUNKS] > 1)
        g_string_append_printf(out, " of %" G_GUINT64_FORMAT " chunks",
                               values[PLAN_CHUNKS]);
    if (!recompute_set_is_usual(file, values[PLAN_RECOMPUTE]))
        g_string_append_printf(out, ", recompute %s", recompute);
    if (plan_communicates_in_passes(plan))
        g_string_append_printf(
            out, ", %s", sharding_registry.kinds[values[PLAN_SHARD]]->name);
    if (values[PLAN_OVERLAP])
        g_string_append(out, ", overlap");
    if (values[PLAN_PIECES] > 1)
        g_string_append_printf(out, ", %" G_GUINT64_FORMAT " pieces",
                               values[PLAN_PIECES]);
    return g_string_free(out, FALSE);
}

/* ---- alternatives to the plan of the file -------------------------------- */

typedef struct {
    const ConfigVariant *workload; /* borrowed */
    PlanLister lister;
    uint64_t capacity_bytes; /* 0: not known */
    GPtrArray *ret;          /* borrowed: of char ** */
} AlternativeLister;

/* Appends the settings of @plan that differ from those of the file, if it is
 * valid and fits. */
static void append_alternative(AlternativeLister *lister, WorkloadPlan plan)
{
    g_autofree char *text = plan_settings_text(lister->workload, &plan);
    g_autofree char *of_file =
        plan_settings_text(lister->workload, &lister->lister.of_file);
    g_auto(GStrv) settings = g_strsplit(text, "\n", 0);
    g_auto(GStrv) old = g_strsplit(of_file, "\n", 0);
    g_autoptr(GStrvBuilder) changed = g_strv_builder_new();

    for (guint i = 0; settings[i]; i++)
        if (!g_strv_contains((const char *const *)old, settings[i]))
            g_strv_builder_add(changed, settings[i]);
    if (!plans_are_equal(&plan, &lister->lister.of_file) &&
        set_plan_memory_if_valid(&lister->lister, &plan) &&
        (lister->capacity_bytes == 0 ||
         plan.memory_bytes <= lister->capacity_bytes))
        g_ptr_array_add(lister->ret, g_strv_builder_end(changed));
}

static void append_smaller_micro_batch(AlternativeLister *lister)
{
    WorkloadPlan plan = lister->lister.of_file;

    if (plan.values[PLAN_MICRO] % 2 != 0)
        return;
    plan.values[PLAN_MICRO] /= 2;
    append_alternative(lister, plan);
}

/* Appends communication of gradients and weights beside kernels. */
static void append_overlap(AlternativeLister *lister)
{
    WorkloadPlan plan = lister->lister.of_file;

    if (!plan_has_data_parallel_copies(&plan) ||
        !sharding_has_defaults(lister->lister.file->shard.kind))
        return;
    plan.values[PLAN_OVERLAP] = 1;
    append_alternative(lister, plan);
}

/* Appends ring attention in the place of gathered keys and values, or the
 * reverse. */
static void append_other_cp_exchange(AlternativeLister *lister)
{
    WorkloadPlan plan = lister->lister.of_file;
    uint64_t *exchange = &plan.values[PLAN_CP_EXCHANGE];

    if (plan.values[PLAN_CP] == 1 || lister->lister.file->attention != 0)
        return;
    *exchange = *exchange == CP_RING ? CP_ALL_GATHER : CP_RING;
    append_alternative(lister, plan);
}

/* Appends other schedules for the same division. */
static void append_schedules(AlternativeLister *lister)
{
    static const struct {
        const char *kind;
        uint64_t n_chunks;
    } rows[] = { { "1f1b", 1 },
                 { "interleaved", 2 },
                 { "interleaved", 4 },
                 { "zb-h1", 1 },
                 { "zb-v", 1 } };

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        WorkloadPlan plan = lister->lister.of_file;

        plan.values[PLAN_SCHEDULE] =
            index_of_kind(&schedule_registry,
                          config_find_kind(&schedule_registry, rows[i].kind));
        plan.values[PLAN_CHUNKS] = rows[i].n_chunks;
        append_alternative(lister, plan);
    }
}

/* Appends the division with tp and pp multiplied by @tp / 2 and @pp / 2.  A tp
 * that leaves the node is left out, unless that of the file does: its
 * collectives would cross the slow network for each layer, and simulating them
 * would take a hundred times as long as the run. */
static void append_division(AlternativeLister *lister, uint32_t tp, uint32_t pp)
{
    WorkloadPlan plan = lister->lister.of_file;
    uint64_t *values = plan.values, most_tp = lister->lister.limits->most_tp;
    uint64_t now = values[PLAN_TP], rest;

    rest = now * values[PLAN_PP] * values[PLAN_DP];
    if (now * tp % 2 != 0 || values[PLAN_PP] * pp % 2 != 0)
        return;
    values[PLAN_TP] = now * tp / 2;
    values[PLAN_PP] = values[PLAN_PP] * pp / 2;
    if ((most_tp > 0 && values[PLAN_TP] > MAX(most_tp, now)) ||
        rest % (values[PLAN_TP] * values[PLAN_PP]) != 0)
        return;
    values[PLAN_DP] = rest / (values[PLAN_TP] * values[PLAN_PP]);
    append_alternative(lister, plan);
}

static void list_alternative_plans(const ConfigVariant *workload,
                                   const TrainingConfig *training,
                                   const WorkloadSite *site, GPtrArray *ret)
{
    const PlanLimits limits = { .n_npus = site->n_npus,
                                .most_tp = site->most_tp };
    AlternativeLister l = {
        .workload = workload,
        .lister = { .file = workload->params,
                    .training = training,
                    .limits = &limits },
        .capacity_bytes =
            training->memory == MEMORY_IGNORED ? 0 : site->memory_bytes,
        .ret = ret,
    };

    if (!plan_given_by_file(l.lister.file, limits.n_npus, &l.lister.of_file))
        return;
    append_smaller_micro_batch(&l);
    append_overlap(&l);
    append_other_cp_exchange(&l);
    if (l.lister.of_file.values[PLAN_PP] > 1)
        append_schedules(&l);
    append_division(&l, 4, 2);
    append_division(&l, 1, 2);
    append_division(&l, 2, 4);
    append_division(&l, 2, 1);
    append_division(&l, 4, 1);
    append_division(&l, 1, 4);
}

/* ---- samples ------------------------------------------------------------- */

#define MAX_LAYER_KINDS 8

/* The kinds of layers of a model; layers of one kind take the same time. */
typedef struct {
    guint n;
    uint64_t kinds[MAX_LAYER_KINDS];
    /* The first layer of each kind but layer 0; 0: there is none. */
    uint64_t layers[MAX_LAYER_KINDS];
} LayerKinds;

/* Returns the index of the kind of @layer in @kinds, which has it unless there
 * are more kinds than fit; the last one then stands for the rest. */
static guint index_of_layer_kind(const LayerKinds *kinds,
                                 const LanguageModel *model, uint64_t layer)
{
    uint64_t kind = modules_layer_kind(model, layer);
    guint k = 0;

    while (k + 1 < kinds->n && kinds->kinds[k] != kind)
        k++;
    return k;
}

static LayerKinds find_layer_kinds(const LanguageModel *model)
{
    LayerKinds ret = { .n = 1, .kinds = { modules_layer_kind(model, 0) } };

    for (uint64_t layer = 1; layer < model->n_layers; layer++) {
        guint k = index_of_layer_kind(&ret, model, layer);
        uint64_t kind = modules_layer_kind(model, layer);

        if (ret.kinds[k] != kind && ret.n < MAX_LAYER_KINDS) {
            k = ret.n++;
            ret.kinds[k] = kind;
        }
        if (ret.layers[k] == 0)
            ret.layers[k] = layer;
    }
    return ret;
}

static int compare_numbers(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The first sample has one layer.  The time of layer i is the difference of
 * samples with i + 1 and with i layers. */
static guint list_layer_counts_of_samples(const ConfigVariant *workload,
                                          uint64_t ret[PLAN_MAX_SAMPLES])
{
    const TransformerParams *file = workload->params;
    g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    const LayerKinds kinds = find_layer_kinds(&file->model);
    guint n;

    append_candidate_value(numbers, 1);
    for (guint k = 0; k < kinds.n; k++)
        if (kinds.layers[k] > 0) {
            append_candidate_value(numbers, kinds.layers[k]);
            append_candidate_value(numbers, kinds.layers[k] + 1);
        }
    g_array_sort(numbers, compare_numbers);
    n = MIN(numbers->len, PLAN_MAX_SAMPLES);
    memcpy(ret, numbers->data, n * sizeof *ret);
    return n;
}

/* Returns the name of the schedule of a sample.  It divides the backward pass
 * if that of @plan does, so that its two parts have separate times. */
static const char *schedule_of_sample(const WorkloadPlan *plan)
{
    const ScheduleOps *ops =
        (const ScheduleOps *)
            schedule_registry.kinds[plan->values[PLAN_SCHEDULE]];

    return ops->splits_backward ? "zb-h1" : "1f1b";
}

static char *sample_settings_text(const ConfigVariant *workload,
                                  const WorkloadPlan *plan, uint64_t n_layers)
{
    const TransformerParams *file = workload->params;
    const uint64_t *values = plan->values;
    uint64_t n_copies = values[PLAN_DP] * values[PLAN_PP];
    GString *out = g_string_new(NULL);

    append_layer_settings(file, plan, out);
    g_string_append_printf(out,
                           "\nparallel.pp=1\nparallel.dp=%" G_GUINT64_FORMAT
                           "\nbatch.global=%" G_GUINT64_FORMAT
                           "\nschedule={kind: %s}"
                           "\nmodel.layers=%" G_GUINT64_FORMAT,
                           n_copies, n_copies * values[PLAN_MICRO],
                           schedule_of_sample(plan), n_layers);
    if (file->model.experts.n_dense_layers > n_layers)
        g_string_append_printf(
            out, "\nmodel.experts.dense_layers=%" G_GUINT64_FORMAT, n_layers);
    return g_string_free(out, FALSE);
}

/* ---- the time of a step -------------------------------------------------- */

typedef struct {
    const LanguageModel *model; /* borrowed */
    LayerKinds kinds;
    PlanTimes of_kind[MAX_LAYER_KINDS];
    PlanTimes ends; /* of the embedding and the head */
    uint64_t bytes_per_s;
    uint64_t ret_ps;
} StepTimer;

static uint64_t subtract_or_zero(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static PlanTimes subtract_plan_times(const PlanTimes *a, const PlanTimes *b)
{
    return (PlanTimes){ subtract_or_zero(a->forward_ps, b->forward_ps),
                        subtract_or_zero(a->input_ps, b->input_ps),
                        subtract_or_zero(a->weight_ps, b->weight_ps),
                        subtract_or_zero(a->update_ps, b->update_ps) };
}

static void add_plan_times(PlanTimes *sum, const PlanTimes *one)
{
    sum->forward_ps += one->forward_ps;
    sum->input_ps += one->input_ps;
    sum->weight_ps += one->weight_ps;
    sum->update_ps += one->update_ps;
}

static void init_times_of_layers(StepTimer *timer,
                                 const ConfigVariant *workload,
                                 const PlanTimes *samples)
{
    uint64_t numbers[PLAN_MAX_SAMPLES];
    guint n = list_layer_counts_of_samples(workload, numbers);

    timer->kinds = find_layer_kinds(timer->model);
    for (guint k = 0; k < timer->kinds.n; k++)
        for (guint i = 1; i < n && timer->kinds.layers[k] > 0; i++)
            if (numbers[i - 1] == timer->kinds.layers[k])
                timer->of_kind[k] =
                    subtract_plan_times(&samples[i], &samples[i - 1]);
    timer->ends = subtract_plan_times(
        &samples[0],
        &timer->of_kind[index_of_layer_kind(&timer->kinds, timer->model, 0)]);
}

/* Returns the times of a virtual stage.  The head takes all of what the ends
 * take, since the embedding only copies, and multi-token prediction is on the
 * stage of the head. */
static PlanTimes plan_times_of_part(const StepTimer *timer,
                                    const TransformerPart *part)
{
    PlanTimes ret = { 0 };

    for (uint64_t layer = part->first;
         layer < MIN(part->end, timer->model->n_layers); layer++)
        add_plan_times(&ret, &timer->of_kind[index_of_layer_kind(
                                 &timer->kinds, timer->model, layer)]);
    if (part->has_head)
        add_plan_times(&ret, &timer->ends);
    return ret;
}

static void compute_step_time(gpointer self, const TransformerStages *stages)
{
    const Schedule *schedule = stages->schedule;
    uint32_t n = schedule->n_virtual_stages;
    g_autofree ScheduleTimes *of = g_new0(ScheduleTimes, n);
    g_autofree uint64_t *update_ps = g_new0(uint64_t, schedule->shape.n_stages);
    g_autofree char *fault = NULL;
    StepTimer *timer = self;
    ScheduleTimes times = { .by_virtual_stage = of };
    ScheduleFigures figures;
    uint64_t most_update_ps = 0;

    for (uint32_t v = 0; v < n; v++) {
        PlanTimes part = plan_times_of_part(timer, &stages->parts[v]);
        uint32_t stage = schedule_place(schedule, v, 0).stage;

        of[v] = (ScheduleTimes){ .forward_ps = part.forward_ps,
                                 .input_ps = part.input_ps,
                                 .weight_ps = part.weight_ps };
        update_ps[stage] += part.update_ps;
        most_update_ps = MAX(most_update_ps, update_ps[stage]);
    }
    if (timer->bytes_per_s > 0)
        times.message_ps = (uint64_t)((double)stages->boundary_bytes * 1e12 /
                                      (double)timer->bytes_per_s);
    if (!schedule_replay(schedule, &times, &figures, NULL, &fault))
        g_assert_not_reached();
    timer->ret_ps = figures.makespan_ps + most_update_ps;
}

static uint64_t estimated_step_time_ps(const ConfigVariant *workload,
                                       const TrainingConfig *training,
                                       const PlanLimits *limits,
                                       const WorkloadPlan *plan,
                                       const PlanTimes *samples,
                                       uint64_t bytes_per_s)
{
    const TransformerParams *file = workload->params;
    StepTimer t = { .model = &file->model, .bytes_per_s = bytes_per_s };
    PlannedParams planned;

    init_planned_params(&planned, file, plan);
    init_times_of_layers(&t, workload, samples);
    if (!transformer_visit_stages(&planned.params, training, limits->n_npus,
                                  compute_step_time, &t))
        g_assert_not_reached();
    return t.ret_ps;
}

const PlanOps transformer_plan_ops = {
    .list = list_valid_plans,
    .sets = plan_settings_text,
    .summary = plan_summary,
    .sample_layers = list_layer_counts_of_samples,
    .sample_sets = sample_settings_text,
    .exchanges_in_passes = plan_communicates_in_passes,
    .step_ps = estimated_step_time_ps,
    .list_alternatives = list_alternative_plans,
};
