/*
 * system_fixture.h - runs small systems for the tests of models/
 *
 * run_file_text.h describes the run.
 */
#ifndef TESTS_SYSTEM_FIXTURE_H
#define TESTS_SYSTEM_FIXTURE_H

#include "tests/run_file_text.h"

#include "models/run/system.h"

typedef struct {
    ConfigDoc *doc;
    SystemConfig config;
    System *system;
} Run;

static inline void read_run_setup(Run *run, const Setup *setup)
{
    const char *text = setup_text(setup);
    GError *error = NULL;

    run->system = NULL;
    run->doc = config_doc_parse("run.yaml", text, strlen(text), &error);
    assert_no_error(error);
    (void)!config_doc_read(run->doc, system_fields, &run->config, &error);
    assert_no_error(error);
}

static inline void run_clear(Run *run)
{
    system_free(run->system);
    config_doc_free(run->doc);
}

/* Runs @s to its end and returns its result.  The caller clears @run. */
static inline SystemResult run_to_result(Run *run, const Setup *s,
                                         FoldMode fold)
{
    GError *error = NULL;

    read_run_setup(run, s);
    run->system =
        system_new(&run->config, (RunOptions){ .fold = fold }, &error);
    assert_no_error(error);
    assert_true(system_run(run->system, &error) || error);
    assert_no_error(error);
    return system_result(run->system);
}

static inline SystemResult simulate_setup(const Setup *setup)
{
    Run run;
    SystemResult result = run_to_result(&run, setup, FOLD_AUTO);

    run_clear(&run);
    return result;
}

/* Returns the index of the resource @name of endpoints of kind @endpoint, or of
 * the resources that every run has.  Fails the test if there is none. */
static inline guint resource_index_by_name(const char *endpoint,
                                           const char *name)
{
    guint number = 0;

    for (guint i = 0; endpoint_registry.kinds[i]; i++)
        if (g_str_equal(endpoint_registry.kinds[i]->name, endpoint) &&
            resource_find_by_name(
                endpoint_resources_of_kind(endpoint_registry.kinds[i]), name,
                &number))
            return number;
    fail_msg("%s has no resource %s", endpoint, name);
    return number;
}

/* Checks that system_new() refuses @setup with this error. */
static inline void assert_setup_refused(const Setup *setup, FoldMode fold,
                                        GQuark domain, int code,
                                        const char *message)
{
    GError *error = NULL;
    Run run;

    read_run_setup(&run, setup);
    run.system = system_new(&run.config, (RunOptions){ .fold = fold }, &error);
    assert_null(run.system);
    assert_gerror(error, domain, code, message);
    run_clear(&run);
}

/* Checks that @actual differs from @expected by at most @per_mille. */
static inline void assert_near_per_mille(uint64_t actual, uint64_t expected,
                                         uint64_t per_mille)
{
    if (MAX(actual, expected) - MIN(actual, expected) >
        expected / 1000 * per_mille)
        fail_msg("%" G_GUINT64_FORMAT " is not near %" G_GUINT64_FORMAT, actual,
                 expected);
}

#endif
