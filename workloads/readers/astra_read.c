/*
 * astra_read.c - workloads of ASTRA-sim 1, SimAI and AICB, one layer per line
 *
 *     POLICY [KEY[:] VALUE]...
 *     N
 *     NAME RESERVED FWD KIND BYTES IG KIND BYTES WG KIND BYTES UPDATE [POLICY]
 *
 * There are N layers of twelve words.  Under HYBRID_CUSTOMIZED, a thirteenth
 * word is the policy for the groups of the layer.  Words are separated by any
 * blanks.  Times are in ns, for the whole NPU. Times of at most 1 ns and
 * payloads of at most 1 byte mean nothing to do.  A payload is the whole
 * vector, also for an all-gather, as AICB writes it.  ASTRA-sim's own algorithm
 * uses the share of one rank, but its files do not say which is meant.
 *
 * KIND is one of REDUCESCATTER, ALLGATHER, ALLREDUCE, ALLTOALL, BROADCAST,
 * REDUCE, GATHER, SCATTER (the last four have the first rank of the group as
 * root) and NONE. A suffix _EP or _DP_EP selects a group of experts.
 * ALLREDUCEALLTOALL is refused, because ASTRA-sim's parser matches ALLREDUCE
 * first and never reaches it.
 *
 * This reader does not copy the following errors of ASTRA-sim's parser: it uses
 * only the first entry of a list of checkpoints; it starts recomputation below
 * the first layer if there is no checkpoint; it reads past the last line, and
 * reads a last line without a line feed as if another line followed.
 *
 * The recording has one rank, which represents all ranks: a node for each pass
 * of each layer and one for each collective.  A pass that the loop never runs
 * is RECORD_OTHER.
 *
 * Sources  [ASTRASIM]
 */
#include "workloads/readers/astra_text.h"

#include <string.h>

#define MAX_LAYERS 100000
#define MAX_NS     (READ_MAX_PS / 1000)

const char *const astra_part_names[ASTRA_N_PARTS] = {
    "forward",
    "input gradient",
    "weight gradient",
};

/* Names of the first kinds in CollKind.  ASTRA-sim's parser knows four of them;
 * AICB's generator also writes BROADCAST. */
#define NO_COLLECTIVE (COLL_SCATTER + 1)

static const char *const kind_names[] = {
    [COLL_REDUCE_SCATTER] = "REDUCESCATTER",
    [COLL_ALL_GATHER] = "ALLGATHER",
    [COLL_ALL_REDUCE] = "ALLREDUCE",
    [COLL_ALL_TO_ALL] = "ALLTOALL",
    [COLL_BROADCAST] = "BROADCAST",
    [COLL_REDUCE] = "REDUCE",
    [COLL_GATHER] = "GATHER",
    [COLL_SCATTER] = "SCATTER",
    [NO_COLLECTIVE] = "NONE",
    NULL,
};

static gboolean set_collective_kind_error(AstraText *text, const ReadWord *word,
                                          const char *what, GError **error)
{
    g_autofree char *quoted = reader_word_in_quotes(word);
    g_autofree char *hint = g_strjoinv(", ", (char **)kind_names);

    reader_set_word_error(error, &text->words, word,
                          "the collective of the %s is one of %s, not %s", what,
                          hint, quoted);
    return FALSE;
}

/* Parses KIND, optionally followed by the suffix of a group. */
static gboolean parse_collective_kind(const ReadWord *word, AstraPart *part)
{
    g_autofree char *name = g_strndup(word->text, word->n_bytes);

    for (guint k = 0; kind_names[k]; k++) {
        gsize n = strlen(kind_names[k]);

        if (!g_str_has_prefix(name, kind_names[k]) ||
            !astra_group_of_suffix(part->group, name + n, &part->group))
            continue;
        part->kind = k == NO_COLLECTIVE ? COLL_N_ALL_KINDS : (CollKind)k;
        return k != NO_COLLECTIVE || name[n] == '\0';
    }
    return FALSE;
}

static gboolean read_collective_kind(AstraText *text, AstraPart *part,
                                     const char *what, ReadWord *ret,
                                     GError **error)
{
    if (!reader_next_word(&text->words, ret)) {
        reader_set_word_error(
            error, &text->words, ret,
            "the text ends where the collective of the %s is due", what);
        return FALSE;
    }
    return parse_collective_kind(ret, part) ||
           set_collective_kind_error(text, ret, what, error);
}

static gboolean read_layer_part(AstraText *text, AstraPart *part, int p,
                                ReadWord *ret_kind, GError **error)
{
    const char *what = astra_part_names[p];
    g_autofree char *time = g_strdup_printf("the time of the %s in ns", what);
    g_autofree char *payload =
        g_strdup_printf("the payload of the %s in bytes", what);

    return reader_next_number(&text->words, time, MAX_NS, &part->time_ns,
                              error) &&
           read_collective_kind(text, part, what, ret_kind, error) &&
           reader_next_number(&text->words, payload, READ_MAX_BYTES,
                              &part->bytes, error);
}

/* Reads the name and a reserved word, which is ignored. */
static gboolean read_layer_name(AstraText *text, AstraLayer *layer,
                                GError **error)
{
    ReadWord word, reserved;
    gboolean is_there = reader_next_word(&text->words, &word);

    layer->line = word.line;
    if (is_there && (word.n_bytes > 200 ||
                     !g_utf8_validate(word.text, (gssize)word.n_bytes, NULL))) {
        reader_set_word_error(error, &text->words, &word,
                              "a layer's name has 200 bytes of UTF-8 at most");
        return FALSE;
    }
    if (is_there)
        layer->name =
            reader_store_text(text->recording, word.text, word.n_bytes);
    if (is_there && reader_next_word(&text->words, &reserved))
        return TRUE;
    reader_set_word_error(error, &text->words, is_there ? &reserved : &word,
                          "the text ends after %u layers and a part of one",
                          text->layers->len);
    return FALSE;
}

/* Sets the groups of layer @i for a KIND without a suffix. */
static void set_layer_groups(const AstraText *text, guint i,
                             const AstraPolicy *policy, AstraLayer *layer)
{
    gboolean is_embedding = text->policy->loop == ASTRA_LOOP_DLRM && i == 0;

    for (int p = 0; p < ASTRA_N_PARTS; p++)
        layer->parts[p].group = is_embedding ? ASTRA_ALL : policy->groups[p];
}

/* Returns FALSE if the layer has a collective that the loop of the policy does
 * not have. */
static gboolean check_layer_collectives(const AstraText *text,
                                        const AstraLayer *layer,
                                        const ReadWord *kinds, GError **error)
{
    for (int p = 0; p < ASTRA_N_PARTS; p++) {
        const AstraPart *part = &layer->parts[p];
        gboolean has_group =
            part->group != ASTRA_NO_GROUP &&
            (part->group < ASTRA_TP || text->policy->has_first_input);

        if (part->kind == COLL_N_ALL_KINDS || part->bytes <= 1 || has_group)
            continue;
        reader_set_word_error(error, &text->words, &kinds[p],
                              "under policy %s the %s has no %scollective",
                              text->policy->name, astra_part_names[p],
                              part->group == ASTRA_NO_GROUP ? "" : "such ");
        return FALSE;
    }
    return TRUE;
}

/* Reads the policy of a layer, which is the last word of its line, and sets its
 * groups. */
static gboolean read_layer_policy(AstraText *text, AstraLayer *layer,
                                  GError **error)
{
    g_autofree char *quoted = NULL;
    ReadWord word;
    int which;

    if (!reader_next_word(&text->words, &word)) {
        reader_set_word_error(
            error, &text->words, &word,
            "the text ends where the policy of a layer is due");
        return FALSE;
    }
    which = reader_word_index(&word, astra_policy_names);
    if (which < 0) {
        quoted = reader_word_in_quotes(&word);
        reader_set_word_error(error, &text->words, &word,
                              "there is no policy %s", quoted);
        return FALSE;
    }
    for (int p = 0; p < ASTRA_N_PARTS; p++)
        if (layer->parts[p].group == ASTRA_NO_GROUP)
            layer->parts[p].group = astra_policy(which)->groups[p];
    return TRUE;
}

static gboolean read_layer_line(AstraText *text, guint i, GError **error)
{
    ReadWord kinds[ASTRA_N_PARTS];
    AstraLayer layer = { .name = NULL };

    set_layer_groups(text, i, text->policy, &layer);
    if (!read_layer_name(text, &layer, error))
        return FALSE;
    for (int p = 0; p < ASTRA_N_PARTS; p++)
        if (!read_layer_part(text, &layer.parts[p], p, &kinds[p], error))
            return FALSE;
    if (!reader_next_number(&text->words, "the time of the update in ns",
                            MAX_NS, &layer.update_ns, error) ||
        (text->policy->has_layer_policies &&
         !read_layer_policy(text, &layer, error)) ||
        !check_layer_collectives(text, &layer, kinds, error))
        return FALSE;
    g_array_append_val(text->layers, layer);
    return TRUE;
}

static gboolean read_all_layers(AstraText *text, GError **error)
{
    uint64_t n;
    ReadWord word;

    if (!reader_next_number(&text->words, "the number of layers", MAX_LAYERS,
                            &n, error))
        return FALSE;
    for (guint i = 0; i < n; i++)
        if (!read_layer_line(text, i, error))
            return FALSE;
    if (!reader_next_word(&text->words, &word) && n > 0)
        return TRUE;
    reader_set_word_error(error, &text->words, &word,
                          n > 0 ? "there are more words than the %u layers have"
                                : "there are no layers (%u)",
                          (guint)n);
    return FALSE;
}

/* Marks the layers in a list of the first line.  Returns FALSE if the list has
 * a layer that does not exist. */
static gboolean mark_recomputed_layers(AstraText *text, const GArray *list,
                                       gboolean is_checkpoint, GError **error)
{
    for (guint i = 0; i < list->len; i++) {
        uint64_t layer = g_array_index(list, uint64_t, i);

        if (layer >= text->layers->len) {
            reader_set_word_error(error, &text->words, &text->head,
                                  "there is no layer %" G_GUINT64_FORMAT
                                  " to be a checkpoint or to initiate one",
                                  layer);
            return FALSE;
        }
        if (is_checkpoint)
            astra_layer(text, (guint)layer)->is_checkpoint = TRUE;
        else
            astra_layer(text, (guint)layer)->initiates = TRUE;
    }
    return TRUE;
}

static gboolean astra_layer_text_recognises(Source *source)
{
    gsize n = 0;
    const uint8_t *bytes = source_peek(source, READ_MAX_WORD, &n);
    gsize from = 0, to;
    ReadWord word;

    while (from < n && g_ascii_isspace((char)bytes[from]))
        from++;
    for (to = from; to < n && !g_ascii_isspace((char)bytes[to]);)
        to++;
    word = (ReadWord){ (const char *)bytes + from, to - from, 0, 0 };
    return to > from && reader_word_index(&word, astra_policy_names) >= 0;
}

static gboolean layer_text_read(Source *source, const ReadOptions *options,
                                Recording *recording, GError **error)
{
    AstraText text = { .words = { source, 1, 1 },
                       .recording = recording,
                       .n_npus = options->n_npus };
    RecordRank *rank = record_add_rank(recording, source_name(source));
    gboolean ok;

    text.version = g_string_new(NULL);
    text.checkpoints = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    text.initiates = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    text.layers = g_array_new(FALSE, FALSE, sizeof(AstraLayer));
    ok = astra_read_head(&text, error) && read_all_layers(&text, error) &&
         mark_recomputed_layers(&text, text.checkpoints, TRUE, error) &&
         mark_recomputed_layers(&text, text.initiates, FALSE, error) &&
         astra_add_nodes(&text, rank, error);
    rank->n_found = text.layers->len;
    g_string_free(text.version, TRUE);
    g_array_unref(text.checkpoints);
    g_array_unref(text.initiates);
    g_array_unref(text.layers);
    return ok;
}

const ReadOps reader_astra_text = {
    .base = { .name = "astra-text",
              .summary = "ASTRA-sim 1, SimAI, AICB: a line a layer",
              .fields = (const ConfigField[]){ CONFIG_END } },
    .recognises = astra_layer_text_recognises,
    .read = layer_text_read,
};
