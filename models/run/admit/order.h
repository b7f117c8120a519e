/* order.h - in what order collectives go, and their chunks wherever they
 * wait */
#ifndef MODELS_RUN_ADMIT_ORDER_H
#define MODELS_RUN_ADMIT_ORDER_H

#include "models/run/instance_impl.h"

/* @a goes before @b where the choice is free. */
gboolean order_before(const CollInstance *a, const CollInstance *b,
                      SchedulerKind kind);

/* A number less than that of any chunk that is to be served later, wherever
 * both wait; the same at every NPU, and no other chunk's under way.  @index is
 * of the chunk in its collective, @seq of all chunks as they are made. */
uint64_t order_of_chunk(const CollInstance *coll, uint32_t index, uint64_t seq);
/* Likewise of a chunk of @communicator that has @tag, see communicators.h; and
 * that tag again. */
uint64_t order_of_tag(uint64_t tag, uint32_t communicator);
uint64_t tag_of_order(uint64_t order);

#endif
