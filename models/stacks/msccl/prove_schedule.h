/*
 * prove_schedule.h - checks that an MSCCL schedule computes an all-reduce
 *
 * The schedule is executed symbolically.  For each chunk in a buffer, the check
 * knows which chunk of the payload it belongs to and which GPUs have
 * contributed.  Messages of the same sender, receiver and channel match in
 * order.  A thread block does its steps in order, and a step waits for the step
 * that it names.  The schedule is correct if all steps are done, no message
 * stays in flight, every GPU ends with the contribution of every GPU to every
 * chunk exactly once, and there is no race: two accesses to one chunk, one of
 * them a write, without a defined order.
 *
 * Connections can hold any number of messages.  Their real capacity is finite,
 * so a sender might block forever; the check does not find that.
 *
 * Errors   CONFIG_ERROR at the step that shows it: it waits forever, adds a
 *          contribution twice or of another chunk, reads a chunk that was never
 *          written, sends a message that is never received, or writes last a
 *          chunk that is incomplete
 * Range    thread blocks times steps, and chunks times GPUs: MSCCL_MAX_WORK
 * Cost     thread blocks times steps
 */
#ifndef MODELS_STACKS_MSCCL_PROVE_SCHEDULE_H
#define MODELS_STACKS_MSCCL_PROVE_SCHEDULE_H

#include "models/stacks/msccl/xml_schedule.h"

#define MSCCL_MAX_WORK (UINT64_C(1) << 26)

/* Checks @msccl.  If @ret_order is not NULL, sets it to all steps in an order
 * in which they can be done one by one: MscclDone, owned by the caller. */
G_GNUC_WARN_UNUSED_RESULT
gboolean msccl_prove_all_reduce(const MscclSchedule *msccl, GArray **ret_order,
                                GError **error);

#endif
