/* event_args.c - reads the args of an event by a table of keys */
#include "workloads/readers/kineto/kineto_state_impl.h"

typedef enum {
    NUMBER, /* a number or, in older traces, a text that has a number */
    FIRST,  /* the first number of an array of numbers */
    TEXT,
    LIST, /* a list of numbers in a text: "[1, 2]" */
} ArgType;

typedef struct {
    ArgType type;
    gsize offset;
} Arg;

/* Keys that PyTorch and its plug-ins for CUDA and ROCm write. */
/* clang-format off */
#define ARGS(Add)                                                              \
    Add("stream", NUMBER, stream)                                              \
    Add("correlation", NUMBER, correlation)                                    \
    Add("External id", NUMBER, external_id)                                    \
    Add("external id", NUMBER, external_id)                                    \
    Add("device", NUMBER, device)                                              \
    Add("grid", FIRST, grid)                                                   \
    Add("Record function id", NUMBER, function_id)                             \
    Add("Collective name", TEXT, collective)                                   \
    Add("In msg nelems", NUMBER, n_in)                                         \
    Add("Out msg nelems", NUMBER, n_out)                                       \
    Add("dtype", TEXT, type)                                                   \
    Add("Group size", NUMBER, group_size)                                      \
    Add("Process Group Name", TEXT, group_name)                                \
    Add("Process Group Ranks", TEXT, group_ranks)                              \
    Add("name", TEXT, label)                                                   \
    Add("Global rank start", NUMBER, group_start)                              \
    Add("Global rank stride", NUMBER, group_stride)                            \
    Add("In split size", LIST, in_split)                                       \
    Add("Out split size", LIST, out_split)                                     \
    Add("Seq", NUMBER, sequence)                                               \
    Add("Src Rank", NUMBER, source)                                            \
    Add("Dst Rank", NUMBER, target)                                            \
    Add("wait_on_stream", NUMBER, wait_stream)                                 \
    Add("wait_on_cuda_event_record_corr_id", NUMBER, wait_record)
/* clang-format on */

#define NAME(name, type, member) JSON_NAME(name),
#define ARG(name, type, member)  { type, offsetof(KinetoArgs, member) },

static const JsonName names[] = { ARGS(NAME) JSON_NAMES_END };
static const Arg args_of[] = { ARGS(ARG) };

static void set_arg_absent(KinetoArgs *args, const Arg *arg)
{
    if (arg->type == NUMBER || arg->type == FIRST)
        G_STRUCT_MEMBER(int64_t, args, arg->offset) = KINETO_NONE;
}

void kineto_init_args(KinetoArgs *args)
{
    *args = (KinetoArgs){ 0 };
    for (guint i = 0; i < G_N_ELEMENTS(args_of); i++)
        set_arg_absent(args, &args_of[i]);
}

void kineto_clear_args(KinetoArgs *args)
{
    g_clear_pointer(&args->in_split, g_array_unref);
    g_clear_pointer(&args->out_split, g_array_unref);
}

/* ---- values ------------------------------------------------------------ */

/* Reads the number of the last token; leaves @ret unchanged if the value does
 * not fit. */
static void read_number_arg(const JsonPull *pull, int64_t *ret)
{
    __int128 value;
    gsize n;
    const char *text;

    if (json_pull_token(pull) != PULL_NUMBER &&
        json_pull_token(pull) != PULL_STRING)
        return;
    text = json_pull_text(pull, &n);
    if (n <= JSON_MAX_NUMBER && json_pull_scale_text(text, n, 1, &value) &&
        value > INT64_MIN && value <= INT64_MAX)
        *ret = (int64_t)value;
}

static void read_first_of_array(JsonPull *pull, int64_t *ret)
{
    if (!json_pull_enter_container(pull, PULL_ARRAY) ||
        !json_pull_next_item(pull))
        return;
    read_number_arg(pull, ret);
    json_pull_skip_value(pull);
    json_pull_leave_container(pull);
}

static void read_number_list(JsonPull *pull, GArray **ret)
{
    g_autofree char *ended = NULL;
    const char *text;
    gsize n;

    if (json_pull_next_scalar(pull) != PULL_STRING)
        return;
    text = json_pull_text(pull, &n);
    ended = g_strndup(text, n);
    g_clear_pointer(ret, g_array_unref);
    *ret = reader_parse_number_list(ended);
    if (*ret && (*ret)->len == 0)
        g_clear_pointer(ret, g_array_unref);
}

static void read_string_arg(Kineto *kineto, const char **ret)
{
    const char *text;
    gsize n;

    if (json_pull_next_scalar(kineto->pull) != PULL_STRING)
        return;
    text = json_pull_text(kineto->pull, &n);
    *ret = reader_store_text(kineto->recording, text, n);
}

static void read_event_arg(Kineto *kineto, const Arg *arg, KinetoArgs *args)
{
    gpointer member = G_STRUCT_MEMBER_P(args, arg->offset);

    switch (arg->type) {
    case NUMBER:
        json_pull_next_scalar(kineto->pull);
        read_number_arg(kineto->pull, member);
        break;
    case FIRST:
        read_first_of_array(kineto->pull, member);
        break;
    case TEXT:
        read_string_arg(kineto, member);
        break;
    case LIST:
        read_number_list(kineto->pull, member);
        break;
    }
}

void kineto_read_args(Kineto *kineto, KinetoArgs *ret)
{
    guint key;

    if (!json_pull_enter_container(kineto->pull, PULL_OBJECT))
        return;
    while (json_pull_next_key(kineto->pull, names, &key))
        read_event_arg(kineto, &args_of[key], ret);
}
