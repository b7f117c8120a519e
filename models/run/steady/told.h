/* told.h - what who skips parts of a run is told of it */
#ifndef MODELS_RUN_STEADY_TOLD_H
#define MODELS_RUN_STEADY_TOLD_H

#include <glib.h>
#include <stdint.h>

typedef struct Steady Steady; /* steady.h */

/* What is told of a run to who skips parts of it. */
typedef struct {
    /* NPU 0 is done with a chunk of @coll, a CollInstance. */
    void (*chunk_ends)(Steady *steady, gpointer coll);
    /* A Chunk was made, and is not under way yet. */
    void (*chunk_made)(Steady *steady, gconstpointer chunk);
    /* A kernel just began on the main stream of NPU 0, at @position of it. */
    void (*kernel_begins)(Steady *steady, guint position);
    /* The last kernel of an iteration just ended on the main stream of an Npu.
     */
    void (*computed)(Steady *steady, gpointer npu);
    /* No collective is under way, and NPU 0 is about to begin its program, or
     * to go on after the last of an iteration.  TRUE: it does so by
     * training_go_on(), later in this instant or never. */
    gboolean (*holds)(Steady *steady, uint32_t arg);
} SteadyTold;

#endif
