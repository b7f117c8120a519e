/*
 * shell_script.h - the words of the commands of a shell script
 *
 * The script is not executed.  Variables that the script sets to plain texts,
 * arrays, defaults (`${TP:-8}`) and whole-number arithmetic are replaced by
 * their values.  A word that needs more is marked as unknown, with the reason:
 * output of commands, arguments and environment of the script, and variables
 * that are set in a branch or loop.
 *
 * Errors   CONFIG_ERROR, "FILE:LINE:COLUMN: what is wrong", for scripts that
 *          are larger than the limits, or end inside a quotation
 * Range    at most SHELL_MAX_BYTES of text, read and after replacement
 * Owner    the script owns its words, texts and notes
 */
#ifndef WORKLOADS_READERS_MEGATRON_SHELL_SCRIPT_H
#define WORKLOADS_READERS_MEGATRON_SHELL_SCRIPT_H

#include <glib.h>

#define SHELL_MAX_BYTES (1 << 20)

/* Stands for an unknown part in a text, and occurs nowhere else. */
#define SHELL_UNKNOWN "\001"

typedef struct {
    const char *text; /* has SHELL_UNKNOWN if it is not known */
    /* Why the text is not known, such as "the output of a command"; NULL: it
     * is known. */
    const char *unknown;
    guint line, column;
} ShellWord;

typedef struct {
    /* owned, of owned GArray of ShellWord: the words of each simple command */
    GPtrArray *commands;
    /* owned, of ShellWord: all words that are values of variables or arrays */
    GArray *values;
    /* owned, of ShellWord: options of the batch system, in #SBATCH lines */
    GArray *batch;
    GPtrArray *notes; /* owned, of owned text: "FILE:LINE:COLUMN: note: ..." */
    GStringChunk *texts; /* owned */
} ShellScript;

/* Reads the @n_bytes of @text.  @name is used in messages. */
G_GNUC_WARN_UNUSED_RESULT
ShellScript *shell_script_read(const char *name, const char *text,
                               gsize n_bytes, GError **error);
void shell_script_free(ShellScript *script);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ShellScript, shell_script_free)

#endif
