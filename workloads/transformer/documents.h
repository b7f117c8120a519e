/*
 * documents.h - the lengths of the documents that a sequence is packed from
 *
 * A token of a packed sequence attends to tokens of its own document only, and
 * to at most w of them with a window of w.  If a share p of the tokens is in
 * documents of L tokens, and l is the lesser of L and w, a token attends to
 *
 *     sum of p l                   others on average
 *     sum of p l (1 - l / (2 L))   if attention is causal, since the first l
 *                                  tokens attend to l / 2
 *
 * The FLOP of attention are proportional to this, and not to the length of the
 * sequence.  Every micro-batch has the mean; differences between micro-batches
 * and between ranks are left out.
 *
 * Units    tokens; shares of tokens in parts per million
 * Errors   CONFIG_ERROR at the list
 */
#ifndef WORKLOADS_TRANSFORMER_DOCUMENTS_H
#define WORKLOADS_TRANSFORMER_DOCUMENTS_H

#include "sim/config/config.h"

#define DOCUMENTS_WHOLE 1000000

typedef struct {
    uint64_t length;
    uint64_t share_ppm; /* of all tokens */
} PackedDocument;

/* Describes an item of the list. */
extern const ConfigField packed_document_item;

/* Checks that no document is longer than the sequence, and that the shares make
 * up the whole.  An empty list is one document as long as the sequence. */
G_GNUC_WARN_UNUSED_RESULT
gboolean documents_check(const ConfigList *documents, uint64_t sequence,
                         GError **error);

/* Returns the mean number of tokens that a token attends to, times 2 *
 * DOCUMENTS_WHOLE.  @documents may be NULL: there are none. @window is 0 if
 * there is none. */
uint64_t documents_mean_attended_tokens(const ConfigList *documents,
                                        uint64_t sequence, uint64_t window,
                                        gboolean is_causal);

#endif
