/*
 * private_links.h - the links of a set of NPUs that no message of others takes
 *
 * The links of a set are those on the paths between its members along which the
 * messages of a collective may go.  They are private if the set can only be
 * disturbed on them by its own members.  So every path of any set that has one
 * of them
 *
 *   ends at a member                then the member is not at rest until the
 *                                   message has arrived, or
 *   has it as its first link        and begins at a member.  Then the member
 *                                   may be at rest while its message waits for
 *                                   the link, but the link is not.
 *
 * The adder of a switch that reduces counts as a link.
 *
 * Paths are found once, for all sets of all collectives, at the first question.
 *
 * Cost     proportional to the hops of all paths.  If these are more than
 *          PRIVATE_LINKS_MOST_HOPS, no links are private
 * Owner    the caller owns the PrivateLinks, which borrows the system
 */
#ifndef MODELS_RUN_QUIESCENT_PRIVATE_LINKS_H
#define MODELS_RUN_QUIESCENT_PRIVATE_LINKS_H

#include "models/run/run_state_impl.h"

/* A tenth of a second, and 12 MiB; assumed: no run that replays help
 * has more. */
#define PRIVATE_LINKS_MOST_HOPS (1 << 20)

typedef struct PrivateLinks PrivateLinks;

PrivateLinks *private_links_new(const System *system);
void private_links_free(PrivateLinks *links);
/* Returns the numbers of the links of @set of @coll_class, without adders,
 * sorted (of uint32_t, borrowed).  Returns NULL if they are not private. */
const GArray *private_links_of_set(PrivateLinks *links,
                                   const CollectiveClass *coll_class,
                                   uint32_t set);

#endif
