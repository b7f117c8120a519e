/*
 * man_page.c - makes the manual page acesim(1) from the tables of --help; see
 * man_page.h
 */
#include "sim/cli/man_page.h"

#include <string.h>

#include "sim/cli/options.h"
#include "sim/config/installed_files.h"

static const char head[] =
    ".SH NAME\n"
    "acesim \\- simulate training platforms with a collectives engine at the "
    "endpoint\n"
    ".SH SYNOPSIS\n"
    ".B acesim\n"
    ".I COMMAND\n"
    "[\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n"
    ".SH DESCRIPTION\n"
    "acesim says how much faster a training iteration becomes when an engine\n"
    "beside the accelerator (NPU) carries out the collectives, and which\n"
    "resource binds.\n"
    "A configuration is YAML; quantities carry their unit.\n"
    "What can be configured, with units, ranges and defaults, is printed by\n"
    ".BR \"acesim list\" .\n"
    ".SH COMMANDS\n";

static const char foot[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nfine\n"
    ".TP\n.B 1\nthe input is wrong, a run failed, or there is no answer\n"
    ".TP\n.B 2\nthe command line is wrong\n"
    ".TP\n.B 70\na bug in acesim\n"
    ".TP\n.BR 130 \", \" 143\nended by a signal, 128 and its number\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B COLUMNS\nhow wide\n.B acesim list\nmay write\n"
    ".TP\n.B NO_COLOR\nwhen not empty, headings are not bold; they are on a "
    "terminal only\n"
    ".SH FILES\n";

static const char diagnostics[] =
    ".SH DIAGNOSTICS\n"
    "What is wrong with a file is said with its place,\n"
    ".IR file : line : column .\n"
    "What an option brings is called by the option, as in\n"
    ".BR \"\\-\\-set endpoint.sram:1:1\" .\n";

/* Appends @text with all special characters escaped, and so that it is not
 * taken for a request. */
static void append_man_text(GString *out, const char *text, gboolean is_option)
{
    if (*text == '.' || *text == '\'')
        g_string_append(out, "\\&");
    for (const char *p = text; *p != '\0'; p++) {
        static const char odd[] = "\\`'^~\"";
        static const char *const names[] = { "\\e",   "\\(ga", "\\(aq",
                                             "\\(ha", "\\(ti", "\\(dq" };
        const char *found = strchr(odd, *p);

        if (found)
            g_string_append(out, names[found - odd]);
        else if (*p == '-' && is_option)
            g_string_append(out, "\\-");
        else
            g_string_append_c(out, *p);
    }
}

/* ---- the section of each command ----------------------------------------- */

static void write_options_list(gpointer self, const GOptionEntry *entries)
{
    GString *out = self;

    for (const GOptionEntry *e = entries; e->long_name; e++) {
        g_string_append(out, ".TP\n");
        if (e->short_name)
            g_string_append_printf(out, "\\fB\\-%c\\fR, ", e->short_name);
        g_string_append(out, "\\fB\\-\\-");
        append_man_text(out, e->long_name, TRUE);
        g_string_append(out, "\\fR");
        if (e->arg_description) {
            g_string_append(out, "=\\fI");
            append_man_text(out, e->arg_description, TRUE);
            g_string_append(out, "\\fR");
        }
        g_string_append_c(out, '\n');
        append_man_text(out, e->description, FALSE);
        g_string_append_c(out, '\n');
    }
}

/* Writes lines that begin with a blank as an example, unchanged. */
static void write_command_detail(GString *out, const char *detail)
{
    g_auto(GStrv) lines = g_strsplit(detail, "\n", -1);
    gboolean is_example = FALSE;

    g_string_append(out, ".PP\n");
    for (char **line = lines; *line; line++) {
        gboolean was_example = is_example;

        is_example = **line == ' ';
        if (was_example != is_example)
            g_string_append(out, is_example ? ".PP\n.EX\n" : ".EE\n");
        if (**line != '\0')
            append_man_text(out, *line, is_example);
        else
            g_string_append(out, ".PP");
        g_string_append_c(out, '\n');
    }
    g_string_append(out, is_example ? ".EE\n" : "");
}

static void write_command_section(GString *out, const CliCommand *command)
{
    g_autofree char *detail = cli_command_detail(command);

    g_string_append_printf(out, ".SS acesim %s [OPTION...]%s", command->name,
                           *command->arguments != '\0' ? " " : "");
    append_man_text(out, command->arguments, TRUE);
    g_string_append_c(out, '\n');
    append_man_text(out, command->summary, FALSE);
    g_string_append(out, ".\n");
    options_visit_tables(command, write_options_list, out);
    write_command_detail(out, detail);
}

/* The documentation is installed beside these folders. */
static void write_files_section(GString *out)
{
    static const struct {
        const char *path, *what;
    } files[] = {
        { "configs", "platforms, endpoints, workloads, runs and sweeps to "
                     "begin with; nothing is read from there unless named" },
        { "schema", "a JSON Schema for each kind of file, for editors" },
        { "../doc/acesim", "README.md, docs/ with a tutorial and what stands "
                           "in a sweep, validate/SOURCES.md" },
    };

    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path =
            g_build_filename(installed_folder(), files[i].path, NULL);
        g_autofree char *name = g_canonicalize_filename(path, NULL);

        g_string_append(out, ".TP\n.I ");
        append_man_text(out, name, TRUE);
        g_string_append_c(out, '\n');
        append_man_text(out, files[i].what, FALSE);
        g_string_append_c(out, '\n');
    }
}

GString *make_man_page(const CliCommand *const *commands)
{
    GString *out =
        g_string_new(".TH ACESIM 1 \"\" \"acesim " ACESIM_VERSION "\"\n");

    g_string_append(out, head);
    for (; *commands; commands++)
        write_command_section(out, *commands);
    g_string_append(out, foot);
    write_files_section(out);
    g_string_append(out, diagnostics);
    return out;
}
