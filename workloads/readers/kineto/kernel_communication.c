/*
 * kernel_communication.c - communication of kernels, by their metadata or else
 * by their name
 *
 * Since 2.2, PyTorch writes the kind of collective and the numbers of elements
 * that a rank has before (in) and after (out). The payload is the whole vector:
 * the data before, except for an all-gather, a gather and a receiver of a
 * scatter.
 */
#include "workloads/readers/kineto/kineto_state_impl.h"

#include <string.h>

/* ---- bytes ------------------------------------------------------------- */

typedef struct {
    const char *name;
    guint n_bytes;
} Type;

/* Names and sizes of the elements of c10::ScalarType.  An element of a type
 * such as Float4_e2m1fn_x2 is a byte with several values. */
static const Type types[] = {
    { "Float", 4 },
    { "Half", 2 },
    { "BFloat16", 2 },
    { "Long", 8 },
    { "Int", 4 },
    { "Short", 2 },
    { "Byte", 1 },
    { "Char", 1 },
    { "Bool", 1 },
    { "Double", 8 },
    { "ComplexHalf", 4 },
    { "ComplexFloat", 8 },
    { "ComplexDouble", 16 },
    { "Float8_e4m3fn", 1 },
    { "Float8_e5m2", 1 },
    { "Float8_e4m3fnuz", 1 },
    { "Float8_e5m2fnuz", 1 },
    { "UInt16", 2 },
    { "UInt32", 4 },
    { "UInt64", 8 },
    { "Float8_e8m0fnu", 1 },
    { "Float4_e2m1fn_x2", 1 },
    { "QInt8", 1 },
    { "QUInt8", 1 },
    { "QInt32", 4 },
    { "QUInt4x2", 1 },
    { "QUInt2x4", 1 },
    { "Bits1x8", 1 },
    { "Bits2x4", 1 },
    { "Bits4x2", 1 },
    { "Bits8", 1 },
    { "Bits16", 2 },
};

/* Returns whether @name is one of Int1 to Int7 and UInt1 to UInt7, of which
 * each value is in a byte of its own. */
static gboolean is_narrow_integer(const char *name)
{
    const char *digit = name + (*name == 'U');

    return g_str_has_prefix(name, *name == 'U' ? "UInt" : "Int") &&
           digit[3] >= '1' && digit[3] <= '7' && digit[4] == '\0';
}

/* Returns the bytes of a value of the type named @name, or 0 if the type is not
 * known. */
static guint bytes_of_scalar_type(const char *name)
{
    for (guint i = 0; name && i < G_N_ELEMENTS(types); i++)
        if (strcmp(name, types[i].name) == 0)
            return types[i].n_bytes;
    return name && is_narrow_integer(name) ? 1 : 0;
}

#define MAX_ELEMENTS (INT64_C(1) << 48)

/* Returns the elements of the whole vector, or KINETO_NONE or a negative number
 * if it is not known.  If only the share of a rank is given, it is multiplied
 * by the size of the group. */
static int64_t elements_of_whole_vector(const KinetoArgs *args, CollKind kind)
{
    int64_t in = args->n_in, out = args->n_out;

    if (in > MAX_ELEMENTS || out > MAX_ELEMENTS)
        return KINETO_NONE;
    switch (kind) {
    case COLL_ALL_GATHER:
    case COLL_GATHER:
        if (out > in)
            return out;
        if (in > 0 && args->group_size > 0 &&
            args->group_size <= MAX_ELEMENTS / in)
            return in * args->group_size;
        return in;
    case COLL_SCATTER:
        if (in <= 0 && out > 0 && args->group_size > 0 &&
            args->group_size <= MAX_ELEMENTS / out)
            return out * args->group_size;
        return in;
    default:
        return in;
    }
}

static void set_uneven_splits(RecordComm *comm, const KinetoArgs *args,
                              guint width)
{
    if (args->in_split && args->n_in > 0)
        comm->in_split = reader_bytes_of_splits(args->in_split,
                                                (uint64_t)args->n_in * width);
    if (args->out_split && args->n_out > 0 && args->n_out <= MAX_ELEMENTS)
        comm->out_split = reader_bytes_of_splits(args->out_split,
                                                 (uint64_t)args->n_out * width);
}

static void set_communication_bytes(RecordComm *comm, const KinetoArgs *args)
{
    int64_t n = elements_of_whole_vector(args, comm->kind);
    guint width = bytes_of_scalar_type(args->type);

    if (n < 0 || width == 0)
        return;
    comm->has_bytes = TRUE;
    comm->bytes = (uint64_t)n * width;
    if (coll_is_any_all_to_all(comm->kind))
        set_uneven_splits(comm, args, width);
    if (comm->in_split || comm->out_split)
        comm->kind = COLL_ALL_TO_ALLV;
}

/* ---- groups ------------------------------------------------------------ */

static uint32_t make_communication_group(Kineto *kineto, const KinetoArgs *args)
{
    g_autoptr(GArray) ranks = NULL;
    gpointer found = NULL;
    uint32_t group = RECORD_NONE;

    if (args->group_ranks)
        ranks = reader_parse_number_list(args->group_ranks);
    if (ranks && ranks->len > 0)
        return reader_add_group_of_ranks(kineto->recording, ranks,
                                         args->group_name);
    if (args->group_name)
        found = g_hash_table_lookup(kineto->groups, args->group_name);
    if (found)
        return GPOINTER_TO_UINT(found) - 1;
    if (args->group_ranks)
        group = reader_add_group_of_first_ranks(
            kineto->recording, args->group_ranks, args->group_size,
            args->group_name);
    if (group != RECORD_NONE)
        return group;
    if (args->group_start != KINETO_NONE && args->group_stride != KINETO_NONE)
        return reader_add_group_by_stride(kineto->recording, args->group_start,
                                          args->group_stride, args->group_size,
                                          args->group_name);
    /* A group of the size of the world contains all ranks. */
    if (args->group_size == kineto->recording->n_world)
        return reader_add_group_by_stride(kineto->recording, 0, 1,
                                          args->group_size, args->group_name);
    return RECORD_NONE;
}

/* Finds the group of a communication.  Equal lists are one text, so each list
 * is parsed once, except for truncated lists, because groups that differ only
 * in their size may begin with the same ranks. */
static uint32_t find_or_add_communication_group(Kineto *kineto,
                                                const KinetoArgs *args)
{
    gboolean is_whole = args->group_ranks && !strstr(args->group_ranks, "...");
    gpointer found = NULL;
    uint32_t group;

    if (is_whole)
        found = g_hash_table_lookup(kineto->groups, args->group_ranks);
    if (found)
        return GPOINTER_TO_UINT(found) - 1;
    group = make_communication_group(kineto, args);
    if (is_whole && group != RECORD_NONE)
        g_hash_table_insert(kineto->groups, (gpointer)args->group_ranks,
                            GUINT_TO_POINTER(group + 1));
    return group;
}

/* ---- nodes ------------------------------------------------------------- */

/* Returns @rank as a number, or RECORD_NONE if it is absent or invalid. */
static uint32_t rank_or_no_rank(int64_t rank)
{
    return rank >= 0 && rank < RECORD_NO_RANK ? (uint32_t)rank : RECORD_NONE;
}

static void set_kernel_communication(Kineto *kineto, const KinetoComm *from)
{
    RecordNode *node = record_node(kineto->rank, from->node);
    const KinetoArgs *args = &from->args;
    gboolean has_name =
        args->collective && !strstr(args->collective, "coalesced");
    RecordKind as;
    CollKind kind = reader_communication_kind_of_name(
        has_name ? args->collective : node->name, &as);
    RecordComm *comm = record_add_comm(kineto->rank, from->node, kind);

    node->kind = (uint8_t)as;
    set_communication_bytes(comm, args);
    comm->group = find_or_add_communication_group(kineto, args);
    comm->group_name = args->group_name;
    if (args->group_size > 0 && args->group_size <= READ_COMM_MAX_GROUP)
        comm->group_size = (uint32_t)args->group_size;
    comm->has_sequence = args->sequence >= 0;
    comm->sequence = comm->has_sequence ? (uint64_t)args->sequence : 0;
    if (as == RECORD_SEND)
        comm->peer = rank_or_no_rank(args->target);
    else if (as == RECORD_RECEIVE)
        comm->peer = rank_or_no_rank(args->source);
    comm->peer_may_be_place = as != RECORD_COLLECTIVE;
    comm->is_guess = !has_name && strstr(node->name, "SendRecv") != NULL;
    if (args->grid > 0 && args->grid <= UINT32_MAX)
        comm->n_blocks = (uint32_t)args->grid;
    if (args->function_id > 0)
        comm->framework_id = (uint64_t)args->function_id;
    else if (args->external_id > 0)
        comm->framework_id = (uint64_t)args->external_id;
}

void kineto_set_comms(Kineto *kineto)
{
    for (guint i = 0; i < kineto->comms->len; i++) {
        const KinetoComm *comm = &g_array_index(kineto->comms, KinetoComm, i);

        if (comm->node != RECORD_NONE)
            set_kernel_communication(kineto, comm);
    }
}
