/*
 * dpro.c - traces of dPRO (byteprofile), with several ranks in one file
 *
 * The format is known from its description and from dPRO's own readers:
 *
 *   {"name": "BW.layer", "ph": "X", "ts": us, "dur": us, "pid": "host0.rank1",
 *    "tid": ..., "cat": "operator", "args": {"step": n, ...}}
 *
 * in an array, or in "traceEvents". A name is CATEGORY.NAME[.PART]. FW and BW
 * are kernels of the forward and the backward pass, UPDATE_* are kernels of the
 * optimiser, I/O is work of the host, and Comm.TENSORS.PART is communication,
 * where TENSORS are numbers joined by +. A name may have the prefix PID-> and
 * the suffix ~>LOOP_CHANNEL_CHUNK_SLICE.
 *
 * The following is assumed, because no such trace is public.  Parts with
 * ALLREDUCE are the collective itself.  NEGOTIATE_*, Sync and QUEUE are times
 * in which a rank waits, and are not replayed.  MEMCPY_* are copies.  SEND and
 * RECV belong to NCCL. PUSH_REQ and PULL_RES belong to BytePS; the servers have
 * their own files, so the peers are not known.  args.bytes is the payload, if
 * it is present.  All events of one tensor are one stream.
 *
 * Ranks are numbered by host, and then by place in the host.  Each host has a
 * separate clock.
 *
 * Sources  [DPRO]
 */
#include <string.h>

#include "sim/config/config.h"
#include "sim/config/json/pull_parser.h"
#include "workloads/readers/reader_common_impl.h"

#define PS_PER_US 1000000
#define PS_PER_NS 1000

/* ---- names of events ------------------------------------------------ */

/* Returns @name without the process before it and the chunk after it.  The
 * caller owns the text. */
static char *name_without_process_and_chunk(const char *name)
{
    const char *begin = strstr(name, "->");
    const char *end;

    begin = begin ? begin + 2 : name;
    end = strstr(begin, "~>");
    return g_strndup(begin, end ? (gsize)(end - begin) : strlen(begin));
}

static const struct {
    const char *begin;
    RecordKind kind;
    OpPass pass;
} categories[] = {
    { "FW.", RECORD_KERNEL, OP_FORWARD },
    { "BW.", RECORD_KERNEL, OP_WEIGHT_GRADIENT },
    { "UPDATE_", RECORD_KERNEL, OP_UPDATE },
    { "OUTPUT", RECORD_KERNEL, OP_FORWARD },
    { "I/O", RECORD_HOST, OP_N_PASSES },
};

/* Kinds by a part of the last component of a name; the first match counts. */
static const struct {
    const char *part;
    RecordKind kind;
} parts[] = {
    { "NEGOTIATE", RECORD_OTHER },      { "QUEUE", RECORD_OTHER },
    { "Sync", RECORD_OTHER },           { "MEMCPY", RECORD_COPY },
    { "ALLREDUCE", RECORD_COLLECTIVE }, { "SEND", RECORD_SEND },
    { "REC", RECORD_RECEIVE },          { "PUSH_REQ", RECORD_SEND },
    { "PULL_RES", RECORD_RECEIVE },
};

/* Returns the kind of node.  RECORD_OTHER: it is not replayed, or not known. */
static RecordKind record_kind_of_name(const char *name, OpPass *ret_pass)
{
    const char *part = strrchr(name, '.');
    gboolean is_comm = g_str_has_prefix(name, "Comm.") ||
                       strstr(name, "PUSH") || strstr(name, "PULL");

    *ret_pass = OP_N_PASSES;
    for (guint i = 0; !is_comm && i < G_N_ELEMENTS(categories); i++)
        if (g_str_has_prefix(name, categories[i].begin)) {
            *ret_pass = categories[i].pass;
            return categories[i].kind;
        }
    for (guint i = 0; is_comm && part && i < G_N_ELEMENTS(parts); i++)
        if (strstr(part, parts[i].part))
            return parts[i].kind;
    return RECORD_OTHER;
}

/* Parses "host3.rank1". Returns FALSE if @pid is not a rank. */
static gboolean parse_process_name(const char *pid, uint32_t *ret_host,
                                   uint32_t *ret_place)
{
    g_auto(GStrv) two = g_strsplit(pid, ".rank", 2);
    guint64 host, place;

    if (g_strv_length(two) != 2 || !g_str_has_prefix(two[0], "host") ||
        !g_ascii_string_to_unsigned(two[0] + 4, 10, 0, UINT16_MAX, &host,
                                    NULL) ||
        !g_ascii_string_to_unsigned(two[1], 10, 0, UINT16_MAX, &place, NULL))
        return FALSE;
    *ret_host = (uint32_t)host;
    *ret_place = (uint32_t)place;
    return TRUE;
}

/* ---- state ---------------------------------------------------------- */

typedef struct {
    uint32_t host, place;
    RecordRank *rank;
} Rank;

typedef struct {
    Source *source;
    JsonPull *pull;
    Recording *recording;
    /* The ranks, by host and by place in the host; a set of Rank. */
    GHashTable *ranks;
    GHashTable *tensors; /* maps names of tensors to stream numbers */
    GHashTable *counts;  /* counts instances, by rank and name */
    gboolean has_base;
    int64_t base_ns;
} Reading;

typedef struct {
    uint64_t id, line, bytes;
    GString *name, *pid;
    __int128 ts_ps, dur_ps;
    gboolean has_ts, has_dur, has_bytes, is_slice;
} Event;

/* ---- ranks ------------------------------------------------------------ */

/* Returns the rank of process @pid, which is added if it is new.  Returns NULL
 * if @pid is not a rank. */
static RecordRank *rank_of_process_id(Reading *r, const char *pid)
{
    g_autofree char *key = NULL;
    g_autofree char *host = NULL;
    Rank added = { 0 };
    Rank *rank;

    if (!parse_process_name(pid, &added.host, &added.place))
        return NULL;
    key = g_strdup_printf("%u %u", added.host, added.place);
    rank = g_hash_table_lookup(r->ranks, key);
    if (rank)
        return rank->rank;
    added.rank = record_add_rank(r->recording, source_name(r->source));
    host = g_strdup_printf("host%u", added.host);
    added.rank->host = recording_store_text(r->recording, host, strlen(host));
    added.rank->base_ns = r->base_ns;
    g_hash_table_insert(r->ranks, g_steal_pointer(&key),
                        g_memdup2(&added, sizeof added));
    return added.rank;
}

/* ---- events ----------------------------------------------------------- */

static void read_json_string(JsonPull *pull, GString *out)
{
    gsize n;
    const char *text;

    g_string_truncate(out, 0);
    if (json_pull_next_scalar(pull) != PULL_STRING)
        return;
    text = json_pull_text(pull, &n);
    g_string_append_len(out, text, (gssize)n);
}

static void read_event_args(JsonPull *pull, Event *event)
{
    static const JsonName names[] = { JSON_NAME("bytes"), JSON_NAMES_END };
    guint key;

    if (!json_pull_enter_container(pull, PULL_OBJECT))
        return;
    while (json_pull_next_key(pull, names, &key))
        event->has_bytes = json_pull_next_scalar(pull) == PULL_NUMBER &&
                           json_pull_u64(pull, &event->bytes) &&
                           event->bytes <= READ_MAX_BYTES;
}

enum { NAME, PH, TS, DUR, PID, ARGS };

static const JsonName keys[] = {
    [NAME] = JSON_NAME("name"),  [PH] = JSON_NAME("ph"),
    [TS] = JSON_NAME("ts"),      [DUR] = JSON_NAME("dur"),
    [PID] = JSON_NAME("pid"),    [ARGS] = JSON_NAME("args"),
    [ARGS + 1] = JSON_NAMES_END,
};

/* Reads the object of an event that was entered. */
static void read_dpro_event(JsonPull *pull, Event *event)
{
    guint key;

    event->line = json_pull_token_line(pull);
    event->has_ts = event->has_dur = event->has_bytes = FALSE;
    event->is_slice = TRUE;
    event->dur_ps = 0;
    g_string_truncate(event->name, 0);
    g_string_truncate(event->pid, 0);
    while (json_pull_next_key(pull, keys, &key))
        switch (key) {
        case NAME:
            read_json_string(pull, event->name);
            break;
        case PID:
            read_json_string(pull, event->pid);
            break;
        case ARGS:
            read_event_args(pull, event);
            break;
        case PH:
            event->is_slice = json_pull_next_scalar(pull) == PULL_STRING &&
                              json_pull_text_is(pull, "X");
            break;
        case TS:
            event->has_ts =
                json_pull_next_scalar(pull) == PULL_NUMBER &&
                json_pull_scaled_decimal(pull, PS_PER_US, &event->ts_ps);
            break;
        default:
            event->has_dur =
                json_pull_next_scalar(pull) == PULL_NUMBER &&
                json_pull_scaled_decimal(pull, PS_PER_US, &event->dur_ps);
            event->dur_ps = event->has_dur ? event->dur_ps : 0;
            break;
        }
}

/* ---- to the recording ------------------------------------------------- */

/* Returns the stream: kernels share one, each tensor has one, and the host is a
 * thread. */
static uint32_t stream_of_recorded_event(Reading *r, RecordRank *rank,
                                         const char *name, RecordKind kind,
                                         GError **error)
{
    const char *end = strrchr(name, '.');
    g_autofree char *tensor = NULL;
    gpointer number;

    if (kind == RECORD_KERNEL || kind == RECORD_HOST)
        return reader_add_stream(r->source, r->recording, rank, 0,
                                 kind == RECORD_HOST, error);
    tensor = g_strndup(name, end ? (gsize)(end - name) : strlen(name));
    number = g_hash_table_lookup(r->tensors, tensor);
    if (!number) {
        number = GUINT_TO_POINTER(g_hash_table_size(r->tensors) + 1);
        g_hash_table_insert(r->tensors, g_steal_pointer(&tensor), number);
    }
    return reader_add_stream(r->source, r->recording, rank,
                             GPOINTER_TO_UINT(number), FALSE, error);
}

/* Returns a sequence number that is equal on all ranks, independent of the
 * order of the file: a hash of the name and the number of earlier instances of
 * that name. */
static uint64_t sequence_number_of_event(Reading *r, const char *pid,
                                         const char *name)
{
    g_autofree char *key = g_strdup_printf("%s %s", pid, name);
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(r->counts, key));

    g_hash_table_insert(r->counts, g_steal_pointer(&key),
                        GUINT_TO_POINTER(n + 1));
    return (uint64_t)g_str_hash(name) << 32 | n;
}

static void add_event_communication(Reading *r, RecordRank *rank, uint32_t node,
                                    RecordKind kind, const char *name,
                                    const Event *event)
{
    OpGroup all = { .name = "all", .grouped_by = GROUP_ALL };
    RecordComm *comm = record_add_comm(
        rank, node, kind == RECORD_COLLECTIVE ? COLL_ALL_REDUCE : COLL_SEND);

    comm->has_bytes = event->has_bytes;
    comm->bytes = event->has_bytes ? event->bytes : 0;
    if (kind != RECORD_COLLECTIVE)
        return;
    comm->group = record_add_group(r->recording, &all);
    comm->has_sequence = TRUE;
    comm->sequence = sequence_number_of_event(r, event->pid->str, name);
}

/* Returns FALSE if the event is too long or too far from the first event, whose
 * time becomes the base. */
static gboolean check_event_times(Reading *r, const Event *event)
{
    __int128 since;

    if (!r->has_base) {
        r->has_base = TRUE;
        r->base_ns = (int64_t)(event->ts_ps / PS_PER_NS);
    }
    since = event->ts_ps - (__int128)r->base_ns * PS_PER_NS;
    if (event->dur_ps >= 0 && event->dur_ps <= (__int128)READ_MAX_PS &&
        since >= -(__int128)READ_MAX_PS && since <= (__int128)READ_MAX_PS)
        return TRUE;
    json_pull_set_error(r->pull, CONFIG_ERROR_RANGE,
                        "an event of more than %d s, or as far from the first",
                        (int)(READ_MAX_PS / READ_PS_PER_S));
    return FALSE;
}

static gboolean add_event_node(Reading *r, const Event *event, GError **error)
{
    g_autofree char *name = name_without_process_and_chunk(event->name->str);
    OpPass pass;
    RecordKind kind = record_kind_of_name(name, &pass);
    RecordRank *rank;
    RecordNode node = { .id = event->id,
                        .file_position = event->line,
                        .duration_ps = (uint64_t)event->dur_ps,
                        .comm = RECORD_NONE,
                        .launch = RECORD_NONE,
                        .kind = (uint8_t)kind,
                        .flags = kind == RECORD_HOST ? RECORD_ON_HOST : 0,
                        .pass = (uint8_t)pass };

    if (!event->has_dur)
        node.flags |= RECORD_UNTIMED;
    if (!check_event_times(r, event))
        return FALSE;
    rank = rank_of_process_id(r, event->pid->str);
    if (!rank)
        return TRUE; /* the event belongs to a server, or has no rank */
    rank->n_found++;
    node.name = reader_store_text(r->recording, name, strlen(name));
    node.begin_ps = (int64_t)(event->ts_ps - (__int128)r->base_ns * PS_PER_NS);
    node.stream = stream_of_recorded_event(r, rank, name, kind, error);
    if (node.stream == RECORD_NONE)
        return FALSE;
    record_add_node(rank, &node);
    if (kind == RECORD_COLLECTIVE || kind == RECORD_SEND ||
        kind == RECORD_RECEIVE)
        add_event_communication(r, rank, rank->nodes->len - 1, kind, name,
                                event);
    return TRUE;
}

/* Reads the array of events that was entered. */
static gboolean read_dpro_events(Reading *r, GError **error)
{
    Event event = { .name = g_string_new(NULL), .pid = g_string_new(NULL) };
    gboolean ok = TRUE;

    while (ok && json_pull_next_item(r->pull)) {
        event.id++;
        if (json_pull_token(r->pull) != PULL_OBJECT) {
            json_pull_skip_value(r->pull);
            continue;
        }
        read_dpro_event(r->pull, &event);
        if (event.is_slice && event.has_ts && !json_pull_has_error(r->pull))
            ok = add_event_node(r, &event, error);
    }
    g_string_free(event.name, TRUE);
    g_string_free(event.pid, TRUE);
    return ok || json_pull_has_error(r->pull);
}

/* ---- the file --------------------------------------------------------- */

static gint compare_by_host_and_place(gconstpointer a, gconstpointer b)
{
    const Rank *x = *(Rank *const *)a, *y = *(Rank *const *)b;

    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Numbers the ranks by host and place. */
static void give_numbers_to_ranks(Reading *r)
{
    g_autoptr(GPtrArray) order = g_ptr_array_new();
    GHashTableIter iter;
    gpointer rank;

    g_hash_table_iter_init(&iter, r->ranks);
    while (g_hash_table_iter_next(&iter, NULL, &rank))
        g_ptr_array_add(order, rank);
    g_ptr_array_sort(order, compare_by_host_and_place);
    for (guint i = 0; i < order->len; i++)
        ((Rank *)g_ptr_array_index(order, i))->rank->rank = i;
    r->recording->n_world = MAX(r->recording->n_world, order->len);
}

static gboolean dpro_recognises(Source *source)
{
    gsize n = 0;
    const char *text = (const char *)source_peek(source, 65536, &n);
    const char *rank = g_strstr_len(text, (gssize)MIN(n, 65536), ".rank");

    n = MIN(n, 65536);
    return n > 0 && (text[0] == '[' || text[0] == '{') && rank &&
           (g_strstr_len(text, (gssize)n, "FW.") ||
            g_strstr_len(text, (gssize)n, "BW.") ||
            g_strstr_len(text, (gssize)n, "Comm."));
}

static gboolean read_dpro_file(Reading *r, GError **error)
{
    static const JsonName names[] = { JSON_NAME("traceEvents"),
                                      JSON_NAMES_END };
    PullToken token = json_pull_next_token(r->pull);
    gboolean ok = TRUE;
    guint key;

    if (token == PULL_ARRAY)
        ok = read_dpro_events(r, error);
    else if (token == PULL_OBJECT)
        while (ok && json_pull_next_key(r->pull, names, &key))
            ok = !json_pull_enter_container(r->pull, PULL_ARRAY) ||
                 read_dpro_events(r, error);
    else
        json_pull_set_error(r->pull, CONFIG_ERROR_TYPE,
                            "a trace is an object or an "
                            "array");
    return ok;
}

static gboolean dpro_read(Source *source, const ReadOptions *options,
                          Recording *recording, GError **error)
{
    Reading r = { .source = source, .recording = recording };
    gboolean ok;

    (void)options;
    r.pull = json_pull_new(source);
    r.ranks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    r.tensors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    r.counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    ok = read_dpro_file(&r, error) && json_pull_report_error(r.pull, error);
    give_numbers_to_ranks(&r);
    g_hash_table_unref(r.ranks);
    g_hash_table_unref(r.tensors);
    g_hash_table_unref(r.counts);
    json_pull_free(r.pull);
    return ok;
}

const ReadOps reader_dpro = {
    .base = { .name = "dpro",
              .summary = "dPRO (byteprofile): operators and tensors, all ranks",
              .fields = (const ConfigField[]){ CONFIG_END } },
    .recognises = dpro_recognises,
    .read = dpro_read,
};
