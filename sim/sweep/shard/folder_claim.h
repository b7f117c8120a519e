/*
 * folder_claim.h - a folder as a claim: only one of several processes can
 * create it
 *
 * mkdir() succeeds for one caller and fails for the others.  This holds on
 * every file system that several machines share, including those without locks.
 * The process that has a claim touches it regularly.  If a claim has not been
 * touched for a long time, its process has ended.
 *
 * Units    microseconds by the clock of the file server, which sets the time of
 *          a touch, not by the clock of the machine that touches
 * Errors   G_FILE_ERROR, if the claim belongs to neither this process nor
 *          another
 */
#ifndef SIM_SWEEP_SHARD_FOLDER_CLAIM_H
#define SIM_SWEEP_SHARD_FOLDER_CLAIM_H

#include <glib.h>

typedef enum {
    /* The claim belongs to this process. */
    CLAIM_OURS,
    CLAIM_TAKEN,  /* another process has it, or it has been removed */
    CLAIM_FAILED, /* the attempt failed; *@error gives the reason */
} ClaimResult;

/* The time by the clock of the file server when this process last touched a
 * claim. */
typedef struct {
    /* The server's time and the local time at the last touch; 0 before the
     * first touch. */
    gint64 server_us, local_us;
} ClaimClock;

G_GNUC_WARN_UNUSED_RESULT
ClaimResult create_claim_file(const char *path, GError **error);

/* Touches a claim of this process.  Returns CLAIM_TAKEN if another process
 * has taken it over.  @clock may be NULL. */
G_GNUC_WARN_UNUSED_RESULT
ClaimResult touch_claim_file(const char *path, ClaimClock *clock,
                             GError **error);
G_GNUC_WARN_UNUSED_RESULT
/* Renames @from to @to.  Returns CLAIM_TAKEN if @to exists and is not empty,
 * or @from does not exist. */
ClaimResult rename_claim_file(const char *from, const char *to, GError **error);

/* Marks a claim as free, so that another process may take it over at once. */
void release_claim_file(const char *path);

/* Sets *@ret to the time when @path was last touched, according to the server
 * and not to a cache.  Returns FALSE if @path does not exist. */
G_GNUC_WARN_UNUSED_RESULT
gboolean claim_last_touch_us(const char *path, gint64 *ret);

/* Returns the current time of the file server.  @clock must have been set by a
 * touch. */
gint64 claim_server_time_us(const ClaimClock *clock);

#endif
