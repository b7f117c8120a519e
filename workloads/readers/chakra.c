/*
 * chakra.c - Chakra execution traces of ASTRA-sim 2 and 3 and of PyTorch
 *
 * A file `NAME.RANK.et` has one rank.  It is a sequence of records, each with a
 * length and a message: first the metadata, then the nodes.  The schema is the
 * same from 0.0.4 to 1.1.1, so its version is reported but has no effect.
 *
 * Such files have some unusual properties, which the recording keeps:
 *
 *   - A field that is 0 is absent (proto3), so a node with id 0 has no id.
 *   - Times are whole us; a kernel under 1 us takes 0.
 *   - PyTorch's host has COMM_COLL nodes (`c10d::allreduce_`) without a size.
 *     They become collectives with RECORD_ON_HOST, and move no bytes.
 *   - Data dependencies are a transitive closure.  Control dependencies name
 *     the caller.  Some name nodes that were left out or, in files of 2023,
 *     unrelated numbers.
 *   - Kernels have no successors; later passes chain them by stream.
 *
 * comm_size is the input of the collective: in PyTorch's files the bytes that
 * the kernel reads, in ASTRA-sim's files the bytes at the start of its
 * algorithm.  Both are the whole vector of a reduce-scatter, and the share of
 * one rank in an all-gather, which is marked RecordComm.is_share.
 *
 * The file does not have the members of groups.  No group, PyTorch's default
 * group and an involved_dim of all dimensions mean all ranks; another
 * involved_dim means some dimensions.  Another pg_name is an unknown group,
 * unless an earlier host node (see "groups" below) or another file
 * (comm_groups.c) has its members.
 *
 * A kernel may have num_ops and tensor_size instead of a duration.  Then the
 * roofline of the NPU determines its time, as in ASTRA-sim.  A MEM_LOAD or
 * MEM_STORE node is such a kernel with bytes only: it uses the memory of the
 * NPU, because the file does not describe a remote memory.
 *
 * Sources  [CHAKRA], et_def.proto
 */
#include <string.h>

#include "workloads/readers/chakra_node.h"
#include "workloads/readers/communication_kernels.h"
#include "workloads/readers/reader_common_impl.h"

#define MAX_RECORD_BYTES (UINT64_C(256) << 20)
#define MAX_VARINT_BYTES 10
#define MAX_DIMS         10
#define PS_PER_US        1000000
#define NS_PER_US        1000

typedef struct {
    Source *source;
    Recording *recording;
    RecordRank *rank;
    ChakraNode node;
    GHashTable *groups; /* maps pg_name (in .texts) to 1 + index of the group */
    /* Begin of the first node that has a begin; 0: none yet. */
    uint64_t first_us;
} Reading;

/* ---- records ---------------------------------------------------------- */

/* Sets @ret to the next record; the following call skips it.  Returns FALSE at
 * the end, or if @error is set. */
static gboolean read_next_record(Source *source, gsize *done, WireScan *ret,
                                 GError **error)
{
    gsize n = 0;
    const uint8_t *bytes;
    uint64_t length = 0;

    source_skip(source, *done);
    *done = 0;
    bytes = source_peek(source, MAX_VARINT_BYTES, &n);
    if (n == 0)
        return FALSE;
    *ret = protobuf_scan_bytes(bytes, MIN(n, MAX_VARINT_BYTES),
                               source_offset(source));
    if (!protobuf_read_varint(ret, &length)) {
        reader_set_binary_error(error, source, protobuf_scan_offset(ret), "%s",
                                ret->wrong);
        return FALSE;
    }
    source_skip(source, (gsize)(ret->at - bytes));
    if (length > MAX_RECORD_BYTES) {
        reader_set_binary_error(error, source, ret->offset,
                                "a record of %" G_GUINT64_FORMAT
                                " bytes; %" G_GUINT64_FORMAT
                                " are read at most",
                                length, MAX_RECORD_BYTES);
        return FALSE;
    }
    bytes = source_peek(source, (gsize)length, &n);
    if (n < length) {
        reader_set_binary_error(
            error, source, ret->offset,
            "it ends within a record of %" G_GUINT64_FORMAT " bytes", length);
        return FALSE;
    }
    *ret = protobuf_scan_bytes(bytes, (gsize)length, source_offset(source));
    *done = (gsize)length;
    return TRUE;
}

static gboolean is_version_text(const WireField *field)
{
    for (gsize i = 0; i < field->n_bytes; i++)
        if (!g_ascii_isalnum((char)field->bytes[i]) &&
            !strchr(".-_", (char)field->bytes[i]))
            return FALSE;
    return field->n_bytes > 0;
}

/* Recognises the metadata: a version or attributes, and nothing else. */
static gboolean chakra_recognises(Source *source)
{
    gsize n = 0;
    const uint8_t *bytes = source_peek(source, 4096, &n);
    WireScan scan = protobuf_scan_bytes(bytes, n, 0);
    WireScan message;
    WireField field = { 0 };
    uint64_t length;

    if (n == 0 || !protobuf_read_varint(&scan, &length) || length == 0)
        return FALSE;
    message = protobuf_scan_bytes(
        scan.at, MIN(length, (uint64_t)(scan.end - scan.at)), 0);
    if (!protobuf_scan_next_field(&message, &field))
        /* The first attribute may be longer than the available bytes. */
        return length > 4096 && message.begin < message.end &&
               message.begin[0] == (2 << 3 | 2);
    if (field.is_bytes && field.number == 1)
        return is_version_text(&field);
    return field.is_bytes && field.number == 2 && field.n_bytes > 0 &&
           field.bytes[0] == (1 << 3 | 2);
}

/* Reads the version: its own field, or else the attribute "schema". */
static gboolean read_metadata(Reading *r, WireScan *scan)
{
    WireField field;
    ChakraText version = { NULL, 0 };
    ChakraAttribute attribute;

    while (protobuf_scan_next_field(scan, &field)) {
        if (!field.is_bytes)
            continue;
        if (field.number == 1)
            version = (ChakraText){ (const char *)field.bytes, field.n_bytes };
        if (field.number != 2)
            continue;
        if (!chakra_attribute_read(scan, &field, &attribute))
            return FALSE;
        if (!version.text && attribute.text.text &&
            chakra_text_is(&attribute.name, "schema"))
            version = attribute.text;
    }
    if (version.text)
        r->recording->version = reader_store_text(r->recording, version.text,
                                                  MIN(version.n_bytes, 64));
    return !scan->wrong;
}

/* ---- groups --------------------------------------------------------- */

/* A node "process_group:init" has as its input
 *
 *     [{"pg_name": "1", "ranks": [0, 2], "group_size": 2, ...}, ...]
 *
 * as JSON inside a Python string, so quotes may be of either kind and may be
 * escaped by a backslash.  An empty list of ranks means all ranks. */

/* Returns the text without backslashes and with double quotes only.  The caller
 * owns it. */
static char *text_without_escapes(const ChakraText *text)
{
    GString *plain = g_string_sized_new(text->n_bytes + 1);

    for (gsize i = 0; i < text->n_bytes && text->text[i]; i++)
        if (text->text[i] != '\\')
            g_string_append_c(plain,
                              text->text[i] == '\'' ? '"' : text->text[i]);
    return g_string_free(plain, FALSE);
}

/* Returns the value after @key, or NULL if @key does not occur before @end. */
static const char *text_after_key(const char *text, const char *end,
                                  const char *key)
{
    const char *at = g_strstr_len(text, end - text, key);

    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, ": ");
}

/* Reads a quoted name or a number. */
static const char *read_group_name(Recording *recording, const char *at)
{
    gboolean is_quoted = *at == '"';

    at += is_quoted ? 1 : 0;
    return reader_store_text(recording, at,
                             strcspn(at, is_quoted ? "\"" : ",} "));
}

static uint32_t add_group_by_ranks(Recording *recording, const char *list,
                                   const char *name)
{
    const OpGroup all = { .name = "all", .grouped_by = GROUP_ALL };
    g_autoptr(GArray) ranks = reader_parse_number_list(list);

    if (!ranks)
        return RECORD_NONE;
    return ranks->len == 0 ? record_add_group(recording, &all)
                           : reader_add_group_of_ranks(recording, ranks, name);
}

/* Parses the groups in @text.  Adds each to @recording, and to @groups, which
 * maps the name (in .texts) to 1 + the index of Recording.groups.  Ignores text
 * that is not a group. */
static void add_groups_from_text(const ChakraText *text, Recording *recording,
                                 GHashTable *groups)
{
    g_autofree char *plain = text_without_escapes(text);
    const char *end = plain + strlen(plain);
    const char *at = text_after_key(plain, end, "\"pg_name\"");

    while (at) {
        const char *next = text_after_key(at, end, "\"pg_name\"");
        const char *list = text_after_key(at, next ? next : end, "\"ranks\"");
        const char *name = read_group_name(recording, at);
        uint32_t group =
            list ? add_group_by_ranks(recording, list, name) : RECORD_NONE;

        if (group != RECORD_NONE)
            g_hash_table_insert(groups, (gpointer)name,
                                GUINT_TO_POINTER(group + 1));
        at = next;
    }
}

/* Returns the index of the group named @name, or RECORD_NONE if its members are
 * not known. */
static uint32_t find_group_by_name(const ChakraText *name, Recording *recording,
                                   GHashTable *groups)
{
    const char *text;

    if (!name->text || g_hash_table_size(groups) == 0)
        return RECORD_NONE;
    text = reader_store_text(recording, name->text, name->n_bytes);
    return GPOINTER_TO_UINT(g_hash_table_lookup(groups, text)) - 1;
}

/* ---- nodes ------------------------------------------------------------ */

/* Kinds of collectives, indexed by comm_type. */
static const CollKind kinds[] = {
    COLL_ALL_REDUCE,     COLL_REDUCE,    COLL_ALL_GATHER, COLL_GATHER,
    COLL_SCATTER,        COLL_BROADCAST, COLL_ALL_TO_ALL, COLL_REDUCE_SCATTER,
    COLL_REDUCE_SCATTER, COLL_BARRIER,
};

static CollKind collective_kind_of_node(const ChakraNode *node)
{
    int64_t type = chakra_number(node, CHAKRA_COMM_TYPE);

    if (!(node->numbers_present >> CHAKRA_COMM_TYPE & 1))
        return reader_collective_kind_of_name(node->name.text,
                                              node->name.n_bytes);
    return type >= 0 && type < (int64_t)G_N_ELEMENTS(kinds) ? kinds[type]
                                                            : COLL_N_ALL_KINDS;
}

/* Returns the index of the node's group, or RECORD_NONE if it is not known. */
static uint32_t communicator_group_of_node(Reading *r)
{
    const ChakraNode *node = &r->node;
    OpGroup group = { .name = "all", .grouped_by = GROUP_ALL };
    gboolean is_default = !node->group.text || node->group.n_bytes == 0 ||
                          chakra_text_is(&node->group, "0") ||
                          chakra_text_is(&node->group, "default_pg");
    uint32_t named = find_group_by_name(&node->group, r->recording, r->groups);

    if (node->group_ranks->len > 0)
        return reader_add_group_of_ranks(r->recording, node->group_ranks,
                                         "listed");
    if (named != RECORD_NONE)
        return named;
    if (!is_default || chakra_number(node, CHAKRA_COMM_GROUP) != 0 ||
        chakra_number(node, CHAKRA_GROUP_NUMBER) != 0 ||
        node->n_dims > MAX_DIMS)
        return RECORD_NONE;
    if (node->n_dims > 0 && node->dims == 0)
        return RECORD_NONE;
    if (node->n_dims > 0 && node->dims != (1U << node->n_dims) - 1) {
        group = (OpGroup){ .name = "dims",
                           .grouped_by = GROUP_DIMS,
                           .dims_mask = node->dims };
        r->recording->n_network_dims =
            MAX(r->recording->n_network_dims, node->n_dims);
    }
    return record_add_group(r->recording, &group);
}

/* Returns the name by which another file may define the group, or NULL. */
static const char *group_name(Reading *r)
{
    const ChakraNode *node = &r->node;
    ChakraNumber number = node->numbers_present >> CHAKRA_GROUP_NUMBER & 1
                              ? CHAKRA_GROUP_NUMBER
                              : CHAKRA_COMM_GROUP;

    if (node->group_ranks->len > 0)
        return NULL;
    if (node->group.text && node->group.n_bytes > 0)
        return reader_store_text(r->recording, node->group.text,
                                 node->group.n_bytes);
    if (node->numbers_present >> number & 1) {
        g_autofree char *name =
            g_strdup_printf("%" G_GINT64_FORMAT, chakra_number(node, number));

        return reader_store_text(r->recording, name, strlen(name));
    }
    return NULL;
}

static gboolean name_begins_with(const ChakraNode *node, const char *begin)
{
    gsize n = strlen(begin);

    return node->name.n_bytes >= n && memcmp(node->name.text, begin, n) == 0;
}

static RecordKind record_kind_of_node(const ChakraNode *node, gboolean is_host)
{
    if (node->type == CHAKRA_SEND)
        return RECORD_SEND;
    if (node->type == CHAKRA_RECEIVE)
        return RECORD_RECEIVE;
    if (node->type == CHAKRA_COLLECTIVE)
        return RECORD_COLLECTIVE;
    if (node->type == CHAKRA_MEMORY_LOAD || node->type == CHAKRA_MEMORY_STORE)
        return RECORD_KERNEL;
    if (node->type != CHAKRA_COMPUTE)
        return RECORD_OTHER;
    if (is_host)
        return reader_is_device_wait_call(node->name.text, node->name.n_bytes)
                   ? RECORD_WAIT
                   : RECORD_HOST;
    return name_begins_with(node, "Memcpy") || name_begins_with(node, "Memset")
               ? RECORD_COPY
               : RECORD_KERNEL;
}

/* Returns FALSE if attribute @n is present and not in 0 .. @most. */
static gboolean attribute_is_in_range(const Reading *r, const WireScan *scan,
                                      ChakraNumber n, uint64_t most,
                                      GError **error)
{
    int64_t value = chakra_number(&r->node, n);

    if (value >= 0 && (uint64_t)value <= most)
        return TRUE;
    reader_set_binary_error(error, r->source, scan->offset,
                            "node %" G_GUINT64_FORMAT
                            ": %s is from 0 to %" G_GUINT64_FORMAT
                            ", not %" G_GINT64_FORMAT,
                            r->node.id, chakra_number_names[n], most, value);
    return FALSE;
}

/* Returns FALSE if a time or an attribute is out of range. */
static gboolean check_node_ranges(const Reading *r, const WireScan *scan,
                                  GError **error)
{
    const ChakraNode *node = &r->node;
    uint64_t since =
        MAX(node->begin_us, r->first_us) - MIN(node->begin_us, r->first_us);

    if (node->duration_us > READ_MAX_PS / PS_PER_US ||
        (node->begin_us > 0 && r->first_us > 0 &&
         since > READ_MAX_PS / PS_PER_US) ||
        node->begin_us > INT64_MAX / NS_PER_US) {
        reader_set_binary_error(
            error, r->source, scan->offset,
            "node %" G_GUINT64_FORMAT
            ": a time of more than %d s, or as far from others",
            node->id, (int)(READ_MAX_PS / READ_PS_PER_S));
        return FALSE;
    }
    return attribute_is_in_range(r, scan, CHAKRA_COMM_SIZE, READ_MAX_BYTES,
                                 error) &&
           attribute_is_in_range(r, scan, CHAKRA_COMM_FROM, RECORD_NONE - 1,
                                 error) &&
           attribute_is_in_range(r, scan, CHAKRA_COMM_TO, RECORD_NONE - 1,
                                 error) &&
           attribute_is_in_range(r, scan, CHAKRA_COMM_ROOT, RECORD_NONE - 1,
                                 error) &&
           attribute_is_in_range(r, scan, CHAKRA_COMM_TAG, UINT32_MAX, error) &&
           attribute_is_in_range(r, scan, CHAKRA_N_OPS, READ_MAX_FLOP, error) &&
           attribute_is_in_range(r, scan, CHAKRA_TENSOR_SIZE, READ_MAX_BYTES,
                                 error);
}

/* Sets @ret to the attribute that has the peer, or the root of a collective. */
static gboolean peer_attribute_of_kind(RecordKind kind, ChakraNumber *ret)
{
    *ret = kind == RECORD_SEND      ? CHAKRA_COMM_TO
           : kind == RECORD_RECEIVE ? CHAKRA_COMM_FROM
                                    : CHAKRA_COMM_ROOT;
    return kind != RECORD_OTHER;
}

static void add_node_communication(Reading *r, uint32_t index, RecordKind kind)
{
    const ChakraNode *node = &r->node;
    RecordComm *comm = record_add_comm(
        r->rank, index,
        kind == RECORD_COLLECTIVE ? collective_kind_of_node(node) : COLL_SEND);
    ChakraNumber peer;

    comm->has_bytes = node->numbers_present >> CHAKRA_COMM_SIZE & 1;
    comm->bytes = (uint64_t)chakra_number(node, CHAKRA_COMM_SIZE);
    comm->is_share = comm->kind == COLL_ALL_GATHER || comm->kind == COLL_GATHER;
    comm->tag = (uint32_t)chakra_number(node, CHAKRA_COMM_TAG);
    comm->group = communicator_group_of_node(r);
    comm->group_name = group_name(r);
    if (peer_attribute_of_kind(kind, &peer) &&
        node->numbers_present >> peer & 1)
        comm->peer = (uint32_t)chakra_number(node, peer);
}

static uint32_t stream_of_recorded_node(Reading *r, gboolean is_host,
                                        GError **error)
{
    ChakraNumber n = !is_host && r->node.numbers_present >> CHAKRA_STREAM & 1
                         ? CHAKRA_STREAM
                         : CHAKRA_THREAD;
    uint64_t id = (uint64_t)chakra_number(&r->node, n);

    return reader_add_stream(r->source, r->recording, r->rank, id, is_host,
                             error);
}

/* Returns the begin of the node in ps since the first node with a begin, or
 * RECORD_NO_TIME. The first begin becomes the base of the rank's times. */
static int64_t begin_ps_of_node(Reading *r)
{
    uint64_t begin_us = r->node.begin_us;

    if (begin_us == 0)
        return RECORD_NO_TIME;
    if (r->first_us == 0) {
        r->first_us = begin_us;
        r->rank->base_ns = (int64_t)begin_us * NS_PER_US;
    }
    return ((int64_t)begin_us - (int64_t)r->first_us) * PS_PER_US;
}

static gboolean add_chakra_node(Reading *r, const WireScan *scan,
                                GError **error)
{
    const ChakraNode *node = &r->node;
    gboolean is_host = chakra_number(node, CHAKRA_IS_HOST) != 0 &&
                       node->type != CHAKRA_MEMORY_LOAD &&
                       node->type != CHAKRA_MEMORY_STORE;
    RecordKind kind = record_kind_of_node(node, is_host);
    RecordNode added = { .id = node->id,
                         .file_position = scan->offset,
                         .duration_ps = node->duration_us * PS_PER_US,
                         .comm = RECORD_NONE,
                         .launch = RECORD_NONE,
                         .kind = (uint8_t)kind,
                         .flags = is_host ? RECORD_ON_HOST : 0,
                         .pass = OP_N_PASSES };
    uint32_t index;

    if (!check_node_ranges(r, scan, error))
        return FALSE;
    added.stream = stream_of_recorded_node(r, is_host, error);
    if (added.stream == RECORD_NONE)
        return FALSE;
    added.name =
        reader_store_text(r->recording, node->name.text, node->name.n_bytes);
    added.begin_ps = begin_ps_of_node(r);
    index = record_add_node(r->rank, &added);
    reader_add_kernel_work(r->rank, index,
                           (uint64_t)chakra_number(node, CHAKRA_N_OPS),
                           (uint64_t)chakra_number(node, CHAKRA_TENSOR_SIZE));
    if (node->inputs.text && strstr(added.name, "process_group:init"))
        add_groups_from_text(&node->inputs, r->recording, r->groups);
    if (kind == RECORD_COLLECTIVE || kind == RECORD_SEND ||
        kind == RECORD_RECEIVE)
        add_node_communication(r, index, kind);
    for (guint i = 0; i < node->data_deps->len; i++)
        record_add_dep(r->rank, g_array_index(node->data_deps, uint64_t, i),
                       FALSE);
    for (guint i = 0; i < node->control_deps->len; i++)
        record_add_dep(r->rank, g_array_index(node->control_deps, uint64_t, i),
                       TRUE);
    return TRUE;
}

/* ---- the file --------------------------------------------------------- */

static gboolean read_node_record(Reading *r, WireScan *scan, gboolean is_first,
                                 GError **error)
{
    gboolean ok =
        is_first ? read_metadata(r, scan) : chakra_node_read(scan, &r->node);

    if (!ok) {
        reader_set_binary_error(error, r->source, protobuf_scan_offset(scan),
                                "%s", scan->wrong);
        return FALSE;
    }
    return is_first || add_chakra_node(r, scan, error);
}

static gboolean chakra_read(Source *source, const ReadOptions *options,
                            Recording *recording, GError **error)
{
    Reading r = { .source = source, .recording = recording };
    g_autoptr(GError) wrong = NULL;
    gsize done = 0;
    gboolean ok = TRUE, is_first = TRUE;
    WireScan scan;

    (void)options;
    r.rank = record_add_rank(recording, source_name(source));
    r.rank->rank = reader_rank_of_file_name(source_name(source), ".et");
    r.groups = g_hash_table_new(NULL, NULL);
    chakra_node_init(&r.node);
    while (ok && read_next_record(source, &done, &scan, &wrong)) {
        ok = read_node_record(&r, &scan, is_first, &wrong);
        is_first = FALSE;
    }
    chakra_node_clear(&r.node);
    g_hash_table_unref(r.groups);
    r.rank->n_found = r.rank->nodes->len;
    if (!wrong)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&wrong));
    return FALSE;
}

const ReadOps reader_chakra = {
    .base = { .name = "chakra",
              .summary = "execution trace of one rank, NAME.RANK.et",
              .fields = (const ConfigField[]){ CONFIG_END } },
    .recognises = chakra_recognises,
    .read = chakra_read,
};
