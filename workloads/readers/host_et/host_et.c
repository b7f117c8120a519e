/*
 * host_et.c - PyTorch's execution trace of the host
 *
 *     { "schema": "1.0.1", "nodes": [ {"name": "record_param_comms", "id": ...,
 *       "rf_id": ..., "tid": ..., "inputs": [...], "outputs": [...]}, ... ] }
 *
 * Since 1.0.2, inputs and outputs are objects with values, shapes and types,
 * and rf_id and tid are among "attrs". The trace has no times, but it has all
 * sizes, including those of an uneven all-to-all, which a Kineto trace from
 * before 2024 lacks.  recording/size_merge.h combines the two traces.
 *
 * The nodes are the communicating operations, in the order of their ids, on
 * their threads.  The rank is the one that the operations report for their
 * groups, if all of them report the same rank.
 */
#include "workloads/readers/host_et/host_et_impl.h"

#include <string.h>

typedef struct {
    JsonPull *pull; /* borrowed, like the next two fields */
    Recording *recording;
    RecordRank *rank;
    GArray *nodes; /* communicating operations; the elements are HostEtNode */
    gboolean has_nodes;
} Reading;

/* ---- detection of the format -------------------------------------------- */

#define LOOK_BYTES 4096

static gboolean host_et_recognises(Source *source)
{
    gsize n, i = 0;
    const char *text = (const char *)source_peek(source, LOOK_BYTES, &n);

    n = MIN(n, LOOK_BYTES);
    while (i < n && g_ascii_isspace(text[i]))
        i++;
    return i < n && text[i] == '{' &&
           g_strstr_len(text, (gssize)n, "\"schema\"") &&
           g_strstr_len(text, (gssize)n, "\"nodes\"");
}

/* ---- a node ------------------------------------------------------------ */

static void read_unsigned_number(JsonPull *pull, uint64_t *ret)
{
    if (json_pull_next_scalar(pull) == PULL_NUMBER && !json_pull_u64(pull, ret))
        json_pull_set_error(pull, CONFIG_ERROR_RANGE,
                            "this is a whole number from 0 on");
}

static void read_signed_number(JsonPull *pull, int64_t *ret)
{
    if (json_pull_next_scalar(pull) == PULL_NUMBER && !json_pull_i64(pull, ret))
        *ret = HOST_ET_NONE;
}

static const char *read_text_value(Reading *r)
{
    const char *text;
    gsize n;

    if (json_pull_next_scalar(r->pull) != PULL_STRING)
        return NULL;
    text = json_pull_text(r->pull, &n);
    return reader_store_text(r->recording, text, n);
}

/* Reads the value of the attribute @name. */
static void read_attribute_value(Reading *r, const char *name, HostEtNode *node)
{
    if (strcmp(name, "rf_id") == 0)
        read_unsigned_number(r->pull, &node->function_id);
    else if (strcmp(name, "tid") == 0)
        read_unsigned_number(r->pull, &node->thread);
    else if (strcmp(name, "pg_name") == 0)
        node->group = read_text_value(r);
    else if (strcmp(name, "pg_ranks") == 0)
        node->group_ranks = read_text_value(r);
    else if (strcmp(name, "global_rank_start") == 0)
        read_signed_number(r->pull, &node->group_start);
    else if (strcmp(name, "global_rank_stride") == 0)
        read_signed_number(r->pull, &node->group_stride);
    else if (strcmp(name, "pg_size") == 0)
        read_signed_number(r->pull, &node->group_size);
    else
        json_pull_next_scalar(r->pull);
}

static void read_node_attribute(Reading *r, HostEtNode *node)
{
    static const JsonName names[] = { JSON_NAME("name"), JSON_NAME("value"),
                                      JSON_NAMES_END };
    const char *name = NULL;
    guint key;

    while (json_pull_next_key(r->pull, names, &key))
        if (key == 0)
            name = read_text_value(r);
        else
            read_attribute_value(r, name ? name : "", node);
}

static void read_node_attributes(Reading *r, HostEtNode *node)
{
    if (!json_pull_enter_container(r->pull, PULL_ARRAY))
        return;
    while (json_pull_next_item(r->pull))
        if (json_pull_token(r->pull) == PULL_OBJECT)
            read_node_attribute(r, node);
        else
            json_pull_skip_value(r->pull);
}

enum { NAME, ID, FUNCTION, THREAD, INPUTS, OUTPUTS, ATTRIBUTES };

static const JsonName keys[] = {
    [NAME] = JSON_NAME("name"),        [ID] = JSON_NAME("id"),
    [FUNCTION] = JSON_NAME("rf_id"),   [THREAD] = JSON_NAME("tid"),
    [INPUTS] = JSON_NAME("inputs"),    [OUTPUTS] = JSON_NAME("outputs"),
    [ATTRIBUTES] = JSON_NAME("attrs"), [ATTRIBUTES + 1] = JSON_NAMES_END,
};

static void read_node_key(Reading *r, guint key, HostEtNode *node)
{
    switch (key) {
    case ID:
        read_unsigned_number(r->pull, &node->id);
        break;
    case FUNCTION:
        read_unsigned_number(r->pull, &node->function_id);
        break;
    case THREAD:
        read_unsigned_number(r->pull, &node->thread);
        break;
    case INPUTS:
        host_et_read_inputs(r->pull, r->recording, node);
        break;
    case OUTPUTS:
        host_et_read_outputs(r->pull, node);
        break;
    default:
        read_node_attributes(r, node);
        break;
    }
}

static void read_host_et_node(Reading *r)
{
    HostEtNode node = { .at = json_pull_token_line(r->pull),
                        .before = HOST_ET_NONE,
                        .group_start = HOST_ET_NONE,
                        .group_stride = HOST_ET_NONE,
                        .group_size = HOST_ET_NONE };
    guint key;

    while (json_pull_next_key(r->pull, keys, &key)) {
        if (key != NAME) {
            read_node_key(r, key, &node);
            continue;
        }
        node.is_comm = json_pull_next_scalar(r->pull) == PULL_STRING &&
                       json_pull_text_is(r->pull, "record_param_comms");
        if (!node.is_comm && !json_pull_has_error(r->pull)) {
            json_pull_leave_container(r->pull);
            break;
        }
    }
    if (node.is_comm && node.word && !json_pull_has_error(r->pull))
        g_array_append_val(r->nodes, node);
    else
        host_et_clear(&node);
}

/* ---- the file ---------------------------------------------------------- */

static void read_host_et_nodes(Reading *r)
{
    r->has_nodes = json_pull_enter_container(r->pull, PULL_ARRAY);
    while (r->has_nodes && json_pull_next_item(r->pull)) {
        r->rank->n_found++;
        if (json_pull_token(r->pull) == PULL_OBJECT)
            read_host_et_node(r);
        else
            json_pull_skip_value(r->pull);
    }
}

static void read_host_et_file(Reading *r)
{
    static const JsonName names[] = { JSON_NAME("nodes"), JSON_NAME("schema"),
                                      JSON_NAMES_END };
    guint key;

    if (!json_pull_enter_container(r->pull, PULL_OBJECT)) {
        json_pull_set_error(r->pull, CONFIG_ERROR_TYPE,
                            "an execution trace is an object");
        return;
    }
    while (json_pull_next_key(r->pull, names, &key))
        if (key == 0)
            read_host_et_nodes(r);
        else if (!r->recording->version)
            r->recording->version = read_text_value(r);
        else
            json_pull_next_scalar(r->pull);
    if (!r->has_nodes)
        json_pull_set_error(r->pull, CONFIG_ERROR_MISSING_KEY,
                            "the object has no array 'nodes'");
    json_pull_next_token(r->pull); /* json_pull_next_token() reports an error if
                                      anything follows */
}

/* ---- nodes of the recording -------------------------------------------- */

/* Sets the kind of @node.  Returns FALSE if the operation is a wait or
 * similar. */
static gboolean communication_kind_of_node(const HostEtNode *node,
                                           RecordKind *kind,
                                           CollKind *collective)
{
    *kind = strcmp(node->word, "send") == 0        ? RECORD_SEND
            : g_str_has_prefix(node->word, "recv") ? RECORD_RECEIVE
                                                   : RECORD_COLLECTIVE;
    *collective =
        *kind == RECORD_COLLECTIVE
            ? reader_collective_kind_of_name(node->word, strlen(node->word))
            : COLL_SEND;
    return *collective != COLL_N_ALL_KINDS;
}

/* Sets the size of the communication to that of the whole vector.  For some
 * kinds the whole vector is the output, because some ranks only have a share of
 * it. */
static void set_whole_vector_bytes(RecordComm *comm, const HostEtNode *node)
{
    gboolean is_out =
        comm->kind == COLL_ALL_GATHER || comm->kind == COLL_GATHER;
    gboolean is_in = !is_out && comm->kind != COLL_SCATTER;
    uint64_t whole = is_out ? node->out_bytes : node->in_bytes;
    uint64_t share = is_out ? node->in_bytes : node->out_bytes;

    comm->is_share = !is_in && whole == 0;
    comm->bytes = comm->is_share ? share : whole;
    comm->has_bytes =
        comm->bytes <= READ_MAX_BYTES && (comm->bytes > 0 || is_in);
    if (!comm->has_bytes || !coll_is_any_all_to_all(comm->kind))
        return;
    comm->in_split = reader_bytes_of_splits(node->in_rows, node->in_bytes);
    if (node->out_bytes <= READ_MAX_BYTES)
        comm->out_split =
            reader_bytes_of_splits(node->out_rows, node->out_bytes);
    if (comm->in_split || comm->out_split)
        comm->kind = COLL_ALL_TO_ALLV;
}

static void set_node_group(Reading *r, RecordComm *comm, const HostEtNode *node)
{
    g_autoptr(GArray) ranks = NULL;

    if (node->group_ranks)
        ranks = reader_parse_number_list(node->group_ranks);
    if (ranks && ranks->len > 0)
        comm->group =
            reader_add_group_of_ranks(r->recording, ranks, node->group);
    else if (node->group_ranks)
        comm->group = reader_add_group_of_first_ranks(
            r->recording, node->group_ranks, node->group_size, node->group);
    if (comm->group == RECORD_NONE)
        comm->group = reader_add_group_by_stride(
            r->recording, node->group_start, node->group_stride,
            node->group_size, node->group);
}

static gboolean add_communication_node(Reading *r, const Source *source,
                                       const HostEtNode *from, GError **error)
{
    RecordNode node = { .id = from->id,
                        .file_position = from->at,
                        .name = from->word,
                        .begin_ps = RECORD_NO_TIME,
                        .comm = RECORD_NONE,
                        .launch = RECORD_NONE,
                        .flags = RECORD_ON_HOST,
                        .pass = OP_N_PASSES };
    RecordKind kind;
    CollKind collective;
    RecordComm *comm;

    if (!communication_kind_of_node(from, &kind, &collective))
        return TRUE;
    node.kind = (uint8_t)kind;
    node.stream = reader_add_stream(source, r->recording, r->rank, from->thread,
                                    TRUE, error);
    if (node.stream == RECORD_NONE)
        return FALSE;
    comm =
        record_add_comm(r->rank, record_add_node(r->rank, &node), collective);
    comm->framework_id = from->function_id;
    set_whole_vector_bytes(comm, from);
    set_node_group(r, comm, from);
    return TRUE;
}

static gint compare_nodes_by_id(gconstpointer a, gconstpointer b)
{
    const HostEtNode *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

/* Sets the rank of the file if all communicating nodes report the same one. */
static void set_rank_of_file(Reading *r)
{
    int64_t rank = HOST_ET_NONE;

    for (guint i = 0; i < r->nodes->len; i++) {
        const HostEtNode *node = &g_array_index(r->nodes, HostEtNode, i);
        RecordKind kind;
        CollKind collective;

        if (!communication_kind_of_node(node, &kind, &collective))
            continue;
        if (rank != HOST_ET_NONE && node->before != rank)
            return;
        rank = node->before;
    }
    if (rank >= 0 && rank < RECORD_NO_RANK)
        r->rank->rank = (uint32_t)rank;
}

static void clear_host_et_node(gpointer data)
{
    host_et_clear(data);
}

static gboolean host_et_read(Source *source, const ReadOptions *options,
                             Recording *recording, GError **error)
{
    g_autoptr(JsonPull) pull = json_pull_new(source);
    g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(HostEtNode));
    Reading r = { .pull = pull, .recording = recording, .nodes = nodes };

    (void)options;
    g_array_set_clear_func(nodes, clear_host_et_node);
    r.rank = record_add_rank(recording, source_name(source));
    read_host_et_file(&r);
    if (!json_pull_report_error(pull, error))
        return FALSE;
    g_array_sort(nodes, compare_nodes_by_id);
    set_rank_of_file(&r);
    for (guint i = 0; i < nodes->len; i++)
        if (!add_communication_node(
                &r, source, &g_array_index(nodes, HostEtNode, i), error))
            return FALSE;
    return TRUE;
}

const ReadOps reader_host_et = {
    .base = { .name = "host-et",
              .summary = "PyTorch's execution trace of the host: sizes",
              .fields = (const ConfigField[]){ CONFIG_END } },
    .recognises = host_et_recognises,
    .read = host_et_read,
};
