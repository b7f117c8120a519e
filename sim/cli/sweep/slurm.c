/*
 * slurm.c - runs a sweep as one Slurm job, whose tasks are the workers; see
 * slurm.h
 */
#include "sim/cli/sweep/slurm.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/cli/cli.h"
#include "sim/config/config_error.h"
#include "sim/core/word_suggestions.h"
#include "sim/host/output.h"

#define PLAIN G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_./=+,:@%"

static char *quote_shell_word(const char *word)
{
    return *word && word[strspn(word, PLAIN)] == '\0' ? g_strdup(word)
                                                      : g_shell_quote(word);
}

static void append_quoted_word(GString *out, const char *word)
{
    g_autofree char *quoted = quote_shell_word(word);

    g_string_append_printf(out, "%s%s", out->len > 0 ? " " : "", quoted);
}

/* Returns the absolute path of the program, because a job may wait for days and
 * PATH may change. */
static char *find_program_path(void)
{
    char *path = g_file_read_link("/proc/self/exe", NULL);

    return path ? path : g_strdup("acesim");
}

/* Returns the command line without --slurm and --submit. */
static GString *rebuild_command_line(char *const *argv)
{
    g_autofree char *program = find_program_path();
    GString *out = g_string_new(NULL);

    append_quoted_word(out, program);
    for (; *argv; argv++) {
        if (g_str_equal(*argv, "--slurm") && argv[1])
            argv++;
        else if (!g_str_equal(*argv, "--submit") &&
                 !g_str_has_prefix(*argv, "--slurm="))
            append_quoted_word(out, *argv);
    }
    return out;
}

char *slurm_gather_command(char *const *argv)
{
    return g_string_free(rebuild_command_line(argv), FALSE);
}

gboolean slurm_has_no_control_chars(const char *text)
{
    for (; *text; text++)
        if (g_ascii_iscntrl(*text))
            return FALSE;
    return TRUE;
}

static gboolean check_single_line(const char *what, const char *text,
                                  GError **error)
{
    g_autofree char *quoted = NULL;

    if (slurm_has_no_control_chars(text))
        return TRUE;
    quoted = words_quote_text(text);
    g_set_error(error, CONFIG_ERROR, CONFIG_ERROR_RANGE,
                "--slurm: %s %s has a line break or another control character, "
                "which a job's script cannot hold; choose another name",
                what, quoted);
    return FALSE;
}

/* Checks that the folder, the program and the command, which are in comments of
 * the script, contain no line breaks. */
static gboolean check_script_comments(const char *folder, char *const *argv,
                                      GError **error)
{
    g_autofree char *program = find_program_path();

    if (!check_single_line("the working folder", folder, error) ||
        !check_single_line("the path of this program", program, error))
        return FALSE;
    for (; *argv; argv++)
        if (!check_single_line("the argument", *argv, error))
            return FALSE;
    return TRUE;
}

/* A failed node must not end the others, and neither must a worker with failed
 * points. srun does not inherit --cpus-per-task from sbatch, so the script
 * exports it. */
GString *slurm_make_script(const char *options, char *const *argv,
                           GError **error)
{
    g_autofree char *here = g_get_current_dir();
    g_autofree char *folder = quote_shell_word(here);
    g_autofree char *gather = slurm_gather_command(argv);
    GString *out;

    if (!check_script_comments(here, argv, error))
        return NULL;
    out = g_string_new("#!/bin/sh\n");
    if (*options)
        g_string_append_printf(out, "#SBATCH %s\n", options);
    g_string_append_printf(
        out,
        "#SBATCH --no-kill\n"
        "# Each task is a worker that takes points until none is left.  When "
        "the job\n"
        "# has ended this gathers what they have done:\n"
        "#   cd %s && %s\n"
        "cd %s || exit\n"
        "[ -z \"$SLURM_CPUS_PER_TASK\" ] ||\n"
        "    export SRUN_CPUS_PER_TASK=\"$SLURM_CPUS_PER_TASK\"\n"
        "srun --no-kill --kill-on-bad-exit=0 --wait=0 \\\n"
        "    %s --shard auto\n",
        folder, gather, folder, gather);
    return out;
}

int slurm_submit(const GString *script)
{
    char program[] = "sbatch";
    char *argv[] = { program, NULL };
    g_autoptr(GError) error = NULL;
    int input, status, code;
    GPid pid;

    if (!g_spawn_async_with_pipes(
            NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
            NULL, NULL, &pid, &input, NULL, NULL, &error)) {
        fprintf(stderr, "--submit: %s\n", error->message);
        return CLI_FAILED;
    }
    code = output_write_bytes(input, script->str, script->len);
    close(input);
    while (waitpid(pid, &status, 0) < 0)
        ;
    if (code == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return CLI_OK;
    fprintf(stderr, "--submit: sbatch did not take the job\n");
    return CLI_FAILED;
}
