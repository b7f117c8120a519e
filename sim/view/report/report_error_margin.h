/*
 * report_error_margin.h - the expected error of a speed-up
 *
 * Sources  validate/README.md, "How accurate": the errors of simulated
 *          speed-ups on systems that were left out of every fit
 */
#ifndef SIM_VIEW_REPORT_REPORT_ERROR_MARGIN_H
#define SIM_VIEW_REPORT_REPORT_ERROR_MARGIN_H

/* Returns the mean error as a ratio, and sets *@source to words for people. */
double report_default_error_ratio(const char **source);

#endif
