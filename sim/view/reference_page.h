/*
 * reference_page.h - a page of docs/reference: a topic's keys with an example
 * for each
 *
 * The page is Markdown and is made from the same tables as `acesim list`.  An
 * example is the default, or the smallest usual value that the range allows.
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_VIEW_REFERENCE_PAGE_H
#define SIM_VIEW_REFERENCE_PAGE_H

#include "sim/config/config_field.h"

/* Returns the page of a topic of `acesim list`, or the index of all pages if
 * @name is NULL.  Returns NULL if there is no such topic. */
char *reference_page_text(const char *name);

/* Returns a value that @field accepts, as YAML in one line. */
char *reference_example_text(const ConfigField *field);

#endif
