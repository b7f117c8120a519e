/* mutate.c - composes configurations from files and mutates their text */
#include "tests/near/mutate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts of configuration files ---------------------------------------- */

/* The folders of the parts of a run, and the key of each part. */
static const struct {
    const char *folder, *key;
    double share; /* The probability that a configuration has the key. */
} parts[] = {
    { "platforms", "platform", 1 },        { "endpoints", "endpoint", 1 },
    { "workloads", "workload", 1 },        { "stacks", "stack", 0.5 },
    { "collectives", "collectives", 0.2 },
};

/* The sections that files of configs/ rarely or never have. */
static const char *const sections[] = {
    "training: {iterations: 1, drain: false}",
    "training: {iterations: 3, overlap: false}",
    "training: {iterations: 40, synchronise: step}",
    "training: {compute: roofline, precision: fp32, gradient: fp32}",
    "training: {optimiser: adam, recompute: true, fused: false}",
    "training: {micro_batches: 3, optimised: true}",
    "training: {exchange: {kind: single}}",
    "training: {exchange: {kind: tensor}}",
    "training: {exchange: {kind: fusion, buffer: 4 MiB, cycle: 5 ms}}",
    "training: {exchange: {kind: partition, size: 4 MiB}}",
    "training: {exchange: {kind: merged}}",
    "training: {exchange: {kind: sharded, shard: {kind: fsdp, prefetch: 2}}}",
    "training: {exchange: {kind: parameter-server, servers: {size: 4, at: 3}}}",
    "training: {input: {decode: {time: 1 ms, cores: 2}, prefetch: host}}",
    ("training: {input: {read: {bytes: 1 MB, bandwidth: 1 GB/s}, "
     "prefetch: device, depth: 3}}"),
    "collectives: {scheduler: fifo, window: 2}",
    "collectives: {scheduler: priority, preempt: false, window: 64}",
    "collectives: {scheduler: lifo, order: rotated}",
    "collectives: {chunk: 64 KiB, message: 4 KiB}",
    "collectives: {fidelity: packet, packet: 1 MiB, buffer: 4 MiB}",
    "collectives: {algorithm: ring}",
    "collectives: {algorithm: hierarchical}",
    "collectives: {algorithm: recursive-doubling-any, chunk: 1 MiB}",
    "collectives: {algorithm: double-binary-tree, chunk: 1 MiB}",
    "collectives: {algorithm: direct, packet: 1 KiB}",
    "perturb: {seed: 3, jitter: 5 %}",
    "perturb: {jitter: 20 %, distribution: exponential}",
    "perturb: {npus: [{npu: 0, time_factor: 1.5}, {npu: 3, time_factor: 0.2}]}",
    "perturb: {links: [{npu: 1, port: dim0+, bandwidth_factor: 0.5}]}",
    "perturb: {links: [{npu: 0, port: up, bandwidth_factor: 0.1}]}",
    "perturb: {ops: [{match: '*', kind: collective, time_factor: 2}]}",
    "perturb: {ops: [{match: '*1*', npus: [0, 1], time_factor: 0}]}",
};

typedef struct {
    char *folder, *path;
    char *text;
} File;

struct Pool {
    /* The array holds each File, sorted by folder and name. */
    GPtrArray *files;
    /* The array holds the base of each sweep, which is a run, as text. */
    GPtrArray *bases;
    /* The table maps a key to the GPtrArray of its values in all files. */
    GHashTable *values_by_key;
    /* The keys are sorted by name and borrowed from .values_by_key. */
    GPtrArray *keys;
    /* The values of all keys are borrowed from .values_by_key. */
    GPtrArray *values;
};

/* The positions of a key and its value in a text. */
typedef struct {
    gsize key, n_key;
    /* The member n_value is 0 if a block follows the key. */
    gsize value, n_value;
    gsize line; /* The position where the line of the key begins. */
} Pair;

static void replace_text_range(GString *text, gsize at, gsize n, const char *by)
{
    g_string_erase(text, (gssize)at, (gssize)n);
    g_string_insert(text, (gssize)at, by);
}

static gboolean is_yaml_key_char(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '-';
}

/* Returns the end of the value at @at: the next comma or bracket at its depth
 * (@in_flow), a comment, or the end of the line. */
static gsize yaml_value_end(const char *text, gsize at, gboolean in_flow)
{
    guint depth = 0;
    gsize end = at;

    for (; text[end] && text[end] != '\n'; end++) {
        if (text[end] == '#' && end > at && text[end - 1] == ' ')
            break;
        if (strchr("{[", text[end]))
            depth++;
        else if (in_flow && depth == 0 && strchr(",}]", text[end]))
            break;
        else if (strchr("}]", text[end]) && depth > 0)
            depth--;
    }
    while (end > at && text[end - 1] == ' ')
        end--;
    return end;
}

/* Returns the keys of @text with their values, as an array of Pair. */
static GArray *find_yaml_pairs(const char *text)
{
    GArray *pairs = g_array_new(FALSE, FALSE, sizeof(Pair));
    gboolean in_comment = FALSE, at_key = TRUE;
    gsize line = 0;
    guint depth = 0;

    for (gsize i = 0; text[i]; i++) {
        gsize n = 0;

        if (text[i] == '\n') {
            line = i + 1;
            in_comment = FALSE;
            at_key = TRUE;
            depth = 0;
            continue;
        }
        in_comment = in_comment || (text[i] == '#' && at_key);
        if (in_comment)
            continue;
        while (at_key && is_yaml_key_char(text[i + n]))
            n++;
        if (n > 0 && text[i + n] == ':' && strchr(" \n", text[i + n + 1])) {
            Pair pair = { i, n, i + n + 1, 0, line };

            while (text[pair.value] == ' ')
                pair.value++;
            pair.n_value =
                yaml_value_end(text, pair.value, depth > 0) - pair.value;
            if (text[pair.value] == '#')
                pair.n_value = 0;
            g_array_append_val(pairs, pair);
            i += n;
        }
        depth += strchr("{[", text[i]) != NULL;
        depth -= depth > 0 && strchr("}]", text[i]);
        at_key = strchr(" {[,", text[i]) != NULL;
    }
    return pairs;
}

static gsize yaml_indentation_of_line(const char *line)
{
    return strspn(line, " ");
}

/* Returns the end of the block at @line: the line and all following lines with
 * a deeper indentation. */
static gsize yaml_block_end(const char *text, gsize line)
{
    gsize indent = yaml_indentation_of_line(text + line);
    const char *end = strchr(text + line, '\n');

    while (end && end[1] &&
           (end[1] == '\n' || yaml_indentation_of_line(end + 1) > indent))
        end = strchr(end + 1, '\n');
    return end ? (gsize)(end + 1 - text) : strlen(text);
}

/* Appends the lines of @block, indented by further @by columns. */
static void append_reindented_block(GString *out, const char *block, guint by)
{
    g_auto(GStrv) lines = g_strsplit(block, "\n", 0);

    for (guint i = 0; lines[i]; i++)
        if (*lines[i])
            g_string_append_printf(out, "%*s%s\n", (int)by, "", lines[i]);
}

/* Returns the block below @line without its common indentation.  The caller
 * frees it. */
static char *copy_yaml_block(const char *text, gsize line)
{
    const char *first = strchr(text + line, '\n');
    gsize end = yaml_block_end(text, line);
    g_autofree char *block = NULL;
    g_auto(GStrv) lines = NULL;
    GString *out = g_string_new(NULL);
    gsize by;

    if (!first || first + 1 >= text + end)
        return g_string_free(out, FALSE);
    by = yaml_indentation_of_line(first + 1);
    block = g_strndup(first + 1, (gsize)(text + end - first - 1));
    lines = g_strsplit(block, "\n", 0);
    for (guint i = 0; lines[i]; i++)
        g_string_append_printf(out, "%s\n",
                               lines[i] +
                                   MIN(by, yaml_indentation_of_line(lines[i])));
    return g_string_free(out, FALSE);
}

static gint compare_config_files(gconstpointer a, gconstpointer b)
{
    const File *x = *(const File *const *)a, *y = *(const File *const *)b;
    int by_folder = strcmp(x->folder, y->folder);

    return by_folder ? by_folder : strcmp(x->path, y->path);
}

static gint compare_strings(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void config_file_free(gpointer data)
{
    File *file = data;

    g_free(file->folder);
    g_free(file->path);
    g_free(file->text);
    g_free(file);
}

/* Returns @text with absolute names of other files, because the text will be
 * used outside @folder, a path below @configs.  The caller frees it. */
static char *make_file_names_absolute(const char *text, const char *configs,
                                      const char *folder)
{
    g_autofree char *top = g_strconcat(": ", configs, "/", NULL);
    g_autofree char *here =
        g_strconcat("inner: ", configs, "/", folder, "/", NULL);
    g_auto(GStrv) pieces =
        g_strsplit(text, strchr(folder, '/') ? ": ../../" : ": ../", 0);
    g_autofree char *joined = g_strjoinv(top, pieces);
    g_autoptr(GString) out = g_string_new(joined);
    const char *at = out->str;

    while ((at = strstr(at, "inner: "))) {
        gsize begin = (gsize)(at - out->str);
        gsize end = yaml_value_end(out->str, begin + strlen("inner: "), FALSE);

        if (at[strlen("inner: ")] != '/' &&
            g_str_has_prefix(out->str + end - strlen(".yaml"), ".yaml"))
            replace_text_range(out, begin, strlen("inner: "), here);
        at = out->str + begin + strlen("inner: ");
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

/* Adds the files of @folder, a path below @configs, and of the folders in it.
 * The file->folder of each is @kind. */
static void read_config_folder(Pool *pool, const char *configs,
                               const char *kind, const char *folder)
{
    g_autofree char *path = g_build_filename(configs, folder, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *at = g_build_filename(path, name, NULL);
        g_autofree char *text = NULL;
        File *file;

        if (g_file_test(at, G_FILE_TEST_IS_DIR)) {
            g_autofree char *below = g_build_filename(folder, name, NULL);

            read_config_folder(pool, configs, kind, below);
            continue;
        }
        if (!g_str_has_suffix(name, ".yaml") ||
            g_str_equal(name, "claims.yaml") ||
            !g_file_get_contents(at, &text, NULL, NULL))
            continue;
        file = g_new0(File, 1);
        file->folder = g_strdup(kind);
        file->path = g_steal_pointer(&at);
        file->text = make_file_names_absolute(text, configs, folder);
        g_ptr_array_add(pool->files, file);
    }
}

static void add_value_of_key(Pool *pool, const char *key, gsize n_key,
                             char *value)
{
    g_autofree char *name = g_strndup(key, n_key);
    GPtrArray *values = g_hash_table_lookup(pool->values_by_key, name);

    if (!values) {
        values = g_ptr_array_new_with_free_func(g_free);
        g_ptr_array_add(pool->keys, name);
        g_hash_table_insert(pool->values_by_key, g_steal_pointer(&name),
                            values);
    }
    g_ptr_array_add(values, value);
    g_ptr_array_add(pool->values, value);
}

static void index_values_of_file(Pool *pool, const File *file)
{
    g_autoptr(GArray) pairs = find_yaml_pairs(file->text);

    for (guint i = 0; i < pairs->len; i++) {
        const Pair *pair = &g_array_index(pairs, Pair, i);
        const char *key = file->text + pair->key;

        if (pair->n_value > 0)
            add_value_of_key(
                pool, key, pair->n_key,
                g_strndup(file->text + pair->value, pair->n_value));
        if (pair->line == pair->key && g_str_has_prefix(key, "base:"))
            g_ptr_array_add(pool->bases,
                            copy_yaml_block(file->text, pair->line));
    }
}

Pool *config_pool_new(const char *configs)
{
    Pool *pool = g_new0(Pool, 1);
    g_autoptr(GDir) dir = g_dir_open(configs, 0, NULL);
    const char *name;

    pool->files = g_ptr_array_new_with_free_func(config_file_free);
    pool->bases = g_ptr_array_new_with_free_func(g_free);
    pool->values_by_key = g_hash_table_new_full(
        g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
    pool->keys = g_ptr_array_new();
    pool->values = g_ptr_array_new();
    while (dir && (name = g_dir_read_name(dir)))
        read_config_folder(pool, configs, name, name);
    g_ptr_array_sort(pool->files, compare_config_files);
    for (guint i = 0; i < pool->files->len; i++)
        index_values_of_file(pool, g_ptr_array_index(pool->files, i));
    g_ptr_array_sort(pool->keys, compare_strings);
    if (pool->bases->len == 0) {
        g_printerr("acesim-near: %s has no configurations\n", configs);
        exit(2);
    }
    return pool;
}

void config_pool_free(Pool *pool)
{
    g_ptr_array_unref(pool->files);
    g_ptr_array_unref(pool->bases);
    g_ptr_array_unref(pool->keys);
    g_ptr_array_unref(pool->values);
    g_hash_table_unref(pool->values_by_key);
    g_free(pool);
}

/* ---- composition of a configuration -------------------------------------- */

static guint draw_index_below(GRand *rand, guint n)
{
    return (guint)g_rand_int_range(rand, 0, (gint32)n);
}

static gboolean draw_with_probability(GRand *rand, double share)
{
    return g_rand_double(rand) < share;
}

/* Returns a random file of @folder, which must have files. */
static const File *draw_config_file(const Pool *pool, GRand *rand,
                                    const char *folder)
{
    guint first = 0, n = 0;

    for (guint i = 0; i < pool->files->len; i++) {
        const File *file = g_ptr_array_index(pool->files, i);

        if (strcmp(file->folder, folder) == 0 && n++ == 0)
            first = i;
    }
    g_assert(n > 0);
    return g_ptr_array_index(pool->files, first + draw_index_below(rand, n));
}

static void compose_run_text(const Pool *pool, GRand *rand, GString *text)
{
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
        if (draw_with_probability(rand, parts[i].share))
            g_string_append_printf(
                text, "%s: %s\n", parts[i].key,
                draw_config_file(pool, rand, parts[i].folder)->path);
}

static const File *find_config_file(const Pool *pool, const char *path,
                                    gsize n_path)
{
    for (guint i = 0; i < pool->files->len; i++) {
        const File *file = g_ptr_array_index(pool->files, i);

        if (strlen(file->path) == n_path &&
            memcmp(file->path, path, n_path) == 0)
            return file;
    }
    return NULL;
}

/* Replaces names of files by their contents, with a probability of 80 % each,
 * so that mutations can change them. */
static void inline_config_files(const Pool *pool, GRand *rand, GString *text)
{
    g_autoptr(GArray) pairs = find_yaml_pairs(text->str);

    for (guint i = pairs->len; i-- > 0;) {
        const Pair *pair = &g_array_index(pairs, Pair, i);
        gsize indent = yaml_indentation_of_line(text->str + pair->line);
        const File *file =
            find_config_file(pool, text->str + pair->value, pair->n_value);
        g_autoptr(GString) block = g_string_new("\n");

        if (!file || pair->key != pair->line + indent ||
            draw_with_probability(rand, 0.2))
            continue;
        append_reindented_block(block, file->text, (guint)indent + 2);
        g_string_truncate(block, block->len - 1);
        replace_text_range(text, pair->value,
                           strcspn(text->str + pair->value, "\n"), block->str);
    }
}

/* Returns TRUE if a line of @text begins with the key of @line, up to its
 * colon. */
static gboolean text_has_top_level_key(const GString *text, const char *line)
{
    g_autofree char *key = g_strndup(line, strcspn(line, ":") + 1);
    g_autofree char *within = g_strconcat("\n", key, NULL);

    return g_str_has_prefix(text->str, key) || strstr(text->str, within);
}

static void append_random_section(GRand *rand, GString *text)
{
    const char *section =
        sections[draw_index_below(rand, G_N_ELEMENTS(sections))];

    if (!text_has_top_level_key(text, section))
        g_string_append_printf(text, "%s\n", section);
}

/* Adds a random file for each mandatory part of a run that @text lacks. */
static void add_missing_run_sections(const Pool *pool, GRand *rand,
                                     GString *text)
{
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        g_autofree char *line = g_strconcat(parts[i].key, ":", NULL);

        if (parts[i].share < 1 || text_has_top_level_key(text, line))
            continue;
        g_string_append_printf(
            text, "%s %s\n", line,
            draw_config_file(pool, rand, parts[i].folder)->path);
    }
}

/* Composes a text without mutations.  Returns TRUE if it is a run. */
static gboolean draw_base_config(const Pool *pool, GRand *rand, GString *text)
{
    static const char *const folders[] = { "platforms", "npus",   "endpoints",
                                           "workloads", "stacks", "sweeps",
                                           "papers",    "kernels" };
    guint kind = draw_index_below(rand, 20);

    if (kind < 8) {
        compose_run_text(pool, rand, text);
    } else if (kind < 14) {
        g_string_append(
            text, g_ptr_array_index(pool->bases,
                                    draw_index_below(rand, pool->bases->len)));
        add_missing_run_sections(pool, rand, text);
    } else if (kind < 17) {
        g_string_append(text, draw_config_file(pool, rand, "runs")->text);
    } else {
        const char *folder =
            folders[draw_index_below(rand, G_N_ELEMENTS(folders))];

        g_string_append(text, draw_config_file(pool, rand, folder)->text);
        return FALSE;
    }
    if (draw_with_probability(rand, 0.5))
        append_random_section(rand, text);
    /* The second pass replaces names within files that the first pass
     * inserted. */
    for (guint i = 0; i < 2; i++)
        inline_config_files(pool, rand, text);
    return TRUE;
}

/* ---- mutations of a configuration ---------------------------------------- */

static const char *const oddities[] = {
    "0",      "-1",     "1",        "2",          "3",
    "1e30",   ".nan",   "-0.0",     "''",         "null",
    "true",   "[]",     "{}",       "[1, 2]",     "1 %",
    "100 %",  "~",      "auto",     "0 B",        "1 ps",
    "1 TB/s", "0 %",    "none",     "all",        "x",
    "0.001",  "100000", "16777216", "4294967296", "18446744073709551615",
};

static const char *const units[] = {
    "B",       "KiB",     "MiB",  "GiB",    "KB",    "MB",   "GB",
    "ps",      "ns",      "us",   "ms",     "s",     "Hz",   "MHz",
    "GHz",     "B/s",     "MB/s", "GB/s",   "GiB/s", "TB/s", "Gb/s",
    "GFLOP/s", "TFLOP/s", "%",    "cycles",
};

static const double factors[] = { 0.001, 0.1, 0.5, 0.9, 1.1, 2, 3, 10, 1000 };

static void take_value_of_other_file(const Pool *pool, GRand *rand,
                                     GString *text, const Pair *pair)
{
    g_autofree char *key = g_strndup(text->str + pair->key, pair->n_key);
    const GPtrArray *values = g_hash_table_lookup(pool->values_by_key, key);

    if (values)
        replace_text_range(
            text, pair->value, pair->n_value,
            g_ptr_array_index(values, draw_index_below(rand, values->len)));
}

/* Multiplies a number by a factor, or adds or subtracts 1.  One of ten values
 * becomes an odd one, and a word becomes the value that another file has for
 * the key. */
static void change_random_value(const Pool *pool, GRand *rand, GString *text,
                                const Pair *pair)
{
    g_autofree char *value = g_strndup(text->str + pair->value, pair->n_value);
    g_autofree char *changed = NULL;
    char *unit;
    double number = g_ascii_strtod(value, &unit);

    if (draw_with_probability(rand, 0.1)) {
        replace_text_range(
            text, pair->value, pair->n_value,
            oddities[draw_index_below(rand, G_N_ELEMENTS(oddities))]);
        return;
    }
    if (unit == value) {
        take_value_of_other_file(pool, rand, text, pair);
        return;
    }
    if (draw_with_probability(rand, 0.6))
        number *= factors[draw_index_below(rand, G_N_ELEMENTS(factors))];
    else
        number += draw_with_probability(rand, 0.5) ? 1 : -1;
    if (number > 1)
        number = floor(number);
    changed = g_strdup_printf("%.15g%s", number, unit);
    replace_text_range(text, pair->value, pair->n_value, changed);
}

static void change_random_unit(const Pool *pool, GRand *rand, GString *text,
                               const Pair *pair)
{
    g_autofree char *value = g_strndup(text->str + pair->value, pair->n_value);
    g_autofree char *changed = NULL;
    char *unit;

    (void)pool;
    (void)g_ascii_strtod(value, &unit);
    changed =
        g_strdup_printf("%.*s %s", (int)(unit - value), value,
                        units[draw_index_below(rand, G_N_ELEMENTS(units))]);
    replace_text_range(text, pair->value, pair->n_value, changed);
}

static void take_value_of_other_key(const Pool *pool, GRand *rand,
                                    GString *text, const Pair *pair)
{
    replace_text_range(
        text, pair->value, pair->n_value,
        g_ptr_array_index(pool->values,
                          draw_index_below(rand, pool->values->len)));
}

static void misspell_word(const Pool *pool, GRand *rand, GString *text,
                          const Pair *pair)
{
    (void)pool;
    text->str[pair->key + draw_index_below(rand, (guint)pair->n_key)] =
        (char)('a' + draw_index_below(rand, 26));
}

static void rename_random_key(const Pool *pool, GRand *rand, GString *text,
                              const Pair *pair)
{
    replace_text_range(
        text, pair->key, pair->n_key,
        g_ptr_array_index(pool->keys, draw_index_below(rand, pool->keys->len)));
}

static void delete_random_lines(const Pool *pool, GRand *rand, GString *text,
                                const Pair *pair)
{
    (void)pool;
    (void)rand;
    g_string_erase(
        text, (gssize)pair->line,
        (gssize)(yaml_block_end(text->str, pair->line) - pair->line));
}

static void repeat_random_lines(const Pool *pool, GRand *rand, GString *text,
                                const Pair *pair)
{
    gsize end = yaml_block_end(text->str, pair->line);
    g_autofree char *lines =
        g_strndup(text->str + pair->line, end - pair->line);

    (void)pool;
    (void)rand;
    g_string_insert(text, (gssize)end, lines);
}

/* Inserts a line with a key of any file and one of its values. */
static void insert_random_line(const Pool *pool, GRand *rand, GString *text,
                               const Pair *pair)
{
    const char *key =
        g_ptr_array_index(pool->keys, draw_index_below(rand, pool->keys->len));
    const GPtrArray *values = g_hash_table_lookup(pool->values_by_key, key);
    g_autofree char *line = g_strdup_printf(
        "%*s%s: %s\n", (int)yaml_indentation_of_line(text->str + pair->line),
        "", key,
        (const char *)g_ptr_array_index(values,
                                        draw_index_below(rand, values->len)));

    g_string_insert(text, (gssize)pair->line, line);
}

static void insert_punctuation(const Pool *pool, GRand *rand, GString *text,
                               const Pair *pair)
{
    static const char marks[] = ":{}[],-#\t\"'&*!|>%@\\ \n";

    (void)pool;
    g_string_insert_c(
        text,
        (gssize)(pair->key + draw_index_below(rand, (guint)(pair->n_key + 2))),
        marks[draw_index_below(rand, sizeof marks - 1)]);
}

static const struct {
    const char *name;
    void (*apply)(const Pool *pool, GRand *rand, GString *text,
                  const Pair *pair);
    guint weight;
    gboolean needs_value;
} mutations[] = {
    { "change the value of", change_random_value, 12, TRUE },
    { "change the unit of", change_random_unit, 2, TRUE },
    { "take another file's value for", take_value_of_other_file, 8, TRUE },
    { "take any value for", take_value_of_other_key, 2, TRUE },
    { "misspell", misspell_word, 1, FALSE },
    { "rename", rename_random_key, 1, FALSE },
    { "delete", delete_random_lines, 2, FALSE },
    { "repeat", repeat_random_lines, 1, FALSE },
    { "add a line before", insert_random_line, 2, FALSE },
    { "spoil", insert_punctuation, 1, FALSE },
};

/* Returns TRUE if the mutation can be applied to @pair.  The name of a file may
 * only be replaced by that of another file, since any other value is refused
 * immediately. */
static gboolean mutation_is_applicable(guint kind, const GString *text,
                                       const Pair *pair)
{
    if (!mutations[kind].needs_value)
        return TRUE;
    return pair->n_value > 0 &&
           (text->str[pair->value] != '/' ||
            mutations[kind].apply == take_value_of_other_file);
}

static void mutate_config(const Pool *pool, GRand *rand, NearConfig *near)
{
    g_autoptr(GArray) pairs = find_yaml_pairs(near->text->str);
    guint total = 0, kind = 0, at;
    const Pair *pair;

    if (pairs->len == 0)
        return;
    for (guint i = 0; i < G_N_ELEMENTS(mutations); i++)
        total += mutations[i].weight;
    at = draw_index_below(rand, total);
    while (at >= mutations[kind].weight)
        at -= mutations[kind++].weight;
    pair = &g_array_index(pairs, Pair, draw_index_below(rand, pairs->len));
    for (guint tries = 0;
         tries < 20 && !mutation_is_applicable(kind, near->text, pair); tries++)
        pair = &g_array_index(pairs, Pair, draw_index_below(rand, pairs->len));
    if (!mutation_is_applicable(kind, near->text, pair))
        return;
    g_string_append_printf(near->applied, "%s%s '%.*s'",
                           near->applied->len ? ", " : "", mutations[kind].name,
                           (int)pair->n_key, near->text->str + pair->key);
    mutations[kind].apply(pool, rand, near->text, pair);
}

NearConfig near_config_new(const Pool *pool, uint32_t seed)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    NearConfig near = { g_string_new(NULL), FALSE, g_string_new(NULL) };
    guint n;

    near.is_run = draw_base_config(pool, rand, near.text);
    n = 1 + draw_index_below(rand, 2) * (1 + draw_index_below(rand, 3));
    for (guint i = 0; i < n; i++)
        mutate_config(pool, rand, &near);
    return near;
}

void near_config_clear(NearConfig *near)
{
    g_string_free(near->text, TRUE);
    g_string_free(near->applied, TRUE);
}
