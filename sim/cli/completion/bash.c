/* bash.c - the completion script for bash */
#include <string.h>

#include "sim/cli/completion/completion.h"
#include "sim/cli/options.h"
#include "sim/study/rows/run_rows.h"

/* @prev and @cur are the option and its value, even if they are joined by "=",
 * which bash treats as a word. */
static const char head[] =
    "# bash completion of acesim, as `acesim completion bash` writes it\n\n"
    "_acesim_words() {\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n\n"
    "_acesim_files() {\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -d -- \"$cur\"\n"
    "        [ -z \"$1\" ] || compgen -f -X \"!$1\" -- \"$cur\")\n"
    "}\n\n";

static const char body[] =
    "_acesim() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} options=\n"
    "    local prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    COMPREPLY=()\n"
    "    [ \"$prev\" != = ] || prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    [ \"$cur\" != = ] || cur=\n"
    "    case $((COMP_CWORD > 1)):${COMP_WORDS[1]} in\n";

static const char foot[] = "    esac\n"
                           "    _acesim_words \"$options\"\n"
                           "}\n\n"
                           "complete -F _acesim acesim\n";

/* ---- completion of the values of options --------------------------------- */

/* Appends the call that completes a value that help pages call @name. */
static void append_completion_call(GString *out, const char *name)
{
    static const char *const calls[] = {
        [COMPLETE_NOTHING] = ":",
        [COMPLETE_KEYS] = "_acesim_keys",
        [COMPLETE_METRICS] = "_acesim_metrics",
        [COMPLETE_FOLDERS] = "_acesim_files ''",
        [COMPLETE_FILES] = "_acesim_files '*'",
        [COMPLETE_YAML] = "_acesim_files '*.yaml'",
        [COMPLETE_CSV] = "_acesim_files '*.csv'",
    };
    CompletionKind kind = completion_kind_of_value(name);
    g_autofree char *words = g_strdelimit(g_strdup(name), "|", ' ');

    if (kind == COMPLETE_WORDS)
        g_string_append_printf(out, "_acesim_words '%s'", words);
    else
        g_string_append(out, calls[kind]);
}

static void write_word_list(GString *out, const char *name,
                            const char *const *words)
{
    g_string_append_printf(out, "%s() {\n    _acesim_words '", name);
    for (guint i = 0; words[i]; i++)
        g_string_append_printf(out, "%s%s", i > 0 ? "\n        " : "",
                               words[i]);
    g_string_append(out, "'\n}\n\n");
}

/* A key of --set is followed by "=". */
static void write_word_lists(GString *out)
{
    g_auto(GStrv) keys = completion_list_keys();
    g_autofree Column *columns = rows_list_columns(ROWS_RUNS);
    g_autofree const char **metrics = columns_list_names(columns, TRUE);

    write_word_list(out, "_acesim_paths", (const char *const *)keys);
    write_word_list(out, "_acesim_metrics", metrics);
    g_string_append(out, "_acesim_keys() {\n"
                         "    _acesim_paths\n"
                         "    case $prev in\n"
                         "    -s | --set)\n"
                         "        compopt -o nospace 2>/dev/null\n"
                         "        COMPREPLY=(\"${COMPREPLY[@]/%/=}\")\n"
                         "        ;;\n"
                         "    esac\n"
                         "}\n\n");
}

/* ---- completion of commands and their options ---------------------------- */

typedef struct {
    GString *options; /* owned: all options, separated by blanks */
    GString *cases;   /* owned: a case per option with a value */
} BashOptionTexts;

static void collect_option_words(gpointer self, const GOptionEntry *entries)
{
    BashOptionTexts *options = self;

    for (const GOptionEntry *e = entries; e->long_name; e++) {
        g_string_append_printf(options->options, " --%s", e->long_name);
        if (e->short_name)
            g_string_append_printf(options->options, " -%c", e->short_name);
        if (!e->arg_description)
            continue;
        g_string_append(options->cases, "        ");
        if (e->short_name)
            g_string_append_printf(options->cases, "-%c | ", e->short_name);
        g_string_append_printf(options->cases, "--%s) ", e->long_name);
        append_completion_call(options->cases, e->arg_description);
        g_string_append(options->cases, "; return ;;\n");
    }
}

static void append_operand_completion(GString *out, const CliCommand *command)
{
    g_autofree const char **words = command->words ? command->words() : NULL;
    g_autofree char *all = words ? g_strjoinv(" ", (char **)words) : NULL;

    if (all)
        g_string_append_printf(out, "_acesim_words '%s'", all);
    else
        append_completion_call(out, command->arguments);
}

static void write_command_completion(GString *out, const CliCommand *command)
{
    BashOptionTexts options = { g_string_new(NULL), g_string_new(NULL) };

    options_visit_tables(command, collect_option_words, &options);
    g_string_append_printf(out, "    1:%s)\n        options='%s'\n",
                           command->name, options.options->str + 1);
    if (options.cases->len > 0)
        g_string_append_printf(out, "        case $prev in\n%s        esac\n",
                               options.cases->str);
    g_string_append(out, "        [[ $cur == -* ]] || { ");
    append_operand_completion(out, command);
    g_string_append(out, "; return; }\n        ;;\n");
    g_string_free(options.options, TRUE);
    g_string_free(options.cases, TRUE);
}

GString *completion_bash(const CliCommand *const *commands)
{
    GString *out = g_string_new(head);

    write_word_lists(out);
    g_string_append(out, body);
    g_string_append(out, "    0:*) options='");
    for (guint i = 0; commands[i]; i++)
        g_string_append_printf(out, "%s ", commands[i]->name);
    g_string_append(out, "--help --version' ;;\n");
    for (guint i = 0; commands[i]; i++)
        write_command_completion(out, commands[i]);
    g_string_append(out, foot);
    return out;
}
