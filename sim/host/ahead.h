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

/* After ahead_stop(): waits for the next of those that were begun and gives
 * what came of it to @done, in order.  FALSE: nothing came, nor will of others;
 * or a signal did that interrupt.h waits for, also where they are blocked. */
G_GNUC_WARN_UNUSED_RESULT
gboolean ahead_take(Ahead *ahead, AheadDoneFn done, gpointer self);
/* It can be read from when ahead_take() need not wait, but for the rest of a
 * text. */
int ahead_fd(const Ahead *ahead);

/* Ends the child, whatever it does. */
void ahead_free(Ahead *ahead);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Ahead, ahead_free)

#endif
