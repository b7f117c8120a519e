# scaling.gp - points.dat: panel, series, NPUs, value
# Rows of panels alternate: times, then shares.  Panels of a row that is not
# full have no range.

set ytics nomirror
set border 3
set logscale x 2
set xtics nomirror offset 0, 0.4 ()
x_min = size[1]
x_max = size[1]
do for [k = 1:n_sizes] {
    x_min = size[k] < x_min ? size[k] : x_min
    x_max = size[k] > x_max ? size[k] : x_max
}
# One label in 30 pixels at most.
step = 1 + int(n_sizes * 30 / panel_w)
do for [k = 1:n_sizes:step] {
    set xtics add (sprintf('%.0f', size[k]) size[k])
}
set xrange [x_min / 1.2:x_max * 1.2]
do for [i = 1:n_panels] {
    if (y_max[i] == 0) { continue }
    set lmargin at screen at_x(panel_x[i])
    set rmargin at screen at_x(panel_x[i] + panel_w)
    set tmargin at screen at_y(panel_y[i])
    set bmargin at screen at_y(panel_y[i] + panel_h)
    set yrange [y_min[i]:y_max[i]]
    set ytics step_of(1.0 * (y_max[i] - y_min[i]) / floor(panel_h / 30))
    plot for [s = 1:n_series] 'points.dat' \
             using ($1 == i && $2 == s ? $3 : NaN):4 with linespoints \
             linewidth 2 dashtype dash_of(s) pointtype mark_of(s) \
             pointsize 0.8 linecolor rgb colour_of(s)
}
