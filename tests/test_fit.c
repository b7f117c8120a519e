/*
 * Tests of validate/fit: the fit on data made from known parameters, and the
 * files that it reads and writes.
 */
#include <string.h>

#include "tests/test_fit_model.h"
#include "validate/fit/fit_report.h"
#include "validate/fit/npu_file.h"
#include "validate/fit/search.h"

#define HEADER                                                                 \
    "family,kernel,dtype,bytes,n_sms,m,n,k,batch,dim,pooling,bytes_in_flight," \
    "read_bytes,write_bytes,flop,beside,beside_kernel,beside_n_sms,pair,"      \
    "alone_us,median_us,key\n"

/* ---- the search -------------------------------------------------------- */

/* A narrow curved valley with its floor at (0.3, 0.09 + 0.2). */
static double valley(gpointer self, const double *x)
{
    double across = x[1] - 0.2 - x[0] * x[0], along = x[0] - 0.3;

    (*(guint *)self)++;
    return 100 * across * across + along * along;
}

static void test_the_search_follows_a_valley_to_its_floor(void **state)
{
    double x[2] = { 0.9, 0.1 };
    guint n_calls = 0;

    (void)state;
    assert_true(search_minimum(valley, &n_calls, x, 2, 1e-6) < 1e-8);
    assert_near(x[0], 0.3, 1e-3);
    assert_near(x[1], 0.29, 1e-3);
    assert_true(n_calls < 20000);
}

static void test_the_search_stops_at_the_border(void **state)
{
    double x[2] = { 0.5, 0.5 };
    guint n_calls = 0;

    (void)state;
    x[0] = 0; /* held there: the least along x[1] is 0.2 */
    (void)search_minimum(valley, &n_calls, x, 2, 1e-6);
    assert_in_range((uint64_t)(x[0] * 1e6), 0, 1000000);
    assert_in_range((uint64_t)(x[1] * 1e6), 0, 1000000);
}

/* ---- data made from known parameters ---------------------------------- */

typedef struct {
    GString *text;
    guint n;
    GpuModel model;
    double noise; /* of each row, up or down */
} Maker;

static void add_row(Maker *maker, const char *family, const Measured *m,
                    const Measured *partner, guint pair)
{
    double us;

    assert_true(gpu_model_predict(&maker->model, m, partner, &us));
    us *= 1 + (maker->n * 2654435761U >> 31 ? maker->noise : -maker->noise);
    g_string_append_printf(
        maker->text,
        "%s,%s,fp32,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
        ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
        ",,,,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
        ",%" G_GUINT64_FORMAT ",%s,,%" G_GUINT64_FORMAT ",%u,1,%.6f,%016x\n",
        family, m->kernel, m->bytes, m->n_sms, m->m, m->n, m->k,
        m->bytes_in_flight, m->read_bytes, m->write_bytes, m->flop, m->beside,
        m->beside_n_sms, pair, us, pair ? 1000 + pair : maker->n);
    maker->n++;
}

static void add_moves(Maker *maker)
{
    static const uint64_t n_sms[] = { 1, 4, 8, 16, 32, 100 };
    static const uint64_t in_flight[] = { 2000, 8000, 32000, 128000 };

    for (guint s = 0; s < G_N_ELEMENTS(n_sms); s++)
        for (guint f = 0; f < G_N_ELEMENTS(in_flight); f++)
            for (uint64_t mib = 1; mib <= 64; mib *= 8) {
                Measured m = row("reduce");

                m.n_sms = n_sms[s];
                m.bytes = mib << 20;
                m.bytes_in_flight = in_flight[f];
                m.read_bytes = 2 * m.bytes;
                m.write_bytes = m.bytes;
                add_row(maker, "reduce", &m, NULL, 0);
                m.kernel = "copy";
                m.read_bytes = m.bytes;
                add_row(maker, "copy", &m, NULL, 0);
            }
}

static void add_products(Maker *maker)
{
    static const char *const kernels[] = { "own", "cublas" };

    for (guint i = 0; i < 2; i++)
        for (uint64_t size = 1000; size <= 8000; size += 250) {
            Measured m = row(kernels[i]);

            m.m = m.n = m.k = size;
            m.flop = 2 * size * size * size;
            m.read_bytes = 4 * size * size;
            m.write_bytes = 2 * size * size;
            add_row(maker, "gemm", &m, NULL, 0);
        }
}

static void add_pairs(Maker *maker)
{
    for (guint pair = 1; pair <= 30; pair++) {
        Measured compute = row("fma"), partner = row("reduce");

        compute.read_bytes = compute.write_bytes = 1 << 28;
        compute.flop = 1 << 20;
        compute.beside = "reduce";
        compute.beside_n_sms = partner.n_sms = 2 * pair;
        partner.beside = "stream";
        partner.read_bytes = 1 << 24;
        partner.bytes_in_flight = 32000;
        add_row(maker, "overlap", &compute, &partner, pair);
        add_row(maker, "overlap", &partner, &compute, pair);
    }
}

static Measurements *made(Maker *maker, double noise)
{
    g_autoptr(GError) error = NULL;
    Measurements *all;

    *maker = (Maker){ .text = g_string_new(HEADER), .noise = noise };
    maker->model = gpu();
    maker->model.values[GPU_QUEUEING] = 0.2;
    maker->model.values[GPU_WEIGHT] = 1.5;
    maker->model.values[GPU_PORT_WRITE] = 0.4;
    maker->model.values[GPU_PORT_QUEUEING] = 0.1;
    maker->model.values[GPU_OWN_DEPTH] = 80;
    maker->model.values[GPU_LIBRARY_DEPTH] = 120;
    maker->model.values[GPU_TILE_LOSS] = 20;
    add_moves(maker);
    add_products(maker);
    add_pairs(maker);
    all = measurements_parse("made.csv", maker->text->str, &error);
    assert_no_error(error);
    g_string_free(maker->text, TRUE);
    return all;
}

static void test_known_parameters_are_found_again(void **state)
{
    static const GpuParam sought[] = {
        GPU_MOVE_START, GPU_HBM,          GPU_PORT,   GPU_LATENCY,
        GPU_OWN_GEMM,   GPU_LIBRARY_GEMM, GPU_WEIGHT,
    };
    g_autoptr(GError) error = NULL;
    Maker maker;
    g_autoptr(Measurements) all = made(&maker, 0);
    GpuModel found;

    (void)state;
    assert_true(fit_gpu(all, &found, &error));
    for (gsize i = 0; i < G_N_ELEMENTS(sought); i++) {
        double value = maker.model.values[sought[i]];

        assert_near(found.values[sought[i]], value, 0.02 * value);
    }
    assert_near(found.values[GPU_QUEUEING], 0.2, 0.01);
    assert_near(found.values[GPU_TURNAROUND], 0.1, 0.01);
    assert_near(found.values[GPU_PORT_WRITE], 0.4, 0.02);
    assert_near(found.values[GPU_OWN_DEPTH], 80, 8);
    assert_near(found.values[GPU_LIBRARY_DEPTH], 120, 10);
}

/* Held-out rows are off by the noise, whatever was fitted. */
static void test_noise_shows_in_the_rows_held_out(void **state)
{
    g_autoptr(GError) error = NULL;
    Maker maker;
    g_autoptr(Measurements) all = made(&maker, 0.03);
    g_autoptr(GArray) scores = NULL;
    GpuModel found;

    (void)state;
    assert_true(fit_gpu(all, &found, &error));
    scores = fit_scores(all, &found);
    assert_int_equal(scores->len, 4);
    for (guint i = 0; i < scores->len; i++) {
        const FitScore *s = &g_array_index(scores, FitScore, i);

        assert_true(s->n_held_out > 0 && s->n_training > s->n_held_out);
        assert_in_range((uint64_t)(s->mean_percent * 100), 200, 400);
        assert_true(s->worst_percent < 8);
    }
}

static void test_what_is_held_out_does_not_change_the_fit(void **state)
{
    g_autoptr(GError) error = NULL;
    Maker maker;
    g_autoptr(Measurements) all = made(&maker, 0.03);
    GpuModel found, again;

    (void)state;
    assert_true(fit_gpu(all, &found, &error));
    for (guint i = 0; i < all->rows->len; i++) {
        Measured *m = &g_array_index(all->rows, Measured, i);

        if (m->is_held_out)
            m->median_us *= 7;
    }
    assert_true(fit_gpu(all, &again, &error));
    assert_memory_equal(&found, &again, sizeof found);
}

/* ---- files ------------------------------------------------------------- */

static void check_error(const char *text, const char *expected)
{
    g_autoptr(GError) error = NULL;

    assert_null(measurements_parse("bad.csv", text, &error));
    assert_string_equal(error->message, expected);
}

static void test_files_that_are_none_are_refused(void **state)
{
    (void)state;
    check_error("family,kernel\n",
                "bad.csv:1: no column 'dtype'; columns: family, kernel");
    check_error(HEADER "copy,copy,fp32,1,1,,,,,,,,1,1,,,,,,,5,123\n",
                "bad.csv:2: a row needs a key of 16 hex digits and a "
                "median_us above 0");
    check_error(HEADER
                "copy,copy,fp32,1,1,,,,,,,,1,1,,,,,,,,0000000000000001\n",
                "bad.csv:2: a row needs a key of 16 hex digits and a "
                "median_us above 0");
    check_error(HEADER
                "copy,copy,fp32,-1,1,,,,,,,,1,1,,,,,,,1,0000000000000001\n",
                "bad.csv:2: bytes: -1 is out of range");
}

/* Of the harness as it was and as it is. */
static void test_columns_that_came_later_may_be_missing(void **state)
{
    static const char late[] =
        "family,kernel,dtype,bytes,n_sms,m,n,k,batch,dim,pooling,"
        "bytes_in_flight,read_bytes,write_bytes,flop,beside,beside_kernel,"
        "beside_n_sms,pair,alone_us,median_us,loads,shared,place,first,"
        "priority,second,power_w,caveat,key\n"
        "order,own,bf16,,100,8,8,8,,,,,1,1,1,reduce,reduce,32,1,5,6,"
        "no-allocate,left,same-sm,compute,partner,3,698.5,no-cublas,"
        "0000000000000001\n";
    g_autoptr(Measurements) old = measurements_parse(
        "old.csv",
        HEADER "copy,copy,fp32,1,1,,,,,,,1,1,1,,,,,,,5,0000000000000001\n",
        NULL);
    g_autoptr(Measurements) new = measurements_parse("new.csv", late, NULL);
    const Measured *m;

    (void)state;
    assert_non_null(old);
    m = measurements_row(old, 0);
    assert_string_equal(m->caveat, "");
    assert_string_equal(m->place, "");
    assert_int_equal(m->second, 0);
    assert_non_null(new);
    m = measurements_row(new, 0);
    assert_string_equal(m->loads, "no-allocate");
    assert_string_equal(m->shared, "left");
    assert_string_equal(m->place, "same-sm");
    assert_string_equal(m->first, "compute");
    assert_string_equal(m->priority, "partner");
    assert_string_equal(m->caveat, "no-cublas");
    assert_int_equal(m->second, 3);
    assert_near(m->power_w, 698.5, 1e-9);
}

static void test_nothing_is_fitted_to_rows_with_a_caveat(void **state)
{
    static const char text[] =
        "family,kernel,dtype,bytes,n_sms,m,n,k,batch,dim,pooling,"
        "bytes_in_flight,read_bytes,write_bytes,flop,beside,beside_kernel,"
        "beside_n_sms,pair,alone_us,median_us,caveat,key\n"
        "gemm,own,bf16,,132,512,512,512,,,,,1048576,524288,268435456,,,,,,9,"
        "no-cublas,0000000000000001\n";
    g_autoptr(GError) error = NULL;
    g_autoptr(Measurements) all = measurements_parse("all.csv", text, NULL);
    GpuModel found;

    (void)state;
    assert_non_null(all);
    assert_false(fit_gpu(all, &found, &error));
    assert_string_equal(error->message, "no row is of a family that anything "
                                        "can be fitted to");
}

static void test_without_a_row_to_fit_to_there_is_no_fit(void **state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Measurements) all = measurements_parse("empty.csv", HEADER, NULL);
    GpuModel found;

    (void)state;
    assert_false(fit_gpu(all, &found, &error));
    assert_string_equal(error->message, "no row is of a family that anything "
                                        "can be fitted to");
}

static void test_the_npu_file_is_one_that_the_simulator_reads(void **state)
{
    g_autoptr(GError) error = NULL;
    GpuRecord record = { .device = "NVIDIA Test",
                         .driver = "1.2",
                         .date_utc = "2026-01-02T03:04:05Z",
                         .clock_mhz = 1500,
                         .is_complete = TRUE };
    Maker maker;
    g_autoptr(Measurements) all = made(&maker, 0);
    g_autofree char *text =
        npu_file_text(all, &maker.model, &record, "validate/data/test.csv");
    g_autoptr(ConfigDoc) doc =
        config_doc_parse("npu.yaml", text, strlen(text), &error);
    NpuConfig npu = { 0 };

    (void)state;
    assert_no_error(error);
    assert_true(config_doc_read(doc, npu_fields, &npu, &error));
    assert_no_error(error);
    assert_int_equal(npu.n_sms, 100);
    assert_int_equal(npu.flop_per_s, 393900000000000); /* x 7750 / 7870 */
    assert_int_equal(npu.sm_bytes_per_cycle, 23); /* 33.3 GB/s at 1500 MHz */
    /* 2000 B an SM are softened by a port that is far. */
    assert_in_range(npu.sm_in_flight_bytes, 1900, 2000);
    assert_int_equal(npu.tile_results, 256 * 128);
    assert_int_equal(npu.waves.is_persistent, maker.model.library_stays);
    assert_int_equal(npu.hbm.policy, HBM_SHARED);
    assert_int_equal(npu.hbm.compute_weight, 1000);
    assert_int_equal(npu.hbm.comm_weight, 90); /* 6 of 100 SMs, 1.5 each */
    assert_non_null(strstr(text, "# fitted: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_search_follows_a_valley_to_its_floor),
        cmocka_unit_test(test_the_search_stops_at_the_border),
        cmocka_unit_test(test_known_parameters_are_found_again),
        cmocka_unit_test(test_noise_shows_in_the_rows_held_out),
        cmocka_unit_test(test_what_is_held_out_does_not_change_the_fit),
        cmocka_unit_test(test_files_that_are_none_are_refused),
        cmocka_unit_test(test_columns_that_came_later_may_be_missing),
        cmocka_unit_test(test_nothing_is_fitted_to_rows_with_a_caveat),
        cmocka_unit_test(test_without_a_row_to_fit_to_there_is_no_fit),
        cmocka_unit_test(test_the_npu_file_is_one_that_the_simulator_reads),
    };

    return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
