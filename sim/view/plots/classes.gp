# classes.gp - points.dat: panel, row, speedup, 1 (rings fit) or 2, simulated or
# 0, text

set yrange [n_rows:0]
unset ytics
set grid noytics xtics
set border 1
# Room for the numbers at the right.
x_top = x_max * (1 + 40.0 / (panel_w - 40))
set xrange [0:x_top]
step = tic_step(x_max)
set xtics nomirror offset 0, 0.4 format '%.4g' 0, step, x_max
do for [i = 1:n_panels] {
    set lmargin at screen at_x(panel_x[i])
    set rmargin at screen at_x(panel_x[i] + panel_w)
    set tmargin at screen at_y(panel_y[i])
    set bmargin at screen at_y(panel_y[i] + panel_h)
    set arrow 1 from 1, graph 0 to 1, graph 1 nohead linecolor rgb soft
    set arrow 2 from mean[i], graph 0 to mean[i], graph 1 nohead front \
        linewidth 1.5 dashtype 3 linecolor rgb soft
    plot for [k = 1:2] 'points.dat' \
             using (0):($1 == i && $4 == k ? $2 : NaN):(0):3: \
             ($2 - 0.36):($2 + 0.36) with boxxyerror fill solid 1 noborder \
             linecolor rgb colour_of(k), \
         '' using ($5 > 0 ? $5 : NaN):($1 == i ? $2 : NaN) with points \
             pointtype 7 pointsize 0.7 linecolor rgb ink, \
         '' using (x_top):($1 == i ? $2 : NaN):(strcol(6)) with labels right \
             font ',10' textcolor rgb ink
}
