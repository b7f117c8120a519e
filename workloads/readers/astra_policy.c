/*
 * astra_policy.c - first line of ASTRA-sim's text, and the groups that it
 * defines
 *
 *     POLICY [KEY[:] VALUE]...
 *
 * Keys may be in any order, with or without a colon; `pp_comm` never has one.
 * `checkpoints: n i..` and `checkpoint_initiates: n i..` are lists.
 * HYBRID_DLRM needs the last layer below the interaction, given by its key or
 * as a bare number.
 *
 * There are N = all_gpus NPUs, numbered 0 .. N-1. Tensor parallelism (TP) uses
 * neighbours, then follows data parallelism (DP) with experts (EP) inside it,
 * and pipeline stages are outermost:
 *
 *   TP     tp, stride 1             EP     ep, stride tp
 *   DP     N / tp / pp, stride tp   DP_EP  N / tp / pp / ep, stride tp ep
 *
 * Without all_gpus, N is the number of NPUs that the caller passes.  If that is
 * not known either, groups that depend on N have size 0, which means as many as
 * there are; with pipeline stages these groups are unknown.  HYBRID_DATA_MODEL
 * and HYBRID_MODEL_DATA divide the model over dimension 0 of the machine, or
 * over the other dimensions.
 *
 * SimAI places the stages between TP and DP, and experts in neighbouring TP
 * groups regardless of their stage, so with pp > 1 the stages would share
 * experts.  This reader uses Megatron's order, in which they do not.  The text
 * has the layers of one stage over all micro-batches and does not assign layers
 * to micro-batches.  Therefore messages between stages cannot be placed: a rank
 * sends vpp x ga messages of pp_comm bytes forwards and as many backwards.
 * Recording.n_stage_messages is their number.
 *
 * Sources  [ASTRASIM]
 */
#include "workloads/readers/astra_text.h"

#include <string.h>

#include "sim/config/config.h"
#include "sim/core/word_suggestions.h"

#define N ASTRA_NO_GROUP
#define A ASTRA_ALL

/* clang-format off */
static const AstraPolicy policies[] = {
    { "DATA", ASTRA_LOOP_DATA, { N, N, A }, FALSE, FALSE, FALSE },
    { "MODEL", ASTRA_LOOP_MODEL, { A, A, N }, FALSE, FALSE, FALSE },
    { "MICRO", ASTRA_LOOP_MICRO, { N, N, A }, FALSE, FALSE, FALSE },
    { "HYBRID_DATA_MODEL", ASTRA_LOOP_MODEL,
      { ASTRA_FIRST_DIM, ASTRA_FIRST_DIM, ASTRA_OTHER_DIMS }, TRUE, FALSE, FALSE },
    { "HYBRID_MODEL_DATA", ASTRA_LOOP_MODEL,
      { ASTRA_OTHER_DIMS, ASTRA_OTHER_DIMS, ASTRA_FIRST_DIM }, TRUE, FALSE, FALSE },
    { "HYBRID_DLRM", ASTRA_LOOP_DLRM, { N, N, A }, FALSE, TRUE, FALSE },
    { "HYBRID_DLRM_ENHANCED", ASTRA_LOOP_DLRM, { N, N, A }, FALSE, TRUE, FALSE },
    { "HYBRID_TRANSFORMER", ASTRA_LOOP_MODEL,
      { ASTRA_TP, ASTRA_TP, ASTRA_DP }, TRUE, TRUE, FALSE },
    { "HYBRID_TRANSFORMER_FWD_IN_BCKWD", ASTRA_LOOP_MODEL,
      { ASTRA_TP, ASTRA_TP, ASTRA_DP }, TRUE, TRUE, FALSE },
    /* Each layer names its own policy. */
    { "HYBRID_CUSTOMIZED", ASTRA_LOOP_MODEL, { N, N, N }, TRUE, TRUE, TRUE },
    { "DISTRIBUTED_INFERENCE", ASTRA_LOOP_INFERENCE, { A, A, N }, FALSE,
      FALSE, FALSE },
};

const char *const astra_policy_names[] = {
    "DATA", "MODEL", "MICRO", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA",
    "HYBRID_DLRM", "HYBRID_DLRM_ENHANCED", "HYBRID_TRANSFORMER",
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_CUSTOMIZED",
    "DISTRIBUTED_INFERENCE", NULL,
};
/* clang-format on */

const AstraPolicy *astra_policy(int i)
{
    g_assert(g_str_equal(policies[i].name, astra_policy_names[i]));
    return &policies[i];
}

/* ---- keys ------------------------------------------------------------- */

#define MAX_NPUS   UINT64_C(16777216)
#define MAX_LAYERS 100000

static const struct {
    const char *name;
    uint64_t least, most;
} keys[ASTRA_N_KEYS] = {
    [ASTRA_KEY_TP] = { "model_parallel_NPU_group", 1, MAX_NPUS },
    [ASTRA_KEY_EP] = { "ep", 1, MAX_NPUS },
    [ASTRA_KEY_PP] = { "pp", 1, MAX_NPUS },
    [ASTRA_KEY_VPP] = { "vpp", 0, MAX_NPUS },
    [ASTRA_KEY_GA] = { "ga", 0, MAX_NPUS },
    [ASTRA_KEY_NPUS] = { "all_gpus", 1, MAX_NPUS },
    [ASTRA_KEY_PP_BYTES] = { "pp_comm", 0, READ_MAX_BYTES },
    [ASTRA_KEY_BOTTOM] = { "DLRM_LAST_BOTTOM_LAYER", 0, MAX_LAYERS },
    [ASTRA_KEY_CHECKPOINTS] = { "checkpoints", 0, MAX_LAYERS },
    [ASTRA_KEY_INITIATES] = { "checkpoint_initiates", 0, MAX_LAYERS },
};

static AstraKey astra_key_of_word(const ReadWord *word)
{
    ReadWord plain = *word;

    if (plain.n_bytes > 0 && plain.text[plain.n_bytes - 1] == ':')
        plain.n_bytes--;
    for (guint k = 0; k < ASTRA_N_KEYS; k++)
        if (reader_word_equals(&plain, keys[k].name))
            return (AstraKey)k;
    return ASTRA_N_KEYS;
}

/* Appends a word of the first line to .version, up to a limit. */
static void append_version_word(AstraText *text, const ReadWord *word)
{
    if (text->version->len > 0)
        g_string_append_c(text->version, ' ');
    if (text->version->len < READ_MAX_WORD)
        g_string_append_len(text->version, word->text, (gssize)word->n_bytes);
}

static gboolean read_head_key_value(AstraText *text, AstraKey key,
                                    uint64_t *ret, GError **error)
{
    g_autofree char *quoted = NULL;
    ReadWord word;

    if (!reader_next_word_in_line(&text->words, &word)) {
        reader_set_word_error(error, &text->words, &word,
                              "the line ends where the value of %s is due",
                              keys[key].name);
        return FALSE;
    }
    append_version_word(text, &word);
    if (reader_word_as_number(&word, keys[key].most, ret) &&
        *ret >= keys[key].least)
        return TRUE;
    quoted = reader_word_in_quotes(&word);
    reader_set_word_error(error, &text->words, &word,
                          "%s is a whole number from %" G_GUINT64_FORMAT
                          " to %" G_GUINT64_FORMAT ", not %s",
                          keys[key].name, keys[key].least, keys[key].most,
                          quoted);
    return FALSE;
}

static gboolean read_layer_list(AstraText *text, AstraKey key, GError **error)
{
    GArray *list =
        key == ASTRA_KEY_CHECKPOINTS ? text->checkpoints : text->initiates;
    uint64_t n, layer;

    if (!read_head_key_value(text, key, &n, error))
        return FALSE;
    for (uint64_t i = 0; i < n; i++) {
        if (!read_head_key_value(text, key, &layer, error))
            return FALSE;
        g_array_append_val(list, layer);
    }
    return TRUE;
}

static gboolean read_head_key(AstraText *text, const ReadWord *word,
                              GError **error)
{
    AstraKey key = astra_key_of_word(word);
    g_autofree char *quoted = reader_word_in_quotes(word);

    append_version_word(text, word);
    if (!text->policy->has_keys) {
        reader_set_word_error(error, &text->words, word,
                              "policy '%s' has no keys", text->policy->name);
        return FALSE;
    }
    if (key == ASTRA_N_KEYS && text->policy->loop == ASTRA_LOOP_DLRM &&
        reader_word_as_number(word, MAX_LAYERS,
                              &text->numbers[ASTRA_KEY_BOTTOM])) {
        text->has_keys |= 1U << ASTRA_KEY_BOTTOM;
        return TRUE;
    }
    if (key == ASTRA_N_KEYS) {
        reader_set_word_error(error, &text->words, word, "there is no key %s",
                              quoted);
        return FALSE;
    }
    if (text->has_keys >> key & 1) {
        reader_set_word_error(error, &text->words, word,
                              "key %s is given twice", quoted);
        return FALSE;
    }
    text->has_keys |= 1U << key;
    return key >= ASTRA_N_NUMBERS
               ? read_layer_list(text, key, error)
               : read_head_key_value(text, key, &text->numbers[key], error);
}

/* ---- checks of key combinations ---------------------------------------- */

/* Returns the value of a degree of parallelism, or 1 if it was not given. */
static uint64_t degree_of_parallelism(const AstraText *text, AstraKey key)
{
    return text->has_keys >> key & 1 ? text->numbers[key] : 1;
}

static gboolean check_bottom_layer_key(const AstraText *text, GError **error)
{
    if (text->policy->loop != ASTRA_LOOP_DLRM ||
        text->has_keys >> ASTRA_KEY_BOTTOM & 1)
        return TRUE;
    reader_set_word_error(
        error, &text->words, &text->head,
        "policy '%s' is followed by the last layer of the bottom",
        text->policy->name);
    return FALSE;
}

static gboolean check_parallel_degrees(const AstraText *text, GError **error)
{
    uint64_t model = degree_of_parallelism(text, ASTRA_KEY_TP) *
                     degree_of_parallelism(text, ASTRA_KEY_PP);

    if (text->n_npus == 0 ||
        (text->n_npus % model == 0 &&
         text->n_npus / model % degree_of_parallelism(text, ASTRA_KEY_EP) == 0))
        return TRUE;
    reader_set_word_error(error, &text->words, &text->head,
                          "%" G_GUINT64_FORMAT " NPUs are no multiple of "
                          "model_parallel_NPU_group %" G_GUINT64_FORMAT
                          " x pp %" G_GUINT64_FORMAT " x ep %" G_GUINT64_FORMAT,
                          text->n_npus,
                          degree_of_parallelism(text, ASTRA_KEY_TP),
                          degree_of_parallelism(text, ASTRA_KEY_PP),
                          degree_of_parallelism(text, ASTRA_KEY_EP));
    return FALSE;
}

gboolean astra_read_head(AstraText *text, GError **error)
{
    g_autofree char *quoted = NULL;
    ReadWord word;
    int which;

    if (!reader_next_word(&text->words, &text->head)) {
        reader_set_word_error(error, &text->words, &text->head,
                              "there is no policy");
        return FALSE;
    }
    which = reader_word_index(&text->head, astra_policy_names);
    append_version_word(text, &text->head);
    if (which < 0) {
        quoted = reader_word_in_quotes(&text->head);
        reader_set_word_error(error, &text->words, &text->head,
                              "there is no policy %s", quoted);
        return FALSE;
    }
    text->policy = astra_policy(which);
    while (reader_next_word_in_line(&text->words, &word))
        if (!read_head_key(text, &word, error))
            return FALSE;
    if (text->has_keys >> ASTRA_KEY_NPUS & 1)
        text->n_npus = text->numbers[ASTRA_KEY_NPUS];
    text->recording->version = reader_store_text(
        text->recording, text->version->str, text->version->len);
    return check_bottom_layer_key(text, error) &&
           check_parallel_degrees(text, error);
}

/* ---- groups ----------------------------------------------------------- */

gboolean astra_group_of_suffix(AstraGroup plain, const char *suffix,
                               AstraGroup *ret)
{
    *ret = plain;
    if (g_str_equal(suffix, "_EP"))
        *ret = ASTRA_EP;
    else if (g_str_equal(suffix, "_DP_EP"))
        *ret = ASTRA_DP_EP;
    return *ret != plain || *suffix == '\0';
}

/* Sets @group to a stride group, with .size 0 for as many members as there are.
 * Returns FALSE if the group is not known. */
static gboolean set_stride_group(const AstraText *text, AstraGroup group,
                                 OpGroup *ret)
{
    uint64_t tp = degree_of_parallelism(text, ASTRA_KEY_TP),
             ep = degree_of_parallelism(text, ASTRA_KEY_EP);
    uint64_t data_parallel_degree =
        text->n_npus / tp / degree_of_parallelism(text, ASTRA_KEY_PP);

    ret->grouped_by = GROUP_STRIDE;
    ret->size = (uint32_t)(group == ASTRA_TP   ? tp
                           : group == ASTRA_EP ? ep
                           : group == ASTRA_DP ? data_parallel_degree
                                               : data_parallel_degree / ep);
    ret->stride = (uint32_t)(group == ASTRA_TP      ? 1
                             : group == ASTRA_DP_EP ? tp * ep
                                                    : tp);
    if (text->n_npus > 0 || group == ASTRA_TP || group == ASTRA_EP)
        return TRUE;
    ret->size = 0;
    return degree_of_parallelism(text, ASTRA_KEY_PP) == 1;
}

gboolean astra_add_group(AstraText *text, AstraGroup group, uint32_t *ret,
                         gboolean *ret_alone, GError **error)
{
    static const char *const names[ASTRA_N_GROUPS] = {
        "", "all", "TP", "DP", "EP", "DP_EP", "near", "far",
    };
    OpGroup added = { .name = names[group], .grouped_by = GROUP_ALL };

    gboolean is_known = TRUE;

    g_assert(group != ASTRA_NO_GROUP);
    if (group == ASTRA_FIRST_DIM || group == ASTRA_OTHER_DIMS) {
        added.grouped_by = GROUP_DIMS;
        added.dims_mask = group == ASTRA_FIRST_DIM ? 1 : 6;
    } else if (group != ASTRA_ALL && !(text->has_keys >> ASTRA_KEY_TP & 1)) {
        reader_set_word_error(
            error, &text->words, &text->head,
            "layers are shared out among NPUs, and the text has no "
            "model_parallel_NPU_group");
        return FALSE;
    } else if (group != ASTRA_ALL)
        is_known = set_stride_group(text, group, &added);
    *ret_alone =
        is_known && added.grouped_by == GROUP_STRIDE && added.size == 1;
    *ret = *ret_alone || !is_known ? RECORD_NONE
                                   : record_add_group(text->recording, &added);
    return TRUE;
}
