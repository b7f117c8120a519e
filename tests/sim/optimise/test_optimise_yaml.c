/* test_optimise_yaml.c - tests of sim/study/optimise/yaml_writer.h: a document
 * as the text of one file */
#include <glib/gstdio.h>
#include <string.h>

#include "models/run/system.h"
#include "sim/config/config.h"
#include "sim/study/load_run_file.h"
#include "sim/study/optimise/yaml_writer.h"
#include "tests/test.h"

/* Returns all values of the run file at @path with the change @set, which may
 * be NULL.  The caller frees the text. */
static char *optimised_values_of(const char *path, const char *set,
                                 ConfigDoc **ret_doc)
{
    char *sets[] = { (char *)set, NULL };
    GError *error = NULL;
    SystemConfig config;
    ConfigDoc *doc = load_run(path, set ? sets : NULL, &config, &error);
    GString *out = g_string_new(NULL);

    assert_no_error(error);
    config_append_values(out, system_fields, &config);
    if (ret_doc)
        *ret_doc = doc;
    else
        config_doc_free(doc);
    return g_string_free(out, FALSE);
}

/* Checks that the file written to another folder has the same values. */
static void check_yaml_round_trip(const char *path, const char *set)
{
    g_autoptr(ConfigDoc) doc = NULL;
    g_autofree char *before = optimised_values_of(path, set, &doc);
    g_autofree char *folder = g_dir_make_tmp("acesim-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(folder, "best.yaml", NULL);
    g_autoptr(GString) text = yaml_document_text(doc, system_fields, folder);
    g_autofree char *after = NULL;

    assert_true(g_file_set_contents(file, text->str, (gssize)text->len, NULL));
    after = optimised_values_of(file, NULL, NULL);
    assert_string_equal(before, after);
    g_remove(file);
    g_rmdir(folder);
}

static char *source_file_path(const char *name)
{
    const char *folder = g_getenv("SRCDIR");

    return g_build_filename(folder ? folder : ".", name, NULL);
}

static void
test_a_file_written_to_another_folder_has_the_same_values(void **state)
{
    static const struct {
        const char *name, *set;
    } cases[] = {
        { "configs/runs/isca21.yaml", NULL },
        { "configs/runs/isca21.yaml", "platform.npu.sms=60" },
        { "configs/runs/isca21.yaml", "workload.batch=7" },
        { "configs/runs/isca21.yaml", "endpoint.name='a: b, ''c'' #d'" },
        { "configs/runs/servers.yaml", NULL },
        { "configs/runs/straggler.yaml", "training.exchange={kind: fusion}" },
        { "configs/papers/horovod-mpi/vgg-16-grpc.yaml", "stack.name='yes'" },
    };

    (void)state;
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = source_file_path(cases[i].name);

        check_yaml_round_trip(path, cases[i].set);
    }
}

static void test_long_lists_are_wrapped(void **state)
{
    g_autoptr(GString) list = g_string_new("a: [1");
    g_autoptr(ConfigDoc) doc = NULL;
    g_autoptr(GString) text = NULL;
    g_auto(GStrv) lines = NULL;
    guint n = 0;

    (void)state;
    for (guint i = 2; i <= 200; i++)
        g_string_append_printf(list, ", %u", i);
    g_string_append(list, "]\n");
    doc = config_doc_parse("t", list->str, list->len, NULL);
    text = yaml_document_text(doc, NULL, ".");
    lines = g_strsplit(text->str, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        assert_true(strlen(lines[i]) <= 96);
        for (const char *p = lines[i]; *p; p++)
            n += *p == ',';
    }
    assert_int_equal(n, 199);
    assert_true(g_strv_length(lines) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_a_file_written_to_another_folder_has_the_same_values),
        cmocka_unit_test(test_long_lists_are_wrapped),
    };

    return cmocka_run_group_tests_name("optimise_yaml", tests, NULL, NULL);
}
