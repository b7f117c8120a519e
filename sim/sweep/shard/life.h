/*
 * life.h - whether whoever has a claim is still there, and who that is
 *
 * Of a process of this machine the lock on its journal says so at once.  Of
 * others only time does: they touch what they claim, and who has not for long
 * is dead.
 *
 * Units    microseconds by the clock of the file server, see claim.h
 * Owner    texts are the caller's
 */
#ifndef SIM_SWEEP_SHARD_LIFE_H
#define SIM_SWEEP_SHARD_LIFE_H

#include "sim/sweep/shard/claim.h"

typedef enum {
    LIFE_ALIVE,
    LIFE_DEAD,
    LIFE_UNSURE, /* no sign of life since it was first looked at */
    LIFE_GONE,   /* there is no such claim any more */
} Life;

/* What was seen of a claim; zero before it was looked at. */
typedef struct {
    gint64 touched_us, since_us;
    gboolean is_alive;
} LifeWatch;

/* @stale_us without a touch is death, by the server's clock or, since clocks
 * are set, before our eyes. */
Life life_by_time(const char *claim, const ClaimClock *clock, gint64 stale_us,
                  LifeWatch *watch);

/* Of @who, who locks the file @journal before he makes the claim. */
Life life_of(const char *who, const char *claim, const char *journal,
             const ClaimClock *clock, gint64 stale_us, LifeWatch *watch);

/* TRUE: @who, who locked the file @journal before he made any claim, was a
 * process of this machine, and is no more. */
gboolean life_has_ended_here(const char *who, const char *journal);

/* This process: HOST.PID.BOOT, of which no other has the same.  BOOT is of the
 * machine since it was started. */
char *life_our_name(void);

/* TRUE: of a process of this machine. */
gboolean life_is_here(const char *who);

/* "process PID on HOST" */
char *life_say(const char *who);

#endif
