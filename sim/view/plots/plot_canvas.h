/*
 * plot_canvas.h - layout of a plot, and the files that gnuplot reads
 *
 * A kind of plot sets title, legend, panels and data.  The canvas computes
 * sizes and positions; gnuplot draws axes and scales.  Only numbers become
 * commands of gnuplot.  Texts are untrusted: they are written to data files,
 * without characters that gnuplot would interpret.
 *
 * Units    pixels of the image, from the upper left
 * Order    title, legend, margins, grid, then the other items
 * Owner    the caller owns the canvas
 */
#ifndef SIM_VIEW_PLOTS_PLOT_CANVAS_H
#define SIM_VIEW_PLOTS_PLOT_CANVAS_H

#include <glib.h>

#define CANVAS_WIDTH_PX 800 /* the default of .width_px */
/* A narrower image has no room for names of rows and a panel. */
#define CANVAS_LEAST_WIDTH_PX 320
#define CANVAS_MAX_PANELS     64

typedef enum {
    CANVAS_TITLE,
    CANVAS_SUBTITLE,
    CANVAS_PANEL,  /* heading of a panel, on one line */
    CANVAS_LINES,  /* one line of a heading with several lines */
    CANVAS_GROUP,  /* heading of some rows, aligned left */
    CANVAS_ROW,    /* name of a row, aligned right */
    CANVAS_ENTRY,  /* entry of the legend */
    CANVAS_AXIS,   /* label of an axis or of a category on it, centred */
    CANVAS_TURNED, /* label of a vertical axis */
    CANVAS_N_TEXTS,
} CanvasText;

/* The symbol of an entry of the legend.  The colour follows from the number of
 * the entry. */
typedef enum {
    CANVAS_BOX,
    CANVAS_LINE,
    CANVAS_DASHES, /* a dashed line for a bound */
    CANVAS_TICK,   /* a tick across a bar for a bound */
    CANVAS_DOT,    /* a dot on a bar for a second value */
} CanvasSymbol;

typedef enum {
    CANVAS_TEXTS,
    CANVAS_LEGEND,
    CANVAS_POINTS,
    CANVAS_MARKS, /* the points of a second kind */
    /* Shapes of charts in pixels of the image, see canvas_add_stroke(). */
    CANVAS_BOXES,
    CANVAS_STROKES,
    CANVAS_DOTS,
    CANVAS_LABELS,
    CANVAS_N_FILES,
} CanvasFile;

typedef struct {
    /* Width of the image.  It is set before anything else; the number of
     * columns follows from it in charts, but not in other plots. */
    guint width_px;
    /* The kind of plot sets these margins before it places the grid. */
    guint left_px, right_px, bottom_px; /* margins outside the panels */
    guint gap_x_px, gap_y_px;           /* gaps between panels */
    guint n_columns, panel_h_px;
    guint n_title_lines; /* number of lines of the heading of a panel */
    /* The canvas itself maintains these numbers. */
    guint top_px, height_px, n_panels, n_rows, n_entries;
    guint n_texts[CANVAS_N_TEXTS];  /* number of texts of each style */
    guint n_shapes[CANVAS_N_FILES]; /* rows of each file of shapes */
    double panel_w_px, legend_x_px;
    GString *numbers;               /* owned: commands of gnuplot */
    GString *files[CANVAS_N_FILES]; /* owned */
} Canvas;

extern const char *const canvas_file_names[CANVAS_N_FILES];

void canvas_init(Canvas *canvas);
void canvas_clear(Canvas *canvas);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Canvas, canvas_clear)

/* Returns @text for a data file: valid, printable, without quotes, and with the
 * middle left out if it is longer than @max_chars.  The caller owns it. */
char *canvas_clean_text(const char *text, guint max_chars);

/* Returns the approximate width of the text. */
guint canvas_text_width_px(const char *text, guint font_px);

void canvas_set_title(Canvas *canvas, const char *title, const char *subtitle);
void canvas_add_legend_entry(Canvas *canvas, CanvasSymbol symbol,
                             const char *name);

/* Gives all headings a second line if @text needs it.  Must precede the
 * grid. */
void canvas_fit_panel_title(Canvas *canvas, const char *text);

/* Places the panels, in at most .n_columns columns; all sizes follow from the
 * settings. */
void canvas_place_panels(Canvas *canvas, guint n_panels);

/* These functions return the coordinates of the upper left corner of panel
 * @i. */
double canvas_panel_x_px(const Canvas *canvas, guint i);
double canvas_panel_y_px(const Canvas *canvas, guint i);

void canvas_add_text(Canvas *canvas, CanvasText style, double x_px, double y_px,
                     const char *text, guint max_chars);
/* Writes the heading of a panel; an empty @text is no heading. */
void canvas_add_panel_title(Canvas *canvas, guint i, const char *text);

/* Sets the variable @name of the script. */
void canvas_set_variable(Canvas *canvas, const char *name, double value);

/* These functions add shapes in pixels of the image, drawn in the order boxes,
 * strokes, dots, labels.  A colour is 0xRRGGBB. */
void canvas_add_box(Canvas *canvas, double x1_px, double y1_px, double x2_px,
                    double y2_px, guint32 colour);
/* @width_px is 1 to 4. */
void canvas_add_stroke(Canvas *canvas, double x1_px, double y1_px, double x2_px,
                       double y2_px, guint width_px, guint32 colour);
void canvas_add_dot(Canvas *canvas, double x_px, double y_px, double size_px,
                    gboolean is_hollow, guint32 colour);
typedef enum { CANVAS_LEFT, CANVAS_RIGHT, CANVAS_CENTRED } CanvasAlignment;
void canvas_add_label(Canvas *canvas, double x_px, double y_px,
                      CanvasAlignment alignment, guint32 colour,
                      const char *text, guint max_chars);

/* Appends a row of numbers, followed by @text unless it is NULL. */
void canvas_append_row(Canvas *canvas, CanvasFile file, const double *cells,
                       guint n, const char *text);
#define CANVAS_ADD(canvas, file, text, ...)                                    \
    canvas_append_row(                                                         \
        (canvas), (file), (const double[]){ __VA_ARGS__ },                     \
        sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double), (text))

#endif
