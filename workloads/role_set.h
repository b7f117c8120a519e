/*
 * role_set.h - immutable sets of roles, such as those that run an operation
 *
 * A table keeps each set once, so two sets of one table are equal if they are
 * the same pointer.  The empty set is NULL; all functions accept it.
 *
 * A set stores the words of a bitmap from its first role to its last, so a set
 * of neighbours takes little memory, however many roles there are.
 *
 * Order    roles ascend
 * Range    roles are less than OP_MAX_ROLES (roles_and_groups.h)
 * Owner    the table owns its sets, which live as long as the table
 * Threads  a table is used by one thread at a time; sets may be read by several
 */
#ifndef WORKLOADS_ROLE_SET_H
#define WORKLOADS_ROLE_SET_H

#include <glib.h>
#include <stdint.h>

#define ROLE_SET_END UINT32_MAX /* follows the last role of a set */

#define ROLE_SET_WORD_BITS 64

typedef struct {
    uint64_t bits;
    uint32_t n_before; /* roles of the set in the words before this one */
} RoleSetWord;

typedef struct {
    uint32_t first_word; /* bit b of .words[w] is the role with the number
                          * ROLE_SET_WORD_BITS * (.first_word + w) + b */
    uint32_t n_words;    /* neither the first nor the last word is 0 */
    uint32_t n;          /* roles, at least 1 */
    RoleSetWord words[];
} RoleSet;

typedef struct RoleSets RoleSets;

RoleSets *role_sets_new(void);
void role_sets_free(RoleSets *sets);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RoleSets, role_sets_free)

/* All functions below return a set of the table @sets.  Their arguments are
 * sets of this table unless stated otherwise. */

/* Returns the set of @role only. */
const RoleSet *role_sets_of_one_role(RoleSets *sets, uint32_t role);
/* Returns the roles 0 to @n - 1. */
const RoleSet *role_sets_first_n(RoleSets *sets, uint32_t n);
/* Returns @set and @role. */
const RoleSet *role_sets_add_role(RoleSets *sets, const RoleSet *set,
                                  uint32_t role);
const RoleSet *role_sets_union(RoleSets *sets, const RoleSet *first,
                               const RoleSet *second);
/* Returns the roles of @first that are not in @second. */
const RoleSet *role_sets_difference(RoleSets *sets, const RoleSet *first,
                                    const RoleSet *second);
/* Returns the roles that are in @first and in @second. */
const RoleSet *role_sets_intersection(RoleSets *sets, const RoleSet *first,
                                      const RoleSet *second);
/* Returns the roles of @set, each plus @by.  @set may be of another table. */
const RoleSet *role_sets_shifted(RoleSets *sets, const RoleSet *set,
                                 uint32_t by);

/* Returns the bits of word @word of the whole bitmap, 0 outside the set. */
static inline uint64_t role_set_bits(const RoleSet *set, uint32_t word)
{
    /* wraps around if @word is less than .first_word */
    uint32_t at = set ? word - set->first_word : 0;

    return set && at < set->n_words ? set->words[at].bits : 0;
}

static inline gboolean role_set_has(const RoleSet *set, uint32_t role)
{
    return role_set_bits(set, role / ROLE_SET_WORD_BITS) >>
               role % ROLE_SET_WORD_BITS &
           1;
}

/* Returns the number of roles in @set. */
static inline uint32_t role_set_n_roles(const RoleSet *set)
{
    return set ? set->n : 0;
}

static inline gboolean role_set_has_one_role(const RoleSet *set)
{
    return role_set_n_roles(set) == 1;
}

/* Returns the number of roles in @set that are less than @role. */
static inline uint32_t role_set_index_of_role(const RoleSet *set, uint32_t role)
{
    uint32_t word = role / ROLE_SET_WORD_BITS;
    uint64_t below = (UINT64_C(1) << role % ROLE_SET_WORD_BITS) - 1;
    const RoleSetWord *at;

    if (!set || word < set->first_word)
        return 0;
    if (word - set->first_word >= set->n_words)
        return set->n;
    at = &set->words[word - set->first_word];
    return at->n_before + (uint32_t)__builtin_popcountll(at->bits & below);
}

/* Returns the first role of @set that is at least @role, or ROLE_SET_END. */
static inline uint32_t role_set_find_at_least(const RoleSet *set, uint32_t role)
{
    uint32_t word = role / ROLE_SET_WORD_BITS, at;
    uint64_t bits;

    if (!set)
        return ROLE_SET_END;
    at = word < set->first_word ? 0 : word - set->first_word;
    if (at >= set->n_words)
        return ROLE_SET_END;
    bits = set->words[at].bits;
    if (word >= set->first_word)
        bits &= UINT64_MAX << role % ROLE_SET_WORD_BITS;
    while (bits == 0 && ++at < set->n_words)
        bits = set->words[at].bits;
    return bits == 0 ? ROLE_SET_END
                     : (set->first_word + at) * ROLE_SET_WORD_BITS +
                           (uint32_t)__builtin_ctzll(bits);
}

/* Returns the smallest role of @set, or ROLE_SET_END. */
static inline uint32_t role_set_first(const RoleSet *set)
{
    return role_set_find_at_least(set, 0);
}

/* Returns the smallest role of @set that is more than @after, or
 * ROLE_SET_END. */
static inline uint32_t role_set_next(const RoleSet *set, uint32_t after)
{
    return role_set_find_at_least(set, after + 1);
}

/* Returns whether @set is the set of @role only. */
static inline gboolean role_set_is_equal(const RoleSet *set, uint32_t role)
{
    return role_set_has_one_role(set) && role_set_has(set, role);
}

/* Returns whether all roles of @second are in @first. */
static inline gboolean role_set_contains(const RoleSet *first,
                                         const RoleSet *second)
{
    for (uint32_t w = 0; second && first != second && w < second->n_words; w++)
        if (second->words[w].bits &
            ~role_set_bits(first, second->first_word + w))
            return FALSE;
    return TRUE;
}

/* Returns whether some role is in @first and in @second. */
static inline gboolean role_set_intersects(const RoleSet *first,
                                           const RoleSet *second)
{
    if (first == second)
        return first != NULL;
    for (uint32_t w = 0; first && w < first->n_words; w++)
        if (first->words[w].bits & role_set_bits(second, first->first_word + w))
            return TRUE;
    return FALSE;
}

#endif
