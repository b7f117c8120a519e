/*
 * quantity.h - numbers with units, as people write them
 *
 * "200 GB/s", "72.29 ns", "64 KiB", "1245 MHz", "120 TFLOPS", "94 %".  The
 * blank before the unit may be left out.  SI prefixes are powers of ten,
 * Ki/Mi/Gi/Ti powers of two.  Parsing is exact integer arithmetic: "0.1 ns" is
 * 100 ps, and a value that is no whole number of base units is an error.
 *
 * Units    base units: bytes, ps, bytes/s, Hz, FLOP/s, parts per million
 * Errors   a code and a text without position; the caller adds that
 */
#ifndef SIM_CONFIG_QUANTITY_H
#define SIM_CONFIG_QUANTITY_H

#include "sim/config/config_error.h"
#include "sim/config/config_field.h"

/* Parses @text as @type, one of CONFIG_COUNT .. CONFIG_FRACTION.  On failure
 * sets *@error to CONFIG_ERROR_TYPE, _UNIT or _RANGE (past 2^64 - 1) with a
 * message that names what was expected and an example.  Digits behind the
 * finest that is kept are rounded, as long as that changes the value by less
 * than a thousandth. */
G_GNUC_WARN_UNUSED_RESULT
gboolean quantity_parse(const char *text, ConfigType type, uint64_t *ret,
                        GError **error);

/* Returns whether quantity_parse() rounds @text. */
gboolean quantity_is_rounded(const char *text, ConfigType type);

/* Adds all numbers of "3 4.5 7 us", each in the unit that ends it, to @ret, of
 * uint64_t. */
G_GNUC_WARN_UNUSED_RESULT
gboolean quantity_parse_row(const char *text, ConfigType type, GArray *ret,
                            GError **error);

/* The shortest exact text for @value: "64 KiB", "72.29 ns".  What this gives,
 * quantity_parse() reads back as the same value.  Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
char *quantity_format(uint64_t value, ConfigType type);

/* @value in the unit of the quantity @like, "0.5 GB/s" like "2 GB/s"; NULL when
 * that is none of @type.  Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
char *quantity_format_as(uint64_t value, ConfigType type, const char *like);

/* What quantity_parse() takes, but for -0 and ranges, as a regular expression
 * of POSIX (extended) and ECMAScript alike.  Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
char *quantity_pattern(ConfigType type);

/* "a frequency such as '1245 MHz'".  Owner: the caller. */
G_GNUC_WARN_UNUSED_RESULT
char *quantity_expectation(ConfigType type);

#endif
