/*
 * cross_rank_match.c - matches collectives and messages across ranks
 *
 * Each communication gets a key of its kind, group, peers, and number in
 * sequence or order.  Communications with equal keys are one instance.  If
 * guessed instances turn out to be implausible, they are left out and the match
 * is repeated.
 */
#include "workloads/recording/cross_rank_match.h"

#include <string.h>

/* Properties by which communications are matched: nodes with equal keys belong
 * together.  The key is hashed as bytes, so all bytes must be set. */
typedef struct {
    uint64_t number; /* number of the communication in sequence, or in order */
    uint32_t kind, group, set;
    uint32_t from, to, tag; /* ends and tag of a message */
    uint32_t by_sequence, unused;
} MatchKey;

typedef struct {
    int64_t at_ps; /* time of the launch if there is one, else of the begin */
    uint32_t node;
} Place;

typedef struct {
    const Recording *recording;
    /* Borrowed: the nodes to match; NULL: all nodes. */
    const RecordWindow *window;
    int64_t first_ns;
    RecordMatch *match;
    GHashTable *instances; /* owned: maps a MatchKey to instance + 1 */
    /* Owned: for one rank, maps a MatchKey with .number 0 to a count. */
    GHashTable *counts;
    /* Owned: by rank and node, whether a wrong guess has matched it. */
    uint8_t **is_excluded;
} Matcher;

static guint match_key_hash(gconstpointer data)
{
    const guint8 *bytes = data;
    guint hash = 2166136261U;

    for (gsize i = 0; i < sizeof(MatchKey); i++)
        hash = (hash ^ bytes[i]) * 16777619U;
    return hash;
}

static gboolean match_key_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(MatchKey)) == 0;
}

/* Returns whether @node is a communication that is replayed. */
static gboolean is_replayed_communication(const RecordNode *node)
{
    return node->kind == RECORD_COLLECTIVE || node->kind == RECORD_SEND ||
           node->kind == RECORD_RECEIVE;
}

gboolean record_find_rank_in_group(const OpGroup *group, uint32_t id,
                                   uint32_t *set, uint32_t *place)
{
    *set = 0;
    *place = id;
    if (group->grouped_by == GROUP_STRIDE && group->size > 0) {
        uint32_t stride = MAX(group->stride, 1);

        *set = id / (group->size * stride) * stride + id % stride;
        *place = id / stride % group->size;
        return TRUE;
    }
    if (group->grouped_by != GROUP_LISTS)
        return TRUE;
    for (uint32_t i = 0; i < group->n_lists * group->size; i++)
        if (group->ids[i] == id) {
            *set = i / group->size;
            *place = i % group->size;
            return TRUE;
        }
    return FALSE;
}

/* ---- nodes of a rank in the order of their launches ------------------- */

static int compare_calls_by_time(gconstpointer a, gconstpointer b)
{
    const Place *place = a, *y = b;

    if (place->at_ps != y->at_ps)
        return place->at_ps < y->at_ps ? -1 : 1;
    return (place->node > y->node) - (place->node < y->node);
}

/* Returns whether the rank has collectives on its device. */
static gboolean rank_has_device_collectives(const RecordRank *rank)
{
    for (guint i = 0; i < rank->nodes->len; i++)
        if (is_replayed_communication(record_node(rank, i)) &&
            !record_is_host(record_node(rank, i)))
            return TRUE;
    return FALSE;
}

/* Returns the communications of a rank, sorted by time.  The caller owns the
 * array. */
static GArray *communications_of_rank(Matcher *matcher, guint r)
{
    const RecordRank *rank = record_rank(matcher->recording, r);
    GArray *places = g_array_new(FALSE, FALSE, sizeof(Place));
    gboolean on_device = rank_has_device_collectives(rank);

    for (guint i = 0; i < rank->nodes->len; i++) {
        const RecordNode *node = record_node(rank, i);
        const RecordNode *from = node->launch < rank->nodes->len
                                     ? record_node(rank, node->launch)
                                     : node;
        Place place = { from->begin_ps, i };

        if (!is_replayed_communication(node) || node->comm == RECORD_NONE ||
            (matcher->window &&
             !record_span_of_rank(matcher->window, r)->is_in_window[i]) ||
            matcher->is_excluded[r][i])
            continue;
        if (on_device && record_is_host(node))
            matcher->match->n_on_host++;
        else
            g_array_append_val(places, place);
    }
    g_array_sort(places, compare_calls_by_time);
    return places;
}

/* ---- instances -------------------------------------------------------- */

/* Returns the key of @node, without .number if it is matched by order. */
static MatchKey match_key_of_node(const Matcher *matcher,
                                  const RecordRank *rank,
                                  const RecordNode *node)
{
    const RecordComm *comm = record_node_communication(rank, node);
    MatchKey key = { .kind = (uint32_t)comm->kind, .group = comm->group };
    uint32_t place;

    if (node->kind == RECORD_SEND || node->kind == RECORD_RECEIVE) {
        gboolean sends = node->kind == RECORD_SEND;

        key.kind = COLL_SEND;
        key.group = RECORD_NONE;
        key.from = sends ? rank->rank : comm->peer;
        key.to = sends ? comm->peer : rank->rank;
        key.tag = comm->tag;
        return key;
    }
    if (comm->group != RECORD_NONE && rank->rank != RECORD_NO_RANK)
        (void)record_find_rank_in_group(
            &g_array_index(matcher->recording->groups, OpGroup, comm->group),
            rank->rank, &key.set, &place);
    if (comm->has_sequence) {
        key.by_sequence = 1;
        key.number = comm->sequence;
    }
    return key;
}

/* Counts one more node with @key and returns the new count. */
static uint64_t count_occurrence_of_match_key(Matcher *matcher,
                                              const MatchKey *key,
                                              gboolean is_receive)
{
    MatchKey like = *key;
    uint64_t n;

    like.unused = is_receive ? 1 : 0;
    n = GPOINTER_TO_SIZE(g_hash_table_lookup(matcher->counts, &like)) + 1;
    g_hash_table_insert(matcher->counts, g_memdup2(&like, sizeof like),
                        GSIZE_TO_POINTER((gsize)n));
    return n;
}

static uint32_t find_or_add_instance(Matcher *matcher, const MatchKey *key)
{
    guint there =
        GPOINTER_TO_UINT(g_hash_table_lookup(matcher->instances, key));
    RecordInstance added = { .kind = (CollKind)key->kind,
                             .group = key->group,
                             .by_sequence = key->by_sequence != 0,
                             .first_begin_ps = RECORD_NO_TIME,
                             .last_begin_ps = RECORD_NO_TIME,
                             .end_ps = RECORD_NO_TIME };

    if (there > 0)
        return there - 1;
    g_array_append_val(matcher->match->instances, added);
    g_hash_table_insert(matcher->instances, g_memdup2(key, sizeof *key),
                        GUINT_TO_POINTER(matcher->match->instances->len));
    return matcher->match->instances->len - 1;
}

static void find_collective_instances(Matcher *matcher, guint r)
{
    const RecordRank *rank = record_rank(matcher->recording, r);
    g_autoptr(GArray) places = communications_of_rank(matcher, r);

    g_hash_table_remove_all(matcher->counts);
    for (guint i = 0; i < places->len; i++) {
        uint32_t at = g_array_index(places, Place, i).node;
        const RecordNode *node = record_node(rank, at);
        MatchKey key = match_key_of_node(matcher, rank, node);
        uint32_t instance;

        if (!key.by_sequence)
            key.number = count_occurrence_of_match_key(
                matcher, &key, node->kind == RECORD_RECEIVE);
        instance = find_or_add_instance(matcher, &key);
        matcher->match->instance_of_node[r][at] = instance;
        record_instance(matcher->match, instance)->n++;
    }
}

/* ---- members ---------------------------------------------------------- */

static void merge_member_times(const Matcher *matcher, const RecordRank *rank,
                               const RecordNode *node, RecordInstance *instance)
{
    int64_t begin_ps, end_ps;

    if (node->begin_ps == RECORD_NO_TIME)
        return;
    begin_ps = record_begin_ps(rank, node, matcher->first_ns);
    end_ps = record_end_ps(rank, node, matcher->first_ns);
    if (instance->first_begin_ps == RECORD_NO_TIME ||
        begin_ps < instance->first_begin_ps)
        instance->first_begin_ps = begin_ps;
    instance->last_begin_ps = MAX(instance->last_begin_ps, begin_ps);
    instance->end_ps = MAX(instance->end_ps, end_ps);
}

static void add_instance_member(const Matcher *matcher, guint r, uint32_t at,
                                uint32_t *filled)
{
    const RecordRank *rank = record_rank(matcher->recording, r);
    uint32_t i = matcher->match->instance_of_node[r][at];
    RecordInstance *instance = record_instance(matcher->match, i);
    RecordMember member = { r, at };
    uint32_t slot = filled[i]++;

    /* The sender of a message precedes its receiver in .members. */
    if (record_node(rank, at)->kind == RECORD_SEND && slot > 0) {
        g_array_index(matcher->match->members, RecordMember,
                      instance->first + slot) =
            g_array_index(matcher->match->members, RecordMember,
                          instance->first);
        slot = 0;
    }
    g_array_index(matcher->match->members, RecordMember,
                  instance->first + slot) = member;
    merge_member_times(matcher, rank, record_node(rank, at), instance);
}

static void fill_instance_members(Matcher *matcher)
{
    RecordMatch *match = matcher->match;
    g_autofree uint32_t *filled = g_new0(uint32_t, match->instances->len + 1);
    uint32_t n = 0;

    for (guint i = 0; i < match->instances->len; i++) {
        record_instance(match, i)->first = n;
        n += record_instance(match, i)->n;
    }
    g_array_set_size(match->members, n);
    for (guint r = 0; r < matcher->recording->ranks->len; r++)
        for (guint i = 0; i < record_rank(matcher->recording, r)->nodes->len;
             i++)
            if (match->instance_of_node[r][i] != RECORD_NONE)
                add_instance_member(matcher, r, i, filled);
}

/* ---- counts ----------------------------------------------------------- */

/* Returns the number of recorded ranks that should take part in @instance. */
static uint32_t n_expected_ranks(const Matcher *matcher,
                                 const RecordInstance *instance)
{
    const RecordMember *one = record_member(matcher->match, instance, 0);
    uint32_t id = record_rank(matcher->recording, one->rank)->rank;
    uint32_t set, place, other_set, n = 0;
    const OpGroup *group;

    if (id == RECORD_NO_RANK)
        return 1;
    if (instance->group == RECORD_NONE)
        return matcher->recording->ranks->len;
    group =
        &g_array_index(matcher->recording->groups, OpGroup, instance->group);
    if (!record_find_rank_in_group(group, id, &set, &place))
        return 1;
    for (guint r = 0; r < matcher->recording->ranks->len; r++)
        if (record_find_rank_in_group(group,
                                      record_rank(matcher->recording, r)->rank,
                                      &other_set, &place) &&
            other_set == set)
            n++;
    return n;
}

/* Returns whether some rank ended @instance before the last rank began it. */
static gboolean some_rank_ended_early(const Matcher *matcher,
                                      const RecordInstance *instance)
{
    int64_t first_end_ps = G_MAXINT64;

    if (instance->last_begin_ps == RECORD_NO_TIME)
        return FALSE;
    for (guint i = 0; i < instance->n; i++) {
        const RecordMember *member = record_member(matcher->match, instance, i);
        const RecordRank *rank = record_rank(matcher->recording, member->rank);
        const RecordNode *node = record_node(rank, member->node);

        if (node->begin_ps != RECORD_NO_TIME)
            first_end_ps =
                MIN(first_end_ps, record_end_ps(rank, node, matcher->first_ns));
    }
    return first_end_ps < instance->last_begin_ps;
}

static void count_collective_instances(Matcher *matcher)
{
    RecordMatch *match = matcher->match;

    for (guint i = 0; i < match->instances->len; i++) {
        RecordInstance *instance = record_instance(match, i);

        if (instance->kind == COLL_SEND) {
            instance->n_expected = 2;
            if (instance->n == 2)
                match->n_messages++;
            else
                match->n_alone++;
            continue;
        }
        instance->n_expected = n_expected_ranks(matcher, instance);
        if (instance->n < instance->n_expected)
            match->n_partial++;
        else if (instance->n > 1 && instance->by_sequence)
            match->n_by_sequence++;
        else if (instance->n > 1)
            match->n_by_order++;
        if (some_rank_ended_early(matcher, instance))
            match->n_apart++;
    }
}

/* ---- guesses ---------------------------------------------------------- */

/* Tolerance for the ends of one exchange.  In the sample of Nsight Systems,
 * whose 33 exchanges are on both ranks, the ends differ by at most 27 us. */
#define ENDS_TOGETHER_PS 50000000

static gboolean instance_match_is_guess(const Matcher *matcher,
                                        const RecordInstance *instance)
{
    const RecordMember *one = record_member(matcher->match, instance, 0);
    const RecordRank *rank = record_rank(matcher->recording, one->rank);

    return instance->kind != COLL_SEND &&
           record_node_communication(rank, record_node(rank, one->node))
               ->is_guess;
}

/* Returns whether a guessed instance is plausible: all ranks have it, and it
 * ends on all ranks at the same time. */
static gboolean guessed_peer_is_plausible(const Matcher *matcher,
                                          const RecordInstance *instance)
{
    int64_t first_ps = G_MAXINT64, last_ps = G_MININT64;

    for (guint i = 0; i < instance->n; i++) {
        const RecordMember *member = record_member(matcher->match, instance, i);
        const RecordRank *rank = record_rank(matcher->recording, member->rank);
        const RecordNode *node = record_node(rank, member->node);
        int64_t end_ps = record_end_ps(rank, node, matcher->first_ns);

        if (end_ps == RECORD_NO_TIME)
            return TRUE;
        first_ps = MIN(first_ps, end_ps);
        last_ps = MAX(last_ps, end_ps);
    }
    return instance->n >= instance->n_expected &&
           last_ps - first_ps <= ENDS_TOGETHER_PS &&
           instance->last_begin_ps < first_ps;
}

/* Marks the nodes of implausible guesses, so that the next match leaves them
 * out.  Returns their number. */
static guint exclude_implausible_peer_guesses(Matcher *matcher)
{
    guint n = 0;

    for (guint i = 0; i < matcher->match->instances->len; i++) {
        const RecordInstance *instance = record_instance(matcher->match, i);

        if (instance->n == 0 || instance->n_expected < 2 ||
            !instance_match_is_guess(matcher, instance) ||
            guessed_peer_is_plausible(matcher, instance))
            continue;
        for (guint k = 0; k < instance->n; k++) {
            const RecordMember *member =
                record_member(matcher->match, instance, k);

            matcher->is_excluded[member->rank][member->node] = 1;
            n++;
        }
    }
    return n;
}

/* ---- the match -------------------------------------------------------- */

static RecordMatch *match_nodes_of_all_ranks(Matcher *from)
{
    Matcher m = *from;
    const Recording *recording = m.recording;

    m.match = g_new0(RecordMatch, 1);
    m.match->instances = g_array_new(FALSE, FALSE, sizeof(RecordInstance));
    m.match->members = g_array_new(FALSE, TRUE, sizeof(RecordMember));
    m.match->n_ranks = recording->ranks->len;
    m.match->instance_of_node = g_new0(uint32_t *, m.match->n_ranks + 1);
    m.instances =
        g_hash_table_new_full(match_key_hash, match_key_equal, g_free, NULL);
    m.counts =
        g_hash_table_new_full(match_key_hash, match_key_equal, g_free, NULL);
    for (guint r = 0; r < m.match->n_ranks; r++) {
        guint n = record_rank(recording, r)->nodes->len;

        m.match->instance_of_node[r] = g_new(uint32_t, n + 1);
        memset(m.match->instance_of_node[r], 0xff, (n + 1) * sizeof(uint32_t));
        find_collective_instances(&m, r);
    }
    fill_instance_members(&m);
    count_collective_instances(&m);
    g_hash_table_unref(m.instances);
    g_hash_table_unref(m.counts);
    from->match = m.match;
    return m.match;
}

RecordMatch *record_match_ranks(const Recording *recording,
                                const RecordWindow *window)
{
    Matcher m = { .recording = recording,
                  .window = window,
                  .first_ns = record_earliest_clock_base_ns(recording) };
    guint n_ranks = recording->ranks->len, n_alone;
    RecordMatch *match;

    m.is_excluded = g_new0(uint8_t *, n_ranks + 1);
    for (guint r = 0; r < n_ranks; r++)
        m.is_excluded[r] =
            g_new0(uint8_t, record_rank(recording, r)->nodes->len + 1);
    match = match_nodes_of_all_ranks(&m);
    n_alone = exclude_implausible_peer_guesses(&m);
    if (n_alone > 0) {
        record_match_free(match);
        match = match_nodes_of_all_ranks(&m);
        match->n_alone += n_alone;
    }
    for (guint r = 0; r < n_ranks; r++)
        g_free(m.is_excluded[r]);
    g_free(m.is_excluded);
    return match;
}

void record_match_free(RecordMatch *match)
{
    if (!match)
        return;
    for (guint r = 0; r < match->n_ranks; r++)
        g_free(match->instance_of_node[r]);
    g_free(match->instance_of_node);
    g_array_unref(match->instances);
    g_array_unref(match->members);
    g_free(match);
}

uint64_t record_instance_ps(const Recording *recording,
                            const RecordMatch *match,
                            const RecordInstance *instance)
{
    uint64_t longest_ps = 0;

    if (instance->last_begin_ps != RECORD_NO_TIME)
        return (uint64_t)MAX(instance->end_ps - instance->last_begin_ps, 0);
    for (guint i = 0; i < instance->n; i++) {
        const RecordMember *member = record_member(match, instance, i);
        const RecordNode *node =
            record_node(record_rank(recording, member->rank), member->node);

        longest_ps = MAX(longest_ps, node->duration_ps);
    }
    return longest_ps;
}
