/* Tests of models/stacks/msccl/xml_reader.h */
#include "tests/models/stacks/msccl_file.h"

/* Two GPUs swap one chunk and add it. */
static const char swap[] =
    "<algo name=\"swap\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"1\" "
    "ngpus=\"2\" coll=\"allreduce\" inplace=\"1\">\n"
    "  <gpu id=\"0\" i_chunks=\"1\" o_chunks=\"0\" s_chunks=\"1\">\n"
    "    <tb id=\"0\" send=\"1\" recv=\"1\" chan=\"0\">\n"
    "      <step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" "
    "dstoff=\"-1\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n"
    "      <step s=\"1\" type=\"rrc\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" "
    "dstoff=\"0\" cnt=\"1\" depid=\"0\" deps=\"0\" hasdep=\"0\"/>\n"
    "    </tb>\n"
    "  </gpu>\n"
    "  <gpu id=\"1\" i_chunks=\"1\" o_chunks=\"0\" s_chunks=\"1\">\n"
    "    <tb id=\"0\" send=\"0\" recv=\"0\" chan=\"0\">\n"
    "      <op step=\"0\" type=\"s\" buf=\"i\" off=\"0\"/>\n"
    "      <op step=\"1\" type=\"rrc\" buf=\"i\" off=\"0\"/>\n"
    "    </tb>\n"
    "  </gpu>\n"
    "</algo>\n";

static void the_msccl_sample_is_read(void **state)
{
    g_autofree char *text = read_msccl_sample("allreduce-ncv4.xml");
    g_autoptr(MscclSchedule) m = parse_msccl_schedule(text);

    (void)state;
    assert_string_equal(m->name, "allreduce_ncv4");
    assert_string_equal(msccl_protocols[m->protocol], "Simple");
    assert_int_equal(m->n_gpus, 4);
    assert_int_equal(m->n_channels, 24);
    assert_int_equal(m->n_chunks, 24);
    assert_int_equal(m->tbs->len, 144);
    assert_int_equal(m->steps->len, 336);
    assert_int_equal(m->min_bytes, 617472);
    assert_int_equal(m->max_bytes, 1073741824);
    assert_int_equal(msccl_max_thread_blocks_per_gpu(m), 36);
    assert_int_equal(msccl_max_chunks_sent_by_gpu(m), 36);
}

static void a_schedule_without_size_bounds_is_read(void **state)
{
    g_autofree char *text = read_msccl_sample("allreduce-ring-8.xml");
    g_autoptr(MscclSchedule) m = parse_msccl_schedule(text);

    (void)state;
    assert_int_equal(m->n_gpus, 8);
    assert_int_equal(m->steps->len, 224);
    assert_int_equal(m->min_bytes, 0);
    assert_int_equal(m->max_bytes, INT64_MAX);
    assert_int_equal(msccl_max_chunks_sent_by_gpu(m), 14);
}

static void both_forms_of_a_step_element_are_read(void **state)
{
    g_autoptr(MscclSchedule) m = parse_msccl_schedule(swap);
    const MscclStep *old = msccl_get_step(m, 1), *op = msccl_get_step(m, 3);

    (void)state;
    assert_string_equal(old->type->name, "rrc");
    /* The receive is in place, so source and target are the same buffer. */
    assert_int_equal(old->dst.buffer, MSCCL_INPUT);
    assert_int_equal(old->dep_tb, 0);
    assert_int_equal(old->line, 5);
    assert_int_equal(old->column, 7);
    assert_string_equal(op->type->name, "rrc");
    assert_int_equal(op->src.first_chunk, 0);
    assert_int_equal(op->dst.first_chunk, 0);
    assert_int_equal(op->n_chunks, 1);
    assert_int_equal(op->dep_tb, -1);
    assert_int_equal(op->line, 11);
}

typedef struct {
    const char *after, *from, *to, *message;
} Case;

/* clang-format off */
static const Case cases[] = {
    { "<op step=\"1\"", "type=\"rrc\"", "type=\"rcr\"",
      "x.xml:11:20: 'type' knows no 'rcr'; did you mean 'rcs'?" },
    { "<op step=\"1\"", "off=\"0\"", "off=\"1\"",
      "x.xml:11:39: chunks 1 to 1 of 'i', of which GPU 1 has 1" },
    { "<step s=\"1\"", "cnt=\"1\"", "cnt=\"2\"",
      "x.xml:5:41: chunks 0 to 1 of 'i', of which GPU 0 has 1" },
    { "<step s=\"0\"", "srcoff=\"0\"", "srcoff=\"-1\"",
      "x.xml:4:39: 'srcoff' is '-1', no whole number from 0 to 65536" },
    { "<tb", "send=\"1\"", "send=\"2\"",
      "x.xml:3:16: 'send' is '2', no whole number from -1 to 1" },
    { "<tb", "recv=\"1\"", "recv=\"0\"",
      "x.xml:3:25: 'recv' is the GPU itself" },
    { "<tb", "recv=\"1\"", "recv=\"-1\"",
      "x.xml:5:19: 'rrc' in a thread block without a sender" },
    { "<tb", "chan=\"0\"", "chan=\"1\"",
      "x.xml:3:34: 'chan' is '1', no whole number from 0 to 0" },
    { "<step s=\"1\"", "depid=\"0\"", "depid=\"1\"",
      "x.xml:5:7: waits for thread block 1 of GPU 0, which has 1" },
    { "<step s=\"1\"", "deps=\"0\"", "deps=\"2\"",
      "x.xml:5:7: waits for step 2 of thread block 0, which has 2" },
    { "<step s=\"1\"", "deps=\"0\"", "deps=\"1\"",
      "x.xml:5:7: waits for itself" },
    { "<step s=\"1\"", "s=\"1\"", "s=\"2\"",
      "x.xml:5:13: 's' is 2 where 1 is due" },
    { "<step s=\"1\"", " dstoff=\"0\"", "",
      "x.xml:5:7: <step> has no 'dstoff'" },
    { "<gpu id=\"1\"", "id=\"1\"", "id=\"0\"",
      "x.xml:8:8: 'id' is 0 where 1 is due" },
    { "<algo", "ngpus=\"2\"", "ngpus=\"3\"",
      "x.xml:1:1: there are 2 GPUs, and ngpus=\"3\"" },
    { "<algo", "coll=\"allreduce\"", "coll=\"allgather\"",
      "x.xml:1:73: 'coll' knows no 'allgather'; known: allreduce" },
    { "<algo", "proto=\"LL\"", "proto=\"Simpl\"",
      "x.xml:1:19: 'proto' knows no 'Simpl'; did you mean 'Simple'?" },
    { "<op step=\"0\"", "<op ", "<opp ",
      "x.xml:10:7: element 'opp' cannot stand here; due is step" },
    { "<op step=\"0\"", "/>", ">",
      "x.xml:11:7: element 'op' cannot stand here" },
    { "<op step=\"0\"", "\"/>", "/>",
      "x.xml:11:21: not XML: '“1\"” is not a valid name'" },
};
/* clang-format on */

static void xml_errors_have_their_position(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Case *c = &cases[i];
        g_autofree char *text =
            replace_in_msccl_text(swap, c->after, c->from, c->to);
        g_autoptr(GError) error = NULL;

        assert_null(
            msccl_read_xml_schedule("x.xml", text, strlen(text), &error));
        assert_non_null(error);
        assert_string_equal(error->message, c->message);
        assert_true(error->domain == CONFIG_ERROR);
    }
}

static void two_thread_blocks_share_no_connection(void **state)
{
    g_autofree char *text =
        replace_in_msccl_text(swap, "<gpu id=\"0\"", "</tb>",
                              "</tb>\n<tb id=\"1\" send=\"-1\" recv=\"1\" "
                              "chan=\"0\"></tb>");
    g_autoptr(GError) error = NULL;

    (void)state;
    assert_null(msccl_read_xml_schedule("x.xml", text, strlen(text), &error));
    assert_string_equal(error->message,
                        "x.xml:7:22: receives from GPU 1 on channel 0, as the "
                        "thread block in line 3 does");
}

/* A second algorithm is refused, whatever it contains, and the first one is
 * freed. */
static void an_msccl_file_has_one_algorithm(void **state)
{
    g_autofree char *twice = g_strconcat(swap, swap, NULL);
    g_autofree char *begun = g_strconcat(swap, "<algo name=\"x\">", NULL);
    g_autofree char *other = g_strconcat(swap, "<gpu id=\"0\"/>", NULL);
    const char *const texts[] = { twice, begun, other };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GError) error = NULL;

        assert_null(msccl_read_xml_schedule("x.xml", texts[i], strlen(texts[i]),
                                            &error));
        assert_true(g_str_has_prefix(error->message, "x.xml:"));
        assert_non_null(strstr(
            error->message, i < 2 ? "a second <algo>; a file is one, and the "
                                    "first begins in line 1"
                                  : "element 'gpu' cannot stand here"));
    }
}

static void a_truncated_msccl_file_is_an_error(void **state)
{
    (void)state;
    for (gsize n = 0; n + 1 < strlen(swap); n++) {
        g_autoptr(GError) error = NULL;

        assert_null(msccl_read_xml_schedule("x.xml", swap, n, &error));
        assert_true(g_str_has_prefix(error->message, "x.xml:"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_msccl_sample_is_read),
        cmocka_unit_test(a_schedule_without_size_bounds_is_read),
        cmocka_unit_test(both_forms_of_a_step_element_are_read),
        cmocka_unit_test(xml_errors_have_their_position),
        cmocka_unit_test(two_thread_blocks_share_no_connection),
        cmocka_unit_test(an_msccl_file_has_one_algorithm),
        cmocka_unit_test(a_truncated_msccl_file_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
