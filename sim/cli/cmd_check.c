#include "sim/cli/options.h"
static int run(const CliCommand *command, char **argv){(void)command;(void)argv;return 0;}
const CliCommand cmd_check = {.name="check",.arguments="X",.summary="x",.detail="",.run=run};
