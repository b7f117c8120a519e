/* period_listener.h - callbacks of a run into the code that skips periods */
#ifndef MODELS_RUN_STEADY_PERIOD_LISTENER_H
#define MODELS_RUN_STEADY_PERIOD_LISTENER_H

#include <glib.h>
#include <stdint.h>

typedef struct Steady Steady; /* steady.h */

/* Callbacks of a run, called by the NPUs and their programs. */
typedef struct {
    /* NPU 0 ended a chunk of @coll, a CollInstance. */
    void (*chunk_ends)(Steady *steady, gpointer coll);
    /* @chunk, a Chunk, was made and is not in flight yet. */
    void (*chunk_made)(Steady *steady, gconstpointer chunk);
    /* A kernel just began on the main stream of NPU 0, at @position. */
    void (*kernel_begins)(Steady *steady, guint position);
    /* The last kernel of an iteration just ended on the main stream of @npu, an
     * Npu. */
    void (*computed)(Steady *steady, gpointer npu);
    /* No collective is in flight, and NPU 0 is about to begin its program or
     * the next iteration.  Returns TRUE if it must wait: training_continue()
     * continues it, later in this instant or never. */
    gboolean (*holds)(Steady *steady, uint32_t arg);
} PeriodListener;

#endif
