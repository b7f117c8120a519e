/*
 * documents.c - the lengths of the documents that a sequence is packed from;
 * see documents.h
 */
#include "workloads/transformer/documents.h"

static const ConfigField document_fields[] = {
    { .key = "length",
      .help = "tokens of a document",
      .type = CONFIG_COUNT,
      .offset = offsetof(PackedDocument, length),
      .min = 1,
      .max = UINT64_C(100000000) },
    { .key = "share",
      .help = "part of all tokens that are in documents of this length",
      .type = CONFIG_FRACTION,
      .offset = offsetof(PackedDocument, share_ppm),
      .min = 1,
      .max = DOCUMENTS_WHOLE,
      .fallback = "100 %",
      .source = "all" },
    CONFIG_END,
};

const ConfigField packed_document_item = {
    .key = "document",
    .help = "documents of one length",
    .type = CONFIG_SECTION,
    .fields = document_fields,
};

gboolean documents_check(const ConfigList *documents, uint64_t sequence,
                         GError **error)
{
    const PackedDocument *items = documents->items;
    uint64_t sum_ppm = 0;

    for (guint i = 0; i < documents->n; i++) {
        sum_ppm += items[i].share_ppm;
        if (items[i].length <= sequence)
            continue;
        config_set_error(error, documents->node, CONFIG_ERROR_CONFLICT,
                         "documents: one of %" G_GUINT64_FORMAT
                         " tokens is longer than the sequence of "
                         "%" G_GUINT64_FORMAT "; cut it, or use a longer "
                         "sequence",
                         items[i].length, sequence);
        return FALSE;
    }
    if (documents->n == 0 || sum_ppm == DOCUMENTS_WHOLE)
        return TRUE;
    config_set_error(error, documents->node, CONFIG_ERROR_CONFLICT,
                     "documents: the shares make %.6g %%; change one, so that "
                     "they make 100 %%",
                     (double)sum_ppm / (DOCUMENTS_WHOLE / 100.0));
    return FALSE;
}

/* Returns twice the mean number of tokens that a token of a document of @length
 * attends to, times @factor. */
static uint64_t twice_mean_attended_tokens(uint64_t length, uint64_t window,
                                           gboolean is_causal, uint64_t factor)
{
    uint64_t within = window > 0 ? MIN(window, length) : length;

    return is_causal ? 2 * factor * within - factor * within * within / length
                     : 2 * factor * within;
}

uint64_t documents_mean_attended_tokens(const ConfigList *documents,
                                        uint64_t sequence, uint64_t window,
                                        gboolean is_causal)
{
    const PackedDocument *items = documents ? documents->items : NULL;
    uint64_t sum = 0;

    if (!documents || documents->n == 0)
        return twice_mean_attended_tokens(sequence, window, is_causal,
                                          DOCUMENTS_WHOLE);
    for (guint i = 0; i < documents->n; i++)
        sum += twice_mean_attended_tokens(items[i].length, window, is_causal,
                                          items[i].share_ppm);
    return sum;
}
