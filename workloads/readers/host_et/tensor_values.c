/*
 * tensor_values.c - inputs and outputs of a communicating operation
 *
 *     TENSOR or [TENSOR, ...], numbers and texts that depend on the version,
 *     RANK, "all_to_allv", [rows, ...], [rows, ...], ...
 *
 * A tensor is [id, storage, offset, elements, bytes of one, device]. The kind
 * of communication is the first text outside an array.
 */
#include "workloads/readers/host_et/host_et_impl.h"

enum { ELEMENTS = 3, WIDTH = 4, N_NUMBERS };

/* Largest size in a file.  Sums cannot overflow, because a file has far fewer
 * tensors. */
#define MAX_BYTES READ_MAX_BYTES

static uint64_t tensor_bytes(const uint64_t *numbers)
{
    uint64_t n = numbers[ELEMENTS], width = numbers[WIDTH];

    return width > 0 && n <= MAX_BYTES / width ? n * width : MAX_BYTES + 1;
}

/* Reads the array that was entered, a tensor or a list of tensors, and adds its
 * size to @bytes. */
static void read_tensor_bytes(JsonPull *pull, uint64_t *bytes)
{
    uint64_t numbers[N_NUMBERS] = { 0 };
    guint n = 0;

    while (json_pull_next_item(pull)) {
        if (json_pull_token(pull) == PULL_ARRAY)
            read_tensor_bytes(pull, bytes);
        else if (n < N_NUMBERS && json_pull_u64(pull, &numbers[n]))
            n++;
        else
            json_pull_skip_value(pull);
    }
    if (n == N_NUMBERS)
        *bytes = MIN(*bytes + tensor_bytes(numbers), MAX_BYTES + 1);
}

/* Reads the array of rows that was entered. */
static GArray *read_row_counts(JsonPull *pull)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    uint64_t n;

    while (json_pull_next_item(pull)) {
        if (json_pull_u64(pull, &n))
            g_array_append_val(rows, n);
        json_pull_skip_value(pull);
    }
    return rows;
}

/* Reads an array that was entered: tensors before the kind, then input rows,
 * then output rows; further arrays are skipped. */
static void read_inputs_array(JsonPull *pull, HostEtNode *node)
{
    if (!node->word)
        read_tensor_bytes(pull, &node->in_bytes);
    else if (!node->in_rows)
        node->in_rows = read_row_counts(pull);
    else if (!node->out_rows)
        node->out_rows = read_row_counts(pull);
    else
        json_pull_skip_value(pull);
}

static void read_input_values(JsonPull *pull, Recording *recording,
                              HostEtNode *node)
{
    while (json_pull_next_item(pull)) {
        PullToken token = json_pull_token(pull);

        if (token == PULL_ARRAY) {
            read_inputs_array(pull, node);
        } else if (token == PULL_STRING && !node->word) {
            gsize n;
            const char *text = json_pull_text(pull, &n);

            node->word = reader_store_text(recording, text, n);
        } else if (token == PULL_NUMBER && !node->word) {
            if (!json_pull_i64(pull, &node->before))
                node->before = HOST_ET_NONE;
        } else {
            json_pull_skip_value(pull);
        }
    }
}

/* Enters the array of the next value.  Returns FALSE and skips the value if it
 * has no array. */
static gboolean enter_values_array(JsonPull *pull, gboolean *is_object)
{
    static const JsonName names[] = { JSON_NAME("values"), JSON_NAMES_END };
    PullToken token = json_pull_next_token(pull);
    guint key;

    *is_object = token == PULL_OBJECT;
    if (token == PULL_ARRAY)
        return TRUE;
    if (*is_object && json_pull_next_key(pull, names, &key)) {
        if (json_pull_enter_container(pull, PULL_ARRAY))
            return TRUE;
        if (!json_pull_has_error(pull))
            json_pull_leave_container(pull);
        return FALSE;
    }
    if (!*is_object)
        json_pull_skip_value(pull);
    return FALSE;
}

void host_et_read_inputs(JsonPull *pull, Recording *recording, HostEtNode *node)
{
    gboolean is_object;

    if (!enter_values_array(pull, &is_object))
        return;
    read_input_values(pull, recording, node);
    if (is_object && !json_pull_has_error(pull))
        json_pull_leave_container(pull);
}

void host_et_read_outputs(JsonPull *pull, HostEtNode *node)
{
    gboolean is_object;

    if (!enter_values_array(pull, &is_object))
        return;
    read_tensor_bytes(pull, &node->out_bytes);
    if (is_object && !json_pull_has_error(pull))
        json_pull_leave_container(pull);
}

void host_et_clear(HostEtNode *node)
{
    g_clear_pointer(&node->in_rows, g_array_unref);
    g_clear_pointer(&node->out_rows, g_array_unref);
}
