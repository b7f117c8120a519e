/*
 * background_worker.h - runs pieces of work in one child process, in parallel
 * with this process
 *
 * The child is a copy of this process at the time of background_worker_start().
 * It does the pieces one after the other until background_worker_stop() is
 * called.  It dies with its parent, and of the same signals.
 *
 * Order    pieces are started in order
 * Owner    the caller owns the BackgroundWorker, which borrows @self
 */
#ifndef SIM_HOST_BACKGROUND_WORKER_H
#define SIM_HOST_BACKGROUND_WORKER_H

#include <glib.h>

typedef struct BackgroundWorker BackgroundWorker;

/* Does @piece in the child and appends the result to @out, like
 * ProcessPool.work. */
typedef void (*BackgroundWorkFn)(gpointer self, guint piece, GString *out);
typedef void (*BackgroundDoneFn)(gpointer self, guint piece,
                                 const GString *text);

/* Starts the child.  Returns NULL if the system lacks a resource; then no piece
 * is done in a child. */
BackgroundWorker *background_worker_start(guint n_pieces, BackgroundWorkFn work,
                                          gpointer self);

/* Prevents that further pieces are started.  Returns how many were started. */
guint background_worker_stop(BackgroundWorker *worker);

/* Waits for the next result, in order, and passes it to @done.  Call only after
 * background_worker_stop().  Returns FALSE if the child has ended, or if a
 * signal of interrupt.h arrived, even if the signals are blocked. */
G_GNUC_WARN_UNUSED_RESULT
gboolean background_worker_receive_result(BackgroundWorker *worker,
                                          BackgroundDoneFn done, gpointer self);
/* Returns a descriptor that is readable when background_worker_receive_result()
 * need not wait, except for the rest of a text. */
int background_worker_fd(const BackgroundWorker *worker);

/* Kills the child process and frees @worker. */
void background_worker_free(BackgroundWorker *worker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BackgroundWorker, background_worker_free)

#endif
