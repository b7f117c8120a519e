/*
 * gather.h - what several workers have done becomes one sweep's
 *
 * Rows of one point are the same bytes whoever ran it.  Where they are not,
 * nothing is gathered: some machine, or this program, is not to be trusted.
 *
 * Order    the folder is locked; check, rows
 * Errors   G_FILE_ERROR
 * Owner    texts are the caller's
 */
#ifndef SIM_SWEEP_SHARD_GATHER_H
#define SIM_SWEEP_SHARD_GATHER_H

#include "sim/sweep/journal.h"
#include "sim/sweep/shard/folder_lock.h"

typedef struct {
    const char *folder; /* borrowed, as all of it */
    const ClaimClock *clock;
    gint64 stale_us;
    FolderSay say; /* may be NULL */
    gpointer self;
} Gathering;

/* FALSE: workers are at it, *@error says which.  Of whom it is not known is
 * waited for until it is. */
G_GNUC_WARN_UNUSED_RESULT
gboolean gather_check(const Gathering *gathering, GError **error);

/* Adds what workers have done to @journal, which is loaded, and loads it anew.
 * What of theirs is damaged is said.
 * What failed is put into @failures, id -> GString, of which it is the owner;
 * how rows came to be into @hows, id -> PointHow.
 * *@n_journals is how many there were. */
G_GNUC_WARN_UNUSED_RESULT
gboolean gather_rows(const Gathering *gathering, Journal *journal,
                     GHashTable *failures, GHashTable *hows, guint *n_journals,
                     GError **error);

#endif
