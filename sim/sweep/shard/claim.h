/*
 * claim.h - a folder that only one of all who want it can make
 *
 * mkdir() makes a folder for one caller and fails for the others, on every
 * file system that several machines share, those without locks too.  Whoever
 * has a claim touches it now and then.  One that nobody has touched for long
 * is of somebody who is no more.
 *
 * Units    microseconds, by the clock of the file server: what a touch leaves
 *          is its hour, and that of no machine that touches
 * Errors   G_FILE_ERROR, for what is neither ours nor another's
 */
#ifndef SIM_SWEEP_SHARD_CLAIM_H
#define SIM_SWEEP_SHARD_CLAIM_H

#include <glib.h>

typedef enum {
    CLAIM_OURS,
    CLAIM_ANOTHERS, /* it is taken, or no more what it was */
    CLAIM_FAILED,   /* *@error says why */
} ClaimResult;

/* The hour of the file server, as the last touch had it. */
typedef struct {
    gint64 server_us, local_us; /* both at that moment; 0: there was none */
} ClaimClock;

G_GNUC_WARN_UNUSED_RESULT
ClaimResult claim_make(const char *path, GError **error);

/* CLAIM_ANOTHERS: somebody was faster, or took it over.  @clock may be NULL. */
G_GNUC_WARN_UNUSED_RESULT
ClaimResult claim_touch(const char *path, ClaimClock *clock, GError **error);
G_GNUC_WARN_UNUSED_RESULT
ClaimResult claim_rename(const char *from, const char *to, GError **error);

/* Says that whoever wants it need not wait. */
void claim_let_go(const char *path);

/* When @path was touched last, as the server knows it and no cache.  FALSE:
 * there is none. */
G_GNUC_WARN_UNUSED_RESULT
gboolean claim_touched_us(const char *path, gint64 *ret);

/* What time it is there.  There was a touch before. */
gint64 claim_now_us(const ClaimClock *clock);

#endif
