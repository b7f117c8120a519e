/* role_set.c - makes sets of roles, and keeps each of them once */
#include "workloads/role_set.h"

#include "workloads/roles_and_groups.h"

struct RoleSets {
    GHashTable *sets; /* owned: the sets, by content */
    GPtrArray *ones;  /* owned: the set of each role alone, borrowed; or NULL */
};

/* ---- the table --------------------------------------------------------- */

static guint hash_of_role_set(gconstpointer data)
{
    const RoleSet *set = data;
    uint64_t h = set->first_word;

    for (uint32_t w = 0; w < set->n_words; w++) {
        h = (h ^ set->words[w].bits) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return (guint)h;
}

static gboolean role_sets_are_equal(gconstpointer a, gconstpointer b)
{
    const RoleSet *set = a, *y = b;

    if (set->first_word != y->first_word || set->n_words != y->n_words)
        return FALSE;
    for (uint32_t w = 0; w < set->n_words; w++)
        if (set->words[w].bits != y->words[w].bits)
            return FALSE;
    return TRUE;
}

RoleSets *role_sets_new(void)
{
    RoleSets *sets = g_new(RoleSets, 1);

    sets->sets = g_hash_table_new_full(hash_of_role_set, role_sets_are_equal,
                                       g_free, NULL);
    sets->ones = g_ptr_array_new();
    return sets;
}

void role_sets_free(RoleSets *sets)
{
    if (!sets)
        return;
    g_hash_table_unref(sets->sets);
    g_ptr_array_unref(sets->ones);
    g_free(sets);
}

/* ---- construction ------------------------------------------------------ */

/* Returns an empty bitmap of the words @first to @end - 1.  The caller owns
 * it. */
static RoleSet *role_bitmap_new(uint32_t first, uint32_t end)
{
    RoleSet *set =
        g_malloc0(sizeof *set + (end - first) * sizeof set->words[0]);

    g_assert(first < end);
    g_assert(end <= OP_MAX_ROLES / ROLE_SET_WORD_BITS + 1);
    set->first_word = first;
    set->n_words = end - first;
    return set;
}

/* Removes empty words at both ends of the bitmap, and counts its roles. */
static void remove_leading_empty_words(RoleSet *set)
{
    uint32_t n_empty = 0;

    while (set->n_words > 0 && set->words[set->n_words - 1].bits == 0)
        set->n_words--;
    while (n_empty < set->n_words && set->words[n_empty].bits == 0)
        n_empty++;
    set->first_word += n_empty;
    set->n_words -= n_empty;
    for (uint32_t w = 0; w < set->n_words; w++) {
        set->words[w] = (RoleSetWord){ .bits = set->words[w + n_empty].bits,
                                       .n_before = set->n };
        set->n += (uint32_t)__builtin_popcountll(set->words[w].bits);
    }
}

/* Returns the set of the table that is equal to @bitmap, which it takes. */
static const RoleSet *keep_role_set_once(RoleSets *sets, RoleSet *bitmap)
{
    const RoleSet *known;

    remove_leading_empty_words(bitmap);
    known = bitmap->n == 0 ? NULL : g_hash_table_lookup(sets->sets, bitmap);
    if (known || bitmap->n == 0) {
        g_free(bitmap);
        return known;
    }
    g_hash_table_add(sets->sets, bitmap);
    return bitmap;
}

static void add_role_bit_to_set(RoleSet *bitmap, uint32_t role)
{
    uint32_t at = role / ROLE_SET_WORD_BITS - bitmap->first_word;

    g_assert(role < OP_MAX_ROLES && at < bitmap->n_words);
    bitmap->words[at].bits |= UINT64_C(1) << role % ROLE_SET_WORD_BITS;
}

const RoleSet *role_sets_of_one_role(RoleSets *sets, uint32_t role)
{
    uint32_t word = role / ROLE_SET_WORD_BITS;
    gpointer *ret;

    g_assert(role < OP_MAX_ROLES);
    if (role >= sets->ones->len)
        g_ptr_array_set_size(sets->ones, (gint)role + 1);
    ret = &sets->ones->pdata[role];
    if (!*ret) {
        RoleSet *one = role_bitmap_new(word, word + 1);

        add_role_bit_to_set(one, role);
        *ret = (gpointer)keep_role_set_once(sets, one);
    }
    return *ret;
}

const RoleSet *role_sets_first_n(RoleSets *sets, uint32_t n)
{
    RoleSet *first;

    if (n == 0)
        return NULL;
    first = role_bitmap_new(0, (n - 1) / ROLE_SET_WORD_BITS + 1);
    for (uint32_t role = 0; role < n; role++)
        add_role_bit_to_set(first, role);
    return keep_role_set_once(sets, first);
}

const RoleSet *role_sets_add_role(RoleSets *sets, const RoleSet *set,
                                  uint32_t role)
{
    return role_set_has(set, role)
               ? set
               : role_sets_union(sets, set, role_sets_of_one_role(sets, role));
}

const RoleSet *role_sets_union(RoleSets *sets, const RoleSet *first,
                               const RoleSet *second)
{
    RoleSet *both;

    if (!first || !second || first == second)
        return first ? first : second;
    both = role_bitmap_new(MIN(first->first_word, second->first_word),
                           MAX(first->first_word + first->n_words,
                               second->first_word + second->n_words));
    for (uint32_t w = 0; w < both->n_words; w++)
        both->words[w].bits = role_set_bits(first, both->first_word + w) |
                              role_set_bits(second, both->first_word + w);
    return keep_role_set_once(sets, both);
}

const RoleSet *role_sets_difference(RoleSets *sets, const RoleSet *first,
                                    const RoleSet *second)
{
    RoleSet *rest;

    if (!role_set_intersects(first, second))
        return first;
    rest =
        role_bitmap_new(first->first_word, first->first_word + first->n_words);
    for (uint32_t w = 0; w < rest->n_words; w++)
        rest->words[w].bits =
            first->words[w].bits & ~role_set_bits(second, rest->first_word + w);
    return keep_role_set_once(sets, rest);
}

const RoleSet *role_sets_intersection(RoleSets *sets, const RoleSet *first,
                                      const RoleSet *second)
{
    RoleSet *common;

    if (first == second || !role_set_intersects(first, second))
        return first == second ? first : NULL;
    common =
        role_bitmap_new(first->first_word, first->first_word + first->n_words);
    for (uint32_t w = 0; w < common->n_words; w++)
        common->words[w].bits = first->words[w].bits &
                                role_set_bits(second, common->first_word + w);
    return keep_role_set_once(sets, common);
}

const RoleSet *role_sets_shifted(RoleSets *sets, const RoleSet *set,
                                 uint32_t by)
{
    uint32_t first, end;
    RoleSet *shifted;

    if (!set)
        return NULL;
    if (role_set_has_one_role(set))
        return role_sets_of_one_role(sets, role_set_first(set) + by);
    first = set->first_word + by / ROLE_SET_WORD_BITS;
    end = first + set->n_words + 1;
    shifted =
        role_bitmap_new(first, MIN(end, OP_MAX_ROLES / ROLE_SET_WORD_BITS + 1));
    for (uint32_t role = role_set_first(set); role != ROLE_SET_END;
         role = role_set_next(set, role))
        add_role_bit_to_set(shifted, role + by);
    return keep_role_set_once(sets, shifted);
}
