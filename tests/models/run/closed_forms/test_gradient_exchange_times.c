/*
 * test_gradient_exchange_times.c - Tests of gradient exchanges on a ring
 * against closed forms or recursions, with tolerance 0.
 *
 * There are three layers with known times, on a ring with one message at a
 * time. An all-reduce of b bytes takes
 *
 *     c(b) = 2(n-1) (b/n / B + latency)
 *
 * With r_i the time when message i is ready, and e_i the time when it ends,
 *
 *     e_i = max(r_i, e of the message before) +
 * c_i */
#include "tests/models/run/closed_form_fixture.h"

#define N_NPUS   8
#define N_LAYERS 3
#define WHOLE    "{chunk: 1 GiB, message: 1 GiB}"

/* In forward order. The last tensor of a layer is ready first. The first layer
 * has no input gradient. */
static const struct {
    uint64_t forward_us, weight_us, input_us;
    uint64_t tensors[2];
} layers[N_LAYERS] = { { 11, 20, 0, { 1000000, 1000 } },
                       { 13, 70, 23, { 200000, 0 } },
                       { 5, 17, 19, { 3000000, 80 } } };

typedef struct {
    SimTime ready_ps, done_ps;
    uint64_t bytes;
    guint layer;
    gboolean is_done;
} Message;

static SimTime all_reduce_ps(uint64_t bytes)
{
    return 2 * (N_NPUS - 1) *
           (transfer_time_ps((bytes + N_NPUS - 1) / N_NPUS, 25 * GB) +
            SIM_NS(500));
}

static SimTime forward_time_ps(void)
{
    SimTime sum_ps = 0;

    for (guint i = 0; i < N_LAYERS; i++)
        sum_ps += SIM_US(layers[i].forward_us);
    return sum_ps;
}

/* Adds the messages of backward passes from @from_ps on. Each FP16 tensor
 * becomes messages of at most @most_bytes. Returns the end of the last
 * kernel. */
static SimTime add_gradient_messages(GArray *messages, SimTime from_ps,
                                     uint64_t most_bytes)
{
    SimTime now_ps = from_ps;

    for (guint l = N_LAYERS; l-- > 0;) {
        now_ps += SIM_US(layers[l].weight_us);
        for (guint t = 2; t-- > 0;) {
            uint64_t left = 2 * layers[l].tensors[t];

            while (left > 0) {
                Message m = { .ready_ps = now_ps,
                              .bytes = MIN(left, most_bytes),
                              .layer = l };

                left -= m.bytes;
                g_array_append_val(messages, m);
            }
        }
        now_ps += SIM_US(layers[l].input_us);
    }
    return now_ps;
}

static Message *gradient_message_at(GArray *messages, guint i)
{
    return &g_array_index(messages, Message, i);
}

/* Returns the message that is sent next if the link is free at @free_ps.
 * Candidates are the messages that are ready then, or the earliest ones after
 * that. The first is chosen, or that of the first layer if @by_priority. */
static Message *next_gradient_message(GArray *messages, SimTime free_ps,
                                      gboolean by_priority)
{
    SimTime earliest_ps = SIM_TIME_MAX;
    Message *best = NULL;

    for (guint i = 0; i < messages->len; i++)
        if (!gradient_message_at(messages, i)->is_done)
            earliest_ps =
                MIN(earliest_ps, gradient_message_at(messages, i)->ready_ps);
    for (guint i = 0; i < messages->len; i++) {
        Message *message = gradient_message_at(messages, i);

        if (message->is_done || message->ready_ps > MAX(free_ps, earliest_ps))
            continue;
        if (!best || (by_priority && message->layer < best->layer))
            best = message;
    }
    return best;
}

static SimTime time_of_all_messages(GArray *messages, gboolean by_priority)
{
    SimTime now_ps = 0;

    for (guint i = 0; i < messages->len; i++) {
        Message *message = next_gradient_message(messages, now_ps, by_priority);

        now_ps = MAX(now_ps, message->ready_ps) + all_reduce_ps(message->bytes);
        message->done_ps = now_ps;
        message->is_done = TRUE;
    }
    return now_ps;
}

static const char *three_layer_workload(void)
{
    g_autoptr(GString) text = g_string_new("{kind: data-parallel, name: three, "
                                           "batch: 1, layers: [");

    for (guint i = 0; i < N_LAYERS; i++) {
        g_string_append_printf(
            text,
            "{kind: counted, name: l%u, forward_flop: 1000, "
            "forward_time: %u us, weight_gradient_time: %u us, ",
            i, (guint)layers[i].forward_us, (guint)layers[i].weight_us);
        if (layers[i].input_us > 0)
            g_string_append_printf(text, "input_gradient_time: %u us, ",
                                   (guint)layers[i].input_us);
        g_string_append_printf(text, "tensors: [%u",
                               (guint)layers[i].tensors[0]);
        if (layers[i].tensors[1] > 0)
            g_string_append_printf(text, ", %u", (guint)layers[i].tensors[1]);
        g_string_append(text, "]}, ");
    }
    g_string_append(text, "]}");
    return keep_text_until_exit(text->str);
}

static SimTime total_time_ps_of(guint n_iterations, const char *training)
{
    Setup s = { .topology = format_text("{kind: torus, dims: [{size: %u, "
                                        "direction: one, bandwidth: 25 GB/s, "
                                        "latency: 500 ns}]}",
                                        N_NPUS),
                .endpoint = "{kind: ideal, message_cycles: 0}",
                .workload = three_layer_workload(),
                .training =
                    format_text("{iterations: %u, compute: measured, %s}",
                                n_iterations, training),
                .collectives = WHOLE };

    return simulate_setup(&s).total_ps;
}

/* The iteration takes forward + backward + c(all gradients). */
static void test_one_gradient_message_hides_nothing(void **state)
{
    g_autoptr(GArray) messages = g_array_new(FALSE, TRUE, sizeof(Message));
    SimTime alone_ps =
        add_gradient_messages(messages, forward_time_ps(), UINT64_MAX);
    SimTime one_ps =
        alone_ps + all_reduce_ps(2 * (1000000 + 1000 + 200000 + 3000000 + 80));

    (void)state;
    assert_int_equal(total_time_ps_of(1, "exchange: {kind: single}"), one_ps);
    assert_int_equal(total_time_ps_of(3, "exchange: {kind: single}"),
                     3 * one_ps);
    assert_int_equal(total_time_ps_of(3, "overlap: false"), 3 * one_ps);
}

/* Tensors are copied into one buffer and out of it. A tensor that is sent alone
 * is not copied. */
static void test_copies_of_fused_tensors_add_time(void **state)
{
    uint64_t bytes = 2 * (1000000 + 1000 + 200000 + 3000000 + 80);

    (void)state;
    assert_int_equal(
        total_time_ps_of(1, "exchange: {kind: single, copy: 300 GB/s}"),
        total_time_ps_of(1, "exchange: {kind: single}") +
            2 * transfer_time_ps(bytes, 300 * GB));
    assert_int_equal(
        total_time_ps_of(1, "exchange: {kind: merged, groups: [1, 1, 1, 1, 1], "
                            "copy: 300 GB/s}"),
        total_time_ps_of(1, "exchange: {kind: tensor}"));
}

static void test_gradient_tensors_wait_for_earlier_ones(void **state)
{
    g_autoptr(GArray) messages = g_array_new(FALSE, TRUE, sizeof(Message));
    SimTime one_ps;

    (void)state;
    (void)add_gradient_messages(messages, forward_time_ps(), UINT64_MAX);
    one_ps = time_of_all_messages(messages, FALSE);
    assert_int_equal(total_time_ps_of(1, "exchange: {kind: tensor}"), one_ps);
    assert_int_equal(
        total_time_ps_of(3, "exchange: {kind: tensor}, synchronise: step"),
        3 * one_ps);
}

static void test_merged_tensors_wait_for_their_last(void **state)
{
    SimTime ready_ps = forward_time_ps() + SIM_US(17);
    SimTime done_ps = ready_ps + all_reduce_ps(2 * 80);

    (void)state;
    /* The large tensor of the last layer is sent with the layer before it, then
     * the first layer follows. */
    ready_ps += SIM_US(19) + SIM_US(70);
    done_ps = MAX(done_ps, ready_ps) + all_reduce_ps(2 * (3000000 + 200000));
    ready_ps += SIM_US(23) + SIM_US(20);
    done_ps = MAX(done_ps, ready_ps) + all_reduce_ps(2 * (1000000 + 1000));
    assert_int_equal(
        total_time_ps_of(2, "exchange: {kind: merged, groups: [1, 2, 2]}, "
                            "synchronise: step"),
        2 * done_ps);
}

/* The tensors are ready 17, 17, 106, 149 and 149 us after the start of
 * back-propagation. With 15 us and 20 GB/s, the first two take until 332 us,
 * and all others are ready by then. With 100 us, it is worth waiting for all.
 * The tensor of 80 values alone is below 81 values. */
static void test_the_merge_plan_follows_the_ends_of_kernels(void **state)
{
    static const struct {
        const char *belief;
        const char *groups;
    } plans[] = {
        { "latency: 15 us, bandwidth: 20 GB/s, least_values: 0", "2, 3" },
        { "latency: 100 us, bandwidth: 20 GB/s, least_values: 0", "5" },
        { "latency: 0 us, bandwidth: 1000 TB/s, least_values: 0",
          "1, 1, 1, 1, 1" },
        { "latency: 0 us, bandwidth: 1000 TB/s, least_values: 81",
          "2, 1, 1, 1" },
        { "by_npus: [{npus: 4, latency: 15 us, bandwidth: 1000 TB/s}, "
          "{npus: 8, latency: 15 us, bandwidth: 20 GB/s}]",
          "2, 3" },
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(plans); i++)
        assert_int_equal(
            total_time_ps_of(1, format_text("exchange: {kind: merged, %s}",
                                            plans[i].belief)),
            total_time_ps_of(
                1, format_text("exchange: {kind: merged, groups: [%s]}",
                               plans[i].groups)));
}

/* One message of FP32 values, with k of N values chosen per layer or in all:
 *
 *     4 N / select, forward, backward, (n-1) (8 k / B + latency),
 *     (4 N + 16 n k) / HBM before the next forward pass */
static void test_top_k_gradients_are_selected_gathered_and_added(void **state)
{
    SimTime expected_ps;
    uint64_t n_all = 0;
    g_autoptr(GArray) messages = g_array_new(FALSE, TRUE, sizeof(Message));

    (void)state;
    expected_ps =
        add_gradient_messages(messages, forward_time_ps(), UINT64_MAX);
    for (guint l = 0; l < N_LAYERS; l++) {
        uint64_t n = layers[l].tensors[0] + layers[l].tensors[1];

        expected_ps += transfer_time_ps(4 * n, 1 * GB);
        expected_ps +=
            transfer_time_ps(4 * n + 16 * N_NPUS * ((n + 99) / 100), 900 * GB);
        n_all += n;
    }
    expected_ps +=
        (N_NPUS - 1) *
        (transfer_time_ps(8 * ((n_all + 99) / 100), 25 * GB) + SIM_NS(500));
    assert_int_equal(
        total_time_ps_of(1, "gradient: fp32, exchange: {kind: single, "
                            "compression: {kind: top-k, density: 0.01, "
                            "select: 1 GB/s}}"),
        expected_ps);
}

/* The forward pass of a layer waits only for its own messages, so urgent
 * messages save time. */
static void test_urgent_gradient_partitions_overtake_others(void **state)
{
    g_autoptr(GArray) messages = g_array_new(FALSE, TRUE, sizeof(Message));
    SimTime now_ps = add_gradient_messages(messages, forward_time_ps(), 500000),
            last_ps;

    (void)state;
    last_ps = time_of_all_messages(messages, TRUE);
    for (guint l = 0; l < N_LAYERS; l++) {
        for (guint i = 0; i < messages->len; i++)
            if (gradient_message_at(messages, i)->layer == l)
                now_ps = MAX(now_ps, gradient_message_at(messages, i)->done_ps);
        now_ps += SIM_US(layers[l].forward_us);
    }
    g_array_set_size(messages, 0);
    (void)add_gradient_messages(messages, now_ps, 500000);
    assert_true(last_ps <= now_ps);
    assert_int_equal(
        total_time_ps_of(2, "exchange: {kind: partition, bytes: 500 kB, "
                            "credit: 500 kB}"),
        time_of_all_messages(messages, TRUE));
}

/* The host works 7 us on each of the five tensors, between the gradients of an
 * iteration and the next forward pass, once for all micro-batches. */
static void test_the_host_works_on_each_tensor_once_an_iteration(void **state)
{
    static const char *const trainings[] = {
        "exchange: {kind: single}",
        "exchange: {kind: tensor}, synchronise: step",
        "exchange: {kind: sharded, shard: {kind: zero-1}}, synchronise: step",
    };

    (void)state;
    for (gsize i = 0; i < G_N_ELEMENTS(trainings); i++)
        assert_int_equal(
            total_time_ps_of(
                3, format_text("host_per_tensor: 7 us, %s", trainings[i])),
            total_time_ps_of(3, trainings[i]) + 3 * 5 * SIM_US(7));
    /* With it, no layer begins before all gradients are summed. */
    assert_int_equal(
        total_time_ps_of(3, "host_per_tensor: 7 us, exchange: {kind: tensor}"),
        total_time_ps_of(3, "exchange: {kind: tensor}, synchronise: step") +
            3 * 5 * SIM_US(7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_gradient_message_hides_nothing),
        cmocka_unit_test(test_copies_of_fused_tensors_add_time),
        cmocka_unit_test(test_gradient_tensors_wait_for_earlier_ones),
        cmocka_unit_test(test_merged_tensors_wait_for_their_last),
        cmocka_unit_test(test_the_merge_plan_follows_the_ends_of_kernels),
        cmocka_unit_test(test_top_k_gradients_are_selected_gathered_and_added),
        cmocka_unit_test(test_urgent_gradient_partitions_overtake_others),
        cmocka_unit_test(test_the_host_works_on_each_tensor_once_an_iteration),
    };

    return cmocka_run_group_tests_name("exchange forms", tests, NULL, NULL);
}
