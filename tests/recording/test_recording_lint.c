/*
 * test_recording_lint.c - tests of workloads/recording/lint.h with a sample for
 * each kind of fault
 *
 * The recordings in tests/samples/faults/KIND were made by hand.  The file
 * said.txt beside them has the expected report.
 */
#include "tests/test.h"

#include <string.h>

#include "workloads/readers/reader_table.h"
#include "workloads/recording/lint.h"

static char *sample_folder_of_fault(const char *kind)
{
    const char *top = g_getenv("SRCDIR");

    return g_build_filename(top ? top : ".", "tests/samples/faults", kind,
                            NULL);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static GPtrArray *files_of_folder(const char *folder)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    assert_non_null(dir);
    while ((name = g_dir_read_name(dir)))
        if (!g_str_equal(name, "said.txt"))
            g_ptr_array_add(files, g_strdup(name));
    g_ptr_array_sort(files, compare_names);
    return files;
}

static Recording *read_recording_folder(const char *folder)
{
    const ReadOptions options = { .comm_patterns = NULL };
    Recording *recording = recording_new();
    g_autoptr(GPtrArray) files = files_of_folder(folder);
    GError *error = NULL;

    for (guint i = 0; i < files->len; i++) {
        const char *name = g_ptr_array_index(files, i);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autofree char *bytes = NULL;
        g_autoptr(Source) source = NULL;
        gsize n;

        assert_true(g_file_get_contents(path, &bytes, &n, NULL));
        source = source_from_memory(name, bytes, n);
        (void)!read_recording_file(READ_AUTO, source, &options, recording,
                                   &error);
        assert_no_error(error);
    }
    return recording;
}

static LintReport *lint_sample(const char *kind, Recording **recording)
{
    g_autofree char *folder = sample_folder_of_fault(kind);

    *recording = read_recording_folder(folder);
    return lint_recording(*recording, 3);
}

static char *expected_lint_report(const char *kind)
{
    g_autofree char *folder = sample_folder_of_fault(kind);
    g_autofree char *path = g_build_filename(folder, "said.txt", NULL);
    char *expected = NULL;

    assert_true(g_file_get_contents(path, &expected, NULL, NULL));
    return expected;
}

static gboolean report_has_fault_kind(const LintReport *report,
                                      const ConfigKind *kind)
{
    for (guint i = 0; i < report->faults->len; i++)
        if (&((Fault *)g_ptr_array_index(report->faults, i))->kind->base ==
            kind)
            return TRUE;
    return FALSE;
}

static void test_each_kind_of_fault_is_reported_for_its_sample(void **state)
{
    (void)state;
    for (guint i = 0; fault_registry.kinds[i]; i++) {
        const ConfigKind *kind = fault_registry.kinds[i];
        Recording *recording;
        g_autoptr(LintReport) report = lint_sample(kind->name, &recording);
        g_autofree char *expected = expected_lint_report(kind->name);
        g_autofree char *text = lint_text(report);

        assert_true(report_has_fault_kind(report, kind));
        if (!g_str_has_prefix(text, expected))
            fail_msg("%s:\n%s", kind->name, text);
        assert_true(g_str_has_prefix(text + strlen(expected), "An import\n"));
        recording_free(recording);
    }
}

static void test_a_correct_recording_has_no_faults(void **state)
{
    Recording *recording;
    g_autoptr(LintReport) report = lint_sample("nothing-wrong", &recording);
    g_autofree char *text = lint_text(report);

    (void)state;
    assert_string_equal(text, "0 errors, 0 warnings, 0 notes\n");
    recording_free(recording);
}

static void test_kinds_have_a_name_and_the_effect_on_an_import(void **state)
{
    (void)state;
    for (guint i = 0; fault_registry.kinds[i]; i++) {
        const FaultKind *kind = (const FaultKind *)fault_registry.kinds[i];

        assert_true(strlen(kind->base.name) < 20);
        for (const char *p = kind->base.name; *p; p++)
            assert_true(g_ascii_islower(*p) || *p == '-');
        assert_non_null(kind->base.summary);
        assert_non_null(kind->import);
        if (i > 0)
            assert_true(
                strcmp(fault_registry.kinds[i - 1]->name, kind->base.name) < 0);
    }
}

/* 1000 kernels have no duration; the report shows few of them. */
static void test_few_of_many_faults_are_shown_and_all_are_counted(void **state)
{
    g_autoptr(Recording) recording = recording_new();
    g_autoptr(LintReport) report = NULL;
    g_autofree char *text = NULL;

    (void)state;
    for (guint r = 0; r < 2; r++) {
        RecordRank *rank = record_add_rank(recording, r == 0 ? "a" : "b");

        rank->rank = r;
        for (guint i = 0; i < 500; i++) {
            RecordNode node = { .id = i,
                                .name = "short",
                                .begin_ps = RECORD_NO_TIME,
                                .stream = record_add_stream(recording, rank, 7,
                                                            FALSE, "7"),
                                .comm = RECORD_NONE,
                                .launch = RECORD_NONE,
                                .kind = RECORD_KERNEL,
                                .pass = OP_N_PASSES };

            record_add_node(rank, &node);
        }
    }
    report = lint_recording(recording, 2);
    text = lint_text(report);
    assert_int_equal(report->n[FAULT_NOTE], 1000);
    assert_string_equal(
        text, "a:0: note: node 0 'short' takes no time [zero-time]\n"
              "a:0: note: node 1 'short' takes no time [zero-time]\n"
              "note: and 998 more in 2 files [zero-time]\n"
              "An import\n"
              "  zero-time           lets them take none, which is too little "
              "in all\n"
              "0 errors, 0 warnings, 1000 notes\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_of_fault_is_reported_for_its_sample),
        cmocka_unit_test(test_a_correct_recording_has_no_faults),
        cmocka_unit_test(test_kinds_have_a_name_and_the_effect_on_an_import),
        cmocka_unit_test(test_few_of_many_faults_are_shown_and_all_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
