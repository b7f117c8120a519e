/* test_perturb_errors.c - Tests of the error messages of
 * models/run/perturbation.c and their positions. */
#include "tests/system_fixture.h"

static const struct {
    const char *perturb;
    int code;
    const char *message;
} mistakes[] = {
    { "{npus: [{npu: 0, time_factor: -1}]}", CONFIG_ERROR_RANGE,
      "40: time_factor: '-1' is negative, must be in [0.1 %, 1000]" },
    { "{links: [{npu: 0, port: up, bandwidth_factor: 0}]}", CONFIG_ERROR_RANGE,
      "56: bandwidth_factor: 0 % is outside [0.1 %, 1000]" },
    { "{distribution: exponental}", CONFIG_ERROR_UNKNOWN_KEY,
      "25: distribution: unknown value 'exponental'; did you mean "
      "'exponential'?" },
    { "{npus: [{npu: 4, time_factor: 2}]}", CONFIG_ERROR_RANGE,
      "24: npu: there is no NPU 4 among 4, which count from 0" },
    { "{links: [{npu: 0, port: up, bandwidth_factor: 2}]}",
      CONFIG_ERROR_UNKNOWN_KEY,
      "34: port: a torus has no port 'up' here; the first is 'dim0+'" },
    { "{npus: [{npu: 1, time_factor: 2}, {npu: 2, time_factor: 2}, "
      "{npu: 1, time_factor: 2}]}",
      CONFIG_ERROR_DUPLICATE_KEY,
      "70: NPU 1 is given twice, first at run.yaml:7:18" },
    { "{links: [{npu: 1, port: dim0+, bandwidth_factor: 2}, "
      "{npu: 1, port: dim0-, bandwidth_factor: 2}, "
      "{npu: 1, port: dim0+, bandwidth_factor: 3}]}",
      CONFIG_ERROR_DUPLICATE_KEY,
      "107: port dim0+ of NPU 1 is given twice, first at run.yaml:7:19" },
};

static void test_perturbation_errors_have_their_position(void **state)
{
    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(mistakes); i++) {
        const char *text =
            setup_text(&(Setup){ .perturb = mistakes[i].perturb });
        GError *error = NULL;
        SystemConfig config;
        ConfigDoc *doc =
            config_doc_parse("run.yaml", text, strlen(text), &error);

        if (config_doc_read(doc, system_fields, &config, &error))
            assert_null(system_new(&config, (RunOptions){ 0 }, &error));
        assert_config_error(error, mistakes[i].code,
                            format_text("run.yaml:7:%s", mistakes[i].message));
        config_doc_free(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_perturbation_errors_have_their_position),
    };

    return cmocka_run_group_tests_name("perturb-mistakes", tests, NULL, NULL);
}
