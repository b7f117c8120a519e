/* results_fixture.h - parses the rows of a sweep from a text */
#ifndef TESTS_SIM_RESULTS_FIXTURE_H
#define TESTS_SIM_RESULTS_FIXTURE_H

#include "tests/test.h"

#include <string.h>

#include "sim/sweep/sweep_results.h"

/* Returns the results in a file r.csv with this text.  The caller owns them. */
static inline SweepResults *results_from_csv(const char *text)
{
    g_autoptr(GError) error = NULL;
    CsvTable *table = csv_table_parse("r.csv", text, strlen(text), &error);
    SweepResults *results;

    assert_no_error(error);
    results = results_new_from_table(table, "r.csv", &error);
    assert_no_error(error);
    return results;
}

#endif
