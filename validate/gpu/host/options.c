/* options.c - the command line of acesim-measure */
#include "validate/gpu/host/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
    "usage: acesim-measure [OPTION]...\n"
    "\n"
    "Times reduction, copy and compute kernels, alone and beside each other,\n"
    "on the GPU of this machine, and writes what it saw as CSV and JSON.\n"
    "\n"
    "  --quick            a sample of all families, one minute at most\n"
    "  --family A,B       these families only: launch, ceiling, reduce, copy,\n"
    "                     read, write, stream, gemm, lookup, engine, overlap,\n"
    "                     same-sm, order, long; bandwidth by SMs comes first\n"
    "  --budget SECONDS   measure what is worth most and fits: bandwidth by SMs,\n"
    "                     twelve pairs, then all families in turn\n"
    "  --keys K1,K2       only the cases with these keys, up to 64, such as\n"
    "                     those whose p90 was far above their p10\n"
    "  -o DIR|FILE        DIR/<gpu>-measured.csv (-partial.csv for a part),\n"
    "                     or FILE, which ends in .csv; the JSON beside it\n"
    "                     (default: the current folder)\n"
    "  --check            compare all results with the CPU's on little data,\n"
    "                     time and write nothing\n"
    "  --list             what would be measured and how long it would take\n"
    "  --repetitions N    of each time, 20 to 1000 (default: 25)\n"
    "  --passes N         the whole list 1 to 3 times (default: 1)\n"
    "  --seed N           of the random operands (default: 1)\n"
    "  --help             this text\n"
    "\n"
    "A full run takes at most 10 minutes a pass.  ^C keeps what is done.\n"
    "Status 0: all measured; 1: not all, or not written; 2: no GPU, or wrong\n"
    "options, and nothing is written.\n";

/* ---- suggestions for misspelt family names ------------------------------- */

#define MAX_WORD 16

static size_t min_of_three(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Returns the edit distance: the number of letters to insert, delete or
 * replace.  The usual table is computed row by row. */
static size_t levenshtein_distance(const char *a, size_t n_a, const char *b)
{
    size_t row[MAX_WORD + 1], n_b = strlen(b);

    for (size_t j = 0; j <= n_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            size_t above = row[j];

            row[j] = min_of_three(above + 1, row[j - 1] + 1,
                                  diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[n_b];
}

/* Returns the nearest family name, or NULL if none is near.  Near means at most
 * two edits and at most half of the letters of @word. */
static const char *nearest_kernel_family_name(const char *word, size_t length)
{
    const char *nearest = NULL;
    size_t best = 3;

    for (int i = 0; i < N_FAMILIES && length <= MAX_WORD; i++) {
        size_t n_edits =
            levenshtein_distance(word, length, kernel_family_name((Family)i));

        if (n_edits < best && 2 * n_edits <= length) {
            best = n_edits;
            nearest = kernel_family_name((Family)i);
        }
    }
    return nearest;
}

/* ---- values of command line options -------------------------------------- */

static bool refuse_unknown_kernel_family(Options *o, const char *word,
                                         size_t length)
{
    const char *nearest = nearest_kernel_family_name(word, length);
    int shown = length < 40 ? (int)length : 40;

    if (nearest)
        (void)snprintf(o->error, sizeof o->error,
                       "--family: unknown family '%.*s'; did you mean '%s'?",
                       shown, word, nearest);
    else
        (void)snprintf(o->error, sizeof o->error,
                       "--family: unknown family '%.*s'; acesim-measure "
                       "--help lists them",
                       shown, word);
    return false;
}

static bool parse_family_list(Options *o, const char *value)
{
    memset(o->families, 0, sizeof o->families);
    o->some_families = true;
    for (;;) {
        size_t length = strcspn(value, ",");
        Family family;

        if (!kernel_family_find(value, length, &family))
            return refuse_unknown_kernel_family(o, value, length);
        o->families[family] = true;
        if (value[length] == '\0')
            return true;
        value += length + 1;
    }
}

/* Parses a number of decimal digits only, without sign or blanks. */
static bool parse_option_number(Options *o, const char *name, const char *value,
                                uint64_t least_value, uint64_t most,
                                uint64_t *ret)
{
    char *end = NULL;

    errno = 0;
    if (value[0] >= '0' && value[0] <= '9')
        *ret = strtoull(value, &end, 10);
    if (end && *end == '\0' && errno == 0 && *ret >= least_value &&
        *ret <= most)
        return true;
    (void)snprintf(o->error, sizeof o->error,
                   "%s: '%.40s' is no number in [%" PRIu64 ", %" PRIu64 "]",
                   name, value, least_value, most);
    return false;
}

/* Parses keys of 16 hexadecimal digits, as the column key has them. */
static bool parse_key_list(Options *o, const char *value)
{
    static const char digits[] = "0123456789abcdef";

    for (o->n_keys = 0; o->n_keys < MAX_KEYS;) {
        size_t length = strcspn(value, ",");

        if (length != 16 || strspn(value, digits) != length) {
            (void)snprintf(o->error, sizeof o->error,
                           "--keys: '%.*s' is no key of 16 digits 0-9, a-f",
                           length < 40 ? (int)length : 40, value);
            return false;
        }
        o->keys[o->n_keys++] = strtoull(value, NULL, 16);
        if (value[length] == '\0')
            return true;
        value += length + 1;
    }
    (void)snprintf(o->error, sizeof o->error, "--keys: more than %d keys",
                   MAX_KEYS);
    return false;
}

static bool parse_output_path(Options *o, const char *value)
{
    o->output = value;
    if (value[0] != '\0')
        return true;
    (void)snprintf(o->error, sizeof o->error, "-o: the name is empty");
    return false;
}

static bool parse_option_value(Options *o, const char *name, const char *value)
{
    uint64_t number = 0;
    bool ok = true;

    if (strcmp(name, "--family") == 0)
        return parse_family_list(o, value);
    if (strcmp(name, "--keys") == 0)
        return parse_key_list(o, value);
    if (strcmp(name, "-o") == 0)
        return parse_output_path(o, value);
    if (strcmp(name, "--seed") == 0)
        return parse_option_number(o, name, value, 0, UINT64_MAX, &o->seed);
    if (strcmp(name, "--passes") == 0) {
        ok = parse_option_number(o, name, value, 1, 3, &number);
        o->n_passes = (uint32_t)number;
    } else if (strcmp(name, "--budget") == 0) {
        ok = parse_option_number(o, name, value, MIN_BUDGET_S, MAX_BUDGET_S,
                                 &number);
        o->budget_s = (uint32_t)number;
    } else {
        ok = parse_option_number(o, name, value, MIN_REPETITIONS,
                                 MAX_REPETITIONS, &number);
        o->repetitions = (uint32_t)number;
    }
    return ok;
}

/* ---- parsing of the whole command line ----------------------------------- */

static bool *find_flag_option(Options *o, const char *word)
{
    if (strcmp(word, "--quick") == 0)
        return &o->is_quick;
    if (strcmp(word, "--check") == 0)
        return &o->wants_check;
    if (strcmp(word, "--list") == 0)
        return &o->wants_list;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return &o->wants_help;
    return NULL;
}

/* Returns the name of the option with a value that @word starts with, or NULL
 * if there is none.  @word is either the name itself or --name=VALUE.  Sets
 * *@value to the text behind the =, or to NULL if there is no =. */
static const char *option_with_value(const char *word, const char **value)
{
    static const char *const names[] = { "--family", "-o",     "--repetitions",
                                         "--passes", "--seed", "--budget",
                                         "--keys" };

    *value = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);

        if (strncmp(word, names[i], length) != 0)
            continue;
        if (word[length] == '\0')
            return names[i];
        if (word[length] == '=' && names[i][1] == '-') {
            *value = word + length + 1;
            return names[i];
        }
    }
    return NULL;
}

static bool refuse_option(Options *o, const char *format, const char *word)
{
    (void)snprintf(o->error, sizeof o->error, format, word);
    return false;
}

static bool parse_option_word(Options *o, char **argv, int argc, int *i)
{
    const char *value, *name;
    bool *flag = find_flag_option(o, argv[*i]);

    if (flag) {
        *flag = true;
        return true;
    }
    name = option_with_value(argv[*i], &value);
    if (!name && argv[*i][0] == '-')
        return refuse_option(
            o,
            "unknown option '%.40s'; acesim-measure --help lists "
            "them",
            argv[*i]);
    if (!name)
        return refuse_option(
            o, "unexpected '%.40s'; acesim-measure takes options only",
            argv[*i]);
    if (!value && *i + 1 == argc)
        return refuse_option(o, "%s: the value is missing", name);
    if (!value)
        value = argv[++*i];
    return parse_option_value(o, name, value);
}

bool options_parse(int argc, char **argv, Options *ret)
{
    *ret =
        (Options){ .repetitions = 25, .n_passes = 1, .seed = 1, .output = "." };
    for (int i = 0; i < N_FAMILIES; i++)
        ret->families[i] = true;
    for (int i = 1; i < argc; i++)
        if (!parse_option_word(ret, argv, argc, &i))
            return false;
    return true;
}
