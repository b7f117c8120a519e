/*
 * man.h - the manual page acesim(1), out of the tables that --help prints
 *
 * In the macros of man(7), which groff and mandoc both take.  It has no date:
 * the same program writes the same page.
 *
 * Owner    the caller owns the text
 */
#ifndef SIM_CLI_MAN_H
#define SIM_CLI_MAN_H

#include "sim/cli/cli.h"

/* @commands ends with NULL. */
GString *man_text(const CliCommand *const *commands);

#endif
