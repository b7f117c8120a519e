/*
 * chakra_json.c - Chakra execution traces as JSON, the format of its feeder
 *
 *     { "ngpus": 8, "workload_graph": [ {"Id": 430, "Name": "...",
 *       "NodeType": 4, "ctrlDeps": [429], "data_deps": [216], "runtime": us,
 *       "is_cpu_op": false, "comm_size": bytes ...}, ... ] }
 *
 * Types and kinds of collectives are the same as in the binary format
 * (chakra.c). There are no start times.  The graph belongs to one rank, which
 * represents all ranks.
 */
#include "sim/config/json/pull_parser.h"
#include "workloads/readers/reader_common_impl.h"

#include <string.h>

#define PS_PER_US 1000000

enum { COMPUTE = 4, SEND, RECEIVE, COLLECTIVE };

typedef struct {
    JsonPull *pull; /* borrowed, like the next three fields */
    const Source *source;
    Recording *recording;
    RecordRank *rank;
    gboolean has_graph;
} Reading;

/* Numbers of a node: indices into Node.numbers. */
enum {
    ID,
    TYPE,
    RUNTIME,
    SIZE,
    KIND,
    FROM,
    TO,
    TAG,
    STREAM,
    THREAD,
    N_OPS,
    TENSOR_SIZE,
    N_NUMBERS
};

typedef struct {
    uint32_t numbers_present; /* bit n is set if the file gives .numbers[n] */
    uint64_t numbers[N_NUMBERS];
    gboolean is_host;
    const char *name; /* name of the node, in .texts */
    /* Ids of dependencies, owned by the caller; the elements are uint64_t. */
    GArray *data_deps, *control_deps;
} Node;

static gboolean chakra_json_recognises(Source *source)
{
    gsize n, i = 0;
    const char *text = (const char *)source_peek(source, 4096, &n);

    n = MIN(n, 4096);
    while (i < n && g_ascii_isspace(text[i]))
        i++;
    return i < n && text[i] == '{' &&
           g_strstr_len(text, (gssize)n, "\"workload_graph\"");
}

/* ---- a node ------------------------------------------------------------ */

enum { NAME = N_NUMBERS, IS_HOST, DATA, CONTROL };

static const JsonName keys[] = {
    [ID] = JSON_NAME("Id"),           [TYPE] = JSON_NAME("NodeType"),
    [RUNTIME] = JSON_NAME("runtime"), [SIZE] = JSON_NAME("comm_size"),
    [KIND] = JSON_NAME("comm_type"),  [FROM] = JSON_NAME("comm_src"),
    [TO] = JSON_NAME("comm_dst"),     [TAG] = JSON_NAME("comm_tag"),
    [STREAM] = JSON_NAME("stream"),   [THREAD] = JSON_NAME("tid"),
    [N_OPS] = JSON_NAME("num_ops"),   [TENSOR_SIZE] = JSON_NAME("tensor_size"),
    [NAME] = JSON_NAME("Name"),       [IS_HOST] = JSON_NAME("is_cpu_op"),
    [DATA] = JSON_NAME("data_deps"),  [CONTROL] = JSON_NAME("ctrlDeps"),
    [CONTROL + 1] = JSON_NAMES_END,
};

static const uint64_t most_of[N_NUMBERS] = {
    [ID] = UINT64_MAX,
    [TYPE] = UINT64_MAX,
    [RUNTIME] = READ_MAX_PS / PS_PER_US,
    [SIZE] = READ_MAX_BYTES,
    [KIND] = UINT64_MAX,
    [FROM] = RECORD_NONE - 1,
    [TO] = RECORD_NONE - 1,
    [TAG] = UINT32_MAX,
    [STREAM] = UINT64_MAX,
    [THREAD] = UINT64_MAX,
    [N_OPS] = READ_MAX_FLOP,
    [TENSOR_SIZE] = READ_MAX_BYTES,
};

static void read_node_number(Reading *r, guint key, Node *node)
{
    if (json_pull_next_scalar(r->pull) != PULL_NUMBER ||
        !json_pull_u64(r->pull, &node->numbers[key]) ||
        node->numbers[key] > most_of[key])
        json_pull_set_error(r->pull, CONFIG_ERROR_RANGE,
                            "%s is a whole number from 0 to %" G_GUINT64_FORMAT,
                            keys[key].name, most_of[key]);
    else
        node->numbers_present |= UINT32_C(1) << key;
}

static void read_dependency_ids(Reading *r, GArray *deps)
{
    uint64_t id;

    if (!json_pull_enter_container(r->pull, PULL_ARRAY))
        return;
    while (json_pull_next_item(r->pull)) {
        if (json_pull_u64(r->pull, &id))
            g_array_append_val(deps, id);
        else
            json_pull_set_error(r->pull, CONFIG_ERROR_TYPE,
                                "a dependency is a whole number");
    }
}

static void read_node_key(Reading *r, guint key, Node *node)
{
    const char *text;
    gsize n;

    switch (key) {
    case NAME:
        if (json_pull_next_scalar(r->pull) != PULL_STRING)
            return;
        text = json_pull_text(r->pull, &n);
        node->name = reader_store_text(r->recording, text, n);
        break;
    case IS_HOST:
        node->is_host = json_pull_next_scalar(r->pull) == PULL_TRUE;
        break;
    case DATA:
        read_dependency_ids(r, node->data_deps);
        break;
    case CONTROL:
        read_dependency_ids(r, node->control_deps);
        break;
    default:
        read_node_number(r, key, node);
        break;
    }
}

/* ---- conversion to the recording --------------------------------------- */

static RecordKind record_kind_of_node(const Node *node)
{
    switch (node->numbers[TYPE]) {
    case COMPUTE:
        if (node->is_host)
            return reader_is_device_wait_call(node->name, strlen(node->name))
                       ? RECORD_WAIT
                       : RECORD_HOST;
        return g_str_has_prefix(node->name, "Memcpy") ||
                       g_str_has_prefix(node->name, "Memset")
                   ? RECORD_COPY
                   : RECORD_KERNEL;
    case SEND:
        return RECORD_SEND;
    case RECEIVE:
        return RECORD_RECEIVE;
    case COLLECTIVE:
        return RECORD_COLLECTIVE;
    default:
        return RECORD_OTHER;
    }
}

/* Returns the kind of collective by its number, or by its name if there is no
 * number. */
static CollKind collective_kind_of_node(const Node *node)
{
    static const CollKind kinds[] = {
        COLL_ALL_REDUCE, COLL_REDUCE,         COLL_ALL_GATHER,
        COLL_GATHER,     COLL_SCATTER,        COLL_BROADCAST,
        COLL_ALL_TO_ALL, COLL_REDUCE_SCATTER, COLL_REDUCE_SCATTER,
        COLL_BARRIER,
    };

    if (!(node->numbers_present >> KIND & 1))
        return reader_collective_kind_of_name(node->name, strlen(node->name));
    return node->numbers[KIND] < G_N_ELEMENTS(kinds)
               ? kinds[node->numbers[KIND]]
               : COLL_N_ALL_KINDS;
}

static void add_node_communication(Reading *r, uint32_t index, const Node *node,
                                   RecordKind kind)
{
    RecordComm *comm = record_add_comm(
        r->rank, index,
        kind == RECORD_COLLECTIVE ? collective_kind_of_node(node) : COLL_SEND);
    guint peer = kind == RECORD_SEND ? TO : FROM;

    comm->has_bytes = node->numbers_present >> SIZE & 1;
    comm->bytes = node->numbers[SIZE];
    comm->is_share = comm->kind == COLL_ALL_GATHER || comm->kind == COLL_GATHER;
    comm->tag = (uint32_t)node->numbers[TAG];
    if (kind != RECORD_COLLECTIVE && node->numbers_present >> peer & 1)
        comm->peer = (uint32_t)node->numbers[peer];
}

static gboolean add_chakra_node(Reading *r, const Node *node, uint64_t line,
                                GError **error)
{
    RecordKind kind = record_kind_of_node(node);
    RecordNode added = { .id = node->numbers[ID],
                         .file_position = line,
                         .name = node->name,
                         .begin_ps = RECORD_NO_TIME,
                         .duration_ps = node->numbers[RUNTIME] * PS_PER_US,
                         .comm = RECORD_NONE,
                         .launch = RECORD_NONE,
                         .kind = (uint8_t)kind,
                         .flags = node->is_host ? RECORD_ON_HOST : 0,
                         .pass = OP_N_PASSES };
    uint32_t index;

    added.stream = reader_add_stream(
        r->source, r->recording, r->rank,
        node->numbers[node->is_host ? THREAD : STREAM], node->is_host, error);
    if (added.stream == RECORD_NONE)
        return FALSE;
    index = record_add_node(r->rank, &added);
    reader_add_kernel_work(r->rank, index, node->numbers[N_OPS],
                           node->numbers[TENSOR_SIZE]);
    if (kind >= RECORD_COLLECTIVE && kind <= RECORD_RECEIVE)
        add_node_communication(r, index, node, kind);
    for (guint i = 0; i < node->data_deps->len; i++)
        record_add_dep(r->rank, g_array_index(node->data_deps, uint64_t, i),
                       FALSE);
    for (guint i = 0; i < node->control_deps->len; i++)
        record_add_dep(r->rank, g_array_index(node->control_deps, uint64_t, i),
                       TRUE);
    return TRUE;
}

/* ---- the file ---------------------------------------------------------- */

/* Returns FALSE on an error of the parser, or if @error is set. */
static gboolean read_graph_node(Reading *r, GError **error)
{
    g_autoptr(GArray) data = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autoptr(GArray) control = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    Node node = { .name = "", .data_deps = data, .control_deps = control };
    uint64_t line = json_pull_token_line(r->pull);
    guint key;

    while (json_pull_next_key(r->pull, keys, &key))
        read_node_key(r, key, &node);
    return !json_pull_has_error(r->pull) &&
           add_chakra_node(r, &node, line, error);
}

static gboolean read_workload_graph(Reading *r, GError **error)
{
    r->has_graph = json_pull_enter_container(r->pull, PULL_ARRAY);
    while (r->has_graph && json_pull_next_item(r->pull)) {
        r->rank->n_found++;
        if (json_pull_token(r->pull) != PULL_OBJECT)
            json_pull_set_error(r->pull, CONFIG_ERROR_TYPE,
                                "a node is an object");
        else if (!read_graph_node(r, error))
            return FALSE;
    }
    return !json_pull_has_error(r->pull);
}

static gboolean read_chakra_json_file(Reading *r, GError **error)
{
    static const JsonName names[] = { JSON_NAME("workload_graph"),
                                      JSON_NAME("ngpus"), JSON_NAMES_END };
    uint64_t n_world = 0;
    guint key;

    if (!json_pull_enter_container(r->pull, PULL_OBJECT)) {
        json_pull_set_error(r->pull, CONFIG_ERROR_TYPE, "a trace is an object");
        return FALSE;
    }
    while (json_pull_next_key(r->pull, names, &key))
        if (key == 0 && !read_workload_graph(r, error))
            return FALSE;
        else if (key == 1 && json_pull_next_scalar(r->pull) == PULL_NUMBER &&
                 json_pull_u64(r->pull, &n_world) && n_world < RECORD_NO_RANK)
            r->recording->n_world = (uint32_t)n_world;
    if (!r->has_graph)
        json_pull_set_error(r->pull, CONFIG_ERROR_MISSING_KEY,
                            "the object has no array 'workload_graph'");
    json_pull_next_token(r->pull); /* json_pull_next_token() reports an error if
                                      anything follows */
    return !json_pull_has_error(r->pull);
}

static gboolean chakra_json_read(Source *source, const ReadOptions *options,
                                 Recording *recording, GError **error)
{
    g_autoptr(JsonPull) pull = json_pull_new(source);
    Reading r = { .pull = pull, .source = source, .recording = recording };

    (void)options;
    r.rank = record_add_rank(recording, source_name(source));
    if (read_chakra_json_file(&r, error))
        return TRUE;
    return json_pull_has_error(pull) ? json_pull_report_error(pull, error)
                                     : FALSE;
}

const ReadOps reader_chakra_json = {
    .base = { .name = "chakra-json",
              .summary = "Chakra's execution trace as JSON",
              .fields = (const ConfigField[]){ CONFIG_END } },
    .recognises = chakra_json_recognises,
    .read = chakra_json_read,
};
