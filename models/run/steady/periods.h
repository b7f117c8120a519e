/*
 * periods.h - looks that were equal, and what happened from one to the other
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_PERIODS_H
#define MODELS_RUN_STEADY_PERIODS_H

#include "models/run/steady/look.h"

typedef struct {
    Look *look; /* owned: at its begin */
    SimTime ps;
    uint32_t n_chunks;
    GArray *grows;   /* owned: of SimWide */
    GArray *changes; /* owned: of SteadyChange */
    gpointer told;   /* owned by .listener: what it knows of it; or NULL */
    const TraceListener *listener; /* borrowed; NULL: nobody listens */
} Period;

typedef struct {
    Looker *looker;   /* borrowed */
    GPtrArray *looks; /* owned: of Look, that may begin one */
    GPtrArray *known; /* owned: of Period */
} Periods;

void periods_init(Periods *periods, Looker *looker);
void periods_clear(Periods *periods);

/* The period that begins with @look, too; NULL: none is known.  Stays as long
 * as no other look is taken. */
const Period *periods_find(Periods *periods, const Look *look);
/* As many of @n as who listens bears. */
uint64_t periods_most(const Period *period, uint64_t n);
/* Who listens: @n are skipped, with operation @op under way. */
void periods_tell(const Period *period, uint64_t n, uint32_t op);
/* Takes @look, one may begin with it.  Returns how many there are now. */
guint periods_keep(Periods *periods, Look *look);
/* No period may begin with what was seen so far. */
void periods_forget_looks(Periods *periods);

#endif
