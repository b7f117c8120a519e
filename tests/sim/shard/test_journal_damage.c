/* Tests of sim/sweep/journal.h: damage affects only the damaged records and is
 * reported */
#include <time.h>

#include "tests/sim/journal_fixture.h"

/* Returns the number, from 0, of the record that contains byte @at; -1 for the
 * header. */
static int index_of_record_at(const char *text, gsize at)
{
    int n = -1;

    for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
        if (strstr(text, ids[i]) <= text + at)
            n = (int)i;
    return n;
}

/* Returns whether damage at @at looks like an incomplete last record. */
static gboolean may_be_unfinished_record(const char *text, gsize at)
{
    const char *last = strstr(text, ids[2]);

    return at > (gsize)(last - text) &&
           at <= (gsize)(strchr(last, '\n') - text);
}

/* Returns the text without its NULs, which end the texts of records. */
static char *replace_nul_bytes(const char *text, gsize n_bytes)
{
    char *ret = g_memdup2(text, n_bytes + 1);

    for (gsize i = 0; i < n_bytes; i++)
        ret[i] = ret[i] == '\0' ? 'x' : ret[i];
    return ret;
}

static void test_a_changed_byte_loses_only_its_record(void **state)
{
    const Place *place = *state;
    g_autofree char *text = NULL;
    g_autofree char *plain = NULL;
    gsize n_bytes;

    write_three_records(place->path);
    text = read_journal_file(place->path, &n_bytes);
    plain = replace_nul_bytes(text, n_bytes);
    for (gsize i = 0; i < n_bytes; i++) {
        int record = index_of_record_at(plain, i);
        JournalDamage damage;

        text[i] ^= 1;
        assert_true(
            g_file_set_contents(place->path, text, (gssize)n_bytes, NULL));
        text[i] ^= 1;
        assert_int_equal(count_records_with_damage(place->path, &damage),
                         record < 0 ? 3 : 2);
        if (may_be_unfinished_record(plain, i) && damage.n_places == 0)
            continue;
        assert_int_equal(damage.n_places, 1);
        assert_int_equal(damage.n_before, MAX(record, 0));
        assert_int_equal(damage.first_offset,
                         record < 0 ? 0 : strstr(plain, ids[record]) - plain);
        /* The first call has repaired the file. */
        assert_int_equal(count_records_with_damage(place->path, &damage),
                         record < 0 ? 3 : 2);
        assert_int_equal(damage.n_places, 0);
    }
}

static void test_an_incomplete_last_record_is_not_damage(void **state)
{
    const Place *place = *state;
    g_autofree char *text = NULL;
    gsize n_bytes;

    write_three_records(place->path);
    text = read_journal_file(place->path, &n_bytes);
    for (gsize length = 0; length <= n_bytes; length++) {
        JournalDamage damage;

        assert_true(
            g_file_set_contents(place->path, text, (gssize)length, NULL));
        (void)count_records_with_damage(place->path, &damage);
        assert_int_equal(damage.n_places, 0);
    }
}

static void test_bytes_between_records_are_skipped_and_counted(void **state)
{
    const Place *place = *state;
    g_autofree char *text = NULL;
    g_autoptr(GString) strange = g_string_new(NULL);
    JournalDamage damage;
    gsize n_bytes;

    write_three_records(place->path);
    text = read_journal_file(place->path, &n_bytes);
    for (const char *p = text; p < text + n_bytes; p++) {
        /* The text contains two false headers, which claim the header of record
         * B as their text. */
        if (g_str_has_prefix(p, ID_B))
            g_string_append(strange,
                            ID_B " 100 " ID_B "\n" ID_B " 100 " ID_B "\n");
        /* The text has no line feed, and all of its characters may belong to an
         * id. */
        if (g_str_has_prefix(p, ID_C))
            g_string_append(strange, "abcdef0123456789");
        g_string_append_c(strange, *p);
    }
    assert_true(g_file_set_contents(place->path, strange->str,
                                    (gssize)strange->len, NULL));
    assert_int_equal(count_records_with_damage(place->path, &damage), 3);
    assert_int_equal(damage.n_places, 2);
    assert_int_equal(damage.n_before, 1);
    assert_int_equal(damage.n_bytes, strange->len - n_bytes);
}

/* Every line claims that the rest of the file is its text. */
static void
test_a_file_of_false_headers_is_not_read_once_per_header(void **state)
{
    enum { N_HEADS = 20000 };
    const Place *place = *state;
    g_autoptr(GString) text = g_string_new(JOURNAL_HEADER);
    const gsize head = strlen(ID_A " 9999999 " ID_B "\n");
    clock_t start = clock();

    for (guint i = 0; i < N_HEADS; i++)
        g_string_append_printf(text, ID_A " %07zu " ID_B "\n",
                               head * (N_HEADS - 1 - i) - (i < N_HEADS - 1));
    assert_true(
        g_file_set_contents(place->path, text->str, (gssize)text->len, NULL));
    assert_int_equal(count_records_found(place->path), 0);
    /* Takes fractions of a second; checking every header would hash 28 GB. */
    assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
}

/* ---- main function of the journal tests ---------------------------------- */

#define TEST(Name) cmocka_unit_test_setup_teardown(Name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_changed_byte_loses_only_its_record),
        TEST(test_an_incomplete_last_record_is_not_damage),
        TEST(test_bytes_between_records_are_skipped_and_counted),
        TEST(test_a_file_of_false_headers_is_not_read_once_per_header),
    };

    return cmocka_run_group_tests_name("journal damage", tests, NULL, NULL);
}
