/* quiescent_callbacks.h - callbacks of a run into the code that replays
 * collectives, see quiescent_collectives.h */
#ifndef MODELS_RUN_QUIESCENT_QUIESCENT_CALLBACKS_H
#define MODELS_RUN_QUIESCENT_QUIESCENT_CALLBACKS_H

#include <glib.h>
#include <stdint.h>

typedef struct QuiescentCollectives QuiescentCollectives;
/* A collective that is recorded or replayed. */
typedef struct QuiescentCollective QuiescentCollective;

/* Callbacks of a run.  @coll is a CollInstance, @npu an Npu with .quiescent
 * set, and @chunk a Chunk. */
typedef struct {
    /* The first chunk of set @set of @coll is about to be admitted.  No other
     * collective that was admitted, or that all NPUs of its set have issued,
     * has one of these NPUs. */
    void (*first_chunk)(gpointer coll, uint32_t set);
    /* All NPUs of set @set have issued @coll, which is about to be considered
     * for admission at the end of this instant.  Gives up records that it
     * disturbs, and takes back replays. */
    void (*issued)(gconstpointer coll, uint32_t set);
    /* Returns whether the chunks of @coll on @npu are replayed, so that they
     * send no messages. */
    gboolean (*is_replayed)(gconstpointer npu, gconstpointer coll);
    /* @chunk is about to end on @npu. */
    void (*chunk_ends)(gpointer npu, gconstpointer chunk);
    /* A kernel is about to begin on @npu. */
    void (*kernel_begins)(gconstpointer npu);
} QuiescentListener;

#endif
