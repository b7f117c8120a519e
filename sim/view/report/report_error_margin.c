/* report_error_margin.c - the expected error of a speed-up; see
 * report_error_margin.h */
#include "sim/view/report/report_error_margin.h"

#include <glib.h>

/* Mean errors of the families of measured speed-ups, in per cent, each on
 * systems left out (validate/README.md). */
static const double family_errors[] = {
    6.4,  /* 3 schedules (B-Caffe) */
    16.8, /* 3 schedules (MG-WFBP) */
    7.2,  /* Horovod and servers, 16 GPUs */
    2.4,  /* 7 methods (DDL) */
};

double report_default_error_ratio(const char **source)
{
    double sum = 0;

    for (guint i = 0; i < G_N_ELEMENTS(family_errors); i++)
        sum += family_errors[i];
    *source = "the mean error of simulated speed-ups against measured ones, in "
              "four families of systems (validate/README.md)";
    return sum / G_N_ELEMENTS(family_errors) / 100;
}
