/*
 * program_roles.c - groups ranks with equal lists of operations into roles
 *
 * Ranks have one role if their operations and dependencies are equal; recorded
 * times may differ.  Work whose time the roofline determines is equal.  If that
 * yields too many roles, only operations are compared, and all ranks of a role
 * get the dependencies of its first rank.
 */
#include "workloads/recording/trace_to_program/imported_program.h"

#include "sim/config/config_error.h"

typedef struct {
    const ImportedProgram *imported;
    gboolean with_deps;
    GChecksum *sum;
} Fingerprint;

static void add_number_to_fingerprint(Fingerprint *fingerprint, uint64_t value)
{
    g_checksum_update(fingerprint->sum, (const guchar *)&value, sizeof value);
}

static void add_text_to_fingerprint(Fingerprint *fingerprint, const char *text)
{
    g_checksum_update(fingerprint->sum, (const guchar *)text,
                      (gssize)strlen(text) + 1);
}

/* Adds the properties of a shared operation that must be equal on ranks of one
 * role, even if they have different instances. */
static void add_shared_op_to_fingerprint(Fingerprint *fingerprint,
                                         uint32_t rank, const ReplayOp *op)
{
    const ImportedProgram *program = fingerprint->imported;
    const RecordInstance *instance =
        record_instance(program->replay->match, op->instance);
    const RecordRank *from = record_rank(program->replay->recording, rank);
    const RecordComm *comm =
        record_node_communication(from, record_node(from, op->node));

    add_number_to_fingerprint(fingerprint, (uint64_t)instance->kind);
    add_number_to_fingerprint(fingerprint, program->group_of[op->instance]);
    add_number_to_fingerprint(
        fingerprint, instance->kind == COLL_ALL_TO_ALLV ? 0 : comm->bytes);
    if (instance->kind != COLL_SEND)
        return;
    for (guint i = 0; i < 2; i++) {
        uint32_t end = record_member(program->replay->match, instance, i)->rank;

        add_number_to_fingerprint(fingerprint,
                                  program->index_in_component[end]);
        add_number_to_fingerprint(fingerprint, end == rank);
    }
}

/* Adds the work of a kernel whose time the roofline determines: unlike a
 * recorded time, it is written once for all ranks of a role. */
static void add_work_to_fingerprint(Fingerprint *fingerprint,
                                    const RecordRank *rank,
                                    const RecordNode *node)
{
    const RecordWork *work;

    add_number_to_fingerprint(fingerprint, record_is_roofline(node) ? 1 : 0);
    if (!record_is_roofline(node))
        return;
    work = &g_array_index(rank->works, RecordWork, node->work - 1);
    add_number_to_fingerprint(fingerprint, work->flop);
    add_number_to_fingerprint(fingerprint, work->read_bytes);
    add_number_to_fingerprint(fingerprint, work->written_bytes);
}

static void add_op_to_fingerprint(Fingerprint *fingerprint, uint32_t rank,
                                  const ReplayOp *op)
{
    const RecordRank *from =
        record_rank(fingerprint->imported->replay->recording, rank);

    add_number_to_fingerprint(fingerprint, op->kind);
    add_number_to_fingerprint(fingerprint, op->is_empty ? 1 : 0);
    if (op->kind == REPLAY_SHARED)
        add_shared_op_to_fingerprint(fingerprint, rank, op);
    else if (op->node != RECORD_NONE)
        add_text_to_fingerprint(fingerprint, record_node(from, op->node)->name);
    if (op->kind == REPLAY_KERNEL && op->node != RECORD_NONE)
        add_work_to_fingerprint(fingerprint, from, record_node(from, op->node));
    if (op->chain < from->streams->len)
        add_number_to_fingerprint(
            fingerprint,
            g_array_index(from->streams, RecordStream, op->chain).id);
}

/* Returns a checksum of the operations of rank @r.  The caller frees it. */
static char *fingerprint_of_rank_ops(const ImportedProgram *imported,
                                     uint32_t r, gboolean with_deps)
{
    Fingerprint l = { imported, with_deps, g_checksum_new(G_CHECKSUM_SHA256) };
    const ReplayRank *rank = replay_rank(imported->replay, r);
    char *text;

    add_number_to_fingerprint(&l, imported->index_in_component[r]);
    for (uint32_t i = 0; i < rank->ops->len; i++) {
        const ReplayOp *op = replay_op(rank, i);

        add_op_to_fingerprint(&l, r, op);
        for (uint32_t d = 0; with_deps && d < op->n_deps; d++) {
            add_number_to_fingerprint(&l, replay_dep(rank, op, d)->op);
            add_number_to_fingerprint(
                &l, replay_dep(rank, op, d)->is_before ? 1 : 0);
        }
        add_number_to_fingerprint(&l, op->n_deps * (with_deps ? 1 : 0));
    }
    text = g_strdup(g_checksum_get_string(l.sum));
    g_checksum_free(l.sum);
    return text;
}

/* ---- roles ------------------------------------------------------------ */

static void clear_imported_role(gpointer data)
{
    ImportedRole *role = data;

    g_array_unref(role->ranks);
    g_array_unref(role->npus);
}

/* Returns the ranks of the recording in the order of their NPUs.  The caller
 * owns the array. */
static uint32_t *ranks_in_npu_order(const ImportedProgram *program)
{
    guint n = program->replay->ranks->len;
    uint32_t *ranks = g_new(uint32_t, n + 1);
    guint filled = 0;

    for (uint32_t npu = 0; filled < n && npu < UINT32_MAX; npu++)
        for (uint32_t r = 0; r < n; r++)
            if (program->npu_of[r] == npu)
                ranks[filled++] = r;
    return ranks;
}

static void assign_roles_to_ranks(ImportedProgram *program, gboolean with_deps)
{
    g_autoptr(GHashTable) roles =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree uint32_t *ranks = ranks_in_npu_order(program);

    g_array_set_size(program->roles, 0);
    for (guint i = 0; i < program->replay->ranks->len; i++) {
        char *text_of_rank =
            fingerprint_of_rank_ops(program, ranks[i], with_deps);
        guint there =
            GPOINTER_TO_UINT(g_hash_table_lookup(roles, text_of_rank));

        if (there == 0) {
            ImportedRole role = {
                .ranks = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                .npus = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
            };

            g_array_append_val(program->roles, role);
            there = program->roles->len;
            g_hash_table_insert(roles, g_strdup(text_of_rank),
                                GUINT_TO_POINTER(there));
        }
        g_array_append_val(imported_role(program, there - 1)->ranks, ranks[i]);
        replay_rank(program->replay, ranks[i])->role = there - 1;
        g_free(text_of_rank);
    }
}

/* ---- NPUs of roles ----------------------------------------------------- */

/* Returns the role of NPU @npu. */
static uint32_t role_of_recorded_npu(const ImportedProgram *program,
                                     uint32_t npu)
{
    return replay_rank(program->replay, program->source_of_npu[npu])->role;
}

static void find_npus_of_roles(ImportedProgram *program)
{
    imported_find_copied_ranks(program);
    for (uint32_t npu = 0; npu < program->n_ranks; npu++)
        g_array_append_val(
            imported_role(program, role_of_recorded_npu(program, npu))->npus,
            npu);
}

/* Returns whether exactly the NPUs with id / @stride mod @size == @at have
 * @role. */
static gboolean npus_fit_stride(const ImportedProgram *program, uint32_t role,
                                uint32_t size, uint32_t stride, uint32_t at)
{
    for (uint32_t npu = 0; npu < program->n_ranks; npu++)
        if ((npu / stride % size == at) !=
            (role_of_recorded_npu(program, npu) == role))
            return FALSE;
    return TRUE;
}

static void describe_npus_of_role(const ImportedProgram *program,
                                  uint32_t number)
{
    ImportedRole *role = imported_role(program, number);
    uint32_t n = role->npus->len;
    uint32_t first = n > 0 ? g_array_index(role->npus, uint32_t, 0) : 0;

    if (program->roles->len == 1) {
        role->ranks_by = RANKS_ALL;
        return;
    }
    role->ranks_by = RANKS_STRIDE;
    for (role->stride = 1; role->stride <= n; role->stride++) {
        role->size = program->n_ranks / n;
        role->remainder = first / role->stride % MAX(role->size, 1);
        if (program->n_ranks % n == 0 &&
            program->n_ranks % (role->size * role->stride) == 0 &&
            npus_fit_stride(program, number, role->size, role->stride,
                            role->remainder))
            return;
    }
    role->ranks_by = RANKS_LIST;
}

static void use_dependencies_of_first_rank(ImportedProgram *program,
                                           ImportedRole *role)
{
    uint32_t first = g_array_index(role->ranks, uint32_t, 0);

    for (guint i = 1; i < role->ranks->len; i++) {
        uint32_t r = g_array_index(role->ranks, uint32_t, i);

        replay_set_times(program->replay, r,
                         replay_rank(program->replay, first));
        program->replay->report.n[REPORT_LOOSE]++;
    }
}

gboolean imported_find_roles(ImportedProgram *program, GError **error)
{
    gboolean is_loose = FALSE;

    program->roles = g_array_new(FALSE, TRUE, sizeof(ImportedRole));
    g_array_set_clear_func(program->roles, clear_imported_role);
    assign_roles_to_ranks(program, TRUE);
    if (program->roles->len > IMPORTED_MAX_ROLES) {
        is_loose = TRUE;
        assign_roles_to_ranks(program, FALSE);
    }
    if (program->roles->len > IMPORTED_MAX_ROLES) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                    "the %u ranks run %u different programs, and an imported "
                    "program has at most %d roles: import fewer ranks, or an "
                    "iteration in which more ranks are identical",
                    program->replay->ranks->len, program->roles->len,
                    IMPORTED_MAX_ROLES);
        return FALSE;
    }
    find_npus_of_roles(program);
    for (guint i = 0; i < program->roles->len; i++) {
        if (is_loose)
            use_dependencies_of_first_rank(program, imported_role(program, i));
        describe_npus_of_role(program, i);
    }
    program->replay->report.n[REPORT_ROLES] = program->roles->len;
    return TRUE;
}
