/*
 * config_flow_map_impl.h - list items that are maps on a line of their own
 *
 * A large file consists of lines such as
 *
 *     - {kind: kernel, name: k1, flop: 1000, after: [k0, "c 1"]}
 *
 * The YAML parser takes more time for such a line than the rest of the program.
 * Runs of these lines are therefore recognised before the parser, which reads a
 * single word in their place.  Each line becomes one node, which is parsed when
 * its contents are needed.
 *
 * Only lines that have exactly one meaning are recognised: words of letters,
 * digits and some signs, texts in quotes without escapes, and lists and maps of
 * those.  All other lines, and all files with a mistake, are read by the
 * parser.
 *
 * Cost     linear in the length of the text
 */
#ifndef SIM_CONFIG_CONFIG_FLOW_MAP_IMPL_H
#define SIM_CONFIG_CONFIG_FLOW_MAP_IMPL_H

#include "sim/config/config_node_impl.h"

/* Stands for a run in the text that the YAML parser reads. */
#define CONFIG_FLOW_RUN_WORD "acesim-run-of-flow-maps"

typedef struct {
    gsize start, n_bytes; /* whole lines of the text */
    gsize indent;         /* of each line, in characters */
    guint n_lines;
    guint n_nodes; /* in all maps, including the maps */
    guint height;  /* the largest number of levels of a map */
} ConfigFlowRun;

/* Returns the runs of @text, an array of ConfigFlowRun, or NULL if there are
 * none.  The text must be UTF-8 without NUL. */
GArray *config_flow_runs_find(const char *text, gsize n_bytes);
/* Returns @text with one line, "- " CONFIG_FLOW_RUN_WORD, in place of each run.
 * Returns NULL if the word also occurs elsewhere. */
GString *config_flow_runs_replace(const char *text, gsize n_bytes,
                                  const GArray *runs);
/* Adds the maps of @run to @list, the first at @line and @column.  @text is the
 * text of the source, which must outlive the nodes. */
void config_flow_run_add(ConfigDoc *doc, ConfigNode *list,
                         const ConfigFlowRun *run, char *text, guint line,
                         guint column);

#endif
