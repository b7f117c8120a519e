/*
 * prove.h - does a schedule of MSCCL keep its promise?
 *
 * The schedule is carried out on sets: of each chunk that lies anywhere is
 * known which of the payload's chunks it is of, and whose parts are in it.
 * Messages match in order on sender, receiver and channel; a thread block does
 * its steps in order; a step waits for the one that it names.  It holds if all
 * steps are done, nothing stays in flight, every GPU has every part of every
 * chunk, once, and no two accesses to one chunk, one of them a write, come in
 * whichever order they like.
 *
 * Connections hold what was sent until it is taken; that theirs are bounded,
 * and could hold up a sender for ever, is left out.
 *
 * Errors   CONFIG_ERROR at the step that shows it: that waits for ever, adds
 * what is there already or is of another chunk, reads what nobody wrote, is
 *          sent and never received, or wrote last what is not complete
 * Range    thread blocks times steps, and chunks times GPUs: MSCCL_MAX_WORK
 * Cost     thread blocks times steps
 */
#ifndef MODELS_STACKS_MSCCL_PROVE_H
#define MODELS_STACKS_MSCCL_PROVE_H

#include "models/stacks/msccl/form.h"

#define MSCCL_MAX_WORK (UINT64_C(1) << 26)

/* @ret_order, if it is not NULL, becomes all steps in an order in which they
 * can be done one by one: MscclDone, the caller's. */
G_GNUC_WARN_UNUSED_RESULT
gboolean msccl_prove(const Msccl *msccl, GArray **ret_order, GError **error);

#endif
