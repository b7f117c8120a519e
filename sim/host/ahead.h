/*
 * ahead.h - runs pieces of work in one child process, in parallel with this
 * process
 *
 * The child is a copy of this process at the time of ahead_begin().  It does
 * the pieces one after the other until ahead_stop() is called.  It dies with
 * its parent, and of the same signals.
 *
 * Order    pieces are started in order
 * Owner    the caller owns the Ahead, which borrows @self
 */
#ifndef SIM_HOST_AHEAD_H
#define SIM_HOST_AHEAD_H

#include <glib.h>

typedef struct Ahead Ahead;

/* Does @piece in the child and appends the result to @out, like Pool.work. */
typedef void (*AheadWorkFn)(gpointer self, guint piece, GString *out);
typedef void (*AheadDoneFn)(gpointer self, guint piece, const GString *text);

/* Starts the child.  Returns NULL if the system lacks a resource; then no piece
 * is done in a child. */
Ahead *ahead_begin(guint n_pieces, AheadWorkFn work, gpointer self);

/* Prevents that further pieces are started.  Returns how many were started. */
guint ahead_stop(Ahead *ahead);

/* Waits for the next result, in order, and passes it to @done.  Call only after
 * ahead_stop().  Returns FALSE if the child has ended, or if a signal of
 * interrupt.h arrived, even if the signals are blocked. */
G_GNUC_WARN_UNUSED_RESULT
gboolean ahead_take(Ahead *ahead, AheadDoneFn done, gpointer self);
/* Returns a descriptor that is readable when ahead_take() need not wait, except
 * for the rest of a text. */
int ahead_fd(const Ahead *ahead);

/* Kills the child. */
void ahead_free(Ahead *ahead);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Ahead, ahead_free)

#endif
