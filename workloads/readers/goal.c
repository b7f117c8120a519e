/*
 * goal.c - schedules of GOAL, the format of LogGOPSim and ATLAHS
 *
 *     num_ranks N
 *     rank R {
 *     [LABEL:] send BYTESb to R [tag T] [cpu C] [nic I]
 *     [LABEL:] recv BYTESb from R [tag T] [cpu C] [nic I]
 *     [LABEL:] calc UNITS [cpu C]
 *     LABEL requires LABEL
 *     LABEL irequires LABEL
 *     }
 *
 * Only requirements order the operations of a rank.  `requires` means to start
 * after the end of the other operation; `irequires` means to start after its
 * start, which becomes a dependency of order.  A label must be defined before
 * it is used.  -1 is any sender (no peer) or any tag (UINT32_MAX).
 *
 * calc has no unit.  It is the simulator's own tick in LogGOPSim.  This reader
 * takes it as ns, as ATLAHS does and as acesim's export writes it.
 *
 * Sources  [LOGGOPSIM]
 */
#include <string.h>

#include "sim/config/config.h"
#include "workloads/readers/reader_common_impl.h"
#include "workloads/readers/text_words.h"

#define MAX_RANKS UINT64_C(16777216)
#define ANY_TAG   UINT32_MAX

/* ---- tokens --------------------------------------------------------- */

/* Braces are separate tokens.  Comments are skipped: from two slashes to the
 * end of the line, or from slash and star to star and slash. */

/* The tokens of a GOAL file.  Initialise as Tokens{ { source, 1, 1 } }. */
typedef struct {
    ReadWords words;
    ReadWord remainder; /* remainder of a word that contains a brace */
    ReadWord back;      /* token that was put back; n_bytes = 0: none */
} Tokens;

/* Returns the length of the first token in @word: it ends before a brace or a
 * comment, or after a colon. */
static gsize length_of_token(const ReadWord *word)
{
    const char *text = word->text;

    for (gsize i = 0; i < word->n_bytes; i++) {
        gboolean is_two = i + 1 < word->n_bytes && text[i] == '/';

        if (text[i] == '{' || text[i] == '}')
            return MAX(i, 1);
        if (text[i] == ':')
            return i + 1;
        if (is_two && (text[i + 1] == '/' || text[i + 1] == '*'))
            return i;
    }
    return word->n_bytes;
}

static ReadWord rest_of_current_word(const ReadWord *word, gsize n)
{
    return (ReadWord){ word->text + n, word->n_bytes - n, word->line,
                       word->column + (guint)n };
}

/* Returns the part of @word after the comment that it begins with; it may be
 * empty. */
static ReadWord text_after_comment(Tokens *goal, ReadWord word)
{
    const char *end = NULL;

    if (word.text[1] == '/') {
        while (reader_next_word_in_line(&goal->words, &word))
            ;
        return (ReadWord){ .n_bytes = 0 };
    }
    word = rest_of_current_word(&word, 2);
    for (;;) {
        end = word.n_bytes > 0
                  ? g_strstr_len(word.text, (gssize)word.n_bytes, "*/")
                  : NULL;
        if (end)
            return rest_of_current_word(&word, (gsize)(end + 2 - word.text));
        if (!reader_next_word(&goal->words, &word))
            return word;
    }
}

/* Reads the next token: a brace, or a word between blanks, braces and comments.
 * Returns FALSE at the end; @ret then has the position. */
static gboolean read_goal_token(Tokens *goal, ReadWord *ret)
{
    ReadWord word = goal->back.n_bytes > 0 ? goal->back : goal->remainder;
    gsize n;

    if (goal->back.n_bytes > 0) {
        *ret = word;
        goal->back.n_bytes = 0;
        return TRUE;
    }
    for (;;) {
        if (word.n_bytes == 0 && !reader_next_word(&goal->words, &word)) {
            *ret = word;
            goal->remainder.n_bytes = 0;
            return FALSE;
        }
        n = length_of_token(&word);
        if (n > 0)
            break;
        word = text_after_comment(goal, word);
    }
    goal->remainder = rest_of_current_word(&word, n);
    *ret = word;
    ret->n_bytes = n;
    return TRUE;
}

/* Puts back @word, the last token that was read. */
static void unread_goal_token(Tokens *goal, const ReadWord *word)
{
    g_assert(goal->back.n_bytes == 0 && word->n_bytes > 0);
    goal->back = *word;
}

/* ---- operations ----------------------------------------------------- */

typedef struct {
    RecordNode node;
    uint64_t bytes;
    uint32_t peer, tag;
} Operation;

typedef struct {
    uint32_t operation, on;
    gboolean is_order; /* the requirement is an irequires */
} Requirement;

typedef struct {
    Tokens goal;
    Recording *recording;
    GHashTable *ranks; /* set of the ranks that were read */
    /* Operations of the current rank; the elements are Operation. */
    GArray *operations;
    /* Requirements of the current rank; the elements are Requirement. */
    GArray *required;
    /* Maps a label (char *) to 1 + its index in .operations. */
    GHashTable *labels;
} Reading;

static gboolean set_word_error(const Reading *r, const ReadWord *word,
                               const char *due, GError **error)
{
    g_autofree char *quoted = reader_word_in_quotes(word);

    if (word->n_bytes == 0)
        reader_set_word_error(error, &r->goal.words, word,
                              "the text ends where %s "
                              "is due",
                              due);
    else
        reader_set_word_error(error, &r->goal.words, word, "%s is due, not %s",
                              due, quoted);
    return FALSE;
}

/* Reads the next word, which must be @text. */
static gboolean read_expected_word(Reading *r, const char *text, GError **error)
{
    ReadWord word;

    return (read_goal_token(&r->goal, &word) &&
            reader_word_equals(&word, text)) ||
           set_word_error(r, &word, text, error);
}

static gboolean read_whole_number(Reading *r, const char *what, uint64_t most,
                                  uint64_t *ret, GError **error)
{
    ReadWord word;

    return (read_goal_token(&r->goal, &word) &&
            reader_word_as_number(&word, most, ret)) ||
           set_word_error(r, &word, what, error);
}

/* Reads a number, or -1, which sets @ret to @any. */
static gboolean read_number_or_any(Reading *r, const char *what, uint64_t most,
                                   uint32_t any, uint32_t *ret, GError **error)
{
    ReadWord word;
    uint64_t number = any;
    gboolean is_there = read_goal_token(&r->goal, &word);

    if (!is_there || (!reader_word_equals(&word, "-1") &&
                      !reader_word_as_number(&word, most, &number)))
        return set_word_error(r, &word, what, error);
    *ret = (uint32_t)number;
    return TRUE;
}

/* Reads a number of bytes such as `8b`; GOAL's own parser has no other unit. */
static gboolean read_byte_count(Reading *r, uint64_t *ret, GError **error)
{
    ReadWord word, digits;

    if (!read_goal_token(&r->goal, &word))
        return set_word_error(r, &word, "a number of bytes", error);
    digits = word;
    if (digits.text[digits.n_bytes - 1] == 'b')
        digits.n_bytes--;
    return reader_word_as_number(&digits, READ_MAX_BYTES, ret) ||
           set_word_error(r, &word, "a number of bytes such as '8b'", error);
}

/* Reads the options tag T, cpu C and nic I, in any order. */
static gboolean read_operation_options(Reading *r, Operation *operation,
                                       uint64_t *ret_cpu, GError **error)
{
    ReadWord word;
    uint64_t nic;

    *ret_cpu = 0;
    while (read_goal_token(&r->goal, &word)) {
        gboolean ok;

        if (reader_word_equals(&word, "tag"))
            ok = read_number_or_any(r, "a tag", UINT32_MAX - 1, ANY_TAG,
                                    &operation->tag, error);
        else if (reader_word_equals(&word, "cpu"))
            ok = read_whole_number(r, "a processor", READ_MAX_STREAMS - 1,
                                   ret_cpu, error);
        else if (reader_word_equals(&word, "nic"))
            ok = read_whole_number(r, "an interface", READ_MAX_STREAMS, &nic,
                                   error);
        else {
            unread_goal_token(&r->goal, &word);
            return TRUE;
        }
        if (!ok)
            return FALSE;
    }
    return TRUE;
}

static gboolean read_message_peer(Reading *r, Operation *operation,
                                  GError **error)
{
    gboolean is_send = operation->node.kind == RECORD_SEND;

    return read_byte_count(r, &operation->bytes, error) &&
           read_expected_word(r, is_send ? "to" : "from", error) &&
           read_number_or_any(r, "a rank", r->recording->n_world - 1,
                              RECORD_NONE, &operation->peer, error);
}

static gboolean read_goal_operation(Reading *r, RecordRank *rank,
                                    RecordKind kind, const ReadWord *word,
                                    GError **error)
{
    Operation operation = { .node = { .id = r->operations->len,
                                      .file_position = word->line,
                                      .begin_ps = RECORD_NO_TIME,
                                      .comm = RECORD_NONE,
                                      .launch = RECORD_NONE,
                                      .kind = (uint8_t)kind,
                                      .pass = OP_N_PASSES } };
    uint64_t cpu, ns = 0;

    /* The send and the receive of a message have the same name. */
    operation.node.name =
        kind == RECORD_KERNEL
            ? reader_store_text(r->recording, word->text, word->n_bytes)
            : reader_store_text(r->recording, "message", strlen("message"));
    if (!(kind == RECORD_KERNEL
              ? read_whole_number(r, "a time", READ_MAX_PS / 1000, &ns, error)
              : read_message_peer(r, &operation, error)) ||
        !read_operation_options(r, &operation, &cpu, error))
        return FALSE;
    operation.node.duration_ps = ns * 1000;
    operation.node.stream = reader_add_stream(
        r->goal.words.source, r->recording, rank, cpu, FALSE, error);
    g_array_append_val(r->operations, operation);
    return operation.node.stream != RECORD_NONE;
}

/* Returns the kind of operation that @word names, or RECORD_N_KINDS if it is
 * none. */
static RecordKind operation_kind_of_word(const ReadWord *word)
{
    return reader_word_equals(word, "send")   ? RECORD_SEND
           : reader_word_equals(word, "recv") ? RECORD_RECEIVE
           : reader_word_equals(word, "calc") ? RECORD_KERNEL
                                              : RECORD_N_KINDS;
}

/* Sets @ret to the operation with this label.  Returns FALSE if there is
 * none. */
static gboolean find_labelled_operation(const Reading *r, const ReadWord *word,
                                        uint32_t *ret)
{
    g_autofree char *name = g_strndup(word->text, word->n_bytes);
    gpointer place = g_hash_table_lookup(r->labels, name);

    *ret = GPOINTER_TO_UINT(place) - 1;
    return place != NULL;
}

static gboolean read_goal_requirement(Reading *r, const ReadWord *word,
                                      GError **error)
{
    Requirement added = { 0 };
    ReadWord how, on;

    if (!find_labelled_operation(r, word, &added.operation))
        return set_word_error(
            r, word, "an operation, or a label that was defined", error);
    if (!read_goal_token(&r->goal, &how) ||
        (!reader_word_equals(&how, "requires") &&
         !reader_word_equals(&how, "irequires")))
        return set_word_error(r, &how, "requires or irequires", error);
    added.is_order = how.text[0] == 'i';
    if (!read_goal_token(&r->goal, &on) ||
        !find_labelled_operation(r, &on, &added.on))
        return set_word_error(r, &on, "a label that was defined", error);
    g_array_append_val(r->required, added);
    return TRUE;
}

/* Reads `LABEL:` and the operation after it. */
static gboolean read_labelled_operation(Reading *r, RecordRank *rank,
                                        const ReadWord *label, GError **error)
{
    char *name = g_strndup(label->text, label->n_bytes - 1);
    ReadWord word;

    if (!g_hash_table_insert(r->labels, name,
                             GUINT_TO_POINTER(r->operations->len + 1)))
        return set_word_error(r, label, "a label that is not defined yet",
                              error);
    if (!read_goal_token(&r->goal, &word) ||
        operation_kind_of_word(&word) == RECORD_N_KINDS)
        return set_word_error(r, &word, "send, recv or calc", error);
    return read_goal_operation(r, rank, operation_kind_of_word(&word), &word,
                               error);
}

/* ---- to the recording ------------------------------------------------- */

static gint compare_by_operation(gconstpointer a, gconstpointer b)
{
    const Requirement *x = a, *y = b;

    if (x->operation != y->operation)
        return x->operation < y->operation ? -1 : 1;
    if (x->is_order != y->is_order)
        return x->is_order - y->is_order;
    return x->on < y->on ? -1 : x->on > y->on;
}

/* Adds the operations of a rank, with their requirements, to the recording. */
static void add_rank_operations(Reading *r, RecordRank *rank)
{
    guint next = 0;

    g_array_sort(r->required, compare_by_operation);
    for (guint i = 0; i < r->operations->len; i++) {
        const Operation *o = &g_array_index(r->operations, Operation, i);
        uint32_t node = record_add_node(rank, &o->node);

        for (; next < r->required->len; next++) {
            const Requirement *on =
                &g_array_index(r->required, Requirement, next);

            if (on->operation != i)
                break;
            record_add_dep(rank, on->on, on->is_order);
        }
        if (o->node.kind != RECORD_KERNEL) {
            RecordComm *comm = record_add_comm(rank, node, COLL_SEND);

            comm->has_bytes = TRUE;
            comm->bytes = o->bytes;
            comm->peer = o->peer;
            comm->tag = o->tag;
        }
    }
    rank->n_found = rank->nodes->len;
}

static gboolean read_rank_block(Reading *r, GError **error)
{
    RecordRank *rank;
    ReadWord word;
    uint64_t number;

    if (!read_goal_token(&r->goal, &word) ||
        !reader_word_as_number(&word, r->recording->n_world - 1, &number))
        return set_word_error(r, &word, "the number of a rank", error);
    if (!g_hash_table_add(r->ranks, GUINT_TO_POINTER(number + 1)))
        return set_word_error(r, &word, "a rank that was not there yet", error);
    if (!read_expected_word(r, "{", error))
        return FALSE;
    rank = record_add_rank(r->recording, source_name(r->goal.words.source));
    rank->rank = (uint32_t)number;
    g_array_set_size(r->operations, 0);
    g_array_set_size(r->required, 0);
    g_hash_table_remove_all(r->labels);
    while (read_goal_token(&r->goal, &word) &&
           !reader_word_equals(&word, "}")) {
        RecordKind kind = operation_kind_of_word(&word);
        gboolean ok = kind != RECORD_N_KINDS
                          ? read_goal_operation(r, rank, kind, &word, error)
                      : word.text[word.n_bytes - 1] == ':'
                          ? read_labelled_operation(r, rank, &word, error)
                          : read_goal_requirement(r, &word, error);

        if (!ok)
            return FALSE;
    }
    if (word.n_bytes == 0)
        return set_word_error(r, &word, "an operation or }", error);
    add_rank_operations(r, rank);
    return TRUE;
}

static gboolean read_goal_file(Reading *r, GError **error)
{
    uint64_t n;
    ReadWord word;

    if (!read_expected_word(r, "num_ranks", error) ||
        !read_whole_number(r, "how many ranks there are", MAX_RANKS, &n, error))
        return FALSE;
    r->recording->n_world = (uint32_t)n;
    r->recording->has_all_ranks = TRUE;
    r->recording->control_is_begin = TRUE;
    while (read_goal_token(&r->goal, &word)) {
        if (!reader_word_equals(&word, "rank") || n == 0)
            return set_word_error(r, &word, n > 0 ? "rank" : "nothing", error);
        if (!read_rank_block(r, error))
            return FALSE;
    }
    return TRUE;
}

/* Recognises the first word num_ranks, which may follow comments. */
static gboolean goal_recognises(Source *source)
{
    gsize n = 0;
    const char *text = (const char *)source_peek(source, READ_MAX_WORD, &n);
    gsize least = strlen("num_ranks");

    return n >= least && (memcmp(text, "num_ranks", least) == 0 ||
                          g_strstr_len(text, (gssize)n, "\nnum_ranks "));
}

static gboolean goal_read(Source *source, const ReadOptions *options,
                          Recording *recording, GError **error)
{
    Reading r = { .goal = { .words = { source, 1, 1 } },
                  .recording = recording };
    gboolean ok;

    (void)options;
    r.ranks = g_hash_table_new(NULL, NULL);
    r.labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    r.operations = g_array_new(FALSE, FALSE, sizeof(Operation));
    r.required = g_array_new(FALSE, FALSE, sizeof(Requirement));
    ok = read_goal_file(&r, error);
    g_hash_table_unref(r.ranks);
    g_hash_table_unref(r.labels);
    g_array_unref(r.operations);
    g_array_unref(r.required);
    return ok;
}

const ReadOps reader_goal = {
    .base = { .name = "goal",
              .summary = "schedules of sends, receives and times, by rank",
              .fields = (const ConfigField[]){ CONFIG_END } },
    .recognises = goal_recognises,
    .read = goal_read,
};
