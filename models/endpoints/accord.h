/*
 * accord.h - what all NPUs take next, decided at the end of an instant
 *
 * NPUs take chunks in in one order (models/run/admit/scheduler.c), and into
 * each phase of an endpoint that holds them between phases (ace_chunks.c): so
 * nobody waits for ever.  Who may have something to take asks.  When all that
 * happens at this instant has happened everywhere, those that asked are looked
 * at together: each that has taken all that was decided says what it would and
 * could take next, and what goes first of that is next for all.  So no NPU can
 * tell which of them acted first.  Who is behind follows at once.
 *
 * Who had nothing that it could take waits until something is decided, which
 * need not be what it would have taken: it may have room for that.  Nothing of
 * its own may ever happen before: what it has may be waiting for just that.
 *
 * There are stages: the intake, and the phases.  The last is looked at first,
 * since what enters it makes room before it; and then whoever asks meanwhile,
 * until nobody does.
 *
 * Owner    the run, of one for all its NPUs; zeroed but for .engine
 */
#ifndef MODELS_ENDPOINTS_ACCORD_H
#define MODELS_ENDPOINTS_ACCORD_H

#include "models/collectives/chunk.h"
#include "sim/core/engine.h"

#define ACCORD_INTAKE       0
#define ACCORD_PHASE(phase) ((phase) + 1)
#define ACCORD_N_STAGES     ACCORD_PHASE(COLL_MAX_PHASES)

typedef struct Accord Accord;

/* Of a stage; .self is who asked. */
typedef struct {
    /* What it would take next, if that is to be decided, and could; NULL:
     * nothing. */
    gpointer (*wish)(gpointer self, uint32_t stage);
    /* Of two wishes. */
    gboolean (*goes_before)(gconstpointer a, gconstpointer b);
    /* Notes that @wish, its own, is next. */
    void (*decide)(gpointer self, uint32_t stage, gpointer wish);
    /* Takes what was decided, if anything was, as far as it can. */
    void (*go_on)(gpointer self, uint32_t stage);
    /* There is room for some of what it has, whatever is decided; what it has
     * not counts for nothing. */
    gboolean (*has_room)(gpointer self, uint32_t stage);
    /* Something was decided that it has not taken. */
    gboolean (*is_behind)(gpointer self, uint32_t stage);
} AccordOps;

/* Of others who ask elsewhere, by a clock of their own. */
typedef struct {
    /* Returns when they have come to now, so that all that was decided before
     * is known. */
    void (*catch_up)(gpointer self);
    /* Has accord_decide() called with all of them, at the end of this instant.
     */
    void (*settle)(gpointer self);
    /* Somebody has to wait for what is decided, which may be elsewhere. */
    void (*cannot)(gpointer self);
} AccordOthers;

typedef struct AccordAsker AccordAsker;
struct AccordAsker {
    const AccordOps *ops;               /* static */
    gpointer self;                      /* borrowed */
    uint32_t asks;                      /* bit s: it has asked for stage s, */
    AccordAsker *next[ACCORD_N_STAGES]; /* borrowed: and before it this one */
    uint32_t waits;                     /* bit s: for a decision there, */
    AccordAsker *next_waiting[ACCORD_N_STAGES]; /* borrowed: likewise */
};

struct Accord {
    SimEngine *engine;                     /* borrowed */
    AccordAsker *askers[ACCORD_N_STAGES];  /* borrowed: the last; NULL: none */
    AccordAsker *waiting[ACCORD_N_STAGES]; /* likewise */
    uint32_t asked;                        /* bit s: .askers[s] is not NULL */
    gboolean is_due; /* it is looked at them, or will be at this instant */
    const AccordOthers *others; /* static; NULL: there are none */
    gpointer self;              /* borrowed: theirs */
};

/* @asker, which has taken all that was decided, may have something to take at
 * @stage.  When it has, it may ask again. */
void accord_ask(Accord *accord, AccordAsker *asker, uint32_t stage);

gboolean accord_learns(const Accord *accord, AccordAsker *asker,
                       uint32_t stage);
/* Before it asks: others had decided something before now, that is to be taken
 * first. */
static inline gboolean accord_is_late(const Accord *accord, AccordAsker *asker,
                                      uint32_t stage)
{
    return G_UNLIKELY(accord->others) && accord_learns(accord, asker, stage);
}

/* Some that have asked have room for something. */
gboolean accord_is_open(const Accord *accord);
/* For all that have asked any of the @n of @accords, at one instant. */
void accord_decide(Accord *const *accords, guint n);

#endif
