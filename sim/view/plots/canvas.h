/*
 * canvas.h - where everything of a plot stands, and the files gnuplot reads
 *
 * A kind of plot says its title, legend, panels and data; the canvas finds
 * out how large it all gets and leaves axes and scales to gnuplot.  Only
 * numbers of ours become gnuplot's commands.  Texts, which may be anybody's,
 * go into data files, cleaned of what those could trip over.
 *
 * Units    pixels of an image 800 wide, from the upper left
 * Order    title, legend, margins, grid, then the rest
 * Owner    the caller owns the canvas
 */
#ifndef SIM_VIEW_PLOTS_CANVAS_H
#define SIM_VIEW_PLOTS_CANVAS_H

#include <glib.h>

#define CANVAS_WIDTH_PX   800
#define CANVAS_MAX_PANELS 64

typedef enum {
    CANVAS_TITLE,
    CANVAS_SUBTITLE,
    CANVAS_PANEL,  /* the heading of a panel, on one line */
    CANVAS_LINES,  /* the same, on one of several */
    CANVAS_GROUP,  /* the heading of some rows, from the left */
    CANVAS_ROW,    /* the name of a row, up to its right end */
    CANVAS_ENTRY,  /* of the legend */
    CANVAS_AXIS,   /* centred: what an axis is, or a category on it */
    CANVAS_TURNED, /* the same along a vertical axis */
    CANVAS_N_TEXTS,
} CanvasText;

/* How an entry of the legend looks; its number says the colour. */
typedef enum {
    CANVAS_BOX,
    CANVAS_LINE,
    CANVAS_DASHES, /* what bounds */
    CANVAS_TICK,   /* likewise, across a bar */
    CANVAS_DOT,    /* a second value, on a bar */
} CanvasSymbol;

typedef enum {
    CANVAS_TEXTS,
    CANVAS_LEGEND,
    CANVAS_POINTS,
    CANVAS_MARKS, /* a second kind of points */
    CANVAS_N_FILES,
} CanvasFile;

typedef struct {
    /* a kind of plot sets these before the grid */
    guint left_px, right_px, bottom_px; /* outside the panels */
    guint gap_x_px, gap_y_px;           /* between them */
    guint n_columns, panel_h_px;
    guint n_title_lines; /* of a panel's heading */
    /* the canvas keeps these */
    guint top_px, height_px, n_panels, n_rows, n_entries;
    guint n_texts[CANVAS_N_TEXTS]; /* of each style */
    double panel_w_px, legend_x_px;
    GString *numbers;               /* owned: gnuplot's commands */
    GString *files[CANVAS_N_FILES]; /* owned */
} Canvas;

extern const char *const canvas_file_names[CANVAS_N_FILES];

void canvas_init(Canvas *canvas);
void canvas_clear(Canvas *canvas);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Canvas, canvas_clear)

/* What a text may be in a file of data: valid, printable, without quotes, and
 * its middle left out where it is longer than @max_chars.  Owner: the
 * caller. */
char *canvas_clean(const char *text, guint max_chars);

/* How wide the text is, about. */
guint canvas_text_px(const char *text, guint font_px);

void canvas_title(Canvas *canvas, const char *title, const char *subtitle);
void canvas_entry(Canvas *canvas, CanvasSymbol symbol, const char *name);

/* How wide a panel becomes. */
double canvas_panel_w_px(const Canvas *canvas, guint n_columns);

/* Before the grid: gives all headings a second line if @text needs it. */
void canvas_fit_title(Canvas *canvas, const char *text);

/* Columns are at most .n_columns; all the rest follows from what was set. */
void canvas_grid(Canvas *canvas, guint n_panels);

/* Corners of panel @i. */
double canvas_x_px(const Canvas *canvas, guint i);
double canvas_y_px(const Canvas *canvas, guint i);

/* TRUE when no panel stands below it. */
gboolean canvas_is_lowest(const Canvas *canvas, guint i);

void canvas_text(Canvas *canvas, CanvasText style, double x_px, double y_px,
                 const char *text, guint max_chars);
/* An empty @text is no title. */
void canvas_panel_title(Canvas *canvas, guint i, const char *text);

/* A number that the script knows as @name. */
void canvas_number(Canvas *canvas, const char *name, double value);

/* A row of numbers, and of one with a text behind them when it is not NULL. */
void canvas_row(Canvas *canvas, CanvasFile file, const double *cells, guint n,
                const char *text);
#define CANVAS_ADD(canvas, file, text, ...)                                    \
    canvas_row((canvas), (file), (const double[]){ __VA_ARGS__ },              \
               sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double),       \
               (text))

#endif
