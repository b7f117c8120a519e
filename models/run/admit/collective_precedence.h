/* collective_precedence.h - the precedence of collectives, and of their chunks
 * in every server */
#ifndef MODELS_RUN_ADMIT_COLLECTIVE_PRECEDENCE_H
#define MODELS_RUN_ADMIT_COLLECTIVE_PRECEDENCE_H

#include "models/run/collective_instance_impl.h"

/* Returns whether collective @a is served before @b under scheduler @kind. */
gboolean collective_has_precedence(const CollInstance *a, const CollInstance *b,
                                   SchedulerKind kind);

/* Returns the order of a chunk: a number that is smaller for chunks that are
 * served earlier, the same on all NPUs and unique among chunks in flight.
 * @index counts the chunks within the collective, @seq all chunks in the order
 * of creation. */
uint64_t priority_of_chunk(const CollInstance *coll, uint32_t index,
                           uint64_t seq);
/* Returns the order of a chunk of @communicator with @tag (communicators.h).
 * tag_in_chunk_priority() is the inverse and returns the tag. */
uint64_t chunk_priority_from_tag(uint64_t tag, uint32_t communicator);
uint64_t tag_in_chunk_priority(uint64_t order);

#endif
