/*
 * run_file_text.h - writes run files from a few parts
 *
 * A Setup holds the parts of a run file.  Each is a YAML value and stands on
 * the line given by its place in the struct ("run.yaml:LINE:COLUMN").  Parts
 * that are NULL get defaults: a ring of 4 NPUs, an ideal endpoint, one
 * all-reduce of 1 MiB, one
 * iteration. */
#ifndef TESTS_RUN_FILE_TEXT_H
#define TESTS_RUN_FILE_TEXT_H

#include "tests/test.h"

#include "workloads/collective.h"

/* The clock has 1 GHz, so that a cycle takes 1000 ps. */
#define NPU_900                                                                \
    "{sms: 80, clock: 1 GHz, flops: 100 TFLOPS, hbm: {bandwidth: 900 GB/s}}"
#define RING_4                                                                 \
    "{kind: torus, dims: [{size: 4, links: 2, bandwidth: 25 GB/s, "            \
    "latency: 500 ns}]}"
/* The links of the ACE platforms: inside a package, and between packages. */
#define LINK_LOCAL                                                             \
    "links: 2, bandwidth: 200 GB/s, latency: 72.29 ns, efficiency: 0.94"
#define LINK_GLOBAL                                                            \
    "links: 2, bandwidth: 25 GB/s, latency: 401.61 ns, efficiency: 0.94"

typedef struct {
    const char *topology, *npu, *endpoint, *workload, *training, *collectives;
    /* A part that is NULL is left out of the run file. */
    const char *perturb, *stack;
} Setup;

/* Returns a copy of @text that is never freed.  Equal texts share one copy. */
static inline const char *keep_text_until_exit(const char *text)
{
    static GStringChunk *texts;

    texts = texts ?: g_string_chunk_new(4096);
    return g_string_chunk_insert_const(texts, text);
}

G_GNUC_PRINTF(1, 2)
static inline const char *format_text(const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return keep_text_until_exit(text);
}

static inline const char *ace_torus_text(int local, int vertical,
                                         int horizontal)
{
    return format_text("{kind: torus, dims: [{size: %d, " LINK_LOCAL "}, "
                       "{size: %d, " LINK_GLOBAL "}, {size: %d, " LINK_GLOBAL
                       "}]}",
                       local, vertical, horizontal);
}

static inline const char *single_collective_workload(CollKind kind,
                                                     uint64_t payload_bytes)
{
    return format_text("{kind: collective, name: one, collective: %s, "
                       "payload: %" G_GUINT64_FORMAT " B}",
                       coll_kind_names[kind], payload_bytes);
}

/* Returns @given with fixed sizes for chunk, message and window where it gives
 * none, so that results do not depend on automatic sizes. */
static inline const char *collectives_section_text(const char *given)
{
    static const char *const cut[] = { "chunk: 64 KiB", "message: 8 KiB",
                                       "window: 64" };
    g_autoptr(GString) text =
        g_string_new_len(given, (gssize)strlen(given) - 1);

    for (guint i = 0; i < G_N_ELEMENTS(cut); i++) {
        g_autofree char *key =
            g_strndup(cut[i], (gsize)(strchr(cut[i], ':') + 1 - cut[i]));

        if (!strstr(given, key))
            g_string_append_printf(text, "%s%s", text->len > 1 ? ", " : "",
                                   cut[i]);
    }
    g_string_append_c(text, '}');
    return keep_text_until_exit(text->str);
}

static inline const char *setup_text(const Setup *s)
{
    return format_text(
        "platform: {topology: %s,\n npu: %s}\nendpoint: %s\nworkload: %s\n"
        "training: %s\ncollectives: %s\n%s%s\n%s%s\n",
        s->topology ?: RING_4, s->npu ?: NPU_900,
        s->endpoint ?: "{kind: ideal}",
        s->workload ?: single_collective_workload(COLL_ALL_REDUCE, 1 << 20),
        s->training ?: "{iterations: 1}",
        collectives_section_text(s->collectives ?: "{}"),
        s->perturb ? "perturb: " : "", s->perturb ?: "",
        s->stack ? "stack: " : "", s->stack ?: "");
}

#endif
