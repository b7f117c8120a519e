/*
 * laps.h - iterations that are like the one before
 *
 * Where nothing is under way when an iteration is at its mark (loop.h), but the
 * kernel there, which begins just then on every NPU, and the whole state was
 * the same at the mark of the one before, then all that follow are like it: the
 * run is at its end, all that counts has grown by as many iterations, but for
 * kernels that would belong to one too many (tail.h), and the kernel at its
 * mark never began.
 *
 * Or some that follow are like it, and one goes other ways round rings: then
 * the run goes on at that one's mark.
 *
 * Where there are no kernels, an iteration begins with collectives; nothing at
 * all is under way then, if the NPU that stands for all is held just before.
 *
 * Rings may be mirrored: rings.h.  Where one NPU could stand for all, it does
 * not matter whose kernel began first.
 *
 * How long a bus has been idle is a part of the state only as far as it could
 * matter to the first message (steady_since()).
 */
#ifndef MODELS_RUN_STEADY_LAPS_H
#define MODELS_RUN_STEADY_LAPS_H

#include "models/run/steady/periods.h"
#include "models/run/steady/rings.h"
#include "models/run/steady/tail.h"

typedef struct {
    Looker *looker; /* borrowed */
    Look *begun; /* owned: as the last iteration began; NULL: it did not so */
    uint64_t iteration;
    Rings rings;
    Tail tail;
    gboolean is_alone; /* one NPU, without kernels */
    GArray
        *foretold; /* owned: of SimWide, this one's growth; or NULL: checks */
} Laps;

void laps_init(Laps *laps, Looker *looker);
void laps_clear(Laps *laps);

/* There are no kernels, and nothing is under way. */
gboolean laps_are_alone(const Laps *laps);

/* Where on the main stream an iteration is looked at: loop.h. */
guint laps_mark(const Laps *laps);
/* The last kernel of an iteration just ended on @npu. */
void laps_computed(Laps *laps, Npu *npu);

/* The kernel at the mark just began on NPU 0; events are out.
 * TRUE: no event is to come, and the run is at its end.  @checks: that is found
 * out only, and asserted of those that follow. */
gboolean laps_begin(Laps *laps, uint64_t n_ends, gboolean checks);
/* From now on @n times @period is not simulated, which would make chunks of
 * @coll from number @first on. */
void laps_skip(Laps *laps, const Period *period, const CollInstance *coll,
               uint32_t first, uint64_t n);

#endif
