/* csv_impl.h - what writing and reading of CSV share */
#ifndef SIM_CORE_CSV_IMPL_H
#define SIM_CORE_CSV_IMPL_H

#include "sim/core/csv.h"

#define BYTE_ORDER_MARK                                                        \
    "\xef\xbb\xbf" /* of UTF-8, which a file may begin with */

/* Returns whether @text begins, behind any number of apostrophes, with what a
 * spreadsheet takes for the beginning of a formula. */
gboolean csv_is_formula(const char *text);

#endif
