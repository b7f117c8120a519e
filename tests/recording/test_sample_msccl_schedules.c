/*
 * test_sample_msccl_schedules.c - figures of sample MSCCL schedules
 *
 * Every figure of samples-expected.json for these samples is compared
 * exactly. */
#include "tests/recording/sample_recordings.h"

#include "models/stacks/msccl/prove_schedule.h"
#include "models/stacks/msccl/xml_reader.h"

static int setup(void **state)
{
    *state = sample_figures_load();
    return 0;
}

static int teardown(void **state)
{
    sample_figures_free(*state);
    return 0;
}

/* ---- figures of MSCCL samples -------------------------------------------- */

static void check_step_types(Samples *s, const MscclSchedule *msccl,
                             const char *prefix)
{
    g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
    GHashTableIter iter;
    gpointer name, n;

    for (guint i = 0; i < msccl->steps->len; i++) {
        gpointer key = (gpointer)msccl_get_step(msccl, i)->type->name;

        g_hash_table_insert(
            counts, key,
            GUINT_TO_POINTER(
                GPOINTER_TO_UINT(g_hash_table_lookup(counts, key)) + 1));
    }
    g_hash_table_iter_init(&iter, counts);
    while (g_hash_table_iter_next(&iter, &name, &n))
        samples_expect_number(s, GPOINTER_TO_UINT(n), "%s/by_type/%s", prefix,
                              (const char *)name);
}

/* Returns the number of chunks that each GPU sends, which is the same for all
 * GPUs. */
static uint32_t count_chunks_sent(const MscclSchedule *msccl)
{
    g_autofree uint32_t *n = g_new0(uint32_t, msccl->n_gpus);

    for (guint t = 0; t < msccl->tbs->len; t++) {
        const MscclThreadBlock *tb = msccl_get_thread_block(msccl, t);

        for (guint i = 0; i < tb->n_steps; i++) {
            const MscclStep *step = msccl_get_step(msccl, tb->first_step + i);

            n[tb->gpu] += step->type->sends ? step->n_chunks : 0;
        }
    }
    for (uint32_t g = 1; g < msccl->n_gpus; g++)
        assert_int_equal(n[g], n[0]);
    return n[0];
}

static void check_msccl_figures(Samples *s, const char *text, gsize n_bytes,
                                const char *prefix)
{
    GError *error = NULL;
    g_autoptr(MscclSchedule) msccl =
        msccl_read_xml_schedule("x.xml", text, n_bytes, &error);
    g_autoptr(GArray) order = NULL;
    g_autofree char *share = NULL;

    assert_no_error(error);
    assert_true(msccl_prove_all_reduce(msccl, &order, &error));
    samples_expect_text(s, msccl->name, "%s/name", prefix);
    samples_expect_text(s, "allreduce", "%s/coll", prefix);
    samples_expect_text(s, msccl_protocols[msccl->protocol], "%s/proto",
                        prefix);
    samples_expect_number(s, msccl->n_gpus, "%s/gpus", prefix);
    samples_expect_number(s, msccl->n_channels, "%s/channels", prefix);
    samples_expect_number(s, msccl->n_chunks, "%s/chunks_per_loop", prefix);
    samples_expect_number(s, msccl->tbs->len, "%s/threadblocks", prefix);
    samples_expect_number(s, msccl_get_gpu(msccl, 0)->n_tbs,
                          "%s/threadblocks_per_gpu", prefix);
    samples_expect_number(s, msccl->steps->len, "%s/steps", prefix);
    samples_expect_number(s, order->len, "%s/steps_run", prefix);
    check_step_types(s, msccl, prefix);
    samples_expect_number(s, count_chunks_sent(msccl),
                          "%s/chunks_sent_per_gpu/0", prefix);
    share = g_strdup_printf("%g",
                            count_chunks_sent(msccl) / (double)msccl->n_chunks);
    samples_expect_text(s, share, "%s/bytes_sent_per_gpu_per_buffer_byte/0",
                        prefix);
    /* The call of msccl_prove_all_reduce() has succeeded, so these figures are
     * true. */
    samples_expect_text(s, "true", "%s/nothing_left_in_flight", prefix);
    samples_expect_text(s, "true", "%s/all_reduce_holds", prefix);
}

static void test_msccl_schedules_have_the_expected_figures(void **state)
{
    const char *top = g_getenv("SRCDIR");
    g_autofree char *path = g_build_filename(
        top ? top : ".", "configs/msccl/allreduce-ncv4.xml", NULL);
    g_autofree char *text = NULL;
    g_autofree char *member = NULL;
    gsize n;

    assert_true(g_file_get_contents(path, &text, &n, NULL));
    check_msccl_figures(*state, text, n, "msccl-ar-hier-ncv4.xml");
    member = samples_read_tar_member("astra2-et.tar.gz", "*.msccl.xml", &n);
    check_msccl_figures(*state, member, n,
                        "astra2-et.tar.gz/custom_allreduce.msccl.xml");
}

static void test_all_figures_of_schedules_were_compared(void **state)
{
    static const char *const ours[] = { "msccl-",
                                        "astra2-et.tar.gz/custom_allreduce" };

    for (guint i = 0; i < G_N_ELEMENTS(ours); i++) {
        g_autofree char *first = NULL;

        sample_recordings_n_remaining(*state, ours[i], &first);
        assert_string_equal(first ? first : "", "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_msccl_schedules_have_the_expected_figures),
        cmocka_unit_test(test_all_figures_of_schedules_were_compared),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
