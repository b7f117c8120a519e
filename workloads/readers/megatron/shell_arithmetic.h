/*
 * shell_arithmetic.h - whole-number arithmetic of the shell
 *
 * Knows numbers, variables with or without $, brackets, + - * / % and signs.
 *
 * Range    numbers and results are at most SHELL_MAX_NUMBER in size
 */
#ifndef WORKLOADS_READERS_MEGATRON_SHELL_ARITHMETIC_H
#define WORKLOADS_READERS_MEGATRON_SHELL_ARITHMETIC_H

#include <glib.h>

#define SHELL_MAX_NUMBER (G_GINT64_CONSTANT(1) << 50)

/* Sets *@ret to the number of the variable @name.  Returns FALSE if it has
 * none. */
typedef gboolean (*ShellFindNumber)(gpointer data, const char *name,
                                    gint64 *ret);

/* Sets *@ret to the value of @text.  Returns FALSE if it has no value here. */
gboolean shell_arithmetic(const char *text, ShellFindNumber find, gpointer data,
                          gint64 *ret);

#endif
