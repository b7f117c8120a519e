/* measure_output.h - reads back what acesim-measure wrote to a file */
#ifndef TESTS_VALIDATE_MEASURE_OUTPUT_H
#define TESTS_VALIDATE_MEASURE_OUTPUT_H

#include "tests/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "validate/gpu/host/measurement_output.h"
#include "validate/gpu/host/measurement_record.h"
#include "validate/gpu/host/measurement_table.h"
#include "validate/gpu/host/options.h"
#include "validate/gpu/host/progress.h"
#include "validate/gpu/plan/measurement_plan.h"

/* Returns the text that was written to @file, and closes it. */
static char *text_of_file(FILE *file)
{
    long n_bytes;
    char *text;

    n_bytes = ftell(file);
    rewind(file);
    text = g_malloc0((gsize)n_bytes + 1);
    assert_int_equal(fread(text, 1, (size_t)n_bytes, file), n_bytes);
    fclose(file);
    return text;
}

#endif
