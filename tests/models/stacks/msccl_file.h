/* msccl_file.h - correct and broken MSCCL schedules for tests */
#ifndef TESTS_MODELS_STACKS_MSCCL_FILE_H
#define TESTS_MODELS_STACKS_MSCCL_FILE_H

#include "tests/test.h"

#include <string.h>

#include "models/stacks/msccl/xml_reader.h"
#include "sim/config/config_error.h"

/* Returns the text of configs/msccl/@file.  The caller frees it. */
static inline char *read_msccl_sample(const char *file)
{
    const char *source = g_getenv("SRCDIR");
    g_autofree char *path =
        g_build_filename(source ? source : ".", "configs", "msccl", file, NULL);
    char *text = NULL;

    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

static inline MscclSchedule *parse_msccl_schedule(const char *text)
{
    GError *error = NULL;
    MscclSchedule *msccl =
        msccl_read_xml_schedule("x.xml", text, strlen(text), &error);

    assert_no_error(error);
    assert_non_null(msccl);
    return msccl;
}

/* Returns @text with the first @from after @after replaced by @to. */
static inline char *replace_in_msccl_text(const char *text, const char *after,
                                          const char *from, const char *to)
{
    const char *place = strstr(text, after);
    GString *out = NULL;
    gsize n_before;

    assert_non_null(place);
    place = strstr(place, from);
    assert_non_null(place);
    n_before = (gsize)(place - text);
    out = g_string_new_len(text, (gssize)n_before);
    g_string_append(out, to);
    g_string_append(out, text + n_before + strlen(from));
    return g_string_free(out, FALSE);
}

#endif
