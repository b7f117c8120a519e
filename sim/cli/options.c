/* options.c - parses command lines by GLib's parser; see options.h */
#include "sim/cli/options.h"

#include <stdio.h>
#include <string.h>

#include "sim/config/quantity.h"
#include "sim/core/word_suggestions.h"

static const char *const fold_names[] = {
    [FOLD_AUTO] = "auto",
    [FOLD_OFF] = "off",
    [FOLD_REQUIRE] = "require",
    [FOLD_REQUIRE + 1] = NULL,
};

static const char *const skip_names[] = {
    [SKIP_AUTO] = "auto",
    [SKIP_OFF] = "off",
    [SKIP_CHECK] = "check",
    [SKIP_CHECK + 1] = NULL,
};

static GOptionContext *new_option_context(const CliCommand *command,
                                          const GOptionEntry *entries,
                                          const GOptionEntry *common)
{
    GOptionContext *context = g_option_context_new(command->arguments);
    g_autofree char *detail = cli_command_detail(command);

    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_set_summary(context, command->summary);
    g_option_context_set_description(context, detail);
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_add_main_entries(context, common, NULL);
    return context;
}

/* Splits "-j4", which users write, into "-j 4", which GLib requires. */
static GStrv split_attached_numbers(char **argv)
{
    GPtrArray *words = g_ptr_array_new();

    for (char **arg = argv; *arg; arg++) {
        const char *word = *arg;

        if (word[0] == '-' && g_ascii_isalpha(word[1]) &&
            g_ascii_isdigit(word[2])) {
            g_ptr_array_add(words, g_strndup(word, 2));
            word += 2;
        }
        g_ptr_array_add(words, g_strdup(word));
    }
    g_ptr_array_add(words, NULL);
    return (GStrv)g_ptr_array_free(words, FALSE);
}

static char *make_help_text(GOptionContext *context, const CliCommand *command)
{
    g_autofree char *name = g_strdup_printf("acesim %s", command->name);

    g_set_prgname(name);
    return g_option_context_get_help(context, TRUE, NULL);
}

void options_visit_tables(const CliCommand *command,
                          void (*visit)(gpointer self,
                                        const GOptionEntry *entries),
                          gpointer self)
{
    CliCommand visited = *command;
    char name[] = "visit";
    char *argv[] = { name, NULL };
    const GOptionEntry common[] = {
        { "help", 'h', 0, G_OPTION_ARG_NONE, NULL, "Print this page", NULL },
        OPTIONS_END,
    };

    visited.visit = visit;
    visited.self = self;
    visited.run(&visited, argv);
    visit(self, common);
}

/* Rejects a value for a flag ("--quiet=x"), which GLib would ignore.  Returns
 * FALSE and sets *@status if there is one. */
static gboolean reject_flag_values(const CliCommand *command,
                                   const GOptionEntry *entries,
                                   char *const *words, int *status)
{
    for (; *words && !g_str_equal(*words, "--"); words++) {
        const char *equals = strchr(*words, '=');

        if (!g_str_has_prefix(*words, "--") || !equals)
            continue;
        for (const GOptionEntry *e = entries; e->long_name; e++) {
            gsize n = strlen(e->long_name);

            if (e->arg != G_OPTION_ARG_NONE ||
                (gsize)(equals - *words) != n + 2 ||
                strncmp(*words + 2, e->long_name, n) != 0)
                continue;
            *status =
                cli_report_usage_error(command, "--%s takes no value, got '%s'",
                                       e->long_name, equals + 1);
            return FALSE;
        }
    }
    return TRUE;
}

gboolean options_parse(const CliCommand *command, const GOptionEntry *entries,
                       char **argv, char ***rest, int *status)
{
    gboolean help = FALSE;
    g_auto(GStrv) operands = NULL;
    const GOptionEntry common[] = {
        { "help", 'h', 0, G_OPTION_ARG_NONE, &help, "Print this page", NULL },
        { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &operands,
          NULL, NULL },
        OPTIONS_END,
    };
    GOptionContext *context;
    g_auto(GStrv) words = split_attached_numbers(argv);
    g_autoptr(GError) error = NULL;
    gboolean ok;

    *status = CLI_OK;
    if (command->visit) {
        command->visit(command->self, entries);
        *rest = g_new0(char *, 1);
        return FALSE;
    }
    *rest = g_new0(char *, 1);
    if (!reject_flag_values(command, entries, words, status) ||
        !reject_flag_values(command, common, words, status))
        return FALSE;
    context = new_option_context(command, entries, common);
    ok = g_option_context_parse_strv(context, &words, &error);
    if (!ok) {
        *status = cli_report_usage_error(command, "%s", error->message);
    } else if (help) {
        g_autofree char *text = make_help_text(context, command);

        cli_print_page(text, ':');
    }
    g_option_context_free(context);
    if (operands) {
        g_strfreev(*rest);
        *rest = g_steal_pointer(&operands);
    }
    return ok && !help;
}

gboolean options_check_operand_count(const CliCommand *command,
                                     char *const *rest, guint min, guint max,
                                     int *status)
{
    guint n = g_strv_length((char **)rest);

    if (n >= min && n <= max)
        return TRUE;
    if (n < min)
        *status =
            cli_report_usage_error(command, "missing %s", command->arguments);
    else
        *status = cli_report_usage_error(command, "one operand too many: '%s'",
                                         rest[max]);
    return FALSE;
}

/* Sets *@ret to the index of @text in @names, the values of @option; 0 if @text
 * is NULL. */
static gboolean parse_mode_name(const CliCommand *command, const char *option,
                                const char *text, const char *const *names,
                                guint *ret, int *status)
{
    const char *nearest;
    g_autofree char *known = g_strjoinv(", ", (char **)names);
    g_autofree char *hint = NULL;

    *ret = 0;
    for (guint i = 0; text && names[i]; i++) {
        if (g_str_equal(text, names[i])) {
            *ret = i;
            return TRUE;
        }
    }
    if (!text)
        return TRUE;
    nearest = words_find_nearest(text, names);
    hint = nearest ? g_strdup_printf("did you mean '%s'?", nearest)
                   : g_strdup_printf("known: %s", known);
    *status = cli_report_usage_error(command, "--%s: unknown mode '%s'; %s",
                                     option, text, hint);
    return FALSE;
}

gboolean options_parse_fold(const CliCommand *command, const char *text,
                            FoldMode *ret, int *status)
{
    guint mode;
    gboolean ok =
        parse_mode_name(command, "fold", text, fold_names, &mode, status);

    *ret = (FoldMode)mode;
    return ok;
}

gboolean options_parse_skip(const CliCommand *command, const char *text,
                            SkipMode *ret, int *status)
{
    guint mode;
    gboolean ok =
        parse_mode_name(command, "skip", text, skip_names, &mode, status);

    *ret = (SkipMode)mode;
    return ok;
}

gboolean options_parse_threads(const CliCommand *command, const char *text,
                               uint32_t *ret, int *status)
{
    guint64 n;

    *ret = RUN_THREADS_AUTO;
    if (!text || g_str_equal(text, "auto"))
        return TRUE;
    if (g_ascii_string_to_unsigned(text, 10, 1, RUN_MOST_THREADS, &n, NULL)) {
        *ret = (uint32_t)n;
        return TRUE;
    }
    *status = cli_report_usage_error(
        command, "--threads: expected auto or 1 to %u, got '%s'",
        RUN_MOST_THREADS, text);
    return FALSE;
}

gboolean options_check_sets(const CliCommand *command, char *const *sets,
                            int *status)
{
    for (guint i = 0; sets && sets[i]; i++) {
        if (strchr(sets[i], '=') && sets[i][0] != '=')
            continue;
        *status = cli_report_usage_error(
            command, "--set: expected KEY=VALUE, got '%s'", sets[i]);
        return FALSE;
    }
    return TRUE;
}

gboolean options_parse_quantity(const CliCommand *command, const char *option,
                                const char *text, ConfigType type, guint64 *ret,
                                int *status)
{
    g_autoptr(GError) error = NULL;
    uint64_t value;

    if (!text)
        return TRUE;
    if (quantity_parse(text, type, &value, &error)) {
        *ret = value;
        return TRUE;
    }
    *status = cli_report_usage_error(command, "%s: %s", option, error->message);
    return FALSE;
}

char **options_split_names(const char *text)
{
    char **names = g_strsplit(text, ",", -1);

    for (char **name = names; *name; name++)
        g_strstrip(*name);
    return names;
}
