/*
 * ahead.h - pieces of work that a child does while this process does something
 * else
 *
 * One child, a copy of this process as it was at the beginning, does piece
 * after piece until it is told that no more are wanted.  It dies with its
 * parent, and of the same signals.
 *
 * Order    pieces are begun in order
 * Owner    the caller owns the Ahead; it borrows @self
 */
#ifndef SIM_HOST_AHEAD_H
#define SIM_HOST_AHEAD_H

#include <glib.h>

typedef struct Ahead Ahead;

/* As that of a Pool: appends what is to be handed back. */
typedef void (*AheadWorkFn)(gpointer self, guint piece, GString *out);
typedef void (*AheadDoneFn)(gpointer self, guint piece, const GString *text);

/* NULL: the system is short of something, and nothing is done ahead. */
Ahead *ahead_begin(guint n_pieces, AheadWorkFn work, gpointer self);

/* From now on no piece is begun.  Returns how many were. */
guint ahead_stop(Ahead *ahead);

/* After ahead_stop(): waits for those that were begun and gives what came of
 * them to @done, in order; of some nothing may, and of all after.  A signal
 * that interrupt.h waits for ends it, also where they are blocked. */
void ahead_take(Ahead *ahead, AheadDoneFn done, gpointer self);

/* Ends the child, whatever it does. */
void ahead_free(Ahead *ahead);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Ahead, ahead_free)

#endif
