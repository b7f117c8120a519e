/* plot_canvas.c - layout of a plot; see plot_canvas.h */
#include "sim/view/plots/plot_canvas.h"

#include <math.h>
#include <string.h>

#define MARGIN_PX        14
#define TITLE_PX         16 /* font sizes, as in plots/common.gp */
#define TEXT_PX          12
#define ENTRY_PX         12
#define TITLE_ROOM_PX    26
#define SUBTITLE_ROOM_PX 20
#define ENTRY_ROOM_PX    20
#define PANEL_ROOM_PX    22 /* height of the heading of a panel */
#define SYMBOL_PX        24
/* Height of a line of a heading with several lines. */
#define LINE_PX 14
#define EM      0.59 /* mean width of the letters of DejaVu Sans */
#define BOLD_EM 0.67

const char *const canvas_file_names[CANVAS_N_FILES] = {
    [CANVAS_TEXTS] = "texts.dat",   [CANVAS_LEGEND] = "legend.dat",
    [CANVAS_POINTS] = "points.dat", [CANVAS_MARKS] = "marks.dat",
    [CANVAS_BOXES] = "boxes.dat",   [CANVAS_STROKES] = "strokes.dat",
    [CANVAS_DOTS] = "dots.dat",     [CANVAS_LABELS] = "labels.dat",
};

void canvas_init(Canvas *canvas)
{
    *canvas = (Canvas){ .width_px = CANVAS_WIDTH_PX,
                        .left_px = 60,
                        .right_px = MARGIN_PX,
                        .bottom_px = 48,
                        .gap_x_px = 24,
                        .gap_y_px = 40,
                        .n_columns = 3,
                        .panel_h_px = 200,
                        .n_title_lines = 1,
                        .top_px = MARGIN_PX,
                        .legend_x_px = MARGIN_PX };
    canvas->numbers = g_string_new(NULL);
    for (CanvasFile file = 0; file < CANVAS_N_FILES; file++)
        canvas->files[file] = g_string_new(NULL);
}

void canvas_clear(Canvas *canvas)
{
    if (canvas->numbers)
        g_string_free(canvas->numbers, TRUE);
    canvas->numbers = NULL;
    for (CanvasFile file = 0; file < CANVAS_N_FILES; file++) {
        if (canvas->files[file])
            g_string_free(canvas->files[file], TRUE);
        canvas->files[file] = NULL;
    }
}

/* ---- adding titles and other texts --------------------------------------- */

/* Returns whether DejaVu Sans has the character; gnuplot draws missing ones
 * huge. */
static gboolean can_font_draw_char(gunichar c)
{
    return g_unichar_isdefined(c) && (c < 0x590 || (c >= 0x1e00 && c < 0x2c00));
}

static void append_printable_char(GString *out, gunichar c)
{
    GUnicodeType type = g_unichar_type(c);

    /* Format characters would reverse or hide the text around them. */
    if (type == G_UNICODE_FORMAT)
        return;
    if (c == '"') /* delimits a field */
        c = 0x2033;
    else if (c == '\\') /* gnuplot makes a line break of \n */
        c = 0x2216;
    else if (type == G_UNICODE_CONTROL || g_unichar_isspace(c))
        c = ' ';
    else if (!can_font_draw_char(c))
        c = 0x25a1;
    g_string_append_unichar(out, c);
}

char *canvas_clean_text(const char *text, guint max_chars)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    glong n = g_utf8_strlen(valid, -1);
    glong keep = (glong)MAX(max_chars, 3) - 1;
    GString *out = g_string_new(NULL);
    glong i = 0;

    for (const char *p = valid; *p != '\0'; p = g_utf8_next_char(p), i++) {
        gboolean left_out =
            n > keep + 1 && i >= keep - keep / 2 && i < n - keep / 2;

        if (!left_out)
            append_printable_char(out, g_utf8_get_char(p));
        else if (i == keep - keep / 2)
            g_string_append(out, "…");
    }
    if (out->len == 0)
        g_string_append_c(out, '-');
    return g_string_free(out, FALSE);
}

guint canvas_text_width_px(const char *text, guint font_px)
{
    double n_ems = 0;

    for (const char *p = text; *p != '\0'; p = g_utf8_next_char(p))
        n_ems += g_unichar_iswide(g_utf8_get_char(p)) ? 1 : EM;
    return (guint)ceil(n_ems * font_px);
}

void canvas_add_text(Canvas *canvas, CanvasText style, double x_px, double y_px,
                     const char *text, guint max_chars)
{
    g_autofree char *clean = canvas_clean_text(text, max_chars);

    canvas->n_texts[style]++;
    CANVAS_ADD(canvas, CANVAS_TEXTS, clean, (double)style, x_px, y_px);
}

/* Returns the number of bytes of @text for a line of @max_chars: up to a comma,
 * or all. */
static gsize bytes_of_title_line(const char *text, guint max_chars)
{
    gsize n_bytes = 0;
    guint n_chars = 0;

    for (const char *p = text; *p != '\0'; p = g_utf8_next_char(p)) {
        if (n_chars++ >= max_chars)
            return n_bytes > 0 ? n_bytes : strlen(text);
        if (p[0] == ',' && p[1] == ' ')
            n_bytes = (gsize)(p - text) + 1;
    }
    return strlen(text);
}

static guint max_title_chars(const Canvas *canvas, double em_px)
{
    return (guint)(canvas->panel_w_px / em_px) + 1;
}

/* A heading with several lines extends above the panel. */
void canvas_add_panel_title(Canvas *canvas, guint i, const char *text)
{
    double bottom_px = canvas_panel_y_px(canvas, i) - 10;
    guint n_lines = canvas->n_title_lines;
    guint max_chars = max_title_chars(canvas, 11 * EM);

    if (*text == '\0')
        return;
    if (n_lines == 1) {
        canvas_add_text(canvas, CANVAS_PANEL, canvas_panel_x_px(canvas, i),
                        bottom_px, text,
                        max_title_chars(canvas, TEXT_PX * BOLD_EM));
        return;
    }
    if (g_utf8_strlen(text, -1) <= max_chars)
        n_lines = 1;
    for (guint k = n_lines; k > 0 && *text != '\0'; k--) {
        gsize n_bytes =
            k > 1 ? bytes_of_title_line(text, max_chars) : strlen(text);
        g_autofree char *line = g_strndup(text, n_bytes);

        canvas_add_text(canvas, CANVAS_LINES, canvas_panel_x_px(canvas, i),
                        bottom_px - (k - 1) * LINE_PX, g_strstrip(line),
                        max_chars);
        text += n_bytes;
    }
}

/* Returns the width of a panel if there are @n_columns. */
static double canvas_panel_width_px(const Canvas *canvas, guint n_columns)
{
    guint inner_px = canvas->width_px - canvas->left_px - canvas->right_px;

    return (inner_px - (double)((n_columns - 1) * canvas->gap_x_px)) /
           n_columns;
}

void canvas_fit_panel_title(Canvas *canvas, const char *text)
{
    double w_px = canvas_text_width_px(text, TEXT_PX) * BOLD_EM / EM;

    if (strstr(text, ", ") &&
        w_px > canvas_panel_width_px(canvas, canvas->n_columns))
        canvas->n_title_lines = 2;
}

/* Writes @text from the left margin, divided at spaces into lines of at most
 * @max_chars, each @line_px high; the first is centred @middle_px below the
 * top. A word that is too long loses its middle. */
static void add_wrapped_text(Canvas *canvas, CanvasText style, const char *text,
                             guint max_chars, guint middle_px, guint line_px)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    g_autoptr(GString) line = g_string_new(NULL);

    for (guint i = 0; words[i]; i++) {
        if (line->len > 0)
            g_string_append_c(line, ' ');
        g_string_append(line, words[i]);
        if (words[i + 1] && g_utf8_strlen(line->str, -1) + 1 +
                                    g_utf8_strlen(words[i + 1], -1) <=
                                (glong)max_chars)
            continue;
        canvas_add_text(canvas, style, MARGIN_PX, canvas->top_px + middle_px,
                        line->str, max_chars);
        canvas->top_px += line_px;
        g_string_truncate(line, 0);
    }
}

void canvas_set_title(Canvas *canvas, const char *title, const char *subtitle)
{
    guint max_chars = (guint)((canvas->width_px - 2 * MARGIN_PX) / EM);

    add_wrapped_text(canvas, CANVAS_TITLE, title, max_chars / TITLE_PX, 8,
                     TITLE_ROOM_PX);
    if (subtitle)
        add_wrapped_text(canvas, CANVAS_SUBTITLE, subtitle, max_chars / TEXT_PX,
                         4, SUBTITLE_ROOM_PX);
}

void canvas_add_legend_entry(Canvas *canvas, CanvasSymbol symbol,
                             const char *name)
{
    g_autofree char *clean = canvas_clean_text(name, 60);
    guint w_px = SYMBOL_PX + 8 + canvas_text_width_px(clean, ENTRY_PX) + 16;
    double y_px;

    if (canvas->n_entries == 0)
        canvas->top_px += ENTRY_ROOM_PX;
    if (canvas->legend_x_px > MARGIN_PX &&
        canvas->legend_x_px + w_px > canvas->width_px) {
        canvas->legend_x_px = MARGIN_PX;
        canvas->top_px += ENTRY_ROOM_PX;
    }
    y_px = canvas->top_px - ENTRY_ROOM_PX / 2;
    CANVAS_ADD(canvas, CANVAS_LEGEND, NULL, (double)symbol,
               (double)canvas->n_entries, canvas->legend_x_px, y_px);
    canvas_add_text(canvas, CANVAS_ENTRY, canvas->legend_x_px + SYMBOL_PX + 6,
                    y_px, clean, 60);
    canvas->legend_x_px += w_px;
    canvas->n_entries++;
}

/* ---- placing the panels -------------------------------------------------- */

static guint panel_heading_height_px(const Canvas *canvas)
{
    return PANEL_ROOM_PX + (canvas->n_title_lines - 1) * LINE_PX;
}

double canvas_panel_x_px(const Canvas *canvas, guint i)
{
    return canvas->left_px +
           (i % canvas->n_columns) * (canvas->panel_w_px + canvas->gap_x_px);
}

double canvas_panel_y_px(const Canvas *canvas, guint i)
{
    guint row = i / canvas->n_columns;

    return canvas->top_px + panel_heading_height_px(canvas) +
           row * (canvas->panel_h_px + canvas->gap_y_px +
                  panel_heading_height_px(canvas));
}

void canvas_place_panels(Canvas *canvas, guint n_panels)
{
    canvas->n_panels = n_panels;
    canvas->n_columns = MAX(MIN(canvas->n_columns, n_panels), 1);
    canvas->n_rows = (n_panels + canvas->n_columns - 1) / canvas->n_columns;
    canvas->panel_w_px = canvas_panel_width_px(canvas, canvas->n_columns);
    canvas->top_px += 6;
    canvas->height_px =
        canvas->top_px +
        canvas->n_rows *
            (canvas->panel_h_px + panel_heading_height_px(canvas)) +
        (canvas->n_rows - 1) * canvas->gap_y_px + canvas->bottom_px;
    canvas_set_variable(canvas, "width", canvas->width_px);
    canvas_set_variable(canvas, "height", canvas->height_px);
    canvas_set_variable(canvas, "n_panels", n_panels);
    canvas_set_variable(canvas, "n_entries", canvas->n_entries);
    canvas_set_variable(canvas, "panel_w", canvas->panel_w_px);
    canvas_set_variable(canvas, "panel_h", canvas->panel_h_px);
    g_string_append_printf(canvas->numbers, "array panel_x[%u]\n", n_panels);
    g_string_append_printf(canvas->numbers, "array panel_y[%u]\n", n_panels);
    for (guint i = 0; i < n_panels; i++) {
        g_autofree char *x = g_strdup_printf("panel_x[%u]", i + 1);
        g_autofree char *y = g_strdup_printf("panel_y[%u]", i + 1);

        canvas_set_variable(canvas, x, canvas_panel_x_px(canvas, i));
        canvas_set_variable(canvas, y, canvas_panel_y_px(canvas, i));
    }
}

/* ---- writing the data files of gnuplot ----------------------------------- */

static void append_canvas_number(GString *out, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append(out, g_ascii_formatd(text, sizeof text, "%.9g", value));
}

void canvas_set_variable(Canvas *canvas, const char *name, double value)
{
    g_string_append_printf(canvas->numbers, "%s = ", name);
    append_canvas_number(canvas->numbers, value);
    g_string_append(canvas->numbers, "\n");
}

void canvas_append_row(Canvas *canvas, CanvasFile file, const double *cells,
                       guint n, const char *text)
{
    GString *out = canvas->files[file];

    for (guint i = 0; i < n; i++) {
        g_string_append(out, i > 0 ? "\t" : "");
        append_canvas_number(out, cells[i]);
    }
    if (text)
        g_string_append_printf(out, "\t%s", text);
    g_string_append_c(out, '\n');
}

/* ---- shapes in pixels ---------------------------------------------------- */

void canvas_add_box(Canvas *canvas, double x1_px, double y1_px, double x2_px,
                    double y2_px, guint32 colour)
{
    canvas->n_shapes[CANVAS_BOXES]++;
    CANVAS_ADD(canvas, CANVAS_BOXES, NULL, x1_px, y1_px, x2_px, y2_px,
               (double)colour);
}

void canvas_add_stroke(Canvas *canvas, double x1_px, double y1_px, double x2_px,
                       double y2_px, guint width_px, guint32 colour)
{
    canvas->n_shapes[CANVAS_STROKES]++;
    CANVAS_ADD(canvas, CANVAS_STROKES, NULL, x1_px, y1_px, x2_px, y2_px,
               (double)colour, (double)width_px);
}

void canvas_add_dot(Canvas *canvas, double x_px, double y_px, double size_px,
                    gboolean is_hollow, guint32 colour)
{
    canvas->n_shapes[CANVAS_DOTS]++;
    CANVAS_ADD(canvas, CANVAS_DOTS, NULL, x_px, y_px, size_px,
               is_hollow ? 1.0 : 0.0, (double)colour);
}

void canvas_add_label(Canvas *canvas, double x_px, double y_px,
                      CanvasAlignment alignment, guint32 colour,
                      const char *text, guint max_chars)
{
    g_autofree char *clean = canvas_clean_text(text, max_chars);

    canvas->n_shapes[CANVAS_LABELS]++;
    CANVAS_ADD(canvas, CANVAS_LABELS, clean, x_px, y_px, (double)alignment,
               (double)colour);
}
