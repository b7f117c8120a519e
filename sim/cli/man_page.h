/*
 * man_page.h - makes the manual page acesim(1) from the tables of --help
 *
 * The page uses the macros of man(7), which groff and mandoc accept.  It has no
 * date, so the same program writes the same page.
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_CLI_MAN_PAGE_H
#define SIM_CLI_MAN_PAGE_H

#include "sim/cli/cli.h"

/* Returns the page.  @commands ends with NULL. */
GString *make_man_page(const CliCommand *const *commands);

#endif
