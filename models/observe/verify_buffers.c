/* verify_buffers.c - checks the fused buffers that each NPU uses */
#include "models/observe/verify_buffers.h"

#include <string.h>

typedef struct {
    uint64_t use;
    uint32_t npu, op;
} Key;

typedef struct {
    Key key;
    uint64_t carried_bytes;
    uint32_t n_members;
    TraceMember members[];
} BufferUse;

struct VerifyBuffers {
    const OpGraph *graph;  /* borrowed */
    VerifyOps *ops;        /* borrowed */
    GHashTable *in_flight; /* owned: the buffers in use (Load), by key */
};

static guint hash_buffer_use(gconstpointer data)
{
    const Key *key = data;
    uint64_t hash = (key->use * 1000003 + key->npu) * 1000003 + key->op;

    return (guint)(hash ^ hash >> 32);
}

static gboolean buffer_uses_are_equal(gconstpointer a, gconstpointer b)
{
    const Key *key = a, *y = b;

    return key->use == y->use && key->npu == y->npu && key->op == y->op;
}

VerifyBuffers *verify_buffers_new(const OpGraph *graph, VerifyOps *ops)
{
    VerifyBuffers *buffers = g_new0(VerifyBuffers, 1);

    buffers->graph = graph;
    buffers->ops = ops;
    buffers->in_flight = g_hash_table_new_full(
        hash_buffer_use, buffer_uses_are_equal, NULL, g_free);
    return buffers;
}

void verify_buffers_free(VerifyBuffers *buffers)
{
    if (!buffers)
        return;
    g_hash_table_unref(buffers->in_flight);
    g_free(buffers);
}

static BufferUse *find_fused_buffer(const VerifyBuffers *buffers, uint32_t npu,
                                    uint32_t op, uint64_t use)
{
    return g_hash_table_lookup(buffers->in_flight, &(Key){ use, npu, op });
}

/* Returns a text such as "NPU 1, all-reduce of fc (weight-gradient), use 0:
 * ...". */
static char *describe_buffer_fault(const VerifyBuffers *buffers, uint32_t npu,
                                   uint32_t op, uint64_t use, const char *what)
{
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "NPU %u, ", npu);
    op_graph_append_op_name(buffers->graph, op, text);
    g_string_append_printf(text, ", use %" G_GUINT64_FORMAT ": %s", use, what);
    return g_string_free(text, FALSE);
}

/* Returns the error in the members of @load, or NULL if there is none. */
static const char *find_error_in_buffer_members(const VerifyBuffers *buffers,
                                                const TraceLoad *load)
{
    const Op *buffer = op_graph_op(buffers->graph, load->op);
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < load->n_members; i++) {
        const Op *op = op_graph_op(buffers->graph, load->members[i].op);

        if (op->lane != buffer->lane || !op_may_share_buffer(op, buffer))
            return "a member does not go with it";
        bytes += op->payload_bytes;
    }
    if (bytes != load->bytes)
        return "has not the bytes of its members";
    return bytes > buffer->payload_bytes ? "has no room for its members" : NULL;
}

static gboolean buffers_have_same_members(const BufferUse *use,
                                          const TraceLoad *load)
{
    for (uint32_t i = 0; i < MIN(use->n_members, load->n_members); i++)
        if (use->members[i].op != load->members[i].op ||
            use->members[i].iteration != load->members[i].iteration)
            return FALSE;
    return use->n_members == load->n_members;
}

/* Returns whether some NPU has begun the same use of the buffer with other
 * members. */
static gboolean buffer_differs_between_npus(const VerifyBuffers *buffers,
                                            const TraceLoad *load)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, buffers->in_flight);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const BufferUse *other = value;

        if (other->key.op == load->op && other->key.use == load->iteration)
            return !buffers_have_same_members(other, load);
    }
    return FALSE;
}

char *verify_buffers_begin_load(VerifyBuffers *buffers, uint32_t npu,
                                const TraceLoad *load)
{
    const char *what = find_error_in_buffer_members(buffers, load);
    BufferUse *added;

    if (!op_graph_op(buffers->graph, load->op)->is_buffer)
        what = "is no buffer";
    else if (find_fused_buffer(buffers, npu, load->op, load->iteration))
        what = "begins while it is in flight";
    else if (buffer_differs_between_npus(buffers, load))
        what = "does not contain what it contains on another NPU";
    if (what)
        return describe_buffer_fault(buffers, npu, load->op, load->iteration,
                                     what);
    added =
        g_malloc0(sizeof *added + load->n_members * sizeof added->members[0]);
    added->key = (Key){ load->iteration, npu, load->op };
    added->n_members = load->n_members;
    memcpy(added->members, load->members,
           load->n_members * sizeof added->members[0]);
    (void)g_hash_table_add(buffers->in_flight, added);
    return NULL;
}

char *verify_buffers_add_carried_bytes(VerifyBuffers *buffers, uint32_t npu,
                                       uint32_t op, uint64_t iteration,
                                       uint64_t bytes)
{
    BufferUse *load = find_fused_buffer(buffers, npu, op, iteration);

    if (!load)
        return describe_buffer_fault(buffers, npu, op, iteration,
                                     "has data while it is not in flight");
    load->carried_bytes += bytes;
    return NULL;
}

/* Checks a fused buffer at its end.  A group of one rank carries nothing;
 * verify_ops_end_instance() handles that case. */
char *verify_buffers_end_load(VerifyBuffers *buffers, uint32_t npu,
                              const TraceLoad *load)
{
    const BufferUse *known =
        find_fused_buffer(buffers, npu, load->op, load->iteration);
    char *error = NULL;

    if (!known)
        return describe_buffer_fault(buffers, npu, load->op, load->iteration,
                                     "ends while it is not in flight");
    if (known->carried_bytes > 0 && known->carried_bytes != load->bytes)
        return describe_buffer_fault(buffers, npu, load->op, load->iteration,
                                     "ends with part of its bytes");
    for (uint32_t i = 0;
         known->carried_bytes > 0 && !error && i < known->n_members; i++) {
        const TraceMember *member = &known->members[i];

        error = verify_ops_add_carried_bytes(
            buffers->ops, npu, member->op, member->iteration,
            op_graph_op(buffers->graph, member->op)->payload_bytes);
    }
    (void)g_hash_table_remove(buffers->in_flight, &known->key);
    return error;
}
