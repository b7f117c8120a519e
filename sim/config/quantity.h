/*
 * quantity.h - parses and formats numbers with units
 *
 * Examples: "200 GB/s", "72.29 ns", "64 KiB", "1245 MHz", "120 TFLOPS", "94 %".
 * The blank before the unit is optional.  SI prefixes are powers of ten; Ki,
 * Mi, Gi and Ti are powers of two.  Parsing uses exact integer arithmetic: "0.1
 * ns" is 100 ps.  A value that is not a whole number of base units is rounded
 * if the error is small, or rejected.
 *
 * Units    base units: bytes, ps, bytes/s, Hz, FLOP/s, parts per million
 * Errors   a code and a text without a position, which the caller adds
 */
#ifndef SIM_CONFIG_QUANTITY_H
#define SIM_CONFIG_QUANTITY_H

#include "sim/config/config_error.h"
#include "sim/config/config_field.h"

/* Parses @text as @type, one of CONFIG_COUNT .. CONFIG_FRACTION. On failure
 * returns FALSE and sets @error to CONFIG_ERROR_TYPE, _UNIT or _RANGE (above
 * 2^64 - 1); the message says what was expected, with an example.  A value
 * finer than a base unit is rounded if this changes it by less than a
 * thousandth. */
G_GNUC_WARN_UNUSED_RESULT
gboolean quantity_parse(const char *text, ConfigType type, uint64_t *ret,
                        GError **error);

/* Returns whether quantity_parse() rounds @text. */
gboolean quantity_is_rounded(const char *text, ConfigType type);

/* Parses "3 4.5 7 us", where the unit at the end applies to all numbers, and
 * appends the values (uint64_t) to @ret. */
G_GNUC_WARN_UNUSED_RESULT
gboolean quantity_parse_row(const char *text, ConfigType type, GArray *ret,
                            GError **error);

/* Returns the shortest exact text for @value: "64 KiB", "72.29 ns".
 * quantity_parse() parses it to the same value.  The caller owns the text. */
G_GNUC_WARN_UNUSED_RESULT
char *quantity_format(uint64_t value, ConfigType type);

/* Returns @value in the unit of the quantity @like: "0.5 GB/s" like "2 GB/s".
 * Returns NULL if @like is not a quantity of @type.  The caller owns the
 * text. */
G_GNUC_WARN_UNUSED_RESULT
char *quantity_format_like(uint64_t value, ConfigType type, const char *like);

/* Returns a regular expression, valid in POSIX (extended) and ECMAScript, for
 * the texts that quantity_parse() accepts, except -0 and ranges.  The caller
 * owns the text. */
G_GNUC_WARN_UNUSED_RESULT
char *quantity_regex_pattern(ConfigType type);

/* Returns "a frequency such as '1245 MHz'".  The caller owns the text. */
G_GNUC_WARN_UNUSED_RESULT
char *quantity_describe_expected(ConfigType type);

#endif
