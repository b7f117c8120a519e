/* Tests of models/stacks/msccl/prove_schedule.h */
#include "tests/models/stacks/msccl_file.h"

#include "models/stacks/msccl/prove_schedule.h"

static const char *const samples[] = { "allreduce-ncv4.xml",
                                       "allreduce-ring-8.xml" };

static void msccl_samples_are_proved_correct(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(samples); i++) {
        g_autofree char *text = read_msccl_sample(samples[i]);
        g_autoptr(MscclSchedule) m = parse_msccl_schedule(text);
        g_autoptr(GArray) order = NULL;
        GError *error = NULL;

        assert_true(msccl_prove_all_reduce(m, &order, &error));
        assert_no_error(error);
        assert_int_equal(order->len, m->steps->len);
    }
}

/* Returns the start of step @n, or NULL if there are fewer. */
static const char *nth_step_element(const char *text, guint n)
{
    const char *at = strstr(text, "<step ");

    while (at && n-- > 0)
        at = strstr(at + 1, "<step ");
    return at;
}

/* Each step of the schedule is replaced by one that does nothing.  Others can
 * still wait for it, so only the data show the error. */
static void each_step_of_a_schedule_is_needed(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(samples); i++) {
        g_autofree char *text = read_msccl_sample(samples[i]);
        guint n = 0;

        for (; nth_step_element(text, n); n++) {
            g_autofree char *without = replace_in_msccl_text(
                text, nth_step_element(text, n), "type=\"",
                "type=\"nop\" "
                "was=\"");
            g_autoptr(MscclSchedule) m = parse_msccl_schedule(without);
            g_autoptr(GError) error = NULL;
            guint line = 0;

            assert_false(msccl_prove_all_reduce(m, NULL, &error));
            assert_true(g_str_has_prefix(error->message, "x.xml:"));
            line = (guint)strtoul(error->message + 6, NULL, 10);
            assert_in_range(line, 2, 700);
        }
        assert_true(n >= 224);
    }
}

/* Removes the same steps from the file, without renumbering those after
 * them. */
static void a_schedule_without_one_of_its_steps_is_refused(void **state)
{
    g_autofree char *text = read_msccl_sample("allreduce-ncv4.xml");

    (void)state;
    for (guint n = 0; nth_step_element(text, n); n++) {
        const char *at = nth_step_element(text, n);
        g_autoptr(GString) without = g_string_new_len(text, at - text);
        g_autoptr(MscclSchedule) m = NULL;
        g_autoptr(GError) error = NULL;

        g_string_append(without, strchr(at, '\n'));
        m = msccl_read_xml_schedule("x.xml", without->str, without->len,
                                    &error);
        if (m)
            assert_false(msccl_prove_all_reduce(m, NULL, &error));
        assert_true(g_str_has_prefix(error->message, "x.xml:"));
    }
}

typedef struct {
    const char *after, *from, *to, *message;
} Case;

/* clang-format off */
static const Case cases[] = {
    { "<tb id=\"24\" send=\"2\"", "type=\"re\"", "type=\"cpy\"",
      "x.xml:102:7: chunk 0 of GPU 0 ends without GPU 0's part" },
    { "<tb id=\"0\"", "type=\"rrc\"", "type=\"r\"",
      "x.xml:102:7: chunk 0 of GPU 0 ends without GPU 0's part" },
    { "<tb id=\"24\" send=\"2\"", "type=\"s\"", "type=\"nop\"",
      "x.xml:321:7: waits for ever for what GPU 0 sends to GPU 2 on channel 0, which is no more" },
    { "<tb id=\"24\" send=\"2\"", "type=\"r\"", "type=\"nop\"",
      "x.xml:102:7: reads chunk 0 of 's' of GPU 0, which nothing was written to" },
    { "<tb id=\"24\" send=\"2\"", "type=\"re\"", "type=\"nop\"",
      "x.xml:5:7: chunk 0 of GPU 0 ends without GPU 2's part" },
    { "<tb id=\"1\"", "depid=\"24\" deps=\"2\"", "depid=\"-1\" deps=\"-1\"",
      "x.xml:5:7: GPU 0 writes chunk 0 of 'i', which line 8 uses, before it or after it: nothing says which" },
    { "<tb id=\"24\" send=\"2\"", "depid=\"0\" deps=\"1\"", "depid=\"1\" deps=\"1\"",
      "x.xml:8:7: waits for ever for line 102; line 100 waits for line 9, of this thread block" },
    { "<tb id=\"24\" send=\"2\"", "srcoff=\"0\"", "srcoff=\"2\"",
      "x.xml:100:7: GPU 0 reads chunk 2 of 'i', which line 13 writes, before it or after it: nothing says which" },
    { "<tb id=\"1\"", "type=\"r\"", "type=\"rrc\"",
      "x.xml:9:7: adds GPU 0's part of chunk 1 a second time, in chunk 1 of 'i' of GPU 0" },
    { "<tb id=\"24\" send=\"2\"", "chan=\"0\"", "chan=\"1\"",
      "x.xml:101:7: waits for ever for what GPU 2 sends to GPU 0 on channel 1, which is nothing" },
};
/* clang-format on */

static void msccl_errors_name_the_wrong_data(void **state)
{
    g_autofree char *text = read_msccl_sample("allreduce-ncv4.xml");

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Case *c = &cases[i];
        g_autofree char *broken =
            replace_in_msccl_text(text, c->after, c->from, c->to);
        g_autoptr(MscclSchedule) m = parse_msccl_schedule(broken);
        g_autoptr(GError) error = NULL;

        assert_false(msccl_prove_all_reduce(m, NULL, &error));
        assert_string_equal(error->message, c->message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(msccl_samples_are_proved_correct),
        cmocka_unit_test(each_step_of_a_schedule_is_needed),
        cmocka_unit_test(a_schedule_without_one_of_its_steps_is_refused),
        cmocka_unit_test(msccl_errors_name_the_wrong_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
