/* test_server_service_history.c - tests which collective a server worked on
 * during a wait */
#include "tests/test.h"

#include "models/observe/path/server_service_history.h"

#define SERVER 7

static void
service_before_the_end_of_a_wait_is_divided_by_collective(void **state)
{
    g_autoptr(ServerHistory) served = server_history_new();
    ServiceSpan front[SERVER_HISTORY_MAX_FRONT];

    (void)state;
    server_history_add(served, SERVER, 1, 0, 10);
    server_history_add(served, SERVER, 1, 10, 30);
    server_history_add(served, SERVER, 2, 30, 50);
    server_history_add(served, SERVER + 1, 3, 0, 90);
    assert_int_equal(server_history_end_ps(served, SERVER), 50);
    assert_int_equal(server_history_end_ps(served, SERVER + 2), 0);
    assert_int_equal(
        server_history_list_work_in_front(served, SERVER, 20, 60, front), 2);
    assert_int_equal(front[0].op, 1);
    assert_int_equal(front[0].from_ps, 20);
    assert_int_equal(front[0].to_ps, 30);
    assert_int_equal(front[1].op, 2);
    assert_int_equal(front[1].from_ps, 30);
    assert_int_equal(front[1].to_ps, 50);
    assert_int_equal(
        server_history_list_work_in_front(served, SERVER, 50, 60, front), 0);
}

/* Several units of a server may work on several collectives in parallel: the
 * span that began last counts. */
static void overlapping_server_spans_are_counted_once(void **state)
{
    g_autoptr(ServerHistory) served = server_history_new();
    ServiceSpan front[SERVER_HISTORY_MAX_FRONT];

    (void)state;
    server_history_add(served, SERVER, 1, 0, 40);
    server_history_add(served, SERVER, 2, 20, 50);
    assert_int_equal(
        server_history_list_work_in_front(served, SERVER, 0, 50, front), 2);
    assert_int_equal(front[0].op, 1);
    assert_int_equal(front[0].to_ps, 20);
    assert_int_equal(front[1].from_ps, 20);
    assert_int_equal(front[1].to_ps, 50);
}

/* Two collectives alternate for much longer than the history keeps. */
static void a_wait_longer_than_the_server_history_is_covered(void **state)
{
    g_autoptr(ServerHistory) served = server_history_new();
    ServiceSpan front[SERVER_HISTORY_MAX_FRONT];
    SimTime sum_ps = 0;
    guint n;

    (void)state;
    for (guint i = 0; i < 5000; i++)
        server_history_add(served, SERVER, i % 2, 10 * i, 10 * i + 10);
    n = server_history_list_work_in_front(served, SERVER, 0, 50000, front);
    assert_int_equal(n, SERVER_HISTORY_MAX_FRONT);
    for (guint i = 0; i < n; i++) {
        assert_true(i == 0 || front[i].from_ps == front[i - 1].to_ps);
        sum_ps += front[i].to_ps - front[i].from_ps;
    }
    assert_int_equal(sum_ps, 50000);
}

static void a_skip_moves_the_last_end_of_its_server(void **state)
{
    g_autoptr(ServerHistory) served = server_history_new();
    ServiceSpan front[SERVER_HISTORY_MAX_FRONT];

    (void)state;
    server_history_add(served, SERVER, 1, 0, 10);
    server_history_add(served, SERVER + 1, 2, 0, 10);
    server_history_extend_by_skipped_time(served, 1, 100);
    assert_int_equal(server_history_end_ps(served, SERVER), 110);
    assert_int_equal(server_history_end_ps(served, SERVER + 1), 10);
    server_history_clear(served);
    assert_int_equal(
        server_history_list_work_in_front(served, SERVER, 0, 110, front), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            service_before_the_end_of_a_wait_is_divided_by_collective),
        cmocka_unit_test(overlapping_server_spans_are_counted_once),
        cmocka_unit_test(a_wait_longer_than_the_server_history_is_covered),
        cmocka_unit_test(a_skip_moves_the_last_end_of_its_server),
    };

    return cmocka_run_group_tests_name("served", tests, NULL, NULL);
}
