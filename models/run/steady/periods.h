/*
 * periods.h - known periods, and the snapshots that may begin one
 *
 * A period lies between two equal snapshots.  Its growth is what each count
 * grew from the first to the second.
 *
 * Units    ps
 */
#ifndef MODELS_RUN_STEADY_PERIODS_H
#define MODELS_RUN_STEADY_PERIODS_H

#include "models/run/steady/state_snapshot.h"

typedef struct {
    Snapshot *snapshot; /* owned: at its beginning */
    SimTime ps;
    uint32_t n_chunks;
    GArray *growth;           /* owned: of SimWide */
    GArray *changes;          /* owned: of SteadyChange */
    gpointer listener_record; /* owned by .listener: its record of the period;
                                 or NULL */
    const TraceListener *listener; /* borrowed; NULL: there is none */
} Period;

typedef struct {
    StateWalker *walker; /* borrowed */
    GPtrArray
        *snapshots; /* owned: of Snapshot, each of which may begin a period */
    GPtrArray *periods; /* owned: of Period */
} Periods;

void periods_init(Periods *periods, StateWalker *walker);
void periods_clear(Periods *periods);

/* Returns the period that begins with @snapshot, or NULL if none is known.
 * Valid until the next call. */
const Period *periods_find_or_add_period(Periods *periods,
                                         const Snapshot *snapshot);
/* Returns how many of @n periods the listener allows to be skipped. */
uint64_t periods_max_to_skip(const Period *period, uint64_t n);
/* Tells the listener that @n periods of operation @op are skipped. */
void periods_notify_listeners(const Period *period, uint64_t n, uint32_t op);
/* Takes @snapshot, which may begin a period.  Returns the number of such
 * snapshots. */
guint periods_keep_snapshot(Periods *periods, Snapshot *snapshot);
/* Drops all snapshots, so that no period begins with them. */
void periods_drop_snapshots(Periods *periods);

#endif
