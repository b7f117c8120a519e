/*
 * shell_script.c - the words of the commands of a shell script; see
 * shell_script.h
 */
#include "workloads/readers/megatron/shell_script.h"

#include <string.h>

#include "sim/config/config_error.h"
#include "sim/core/word_suggestions.h"
#include "workloads/readers/megatron/shell_arithmetic.h"

#define MAX_DEPTH 32 /* of defaults inside defaults, and of nested commands */
#define MAX_WORDS 100000

/* ---- the state of reading ------------------------------------------------ */

typedef struct {
    GArray *words; /* owned, of ShellWord; a plain variable has one */
    gboolean is_array;
} Variable;

typedef struct {
    const char *name; /* of the file */
    const char *at, *end;
    guint line;
    const char *line_begin;
    GHashTable *variables; /* owned: name -> Variable */
    ShellScript *script;
    guint n_branches; /* open if, for, while, case */
    /* The command that follows depends on the one before. */
    gboolean is_conditional;
    gsize n_texts; /* bytes after replacement */
    guint n_words, depth;
    GError *error; /* owned */
} Shell;

static void shell_variable_free(gpointer data)
{
    Variable *variable = data;

    g_array_unref(variable->words);
    g_free(variable);
}

static void free_shell_words(gpointer words)
{
    g_array_unref(words);
}

static gboolean set_shell_error(Shell *shell, const char *what)
{
    if (!shell->error)
        g_set_error(&shell->error, CONFIG_ERROR, CONFIG_ERROR_SYNTAX,
                    "%s:%u:%u: %s", shell->name, shell->line,
                    (guint)(shell->at - shell->line_begin) + 1, what);
    return FALSE;
}

static char peek_character(const Shell *shell, gsize n)
{
    return (gsize)(shell->end - shell->at) > n ? shell->at[n] : '\0';
}

static gboolean is_at_end(const Shell *shell)
{
    return shell->at >= shell->end;
}

static void skip_char(Shell *shell)
{
    if (*shell->at == '\n') {
        shell->line++;
        shell->line_begin = shell->at + 1;
    }
    shell->at++;
}

static const char *keep_shell_text(Shell *shell, const char *text)
{
    shell->n_texts += strlen(text) + 1;
    if (shell->n_texts > SHELL_MAX_BYTES)
        set_shell_error(shell, "the values of its variables make it too long");
    return g_string_chunk_insert_const(shell->script->texts, text);
}

static void append_shell_word(Shell *shell, GArray *words, ShellWord word)
{
    if (++shell->n_words > MAX_WORDS) {
        set_shell_error(shell, "it has too many words");
        return;
    }
    g_array_append_val(words, word);
}

static void add_shell_note(Shell *shell, guint line, guint column,
                           const char *what, const char *text)
{
    g_autofree char *quoted = words_quote_text(text);

    g_ptr_array_add(shell->script->notes,
                    g_strdup_printf("%s:%u:%u: note: %s: %s", shell->name, line,
                                    column, quoted, what));
}

static gboolean is_name_char(char c, gboolean is_first)
{
    return g_ascii_isalpha(c) || c == '_' || (!is_first && g_ascii_isdigit(c));
}

/* ---- building the fields of a word --------------------------------------- */

/* A word that is being read may become several words. */
typedef struct {
    GArray *out;        /* borrowed */
    GString *text;      /* owned */
    gboolean has_text;  /* also for "" */
    const char *reason; /* why it is not known; static or of the chunk */
    guint line, column;
} Fields;

static void end_word_of_fields(Shell *shell, Fields *f)
{
    if (f->has_text)
        append_shell_word(shell, f->out,
                          (ShellWord){ keep_shell_text(shell, f->text->str),
                                       f->reason, f->line, f->column });
    g_string_truncate(f->text, 0);
    f->has_text = FALSE;
    f->reason = NULL;
}

static void add_char_to_field(Fields *f, char c)
{
    g_string_append_c(f->text, c);
    f->has_text = TRUE;
}

static void add_unknown_value(Shell *shell, Fields *f, const char *reason)
{
    f->reason = keep_shell_text(shell, reason);
    add_char_to_field(f, *SHELL_UNKNOWN);
}

/* Adds the value of a plain variable; blanks divide it unless it is quoted. */
static void add_variable_value(Shell *shell, Fields *f, const ShellWord *value,
                               gboolean is_quoted)
{
    f->has_text |= is_quoted;
    for (const char *p = value->text; *p != '\0' && !shell->error; p++) {
        if (g_ascii_isspace(*p) && !is_quoted) {
            end_word_of_fields(shell, f);
            continue;
        }
        if (*p == *SHELL_UNKNOWN)
            f->reason = value->unknown;
        add_char_to_field(f, *p);
    }
    if (f->text->len > SHELL_MAX_BYTES)
        set_shell_error(shell, "the values of its variables make it too long");
}

/* Adds the items of an array, each as a separate word. */
static void add_array_items(Shell *shell, Fields *f, const Variable *variable)
{
    for (guint i = 0; i < variable->words->len && !shell->error; i++) {
        const ShellWord *item = &g_array_index(variable->words, ShellWord, i);

        if (i > 0)
            end_word_of_fields(shell, f);
        if (!f->has_text) {
            f->line = item->line;
            f->column = item->column;
        }
        add_variable_value(shell, f, item, TRUE);
    }
}

static void read_shell_word(Shell *shell, Fields *f, const char *also_ends,
                            gboolean is_quoted);

/* ---- what begins with $ -------------------------------------------------- */

/* Skips to after the @close that belongs to an @open before .at. */
static void skip_balanced(Shell *shell, char open, char close)
{
    guint depth = 1;

    while (!is_at_end(shell)) {
        char c = *shell->at;

        skip_char(shell);
        if (c == '\\' && !is_at_end(shell))
            skip_char(shell);
        else if (c == open && open != close)
            depth++;
        else if (c == close && --depth == 0)
            return;
    }
    set_shell_error(shell, "it ends inside brackets");
}

static char *read_variable_name(Shell *shell)
{
    const char *begin = shell->at;

    while (is_name_char(peek_character(shell, 0), shell->at == begin))
        shell->at++;
    return g_strndup(begin, (gsize)(shell->at - begin));
}

static const Variable *find_shell_variable(const Shell *shell, const char *name)
{
    return g_hash_table_lookup(shell->variables, name);
}

static void add_unset_variable(Shell *shell, Fields *f, const char *name)
{
    g_autofree char *quoted = words_quote_text(name);
    g_autofree char *reason =
        g_strdup_printf("the script does not set %s", quoted);

    add_unknown_value(shell, f, reason);
}

static void add_variable_by_name(Shell *shell, Fields *f, const char *name,
                                 gboolean is_quoted)
{
    const Variable *variable = find_shell_variable(shell, name);

    if (!variable)
        add_unset_variable(shell, f, name);
    else if (variable->words->len > 0)
        add_variable_value(
            shell, f, &g_array_index(variable->words, ShellWord, 0), is_quoted);
}

/* Reads the default in "${NAME:-DEFAULT}" up to the closing brace.  Adds it
 * unless @is_set. */
static void read_default_in_braces(Shell *shell, Fields *f, gboolean is_set,
                                   gboolean is_quoted)
{
    g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(ShellWord));
    Fields ignored = { .out = none, .text = g_string_new(NULL) };

    read_shell_word(shell, is_set ? &ignored : f, "}", is_quoted);
    g_string_free(ignored.text, TRUE);
    if (peek_character(shell, 0) == '}')
        skip_char(shell);
    else
        set_shell_error(shell, "it ends inside '${'");
}

/* Reads what follows "${". */
static void read_parameter_in_braces(Shell *shell, Fields *f,
                                     gboolean is_quoted)
{
    g_autofree char *name = read_variable_name(shell);
    const Variable *variable = find_shell_variable(shell, name);
    gboolean is_all =
        peek_character(shell, 0) == '[' &&
        (peek_character(shell, 1) == '@' || peek_character(shell, 1) == '*') &&
        peek_character(shell, 2) == ']';
    gsize n_colons;

    if (is_all)
        shell->at += 3;
    if (peek_character(shell, 0) == '}') {
        skip_char(shell);
        if (is_all && variable)
            add_array_items(shell, f, variable);
        else
            add_variable_by_name(shell, f, name, is_quoted);
        return;
    }
    while (*name == '\0' && g_ascii_isdigit(peek_character(shell, 0)))
        shell->at++;
    n_colons = peek_character(shell, 0) == ':' ? 1 : 0;
    if (peek_character(shell, n_colons) == '-' ||
        peek_character(shell, n_colons) == '=') {
        shell->at += n_colons + 1;
        if (variable)
            add_variable_by_name(shell, f, name, is_quoted);
        read_default_in_braces(shell, f, variable != NULL, is_quoted);
        return;
    }
    skip_balanced(shell, '{', '}');
    add_unknown_value(shell, f, "it needs the shell");
}

/* Finds the number of the variable @name for arithmetic. */
static gboolean find_number_of_variable(gpointer data, const char *name,
                                        gint64 *ret)
{
    const Variable *variable = find_shell_variable(data, name);
    const ShellWord *word;

    if (!variable || variable->words->len != 1)
        return FALSE;
    word = &g_array_index(variable->words, ShellWord, 0);
    return !word->unknown &&
           g_ascii_string_to_signed(word->text, 10, -SHELL_MAX_NUMBER,
                                    SHELL_MAX_NUMBER, ret, NULL);
}

/* Reads what follows "$((". */
static void read_arithmetic_expansion(Shell *shell, Fields *f)
{
    const char *begin = shell->at;
    g_autofree char *text = NULL;
    g_autofree char *number = NULL;
    gint64 value;

    skip_balanced(shell, '(', ')');
    if (shell->error)
        return;
    text = g_strndup(begin, (gsize)(shell->at - begin) - 1);
    if (peek_character(shell, 0) == ')')
        skip_char(shell);
    else
        set_shell_error(shell, "expected '))'");
    if (!shell_arithmetic(text, find_number_of_variable, shell, &value)) {
        add_unknown_value(shell, f, "its arithmetic has an unknown value");
        return;
    }
    number = g_strdup_printf("%" G_GINT64_FORMAT, value);
    g_string_append(f->text, number);
    f->has_text = TRUE;
}

/* Reads from the $ at .at. */
static void read_dollar_expansion(Shell *shell, Fields *f, gboolean is_quoted)
{
    g_autofree char *name = NULL;

    shell->at++;
    if (peek_character(shell, 0) == '(' && peek_character(shell, 1) == '(') {
        shell->at += 2;
        read_arithmetic_expansion(shell, f);
    } else if (peek_character(shell, 0) == '(') {
        shell->at++;
        skip_balanced(shell, '(', ')');
        add_unknown_value(shell, f, "it is the output of a command");
    } else if (peek_character(shell, 0) == '{') {
        shell->at++;
        read_parameter_in_braces(shell, f, is_quoted);
    } else if (is_name_char(peek_character(shell, 0), TRUE)) {
        name = read_variable_name(shell);
        add_variable_by_name(shell, f, name, is_quoted);
    } else if (peek_character(shell, 0) != '\0' &&
               strchr("@*#?$!-", *shell->at)) {
        shell->at++;
        add_unknown_value(shell, f, "it is given when the script is called");
    } else if (g_ascii_isdigit(peek_character(shell, 0))) {
        shell->at++;
        add_unknown_value(shell, f, "it is given when the script is called");
    } else {
        add_char_to_field(f, '$');
    }
}

/* ---- words --------------------------------------------------------------- */

static void read_single_quotes(Shell *shell, Fields *f)
{
    shell->at++;
    f->has_text = TRUE;
    while (!is_at_end(shell) && *shell->at != '\'') {
        add_char_to_field(f, *shell->at);
        skip_char(shell);
    }
    if (is_at_end(shell))
        set_shell_error(shell, "it ends inside a quotation");
    else
        shell->at++;
}

static void read_escaped_char(Shell *shell, Fields *f, gboolean is_quoted)
{
    shell->at++;
    if (is_at_end(shell))
        return;
    if (*shell->at == '\r' && peek_character(shell, 1) == '\n')
        shell->at++;
    if (*shell->at != '\n') {
        if (is_quoted && !strchr("$`\"\\", *shell->at))
            add_char_to_field(f, '\\');
        add_char_to_field(f, *shell->at);
    }
    skip_char(shell);
}

/* Reads up to the end of the text, or a character of @ends outside of
 * quotations. */
static void read_word_parts(Shell *shell, Fields *f, const char *ends,
                            gboolean is_quoted)
{
    while (!is_at_end(shell) && !shell->error) {
        char c = *shell->at;

        if (c != '\0' && strchr(ends, c))
            return;
        if (c == '\\') {
            read_escaped_char(shell, f, is_quoted);
        } else if (c == '$') {
            read_dollar_expansion(shell, f, is_quoted);
        } else if (c == '`') {
            shell->at++;
            skip_balanced(shell, '`', '`');
            add_unknown_value(shell, f, "it is the output of a command");
        } else if (c == '\'' && !is_quoted) {
            read_single_quotes(shell, f);
        } else if (c == '"') {
            shell->at++;
            f->has_text = TRUE;
            read_shell_word(shell, f, "\"", TRUE);
            if (is_at_end(shell))
                set_shell_error(shell, "it ends inside a quotation");
            else
                shell->at++;
        } else {
            add_char_to_field(f, c);
            skip_char(shell);
        }
    }
}

#define WORD_ENDS " \t\r\n;&|()<>"

/* Reads a word, or the inside of a quotation, up to one of @also_ends. */
static void read_shell_word(Shell *shell, Fields *f, const char *also_ends,
                            gboolean is_quoted)
{
    g_autofree char *ends =
        g_strconcat(also_ends, is_quoted ? "" : WORD_ENDS, NULL);

    if (++shell->depth > MAX_DEPTH)
        set_shell_error(shell, "it is nested too deeply");
    else
        read_word_parts(shell, f, ends, is_quoted);
    shell->depth--;
}

static Fields begin_fields(const Shell *shell, GArray *out)
{
    return (Fields){ .out = out,
                     .text = g_string_new(NULL),
                     .line = shell->line,
                     .column = (guint)(shell->at - shell->line_begin) + 1 };
}

/* Reads the word at .at and appends the resulting words to @out. */
static void read_whole_word(Shell *shell, GArray *out)
{
    Fields f = begin_fields(shell, out);
    const char *begin = shell->at;

    read_shell_word(shell, &f, "", FALSE);
    end_word_of_fields(shell, &f);
    g_string_free(f.text, TRUE);
    if (shell->at == begin && !is_at_end(shell))
        skip_char(shell); /* a separator, which the caller did not expect */
}

/* Returns the length of a backslash and the end of the line at .at, or 0. */
static guint continuation_length(const Shell *shell)
{
    if (peek_character(shell, 0) != '\\')
        return 0;
    if (peek_character(shell, 1) == '\n')
        return 2;
    return peek_character(shell, 1) == '\r' && peek_character(shell, 2) == '\n'
               ? 3
               : 0;
}

/* Skips blanks and comments up to a word or the end of the line, or also over
 * ends of lines. */
static void skip_blanks(Shell *shell, gboolean also_lines)
{
    while (!is_at_end(shell)) {
        guint n = continuation_length(shell);
        char c = *shell->at;

        if (c == '#')
            while (!is_at_end(shell) && *shell->at != '\n')
                shell->at++;
        else if (n > 0 || c == ' ' || c == '\t' || c == '\r' ||
                 (c == '\n' && also_lines))
            for (n = MAX(n, 1); n > 0; n--)
                skip_char(shell);
        else
            return;
    }
}

/* ---- assignments --------------------------------------------------------- */

static gboolean is_in_branch(const Shell *shell)
{
    return shell->n_branches > 0 || shell->is_conditional;
}

static char *join_shell_words(const GArray *words)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < words->len; i++) {
        const ShellWord *word = &g_array_index(words, ShellWord, i);

        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", word->text);
    }
    return g_string_free(text, FALSE);
}

/* Returns whether both have the same texts. */
static gboolean words_are_equal(const GArray *a, const GArray *b)
{
    g_autofree char *x = join_shell_words(a), *y = join_shell_words(b);

    return g_str_equal(x, y);
}

/* Sets @old to what is known after a branch that may set it to @new. */
static void merge_value_of_branch(Shell *shell, const char *name, Variable *old,
                                  const GArray *new, ShellWord at)
{
    g_autofree char *x = join_shell_words(old->words),
                    *y = join_shell_words(new);
    g_autofree char *quoted = words_quote_text(name);
    g_autofree char *reason = g_strdup_printf(
        "%s is set in a branch or loop at line %u", quoted, at.line);

    if (words_are_equal(old->words, new))
        return;
    if (*x != '\0' && g_str_has_prefix(y, x)) {
        add_shell_note(
            shell, at.line, at.column,
            "added in a branch or loop, and left out",
            g_strdelimit(g_strstrip(y + strlen(x)), SHELL_UNKNOWN, '?'));
        return;
    }
    at.text = SHELL_UNKNOWN;
    at.unknown = keep_shell_text(shell, reason);
    g_array_set_size(old->words, 0);
    g_array_append_val(old->words, at);
}

static void set_variable(Shell *shell, const char *name, GArray *words,
                         gboolean is_array, ShellWord at)
{
    Variable *variable = g_hash_table_lookup(shell->variables, name);

    if (variable && is_in_branch(shell)) {
        merge_value_of_branch(shell, name, variable, words, at);
        return;
    }
    if (is_in_branch(shell)) {
        g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(ShellWord));

        variable = g_new0(Variable, 1);
        *variable = (Variable){ g_array_ref(none), is_array };
        merge_value_of_branch(shell, name, variable, words, at);
    } else {
        variable = g_new0(Variable, 1);
        *variable = (Variable){ g_array_ref(words), is_array };
    }
    g_hash_table_replace(shell->variables, g_strdup(name), variable);
}

static void append_copies_of_words(Shell *shell, GArray *to, const GArray *from)
{
    for (guint i = 0; i < from->len && !shell->error; i++)
        append_shell_word(shell, to, g_array_index(from, ShellWord, i));
}

/* Reads the items of an array up to its closing bracket. */
static void read_array_items(Shell *shell, GArray *words)
{
    shell->at++;
    for (skip_blanks(shell, TRUE);
         peek_character(shell, 0) != ')' && !shell->error;
         skip_blanks(shell, TRUE)) {
        if (is_at_end(shell)) {
            set_shell_error(shell, "it ends inside brackets");
            return;
        }
        read_whole_word(shell, words);
    }
    if (!is_at_end(shell))
        skip_char(shell);
}

/* Reads a plain value, which is one word even if it has blanks. */
static void read_plain_value(Shell *shell, GArray *words)
{
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(ShellWord));
    Fields f = begin_fields(shell, parts);
    ShellWord value = { "", NULL, f.line, f.column };

    read_shell_word(shell, &f, "", FALSE);
    end_word_of_fields(shell, &f);
    g_string_free(f.text, TRUE);
    for (guint i = 0; i < parts->len; i++)
        if (g_array_index(parts, ShellWord, i).unknown)
            value.unknown = g_array_index(parts, ShellWord, i).unknown;
    if (parts->len > 0) {
        g_autofree char *text = join_shell_words(parts);

        value.text = keep_shell_text(shell, text);
    }
    append_shell_word(shell, words, value);
}

/* Appends @words to the value that @name has, as `NAME+=` does.  A plain value
 * grows as a text. */
static GArray *append_to_value(Shell *shell, const char *name, GArray *words,
                               gboolean is_array)
{
    const Variable *old = find_shell_variable(shell, name);
    GArray *sum = g_array_new(FALSE, FALSE, sizeof(ShellWord));

    if (old)
        append_copies_of_words(shell, sum, old->words);
    if (is_array || !old || old->words->len == 0 || shell->error) {
        append_copies_of_words(shell, sum, words);
    } else {
        ShellWord *first = &g_array_index(sum, ShellWord, 0);
        const ShellWord *more = &g_array_index(words, ShellWord, 0);
        g_autofree char *text = g_strconcat(first->text, more->text, NULL);

        first->text = keep_shell_text(shell, text);
        if (more->unknown)
            first->unknown = more->unknown;
    }
    return sum;
}

/* Reads an assignment at .at.  Returns FALSE and reads nothing if there is
 * none. */
static gboolean read_variable_assignment(Shell *shell)
{
    g_autoptr(GArray) words = NULL;
    g_autofree char *name = NULL;
    const char *begin = shell->at;
    ShellWord at = { "", NULL, shell->line,
                     (guint)(shell->at - shell->line_begin) + 1 };
    gboolean is_array, adds;

    name = read_variable_name(shell);
    adds = peek_character(shell, 0) == '+' && peek_character(shell, 1) == '=';
    if (*name == '\0' || (!adds && peek_character(shell, 0) != '=')) {
        shell->at = begin;
        return FALSE;
    }
    shell->at += adds ? 2 : 1;
    words = g_array_new(FALSE, FALSE, sizeof(ShellWord));
    is_array = peek_character(shell, 0) == '(';
    if (is_array)
        read_array_items(shell, words);
    else
        read_plain_value(shell, words);
    if (shell->error)
        return TRUE;
    append_copies_of_words(shell, shell->script->values, words);
    if (adds) {
        GArray *sum = append_to_value(shell, name, words, is_array);

        g_array_unref(words);
        words = sum;
    }
    set_variable(shell, name, words, is_array, at);
    return TRUE;
}

/* ---- commands ------------------------------------------------------------ */

/* Words before a command or assignment that change nothing here. */
static gboolean is_prefix_word(const char *text)
{
    static const char *const words[] = { "export", "declare", "readonly",
                                         "local",  "typeset", "-a",
                                         "-x",     "-i",      "-r",
                                         "-ax",    "-ga",     NULL };

    return g_strv_contains(words, text);
}

/* Counts the branches that the word @text opens or closes.  Returns whether it
 * is such a word, after which a command begins. */
static gboolean count_opened_branches(Shell *shell, const char *text)
{
    static const char *const opens[] = { "if",     "for",  "while", "until",
                                         "select", "case", NULL };
    static const char *const closes[] = { "fi", "done", "esac", NULL };
    static const char *const middles[] = { "then", "else", "elif", "do",
                                           "!",    "{",    "}",    NULL };

    if (g_strv_contains(opens, text))
        shell->n_branches++;
    else if (g_strv_contains(closes, text) && shell->n_branches > 0)
        shell->n_branches--;
    else
        return g_strv_contains(middles, text);
    return TRUE;
}

static void add_batch_line(Shell *shell)
{
    const char *begin = shell->at;
    const char *end = memchr(begin, '\n', (gsize)(shell->end - begin));
    g_autofree char *text =
        g_strndup(begin, (gsize)((end ? end : shell->end) - begin));
    g_auto(GStrv) words = NULL;

    if (!g_str_has_prefix(text, "#SBATCH"))
        return;
    words = g_strsplit_set(text, " \t\r=", -1);
    for (guint i = 1; words[i] && !shell->error; i++)
        if (words[i][0] != '\0')
            append_shell_word(shell, shell->script->batch,
                              (ShellWord){ keep_shell_text(shell, words[i]),
                                           NULL, shell->line, 1 });
}

/* Reads separators between commands. */
static void skip_command_separators(Shell *shell)
{
    while (!is_at_end(shell)) {
        char c = *shell->at;

        if (c == '#' && shell->at == shell->line_begin)
            add_batch_line(shell);
        if (c == '#' || c == ' ' || c == '\t' || c == '\r' || c == '\\') {
            const char *before = shell->at;

            skip_blanks(shell, FALSE);
            if (shell->at == before)
                return;
            continue;
        }
        if (!strchr("\n;&|()<>", c))
            return;
        if ((c == '&' || c == '|') && peek_character(shell, 1) == c) {
            shell->is_conditional = TRUE;
            shell->at++;
        } else if (c == '\n' || c == ';') {
            shell->is_conditional = FALSE;
        }
        skip_char(shell);
    }
}

/* Reads the words of a command up to its end. */
static void read_command_words(Shell *shell, GArray *words)
{
    while (!shell->error) {
        skip_blanks(shell, FALSE);
        if (is_at_end(shell) || strchr("\n;&|()", *shell->at))
            return;
        if (*shell->at == '<' || *shell->at == '>')
            skip_char(shell);
        else
            read_whole_word(shell, words);
    }
}

/* Reads the beginning of a command: assignments and words that open or close a
 * branch.  Returns whether words of a command follow. */
static gboolean read_command_begin(Shell *shell, GArray *words)
{
    while (!shell->error) {
        const char *text;

        skip_blanks(shell, FALSE);
        if (is_at_end(shell) || strchr("\n;&|()<>", *shell->at))
            return words->len > 0;
        if (read_variable_assignment(shell))
            continue;
        read_whole_word(shell, words);
        if (words->len == 0)
            continue;
        text = g_array_index(words, ShellWord, words->len - 1).text;
        if (!count_opened_branches(shell, text) && !is_prefix_word(text))
            return TRUE;
        g_array_set_size(words, 0);
    }
    return FALSE;
}

static void read_shell_commands(Shell *shell)
{
    while (!shell->error) {
        g_autoptr(GArray) words = g_array_new(FALSE, FALSE, sizeof(ShellWord));

        skip_command_separators(shell);
        if (is_at_end(shell))
            return;
        if (read_command_begin(shell, words))
            read_command_words(shell, words);
        if (words->len > 0 && !shell->error)
            g_ptr_array_add(shell->script->commands, g_array_ref(words));
    }
}

/* ---- the whole ----------------------------------------------------------- */

void shell_script_free(ShellScript *script)
{
    if (!script)
        return;
    g_ptr_array_unref(script->commands);
    g_array_unref(script->values);
    g_array_unref(script->batch);
    g_ptr_array_unref(script->notes);
    g_string_chunk_free(script->texts);
    g_free(script);
}

ShellScript *shell_script_read(const char *name, const char *text,
                               gsize n_bytes, GError **error)
{
    g_autoptr(ShellScript) script = g_new0(ShellScript, 1);
    Shell shell = { .name = name,
                    .at = text,
                    .end = text + n_bytes,
                    .line = 1,
                    .line_begin = text,
                    .script = script };

    script->commands = g_ptr_array_new_with_free_func(free_shell_words);
    script->values = g_array_new(FALSE, FALSE, sizeof(ShellWord));
    script->batch = g_array_new(FALSE, FALSE, sizeof(ShellWord));
    script->notes = g_ptr_array_new_with_free_func(g_free);
    script->texts = g_string_chunk_new(4096);
    shell.variables = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                            shell_variable_free);
    if (n_bytes > SHELL_MAX_BYTES)
        set_shell_error(&shell, "it is too long for a script");
    else if (memchr(text, '\0', n_bytes) ||
             memchr(text, *SHELL_UNKNOWN, n_bytes) ||
             !g_utf8_validate(text, (gssize)n_bytes, NULL))
        set_shell_error(&shell, "it is no text in UTF-8");
    else
        read_shell_commands(&shell);
    g_hash_table_unref(shell.variables);
    if (!shell.error)
        return g_steal_pointer(&script);
    g_propagate_error(error, shell.error);
    return NULL;
}
