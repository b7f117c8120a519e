/*
 * sensitivity_fixture.h - a small run and a file of assumptions
 *
 * Both are files on disk, because assumptions are found in the comments of
 * files.
 */
#ifndef TESTS_SIM_SENSITIVITY_FIXTURE_H
#define TESTS_SIM_SENSITIVITY_FIXTURE_H

#include "tests/test.h"

#include <glib/gstdio.h>
#include <string.h>

#include "sim/sensitivity/sensitivity_text.h"

/* A ring of 4 NPUs that reduces 1 MiB.  Only values with a comment `assumed`
 * and defaults are assumptions. */
static const char run_text[] =
    "platform:\n"
    "  name: ring\n"
    "  topology:\n"
    "    kind: torus\n"
    "    dims:\n"
    "      - {size: 4, links: 2, bandwidth: 25 GB/s, latency: 500 ns}\n"
    "  npu:\n"
    "    sms: 80\n"
    "    clock: 1 GHz\n"
    "    flops: 100 TFLOPS\n"
    "    hbm:\n"
    "      bandwidth: 900 GB/s\n"
    "endpoint:\n"
    "  kind: ace\n"
    "  name: ace\n"
    "  memory_bandwidth: 128 GB/s # assumed: for the test\n"
    "workload:\n"
    "  kind: collective\n"
    "  name: c\n"
    "  collective: all-reduce\n"
    "  payload: 1 MiB\n"
    "training:\n"
    "  iterations: 1\n"
    "collectives:\n"
    "  chunk: 64 KiB # assumed: for the test\n"
    "  window: 64 # assumed: for the test\n";

#define BASELINES                                                              \
    "baselines:\n"                                                             \
    "  - name: one\n"                                                          \
    "    set: {endpoint: {kind: baseline, name: one, sms: 1,\n"                \
    "          memory_bandwidth: 64 GB/s}}\n"                                  \
    "  - name: half\n"                                                         \
    "    set: {endpoint: {kind: baseline, name: half, sms: 1,\n"               \
    "          memory_bandwidth: 32 GB/s}}\n"

typedef struct {
    char *folder, *run, *file; /* The struct owns this memory. */
    char **only;               /* The struct owns this memory. */
    StudyOptions options;
} Fixture;

static inline int setup(void **state)
{
    Fixture *f = g_new0(Fixture, 1);

    f->folder = g_dir_make_tmp("sensitivity-XXXXXX", NULL);
    f->run = g_build_filename(f->folder, "run.yaml", NULL);
    f->file = g_build_filename(f->folder, "sensitivity.yaml", NULL);
    g_file_set_contents(f->run, run_text, -1, NULL);
    f->options = (StudyOptions){
        .path = f->run, .file = f->file, .metric = STUDY_SPEEDUP, .n_jobs = 2
    };
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    Fixture *f = *state;

    g_unlink(f->run);
    g_unlink(f->file);
    g_rmdir(f->folder);
    g_free(f->folder);
    g_free(f->run);
    g_free(f->file);
    g_strfreev(f->only);
    g_free(f);
    return 0;
}

/* Limits the study to the assumptions in @names.  Each run needs a process,
 * which is slow with sanitizers. */
static inline void vary_only_assumptions(Fixture *f, const char *names)
{
    f->only = g_strsplit(names, ",", -1);
    f->options.filter.only = f->only;
}

static inline void write_assumption_file(const Fixture *f, const char *text)
{
    assert_true(g_file_set_contents(f->file, text, -1, NULL));
}

static inline SensitivityStudy *sensitivity_study_of_fixture(const Fixture *f)
{
    g_autoptr(GError) error = NULL;
    int number;
    SensitivityStudy *study =
        sensitivity_study_run(&f->options, &number, &error);

    assert_no_error(error);
    assert_int_equal(number, 0);
    return study;
}

static inline const Assumption *
find_assumption_of_key(const SensitivityStudy *study, const char *name)
{
    for (guint i = 0; i < study->assumption_list->len; i++)
        if (g_str_equal(assumption_at(study->assumption_list, i)->name, name))
            return assumption_at(study->assumption_list, i);
    return NULL;
}

static inline const Assumption *
require_assumption(const SensitivityStudy *study, const char *name)
{
    const Assumption *assumption = find_assumption_of_key(study, name);

    if (!assumption)
        fail_msg("no assumption is called %s", name);
    return assumption;
}

#endif
