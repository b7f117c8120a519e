/*
 * astra_text.c - workloads of ASTRA-sim 1: a line a layer, times and payloads
 *
 *     POLICY
 *     N
 *     NAME RESERVED FWD KIND BYTES IG KIND BYTES WG KIND BYTES UPDATE
 *
 * with N such lines, any blanks between words.  Times are in ns, of the whole
 * NPU; a time of 1 ns or less, and a payload of 1 byte or less, stand for
 * nothing.  Two policies need no groups, and are read:
 *
 *   DATA   forward; backward weight gradient, its collective, which the layer
 *          waits for in the next iteration, input gradient but of the first
 *   MODEL  forward, its collective, which the next layer waits for; backward
 *          input gradient, its collective, weight gradient, and both are done
 *          before the layer below begins
 *
 * A layer's UPDATE comes when its collective is done: before its next forward.
 *
 * Sources  [ASTRASIM]; the loop of MODEL is recalled
 */
#include "workloads/readers/reader_impl.h"

#include "sim/core/words.h"

enum { FORWARD, INPUT, WEIGHT, N_PARTS };

typedef struct {
    uint64_t time_ns, bytes;
    gboolean has_collective;
    CollKind kind;
    ReaderWord where; /* of the kind */
} Part;

typedef struct {
    char *name; /* owned */
    Part parts[N_PARTS];
    uint64_t update_ns;
    uint32_t first, weights; /* in the graph, once added */
} Layer;

typedef struct {
    ReaderScan scan;
    const TrainingConfig *training;
    OpGraph *graph;
    gboolean is_model;
    GArray *layers; /* of Layer */
    uint32_t last;  /* collective that the next kernel waits for, or NONE */
} Reading;

#define NONE      UINT32_MAX
#define PS_PER_NS 1000

/* ---- words to layers -------------------------------------------------- */

static const char *const part_names[N_PARTS] = { "forward", "input gradient",
                                                 "weight gradient" };

/* The first four kinds are those that the text knows. */
#define NO_COLLECTIVE (COLL_ALL_TO_ALL + 1)

static const char *const kind_names[] = {
    [COLL_REDUCE_SCATTER] = "REDUCESCATTER",
    [COLL_ALL_GATHER] = "ALLGATHER",
    [COLL_ALL_REDUCE] = "ALLREDUCE",
    [COLL_ALL_TO_ALL] = "ALLTOALL",
    [NO_COLLECTIVE] = "NONE",
    NULL,
};

/* Those of a policy; a text of which no word is one is no such text. */
static const char *const policies[] = {
    "DATA",
    "MODEL",
    "MICRO",
    "HYBRID_DATA_MODEL",
    "HYBRID_MODEL_DATA",
    "HYBRID_DLRM",
    "HYBRID_DLRM_ENHANCED",
    "HYBRID_TRANSFORMER",
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
    "HYBRID_CUSTOMIZED",
    "DISTRIBUTED_INFERENCE",
    NULL,
};

static int which(const ReaderWord *word, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (reader_is(word, names[i]))
            return i;
    return -1;
}

static gboolean astra_knows(const ReaderFile *file)
{
    ReaderScan scan = { .file = file, .line = 1 };
    ReaderWord word;

    return reader_next(&scan, &word) && which(&word, policies) >= 0;
}

static gboolean read_policy(Reading *r, GError **error)
{
    g_autofree char *quoted = NULL;
    ReaderWord word, more;

    if (!reader_next(&r->scan, &word)) {
        reader_fail(error, &r->scan, &word, "there is no policy");
        return FALSE;
    }
    quoted = reader_quote(&word);
    r->is_model = reader_is(&word, "MODEL");
    if (!r->is_model && !reader_is(&word, "DATA")) {
        if (which(&word, policies) >= 0)
            reader_fail(error, &r->scan, &word,
                        "policy %s splits NPUs into groups that the file does "
                        "not say; DATA and MODEL are read",
                        quoted);
        else
            reader_fail(error, &r->scan, &word,
                        "there is no policy %s; DATA and MODEL are read",
                        quoted);
        return FALSE;
    }
    if (!reader_next_in_line(&r->scan, &more))
        return TRUE;
    reader_fail(error, &r->scan, &more, "policy %s has no keys", quoted);
    return FALSE;
}

static gboolean read_kind(Reading *r, Part *part, const char *what,
                          GError **error)
{
    g_autofree char *quoted = NULL;
    g_autofree char *hint = NULL;
    int kind;

    if (!reader_next(&r->scan, &part->where)) {
        reader_fail(error, &r->scan, &part->where,
                    "the text ends where the collective of the %s is due",
                    what);
        return FALSE;
    }
    kind = which(&part->where, kind_names);
    part->has_collective = kind >= 0 && kind != NO_COLLECTIVE;
    part->kind = (CollKind)MAX(kind, 0);
    if (kind >= 0)
        return TRUE;
    quoted = reader_quote(&part->where);
    hint = g_strjoinv(", ", (char **)kind_names);
    reader_fail(error, &r->scan, &part->where,
                "the collective of the %s is one of %s, not %s", what, hint,
                quoted);
    return FALSE;
}

static gboolean read_part(Reading *r, Part *part, const char *what,
                          GError **error)
{
    g_autofree char *time = g_strdup_printf("the time of the %s in ns", what);
    g_autofree char *payload =
        g_strdup_printf("the payload of the %s in bytes", what);

    if (!reader_number(&r->scan, time, READER_MAX_PS / PS_PER_NS,
                       &part->time_ns, error) ||
        !read_kind(r, part, what, error) ||
        !reader_number(&r->scan, payload, READER_MAX_BYTES, &part->bytes,
                       error))
        return FALSE;
    part->has_collective = part->has_collective && part->bytes > 1;
    return TRUE;
}

/* The second word is reserved, and may be anything. */
static gboolean read_name(Reading *r, Layer *layer, GError **error)
{
    ReaderWord word, reserved;

    if (!reader_next(&r->scan, &word) || !reader_next(&r->scan, &reserved)) {
        reader_fail(error, &r->scan, word.n_bytes > 0 ? &reserved : &word,
                    "the text ends after %u layers and a part of one",
                    r->layers->len);
        return FALSE;
    }
    if (word.n_bytes > 200 ||
        !g_utf8_validate(word.text, (gssize)word.n_bytes, NULL)) {
        reader_fail(error, &r->scan, &word,
                    "a layer's name has 200 bytes of UTF-8 at most");
        return FALSE;
    }
    layer->name = g_strndup(word.text, word.n_bytes);
    return TRUE;
}

/* What the loop of the policy has no place for. */
static gboolean check_layer(const Reading *r, const Layer *layer,
                            GError **error)
{
    for (int p = 0; p < N_PARTS; p++) {
        gboolean belongs = r->is_model ? p != WEIGHT : p == WEIGHT;

        if (!layer->parts[p].has_collective || belongs)
            continue;
        reader_fail(error, &r->scan, &layer->parts[p].where,
                    "under policy %s the %s has no collective",
                    r->is_model ? "MODEL" : "DATA", part_names[p]);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_layer(Reading *r, GError **error)
{
    Layer layer = { .first = NONE, .weights = NONE };

    if (!read_name(r, &layer, error))
        return FALSE;
    g_array_append_val(r->layers, layer);
    {
        Layer *added = &g_array_index(r->layers, Layer, r->layers->len - 1);

        for (int p = 0; p < N_PARTS; p++)
            if (!read_part(r, &added->parts[p], part_names[p], error))
                return FALSE;
        return reader_number(&r->scan, "the time of the update in ns",
                             READER_MAX_PS / PS_PER_NS, &added->update_ns,
                             error) &&
               check_layer(r, added, error);
    }
}

static gboolean read_layers(Reading *r, GError **error)
{
    uint64_t n;
    ReaderWord word;

    if (!reader_number(&r->scan, "the number of layers", READER_MAX_LAYERS, &n,
                       error))
        return FALSE;
    for (uint64_t i = 0; i < n; i++)
        if (!read_layer(r, error))
            return FALSE;
    if (!reader_next(&r->scan, &word) && n > 0)
        return TRUE;
    reader_fail(error, &r->scan, &word,
                n > 0 ? "there are more words than the %u layers have"
                      : "there are no layers (%u)",
                (guint)n);
    return FALSE;
}

/* ---- layers to operations --------------------------------------------- */

static gboolean counts(uint64_t time_ns)
{
    return time_ns > 1;
}

/* Of the main stream; waits for what the kernel before it has asked for. */
static uint32_t add_kernel(Reading *r, uint32_t layer, OpPass pass,
                           uint64_t time_ns)
{
    uint32_t op = reader_add_timed(r->graph, r->training, layer, pass,
                                   counts(time_ns) ? time_ns * PS_PER_NS : 0);

    if (r->last != NONE)
        op_graph_add_dep(r->graph, op, r->last, 0);
    r->last = NONE;
    return op;
}

static uint32_t add_collective(Reading *r, uint32_t layer, OpPass pass,
                               const Part *part, uint32_t after)
{
    uint32_t op = op_graph_add_collective(
        r->graph, layer, pass, part->kind, part->bytes,
        r->is_model ? UINT32_MAX : r->layers->len - layer);

    op_graph_add_dep(r->graph, op, after, 0);
    return op;
}

static void add_forward(Reading *r, uint32_t i)
{
    Layer *layer = &g_array_index(r->layers, Layer, i);
    const Part *part = &layer->parts[FORWARD];
    uint32_t forward;

    layer->first = r->graph->ops->len;
    if (counts(layer->update_ns))
        add_kernel(r, i, OP_UPDATE, layer->update_ns);
    forward = add_kernel(r, i, OP_FORWARD, part->time_ns);
    if (part->has_collective)
        r->last = add_collective(r, i, OP_FORWARD, part, forward);
}

static uint32_t add_weight(Reading *r, uint32_t i)
{
    Layer *layer = &g_array_index(r->layers, Layer, i);
    const Part *part = &layer->parts[WEIGHT];
    uint32_t op = add_kernel(r, i, OP_WEIGHT_GRADIENT, part->time_ns);

    if (part->has_collective) {
        uint32_t reduced = add_collective(r, i, OP_WEIGHT_GRADIENT, part, op);

        op_graph_add_dep(r->graph, layer->first, reduced, 1);
    }
    return op;
}

static void add_backward(Reading *r, uint32_t i)
{
    const Part *part = &g_array_index(r->layers, Layer, i).parts[INPUT];
    uint32_t input, after = NONE;

    if (!r->is_model)
        add_weight(r, i);
    if (i > 0) {
        input = add_kernel(r, i, OP_INPUT_GRADIENT, part->time_ns);
        if (part->has_collective)
            after = add_collective(r, i, OP_INPUT_GRADIENT, part, input);
    }
    if (r->is_model)
        add_weight(r, i);
    r->last = after;
}

static void add_all(Reading *r)
{
    uint32_t n = r->layers->len;

    for (uint32_t i = 0; i < n; i++)
        op_graph_add_layer(r->graph, g_array_index(r->layers, Layer, i).name);
    for (uint32_t i = 0; i < n; i++)
        add_forward(r, i);
    for (uint32_t i = n; i-- > 0;)
        add_backward(r, i);
}

static void clear_layer(gpointer data)
{
    Layer *layer = data;

    g_free(layer->name);
}

static gboolean astra_read(const ReaderFile *file,
                           const TrainingConfig *training, OpGraph *graph,
                           GError **error)
{
    Reading r = { .scan = { .file = file, .line = 1 },
                  .training = training,
                  .graph = graph,
                  .last = NONE };
    gboolean ok;

    if (!reader_has_times(file, training, error))
        return FALSE;
    r.layers = g_array_new(FALSE, FALSE, sizeof(Layer));
    g_array_set_clear_func(r.layers, clear_layer);
    ok = read_policy(&r, error) && read_layers(&r, error);
    if (ok)
        add_all(&r);
    g_array_unref(r.layers);
    return ok;
}

const ReaderOps reader_astra_text = {
    .base = { .name = "astra-text",
              .summary = "ASTRA-sim 1: a line a layer; policies DATA and MODEL",
              .fields = (const ConfigField[]){ CONFIG_END } },
    .knows = astra_knows,
    .read = astra_read,
};
