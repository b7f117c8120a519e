/* measure_output.h - a case to write about */
#ifndef TESTS_VALIDATE_MEASURE_OUTPUT_H
#define TESTS_VALIDATE_MEASURE_OUTPUT_H

#include "tests/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "validate/gpu/host/options.h"
#include "validate/gpu/host/output.h"
#include "validate/gpu/host/progress.h"
#include "validate/gpu/host/record.h"
#include "validate/gpu/host/table.h"
#include "validate/gpu/plan/plan.h"

/* What was written to @file, which is closed. */
static char *text_of(FILE *file)
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
