/*
 * astra_loop.c - orders the layers of ASTRA-sim's text by the loop of the
 * policy
 *
 *   DATA   Forward passes.  Then, from the last layer to the first: weight
 *          gradient, its collective, and the input gradient (except for the
 *          first layer).  The layer waits for the collective in the next
 *          iteration.
 *   MODEL  Forward passes, each with its collective, for which the next layer
 *          waits.  Backward: input gradient, its collective, weight gradient,
 *          its collective.  The layer below waits for the collective of the
 *          input gradient.  All policies with two groups use this loop.
 *   DLRM   The same as DATA, except for the all-to-alls of the first layer.
 *          The forward one runs while the bottom layers run; the layer above
 *          the bottom waits for it.  The one for gradients starts when the
 *          layer above the bottom has its input gradient; the first layer's
 *          weight gradient waits for it.  ASTRA-sim waits after that kernel, or
 *          under ENHANCED not at all.
 *   MICRO  Only the collectives of the weight gradients, all at the same time.
 *          ASTRA-sim runs only the one of the first layer.
 *   DISTRIBUTED_INFERENCE  The forward half of MODEL.
 *
 * The UPDATE of a layer runs when its collective is done, before its next
 * forward pass.
 *
 * A layer that initiates recomputation repeats the forward passes from the
 * nearest checkpoint at or below it up to itself, before its input gradient.
 */
#include "workloads/readers/astra_text.h"

#define NONE     UINT32_MAX
#define MAX_DEPS 3

typedef struct {
    RecordNode node;
    CollKind kind;
    uint64_t bytes;
    uint32_t group;
    /* Indices into .planned; a later index means the previous iteration. */
    uint32_t deps[MAX_DEPS];
    guint n_deps;
} Planned;

typedef struct {
    AstraText *text;
    GArray *planned; /* the operations so far; the elements are Planned */
    /* The elements are uint32_t: the first operation of each layer. */
    GArray *first;
    /* The collective for which the next kernel waits, or NONE. */
    uint32_t pending_collective;
    /* The collective of the last forward pass, or NONE. */
    uint32_t forward_collective;
    guint n_recomputed; /* number of recomputed layers */
    GError *error;      /* the first error; NULL if there is none */
} Loop;

static Planned *planned_op_at(const Loop *loop, uint32_t i)
{
    return &g_array_index(loop->planned, Planned, i);
}

static void add_planned_dependency(Loop *loop, uint32_t node, uint32_t on)
{
    Planned *p = planned_op_at(loop, node);

    if (on == NONE)
        return;
    g_assert(p->n_deps < MAX_DEPS);
    p->deps[p->n_deps++] = on;
}

/* Appends a planned operation of @layer and returns its index. */
static uint32_t add_planned_op(Loop *loop, guint layer, OpPass pass,
                               RecordKind kind, uint64_t time_ns)
{
    const AstraLayer *of = astra_layer(loop->text, layer);
    uint32_t i = loop->planned->len;
    Planned p = {
        .node = { .id = i,
                  .file_position = of->line,
                  .name = of->name,
                  .begin_ps = RECORD_NO_TIME,
                  .duration_ps = time_ns * 1000,
                  .stream = kind == RECORD_COLLECTIVE,
                  .comm = RECORD_NONE,
                  .launch = RECORD_NONE,
                  .kind = (uint8_t)kind,
                  .pass = (uint8_t)pass,
                  .flags = RECORD_ISOLATED_TIME |
                           (kind == RECORD_KERNEL && time_ns <= 1 ? RECORD_NO_OP
                                                                  : 0) },
        .kind = COLL_N_ALL_KINDS,
        .group = RECORD_NONE,
    };

    g_array_append_val(loop->planned, p);
    return i;
}

static const OpPass passes[ASTRA_N_PARTS] = {
    OP_FORWARD,
    OP_INPUT_GRADIENT,
    OP_WEIGHT_GRADIENT,
};

/* Adds a kernel of the main stream, which waits for .pending_collective. */
static uint32_t add_planned_kernel(Loop *loop, guint layer, int part)
{
    uint32_t i =
        add_planned_op(loop, layer, passes[part], RECORD_KERNEL,
                       astra_layer(loop->text, layer)->parts[part].time_ns);

    add_planned_dependency(loop, i, loop->pending_collective);
    loop->pending_collective = NONE;
    return i;
}

/* Adds a collective that starts after @after.  Returns NONE if the layer has
 * none, or if it has nothing to do and no operation waits for it. */
static uint32_t add_planned_collective(Loop *loop, guint layer, int part,
                                       uint32_t after)
{
    const AstraPart *p = &astra_layer(loop->text, layer)->parts[part];
    uint32_t i, group = RECORD_NONE;
    gboolean alone = p->bytes <= 1;

    if (p->kind == COLL_N_ALL_KINDS || loop->error)
        return NONE;
    if (!alone) {
        if (!astra_add_group(loop->text, p->group, &group, &alone,
                             &loop->error))
            return NONE;
        loop->text->recording->n_single_rank += alone ? 1 : 0;
    }
    i = add_planned_op(loop, layer, passes[part],
                       alone ? RECORD_OTHER : RECORD_COLLECTIVE, 0);
    planned_op_at(loop, i)->kind = p->kind;
    planned_op_at(loop, i)->bytes = p->bytes;
    planned_op_at(loop, i)->group = group;
    if (alone)
        return NONE;
    add_planned_dependency(loop, i, after);
    return i;
}

/* Adds a pass that the loop never runs, as RECORD_OTHER. */
static void add_skipped_pass(Loop *loop, guint layer, int part)
{
    const AstraPart *p = &astra_layer(loop->text, layer)->parts[part];
    uint32_t i =
        add_planned_op(loop, layer, passes[part], RECORD_OTHER, p->time_ns);

    planned_op_at(loop, i)->kind = p->kind;
    planned_op_at(loop, i)->bytes = p->bytes;
}

/* ---- loops ------------------------------------------------------------ */

/* Adds update, forward kernel and forward collective of layer @i.  If
 * @is_blocking, the next kernel waits for the collective. */
static void add_forward_pass(Loop *loop, guint i, gboolean is_blocking)
{
    uint64_t update_ns = astra_layer(loop->text, i)->update_ns;
    uint32_t first =
        add_planned_op(loop, i, OP_UPDATE,
                       update_ns > 1 ? RECORD_KERNEL : RECORD_OTHER, update_ns);
    uint32_t kernel;

    if (update_ns > 1) {
        add_planned_dependency(loop, first, loop->pending_collective);
        loop->pending_collective = NONE;
    }
    kernel = add_planned_kernel(loop, i, ASTRA_FORWARD);
    if (update_ns <= 1)
        first = kernel;
    g_array_append_val(loop->first, first);
    loop->forward_collective =
        add_planned_collective(loop, i, ASTRA_FORWARD, kernel);
    if (is_blocking)
        loop->pending_collective = loop->forward_collective;
}

/* Adds the weight gradient and its collective, for which the layer waits in the
 * next iteration.  Returns the kernel. */
static uint32_t add_weight_gradient(Loop *loop, guint i)
{
    uint32_t kernel = add_planned_kernel(loop, i, ASTRA_WEIGHT);
    uint32_t collective = add_planned_collective(loop, i, ASTRA_WEIGHT, kernel);

    add_planned_dependency(loop, g_array_index(loop->first, uint32_t, i),
                           collective);
    return kernel;
}

/* Adds the input gradient and its collective.  Returns the collective, or
 * NONE. */
static uint32_t add_input_gradient(Loop *loop, guint i)
{
    uint32_t kernel;

    if (i == 0 && !loop->text->policy->has_first_input) {
        add_skipped_pass(loop, i, ASTRA_INPUT);
        return NONE;
    }
    kernel = add_planned_kernel(loop, i, ASTRA_INPUT);
    return add_planned_collective(loop, i, ASTRA_INPUT, kernel);
}

static void add_data_parallel_loop(Loop *loop)
{
    guint n = loop->text->layers->len;

    for (guint i = 0; i < n; i++)
        add_forward_pass(loop, i, TRUE);
    for (guint i = n; i-- > 0;) {
        add_weight_gradient(loop, i);
        add_input_gradient(loop, i);
    }
}

/* Adds the forward passes from the nearest checkpoint up to @layer again. */
static void add_recomputed_layers(Loop *loop, guint layer)
{
    guint from = layer;

    while (from > 0 && !astra_layer(loop->text, from)->is_checkpoint)
        from--;
    loop->n_recomputed += layer - from;
    if (!astra_layer(loop->text, from)->is_checkpoint ||
        loop->n_recomputed > loop->text->layers->len) {
        reader_set_word_error(
            &loop->error, &loop->text->words, &loop->text->head,
            astra_layer(loop->text, from)->is_checkpoint
                ? "layers below layer %u are computed again twice"
                : "layer %u initiates, and no checkpoint is below "
                  "it",
            layer);
        return;
    }
    for (guint i = from; i < layer; i++) {
        uint32_t kernel = add_planned_kernel(loop, i, ASTRA_FORWARD);

        loop->pending_collective =
            add_planned_collective(loop, i, ASTRA_FORWARD, kernel);
    }
}

static void add_model_parallel_loop(Loop *loop)
{
    guint n = loop->text->layers->len;

    for (guint i = 0; i < n; i++)
        add_forward_pass(loop, i, TRUE);
    for (guint i = n; i-- > 0;) {
        uint32_t collective;

        if (astra_layer(loop->text, i)->initiates && !loop->error)
            add_recomputed_layers(loop, i);
        collective = add_input_gradient(loop, i);
        add_weight_gradient(loop, i);
        loop->pending_collective = collective;
    }
}

/* Adds the forward passes of DLRM. The layer above @bottom waits for the
 * all-to-all of layer 0. */
static void add_dlrm_forward(Loop *loop, guint bottom)
{
    uint32_t collective = NONE;

    for (guint i = 0; i < loop->text->layers->len; i++) {
        if (i == bottom + 1)
            loop->pending_collective = collective;
        add_forward_pass(loop, i, FALSE);
        if (i == 0)
            collective = loop->forward_collective;
    }
}

static void add_dlrm_loop(Loop *loop)
{
    guint n = loop->text->layers->len;
    guint bottom = (guint)loop->text->numbers[ASTRA_KEY_BOTTOM];
    uint32_t collective = NONE;

    if (bottom + 1 >= n) {
        reader_set_word_error(
            &loop->error, &loop->text->words, &loop->text->head,
            "no layer is above layer %u, the last of the bottom", bottom);
        return;
    }
    add_dlrm_forward(loop, bottom);
    for (guint i = n; i-- > 1;) {
        uint32_t kernel;

        add_weight_gradient(loop, i);
        kernel = add_planned_kernel(loop, i, ASTRA_INPUT);
        add_planned_collective(loop, i, ASTRA_INPUT, kernel);
        if (i == bottom + 1)
            collective = add_planned_collective(loop, 0, ASTRA_INPUT, kernel);
    }
    loop->pending_collective = collective;
    add_weight_gradient(loop, 0);
    add_planned_op(loop, 0, OP_INPUT_GRADIENT, RECORD_OTHER,
                   astra_layer(loop->text, 0)->parts[ASTRA_INPUT].time_ns);
}

static void add_micro_benchmark_loop(Loop *loop)
{
    for (guint i = 0; i < loop->text->layers->len; i++) {
        add_skipped_pass(loop, i, ASTRA_FORWARD);
        add_skipped_pass(loop, i, ASTRA_INPUT);
        add_planned_op(loop, i, OP_WEIGHT_GRADIENT, RECORD_OTHER,
                       astra_layer(loop->text, i)->parts[ASTRA_WEIGHT].time_ns);
        add_planned_collective(loop, i, ASTRA_WEIGHT, NONE);
    }
}

static void add_inference_loop(Loop *loop)
{
    for (guint i = 0; i < loop->text->layers->len; i++) {
        add_forward_pass(loop, i, TRUE);
        add_skipped_pass(loop, i, ASTRA_INPUT);
        add_skipped_pass(loop, i, ASTRA_WEIGHT);
    }
}

static void (*const loops[])(Loop *) = {
    [ASTRA_LOOP_DATA] = add_data_parallel_loop,
    [ASTRA_LOOP_MODEL] = add_model_parallel_loop,
    [ASTRA_LOOP_DLRM] = add_dlrm_loop,
    [ASTRA_LOOP_MICRO] = add_micro_benchmark_loop,
    [ASTRA_LOOP_INFERENCE] = add_inference_loop,
};

/* ---- to the recording ------------------------------------------------- */

static void add_planned_op_to_rank(RecordRank *rank, const Planned *p)
{
    uint32_t i = record_add_node(rank, &p->node);

    for (guint d = 0; d < p->n_deps; d++)
        record_add_dep(rank, p->deps[d], FALSE);
    if (p->kind != COLL_N_ALL_KINDS) {
        RecordComm *comm = record_add_comm(rank, i, p->kind);

        comm->has_bytes = TRUE;
        comm->bytes = p->bytes;
        comm->group = p->group;
    }
}

/* Returns the value of key @key, or 1 if it is 0. */
static uint64_t key_value_or_one(const AstraText *text, AstraKey key)
{
    return MAX(text->numbers[key], 1);
}

/* Sets the number and the bytes of messages between pipeline stages. */
static void count_stage_messages(const AstraText *text)
{
    uint64_t n = 2 * key_value_or_one(text, ASTRA_KEY_VPP) *
                 key_value_or_one(text, ASTRA_KEY_GA);

    if (text->numbers[ASTRA_KEY_PP] < 2)
        return;
    text->recording->n_stage_messages = n;
    if (__builtin_mul_overflow(n, text->numbers[ASTRA_KEY_PP_BYTES],
                               &text->recording->stage_bytes))
        text->recording->stage_bytes = UINT64_MAX;
}

gboolean astra_add_nodes(AstraText *text, RecordRank *rank, GError **error)
{
    Loop loop = { .text = text, .pending_collective = NONE };

    loop.planned = g_array_new(FALSE, FALSE, sizeof(Planned));
    loop.first = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    loops[text->policy->loop](&loop);
    record_add_stream(text->recording, rank, 0, FALSE, "kernels");
    record_add_stream(text->recording, rank, 1, FALSE, "collectives");
    text->recording->n_world = (uint32_t)text->n_npus;
    count_stage_messages(text);
    for (guint i = 0; i < loop.planned->len && !loop.error; i++)
        add_planned_op_to_rank(rank, planned_op_at(&loop, i));
    g_array_unref(loop.planned);
    g_array_unref(loop.first);
    if (!loop.error)
        return TRUE;
    g_propagate_error(error, loop.error);
    return FALSE;
}
