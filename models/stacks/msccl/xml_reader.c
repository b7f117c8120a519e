/*
 * xml_reader.c - reads the elements of a schedule, from the outermost to the
 * steps
 *
 * GMarkup parses the file.  It gets the text in pieces that start at each '<',
 * which cannot occur inside a tag.  So the position of each element is the
 * start of its piece.
 */
#include "models/stacks/msccl/xml_reader.h"

#include <string.h>

#include "models/stacks/msccl/xml_tag_impl.h"
#include "sim/config/config_error.h"
#include "sim/core/word_suggestions.h"

/* clang-format off */
static const MscclType types[] = {
    { .name = "s",    .sends = TRUE, .reads = TRUE },
    { .name = "r",    .receives = TRUE, .writes = TRUE },
    { .name = "rcs",  .receives = TRUE, .writes = TRUE, .sends = TRUE },
    { .name = "rrs",  .receives = TRUE, .reads = TRUE, .adds = TRUE,
                      .sends = TRUE },
    { .name = "rrc",  .receives = TRUE, .reads = TRUE, .adds = TRUE,
                      .writes = TRUE },
    { .name = "rrcs", .receives = TRUE, .reads = TRUE, .adds = TRUE,
                      .writes = TRUE, .sends = TRUE },
    { .name = "cpy",  .reads = TRUE, .writes = TRUE },
    { .name = "re",   .reads = TRUE, .adds = TRUE, .writes = TRUE },
    { .name = "nop" },
};
/* clang-format on */

static const char *const type_names[] = { "s",    "r",   "rcs", "rrs", "rrc",
                                          "rrcs", "cpy", "re",  "nop", NULL };
G_STATIC_ASSERT(G_N_ELEMENTS(type_names) == G_N_ELEMENTS(types) + 1);

/* ---- elements ---------------------------------------------------------- */

static const char *const collectives[] = { "allreduce", NULL };

static gboolean read_algo_element(MscclSchedule *schedule, const MscclTag *tag,
                                  GError **error)
{
    int64_t n_gpus, n_channels, in_place, n_chunks, min, max;
    const char *name = xml_tag_read_text(tag, "name", error);
    int collective;

    if (schedule->name) {
        xml_tag_set_error(
            tag, NULL, error,
            "a second <algo>; a file is one, and the first begins in line "
            "%u",
            schedule->line);
        return FALSE;
    }
    if (!name ||
        !xml_tag_read_keyword(tag, "coll", collectives, &collective, error) ||
        !xml_tag_read_keyword(tag, "proto", msccl_protocols,
                              &schedule->protocol, error))
        return FALSE;
    if (!xml_tag_read_number(tag, "ngpus", 2, MSCCL_MAX_GPUS, &n_gpus, error) ||
        !xml_tag_read_number(tag, "nchannels", 1, MSCCL_MAX_CHANNELS,
                             &n_channels, error) ||
        !xml_tag_read_number(tag, "inplace", 0, 1, &in_place, error) ||
        !xml_tag_read_optional_number(tag, "nchunksperloop", 1,
                                      MSCCL_MAX_CHUNKS, 0, &n_chunks, error) ||
        !xml_tag_read_optional_number(tag, "minBytes", 0, INT64_MAX, 0, &min,
                                      error) ||
        !xml_tag_read_optional_number(tag, "maxBytes", 0, INT64_MAX, 0, &max,
                                      error) ||
        (max > 0 && !xml_tag_read_optional_number(tag, "maxBytes", min,
                                                  INT64_MAX, 0, &max, error)))
        return FALSE;
    schedule->name = g_strdup(name);
    schedule->n_gpus = (uint32_t)n_gpus;
    schedule->n_channels = (uint32_t)n_channels;
    schedule->n_chunks = (uint32_t)n_chunks;
    schedule->is_in_place = in_place != 0;
    schedule->min_bytes = (uint64_t)min;
    /* In an MSCCL file, a maximum of 0 means that there is no upper bound. */
    schedule->max_bytes = max == 0 ? INT64_MAX : (uint64_t)max;
    schedule->line = tag->line;
    return TRUE;
}

/* Checks that numbered elements are in order: @attribute must be @due. */
static gboolean check_element_number(const MscclTag *tag, const char *attribute,
                                     uint32_t due, GError **error)
{
    int64_t number;

    if (!xml_tag_read_number(tag, attribute, 0, INT32_MAX, &number, error))
        return FALSE;
    if (number == due)
        return TRUE;
    xml_tag_set_error(tag, attribute, error,
                      "'%s' is %" G_GINT64_FORMAT " where %u is due", attribute,
                      number, due);
    return FALSE;
}

static gboolean read_gpu_element(MscclSchedule *schedule, const MscclTag *tag,
                                 GError **error)
{
    static const char *const counts[] = { "i_chunks", "o_chunks", "s_chunks" };
    MscclGpu gpu = { .first_tb = schedule->tbs->len, .line = tag->line };
    int64_t n;

    if (schedule->gpus->len == schedule->n_gpus) {
        xml_tag_set_error(tag, NULL, error,
                          "there are more GPUs than ngpus=\"%u\"",
                          schedule->n_gpus);
        return FALSE;
    }
    if (!check_element_number(tag, "id", schedule->gpus->len, error))
        return FALSE;
    for (int b = 0; b < MSCCL_N_BUFFERS; b++) {
        if (!xml_tag_read_number(tag, counts[b], 0, MSCCL_MAX_CHUNKS, &n,
                                 error))
            return FALSE;
        gpu.n_chunks[b] = (uint32_t)n;
    }
    if (schedule->is_in_place)
        gpu.n_chunks[MSCCL_INPUT] =
            MAX(gpu.n_chunks[MSCCL_INPUT], gpu.n_chunks[MSCCL_OUTPUT]);
    g_array_append_val(schedule->gpus, gpu);
    return TRUE;
}

/* Checks that @tb is the only thread block at its ends of its connections,
 * because the order of messages of a connection must be unique. */
static gboolean check_only_user_of_connections(const MscclSchedule *schedule,
                                               const MscclTag *tag,
                                               const MscclThreadBlock *tb,
                                               GError **error)
{
    const MscclGpu *gpu = msccl_get_gpu(schedule, tb->gpu);

    for (uint32_t i = gpu->first_tb; i < schedule->tbs->len; i++) {
        const MscclThreadBlock *other = msccl_get_thread_block(schedule, i);
        gboolean sends = tb->send_to >= 0 && other->send_to == tb->send_to;
        gboolean receives =
            tb->recv_from >= 0 && other->recv_from == tb->recv_from;

        if (other->channel != tb->channel || !(sends || receives))
            continue;
        xml_tag_set_error(
            tag, sends ? "send" : "recv", error,
            "%s GPU %d on channel %u, as the thread block in line %u does",
            sends ? "sends to" : "receives from",
            sends ? tb->send_to : tb->recv_from, tb->channel, other->line);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_peer_attribute(const MscclSchedule *schedule,
                                    const MscclTag *tag, const char *attribute,
                                    int32_t *ret, GError **error)
{
    int64_t peer;

    if (!xml_tag_read_number(tag, attribute, -1, schedule->n_gpus - 1, &peer,
                             error))
        return FALSE;
    if (peer == (int64_t)schedule->gpus->len - 1) {
        xml_tag_set_error(tag, attribute, error, "'%s' is the GPU itself",
                          attribute);
        return FALSE;
    }
    *ret = (int32_t)peer;
    return TRUE;
}

static gboolean read_thread_block_element(MscclSchedule *schedule,
                                          const MscclTag *tag, GError **error)
{
    MscclGpu *gpu = msccl_get_gpu(schedule, schedule->gpus->len - 1);
    MscclThreadBlock tb = { .gpu = schedule->gpus->len - 1,
                            .first_step = schedule->steps->len,
                            .line = tag->line };
    int64_t channel;

    if (!check_element_number(tag, "id", gpu->n_tbs, error) ||
        !read_peer_attribute(schedule, tag, "send", &tb.send_to, error) ||
        !read_peer_attribute(schedule, tag, "recv", &tb.recv_from, error) ||
        !xml_tag_read_number(tag, "chan", 0, schedule->n_channels - 1, &channel,
                             error))
        return FALSE;
    tb.channel = (uint32_t)channel;
    if (!check_only_user_of_connections(schedule, tag, &tb, error))
        return FALSE;
    gpu->n_tbs++;
    g_array_append_val(schedule->tbs, tb);
    return TRUE;
}

/* ---- steps --------------------------------------------------------------- */

/* Reads a place of the step's own GPU.  Attributes of places that the type of
 * step does not use are not read. */
static gboolean read_buffer_place(const MscclSchedule *schedule,
                                  const MscclTag *tag, const char *buffer,
                                  const char *offset, uint32_t n_chunks,
                                  MscclPlace *ret, GError **error)
{
    const MscclGpu *gpu = msccl_get_gpu(schedule, schedule->gpus->len - 1);
    int64_t at;
    int which;

    if (!xml_tag_read_keyword(tag, buffer, msccl_buffers, &which, error) ||
        !xml_tag_read_number(tag, offset, 0, MSCCL_MAX_CHUNKS, &at, error))
        return FALSE;
    if (schedule->is_in_place && which == MSCCL_OUTPUT)
        which = MSCCL_INPUT;
    *ret = (MscclPlace){ (MscclBuffer)which, (uint32_t)at };
    if (at + n_chunks <= gpu->n_chunks[which])
        return TRUE;
    xml_tag_set_error(tag, offset, error,
                      "chunks %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                      " of '%s', of which GPU %u has %u",
                      at, at + n_chunks - 1, msccl_buffers[which],
                      schedule->gpus->len - 1, gpu->n_chunks[which]);
    return FALSE;
}

static gboolean read_buffer_places_of_step(const MscclSchedule *schedule,
                                           const MscclTag *tag, MscclStep *step,
                                           GError **error)
{
    gboolean is_old = strcmp(tag->name, "step") == 0;

    if (step->type->reads &&
        !read_buffer_place(schedule, tag, is_old ? "srcbuf" : "buf",
                           is_old ? "srcoff" : "off", step->n_chunks,
                           &step->src, error))
        return FALSE;
    return !step->type->writes ||
           read_buffer_place(schedule, tag, is_old ? "dstbuf" : "buf",
                             is_old ? "dstoff" : "off", step->n_chunks,
                             &step->dst, error);
}

static gboolean read_step_type(const MscclTag *tag, const MscclThreadBlock *tb,
                               MscclStep *step, GError **error)
{
    int type;

    if (!xml_tag_read_keyword(tag, "type", type_names, &type, error))
        return FALSE;
    step->type = &types[type];
    if (step->type->sends && tb->send_to < 0)
        xml_tag_set_error(tag, "type", error,
                          "'%s' in a thread block without a receiver",
                          step->type->name);
    else if (step->type->receives && tb->recv_from < 0)
        xml_tag_set_error(tag, "type", error,
                          "'%s' in a thread block without a sender",
                          step->type->name);
    else
        return TRUE;
    return FALSE;
}

/* Reads a number of a step.  It is required in the old format; the new format
 * has a default. */
static gboolean read_number_of_step(const MscclTag *tag, gboolean is_old,
                                    const char *attribute, int64_t min,
                                    int64_t fallback, int32_t *ret,
                                    GError **error)
{
    const int64_t max = MSCCL_MAX_CHUNKS;
    int64_t n;

    if (!(is_old ? xml_tag_read_number(tag, attribute, min, max, &n, error)
                 : xml_tag_read_optional_number(tag, attribute, min, max,
                                                fallback, &n, error)))
        return FALSE;
    *ret = (int32_t)n;
    return TRUE;
}

static gboolean read_step_element(MscclSchedule *schedule, const MscclTag *tag,
                                  GError **error)
{
    MscclThreadBlock *tb =
        msccl_get_thread_block(schedule, schedule->tbs->len - 1);
    MscclStep step = { .line = tag->line, .column = tag->column };
    gboolean is_old = strcmp(tag->name, "step") == 0;
    int32_t n;

    if (!check_element_number(tag, is_old ? "s" : "step", tb->n_steps, error) ||
        !read_step_type(tag, tb, &step, error) ||
        !read_number_of_step(tag, is_old, "cnt",
                             step.type->reads || step.type->writes, 1, &n,
                             error) ||
        !read_number_of_step(tag, is_old, "depid", -1, -1, &step.dep_tb,
                             error) ||
        !read_number_of_step(tag, is_old, "deps", -1, -1, &step.dep_at, error))
        return FALSE;
    step.n_chunks = (uint32_t)n;
    if (!read_buffer_places_of_step(schedule, tag, &step, error))
        return FALSE;
    tb->n_steps++;
    g_array_append_val(schedule->steps, step);
    return TRUE;
}

/* ---- checks of a whole GPU and of the whole file ------------------------ */

/* Checks that the step that @position waits for exists and comes earlier if it
 * is in the same thread block. */
static gboolean check_step_dependency(const MscclSchedule *schedule,
                                      const MscclGpu *gpu,
                                      const MscclThreadBlock *tb,
                                      uint32_t position, GError **error)
{
    const MscclStep *step = msccl_get_step(schedule, tb->first_step + position);
    const MscclThreadBlock *dep;

    if (step->dep_tb < 0)
        return TRUE;
    if ((uint32_t)step->dep_tb >= gpu->n_tbs) {
        msccl_set_error(schedule, step, error,
                        "waits for thread block %d of GPU %u, which has %u",
                        step->dep_tb, tb->gpu, gpu->n_tbs);
        return FALSE;
    }
    dep = msccl_get_thread_block(schedule,
                                 gpu->first_tb + (uint32_t)step->dep_tb);
    if (step->dep_at < 0 || (uint32_t)step->dep_at >= dep->n_steps) {
        msccl_set_error(schedule, step, error,
                        "waits for step %d of thread block %d, which has %u",
                        step->dep_at, step->dep_tb, dep->n_steps);
        return FALSE;
    }
    if (dep == tb && (uint32_t)step->dep_at >= position) {
        msccl_set_error(schedule, step, error, "waits for itself");
        return FALSE;
    }
    return TRUE;
}

static gboolean check_steps_of_gpu(const MscclSchedule *schedule,
                                   GError **error)
{
    const MscclGpu *gpu = msccl_get_gpu(schedule, schedule->gpus->len - 1);

    for (uint32_t t = gpu->first_tb; t < schedule->tbs->len; t++) {
        const MscclThreadBlock *tb = msccl_get_thread_block(schedule, t);

        for (uint32_t s = 0; s < tb->n_steps; s++)
            if (!check_step_dependency(schedule, gpu, tb, s, error))
                return FALSE;
    }
    return TRUE;
}

static gboolean check_whole_schedule(MscclSchedule *schedule, GError **error)
{
    if (schedule->gpus->len != schedule->n_gpus) {
        g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                    "%s:%u:1: there are %u GPUs, and ngpus=\"%u\"",
                    schedule->file, schedule->line, schedule->gpus->len,
                    schedule->n_gpus);
        return FALSE;
    }
    for (uint32_t g = 0; g < schedule->n_gpus && schedule->n_chunks == 0; g++)
        schedule->n_chunks = msccl_get_gpu(schedule, g)->n_chunks[MSCCL_INPUT];
    for (uint32_t g = 0; g < schedule->n_gpus; g++)
        if (msccl_get_gpu(schedule, g)->n_chunks[MSCCL_INPUT] >
            schedule->n_chunks) {
            g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                        "%s:%u:1: GPU %u has %u chunks of a payload of %u",
                        schedule->file, msccl_get_gpu(schedule, g)->line, g,
                        msccl_get_gpu(schedule, g)->n_chunks[MSCCL_INPUT],
                        schedule->n_chunks);
            return FALSE;
        }
    return TRUE;
}

/* ---- document ------------------------------------------------------------ */

typedef struct {
    MscclSchedule *msccl;
    guint depth; /* number of XML elements that are open */
} Parser;

/* The XML elements of a schedule file, by nesting depth. */
static const struct {
    const char *name;
    gboolean (*read)(MscclSchedule *msccl, const MscclTag *tag, GError **error);
} elements[] = {
    { "algo", read_algo_element },
    { "gpu", read_gpu_element },
    { "tb", read_thread_block_element },
    { "step", read_step_element },
};

static gboolean on_xml_element_start(gpointer self, const MscclTag *tag,
                                     GError **error)
{
    Parser *parser = self;
    gboolean is_op = parser->depth == 3 && strcmp(tag->name, "op") == 0;
    g_autofree char *quoted = NULL;

    if (parser->depth < G_N_ELEMENTS(elements) &&
        (is_op || strcmp(tag->name, elements[parser->depth].name) == 0))
        return elements[parser->depth++].read(parser->msccl, tag, error);
    quoted = words_quote_text(tag->name);
    xml_tag_set_error(
        tag, NULL, error, "element %s cannot stand here%s%s", quoted,
        parser->depth < G_N_ELEMENTS(elements) ? "; due is " : "",
        parser->depth < G_N_ELEMENTS(elements) ? elements[parser->depth].name
                                               : "");
    return FALSE;
}

static gboolean on_xml_element_end(gpointer self, GError **error)
{
    Parser *parser = self;

    parser->depth--;
    if (parser->depth == 1)
        return check_steps_of_gpu(parser->msccl, error);
    return parser->depth > 0 || check_whole_schedule(parser->msccl, error);
}

MscclSchedule *msccl_read_xml_schedule(const char *name, const char *text,
                                       gsize n_bytes, GError **error)
{
    static const MscclTagOps ops = { on_xml_element_start, on_xml_element_end };
    g_autoptr(MscclSchedule) m = g_new0(MscclSchedule, 1);
    Parser reading = { .msccl = m };

    m->file = g_strdup(name);
    m->gpus = g_array_new(FALSE, TRUE, sizeof(MscclGpu));
    m->tbs = g_array_new(FALSE, TRUE, sizeof(MscclThreadBlock));
    m->steps = g_array_new(FALSE, TRUE, sizeof(MscclStep));
    if (!msccl_parse_xml_tags(name, text, n_bytes, &ops, &reading, error))
        return NULL;
    return g_steal_pointer(&m);
}
