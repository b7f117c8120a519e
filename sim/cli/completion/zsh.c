/* zsh.c - the completion script for zsh, which uses _arguments */
#include <string.h>

#include "sim/cli/completion/completion.h"
#include "sim/cli/options.h"
#include "sim/study/rows/run_rows.h"

static const char head[] =
    "#compdef acesim\n"
    "# zsh completion of acesim, as `acesim completion zsh` writes it\n\n";

/* The script works as an autoloaded function of fpath and by source. */
static const char foot[] = "    esac\n"
                           "}\n\n"
                           "if [[ $funcstack[1] == _acesim ]]; then\n"
                           "    _acesim \"$@\"\n"
                           "else\n"
                           "    compdef _acesim acesim\n"
                           "fi\n";

/* Appends @text for use inside '...', with special characters of _arguments
 * escaped. */
static void append_escaped_text(GString *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\'')
            g_string_append(out, "'\\''");
        else if (strchr("[]:\\", *p))
            g_string_append_printf(out, "\\%c", *p);
        else
            g_string_append_c(out, *p);
    }
}

/* Appends ":MESSAGE:ACTION" for a value that help pages call @name. */
static void append_value_completion(GString *out, const char *name)
{
    static const char *const actions[] = {
        [COMPLETE_NOTHING] = " ",
        [COMPLETE_KEYS] = "_acesim_keys",
        [COMPLETE_METRICS] = "_acesim_metrics",
        [COMPLETE_FOLDERS] = "_files -/",
        [COMPLETE_FILES] = "_files",
        [COMPLETE_YAML] = "_files -g \"*.yaml\"",
        [COMPLETE_CSV] = "_files -g \"*.csv\"",
    };
    CompletionKind kind = completion_kind_of_value(name);
    g_autofree char *words = g_strdelimit(g_strdup(name), "|", ' ');

    g_string_append_c(out, ':');
    append_escaped_text(out, name);
    if (kind == COMPLETE_WORDS)
        g_string_append_printf(out, ":(%s)", words);
    else
        g_string_append_printf(out, ":%s", actions[kind]);
}

/* ---- completion from lists of words -------------------------------------- */

static void write_word_list(GString *out, const char *name, const char *flags,
                            const char *const *words)
{
    g_string_append_printf(out, "%s() {\n    compadd %s --", name, flags);
    for (guint i = 0; words[i]; i++)
        g_string_append_printf(out, " \\\n        %s", words[i]);
    g_string_append(out, "\n}\n\n");
}

static void write_word_lists(GString *out)
{
    g_auto(GStrv) keys = completion_list_keys();
    g_autofree Column *columns = rows_list_columns(ROWS_RUNS);
    g_autofree const char **metrics = columns_list_names(columns, TRUE);

    write_word_list(out, "_acesim_keys", "-S ''", (const char *const *)keys);
    write_word_list(out, "_acesim_metrics", "-S ' '", metrics);
}

/* ---- completion of commands and their options ---------------------------- */

/* Writes the completion of one option. An option with a value may be given more
 * than once. */
static void write_option_completion(gpointer self, const GOptionEntry *entries)
{
    GString *out = self;

    for (const GOptionEntry *e = entries; e->long_name; e++) {
        gboolean has_value = e->arg_description != NULL;

        g_string_append_printf(out, " \\\n            %s",
                               has_value ? "'*'" : "");
        if (e->short_name)
            g_string_append_printf(out, "{-%c%s,--%s%s}", e->short_name,
                                   has_value ? "+" : "", e->long_name,
                                   has_value ? "=" : "");
        else
            g_string_append_printf(out, "--%s%s", e->long_name,
                                   has_value ? "=" : "");
        g_string_append(out, "'[");
        append_escaped_text(out, e->description);
        g_string_append_c(out, ']');
        if (has_value)
            append_value_completion(out, e->arg_description);
        g_string_append_c(out, '\'');
    }
}

static void append_operand_completion(GString *out, const CliCommand *command)
{
    g_autofree const char **words = command->words ? command->words() : NULL;
    g_autofree char *all = words ? g_strjoinv(" ", (char **)words) : NULL;

    if (*command->arguments == '\0')
        return;
    g_string_append(out, " \\\n            '*");
    if (all) {
        g_string_append_c(out, ':');
        append_escaped_text(out, command->arguments);
        g_string_append_printf(out, ":(%s)", all);
    } else {
        append_value_completion(out, command->arguments);
    }
    g_string_append_c(out, '\'');
}

static void write_command_completion(GString *out, const CliCommand *command)
{
    g_string_append_printf(out, "    %s)\n        _arguments -s",
                           command->name);
    options_visit_tables(command, write_option_completion, out);
    append_operand_completion(out, command);
    g_string_append(out, "\n        ;;\n");
}

GString *completion_zsh(const CliCommand *const *commands)
{
    GString *out = g_string_new(head);

    write_word_lists(out);
    g_string_append(out, "_acesim() {\n    local command=$words[2]\n"
                         "    local -a commands=(");
    for (guint i = 0; commands[i]; i++) {
        g_string_append_printf(out, "\n        '%s:", commands[i]->name);
        append_escaped_text(out, commands[i]->summary);
        g_string_append_c(out, '\'');
    }
    g_string_append(out, "\n    )\n    if ((CURRENT == 2)); then\n"
                         "        _describe command commands\n"
                         "        return\n    fi\n"
                         "    shift words\n    ((CURRENT--))\n"
                         "    case $command in\n");
    for (guint i = 0; commands[i]; i++)
        write_command_completion(out, commands[i]);
    g_string_append(out, foot);
    return out;
}
