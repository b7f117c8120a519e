/* cli.c - how commands end */
#include "sim/cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

int cli_fail(const GError *error)
{
    fflush(stdout);
    fprintf(stderr, "%s\n", error->message);
    return CLI_FAILED;
}

int cli_usage(const CliCommand *command, const char *format, ...)
{
    va_list args;

    fflush(stdout);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\ntry: acesim %s --help\n", command->name);
    return CLI_USAGE;
}
