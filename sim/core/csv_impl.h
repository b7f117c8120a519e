/* csv_impl.h - what csv.c and csv_write.c share; private to them */
#ifndef SIM_CORE_CSV_IMPL_H
#define SIM_CORE_CSV_IMPL_H

#include "sim/core/csv.h"

/* The byte order mark of UTF-8, which is optional at the start of a file. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* Returns whether @text, after any number of apostrophes, begins like a formula
 * of a spreadsheet. */
gboolean csv_looks_like_formula(const char *text);

#endif
