/*
 * roles.c - which ranks have one list of operations
 *
 * Ranks are alike if they do the same and wait for the same, whatever time it
 * takes.  If that makes too many roles, those that do the same are alike, and
 * wait as the first of them does.
 */
#include "workloads/recording/take/script.h"

#include "sim/config/config_error.h"

typedef struct {
    const Script *script;
    gboolean with_deps;
    GChecksum *sum;
} Likeness;

static void mix(Likeness *l, uint64_t value)
{
    g_checksum_update(l->sum, (const guchar *)&value, sizeof value);
}

static void mix_text(Likeness *l, const char *text)
{
    g_checksum_update(l->sum, (const guchar *)text, (gssize)strlen(text) + 1);
}

/* What both have to do there alike, be it one operation or two. */
static void mix_shared(Likeness *l, uint32_t rank, const TakeOp *op)
{
    const Script *s = l->script;
    const RecordInstance *instance =
        record_instance(s->take->match, op->instance);
    const RecordRank *from = record_rank(s->take->recording, rank);
    const RecordComm *comm = record_comm(from, record_node(from, op->node));

    mix(l, (uint64_t)instance->kind);
    mix(l, s->group_of[op->instance]);
    mix(l, instance->kind == COLL_ALL_TO_ALLV ? 0 : comm->bytes);
    if (instance->kind != COLL_SEND)
        return;
    for (guint i = 0; i < 2; i++) {
        uint32_t end = record_member(s->take->match, instance, i)->rank;

        mix(l, s->component_place[end]);
        mix(l, end == rank);
    }
}

static void mix_op(Likeness *l, uint32_t rank, const TakeOp *op)
{
    const RecordRank *from = record_rank(l->script->take->recording, rank);

    mix(l, op->kind);
    mix(l, op->is_empty ? 1 : 0);
    if (op->kind == TAKE_SHARED)
        mix_shared(l, rank, op);
    else if (op->node != RECORD_NONE)
        mix_text(l, record_node(from, op->node)->name);
    if (op->chain < from->streams->len)
        mix(l, g_array_index(from->streams, RecordStream, op->chain).id);
}

/* Owner: the caller. */
static char *likeness(const Script *script, uint32_t r, gboolean with_deps)
{
    Likeness l = { script, with_deps, g_checksum_new(G_CHECKSUM_SHA256) };
    const TakeRank *rank = take_rank(script->take, r);
    char *text;

    mix(&l, script->component_place[r]);
    for (uint32_t i = 0; i < rank->ops->len; i++) {
        const TakeOp *op = take_op(rank, i);

        mix_op(&l, r, op);
        for (uint32_t d = 0; with_deps && d < op->n_deps; d++) {
            mix(&l, take_dep(rank, op, d)->op);
            mix(&l, take_dep(rank, op, d)->is_before ? 1 : 0);
        }
        mix(&l, op->n_deps * (with_deps ? 1 : 0));
    }
    text = g_strdup(g_checksum_get_string(l.sum));
    g_checksum_free(l.sum);
    return text;
}

/* ---- roles ------------------------------------------------------------ */

static void clear_role(gpointer data)
{
    TakeRole *role = data;

    g_array_unref(role->ranks);
    g_array_unref(role->npus);
}

/* Ranks in the order of NPUs.  Owner: the caller. */
static uint32_t *by_place(const Script *s)
{
    guint n = s->take->ranks->len;
    uint32_t *ranks = g_new(uint32_t, n + 1);
    guint filled = 0;

    for (uint32_t place = 0; filled < n && place < UINT32_MAX; place++)
        for (uint32_t r = 0; r < n; r++)
            if (s->place_of[r] == place)
                ranks[filled++] = r;
    return ranks;
}

static void find(Script *s, gboolean with_deps)
{
    g_autoptr(GHashTable) roles =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree uint32_t *ranks = by_place(s);

    g_array_set_size(s->roles, 0);
    for (guint i = 0; i < s->take->ranks->len; i++) {
        char *like = likeness(s, ranks[i], with_deps);
        guint there = GPOINTER_TO_UINT(g_hash_table_lookup(roles, like));

        if (there == 0) {
            TakeRole role = {
                .ranks = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                .npus = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
            };

            g_array_append_val(s->roles, role);
            there = s->roles->len;
            g_hash_table_insert(roles, g_strdup(like), GUINT_TO_POINTER(there));
        }
        g_array_append_val(script_role(s, there - 1)->ranks, ranks[i]);
        take_rank(s->take, ranks[i])->role = there - 1;
        g_free(like);
    }
}

/* ---- which NPUs ------------------------------------------------------- */

/* The number of the role that @npu has. */
static uint32_t role_of(const Script *s, uint32_t npu)
{
    return take_rank(s->take, s->likes[npu])->role;
}

static void find_npus(Script *s)
{
    script_find_likes(s);
    for (uint32_t npu = 0; npu < s->n_ranks; npu++)
        g_array_append_val(script_role(s, role_of(s, npu))->npus, npu);
}

/* NPUs of which id / stride mod size is at, and all of those. */
static gboolean fits(const Script *s, uint32_t role, uint32_t size,
                     uint32_t stride, uint32_t at)
{
    for (uint32_t npu = 0; npu < s->n_ranks; npu++)
        if ((npu / stride % size == at) != (role_of(s, npu) == role))
            return FALSE;
    return TRUE;
}

static void say_which(const Script *s, uint32_t number)
{
    TakeRole *role = script_role(s, number);
    uint32_t n = role->npus->len;
    uint32_t first = n > 0 ? g_array_index(role->npus, uint32_t, 0) : 0;

    if (s->roles->len == 1) {
        role->by = RANKS_ALL;
        return;
    }
    role->by = RANKS_STRIDE;
    for (role->stride = 1; role->stride <= n; role->stride++) {
        role->size = s->n_ranks / n;
        role->at = first / role->stride % MAX(role->size, 1);
        if (s->n_ranks % n == 0 &&
            s->n_ranks % (role->size * role->stride) == 0 &&
            fits(s, number, role->size, role->stride, role->at))
            return;
    }
    role->by = RANKS_LIST;
}

static void settle(Script *s, TakeRole *role)
{
    uint32_t first = g_array_index(role->ranks, uint32_t, 0);

    for (guint i = 1; i < role->ranks->len; i++) {
        uint32_t r = g_array_index(role->ranks, uint32_t, i);

        take_settle(s->take, r, take_rank(s->take, first));
        s->take->report.n[REPORT_LOOSE]++;
    }
}

gboolean script_find_roles(Script *s, GError **error)
{
    gboolean is_loose = FALSE;

    s->roles = g_array_new(FALSE, TRUE, sizeof(TakeRole));
    g_array_set_clear_func(s->roles, clear_role);
    find(s, TRUE);
    if (s->roles->len > OP_MAX_ROLES) {
        is_loose = TRUE;
        find(s, FALSE);
    }
    if (s->roles->len > OP_MAX_ROLES) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                    "the %u ranks do %u different things, and a program has "
                    "%d roles at most: import fewer ranks, or one iteration in "
                    "which they are alike",
                    s->take->ranks->len, s->roles->len, OP_MAX_ROLES);
        return FALSE;
    }
    find_npus(s);
    for (guint i = 0; i < s->roles->len; i++) {
        if (is_loose)
            settle(s, script_role(s, i));
        say_which(s, i);
    }
    s->take->report.n[REPORT_ROLES] = s->roles->len;
    return TRUE;
}
