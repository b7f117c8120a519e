# speedup.gp - points.dat: panel, row, speedup, ceiling or 0, speedup over the
# best that could be built or 0, text of the speedups

entry_colour(i) = i == 1 ? colour[3] : colour[4]
set yrange [n_rows:0]
unset ytics
set grid noytics xtics
set border 1
# Room for the numbers at the right.
x_top = x_min + (x_max - x_min) * (1 + text_w / (panel_w - text_w))
set xrange [x_min:x_top]
step = tic_step(x_max - x_min)
set xtics nomirror offset 0, 0.4 format '%.4g' \
    step * ceil(x_min / step), step, x_max
set arrow 1 from 1, graph 0 to 1, graph 1 nohead linecolor rgb soft
do for [i = 1:n_panels] {
    set lmargin at screen at_x(panel_x[i])
    set rmargin at screen at_x(panel_x[i] + panel_w)
    set tmargin at screen at_y(panel_y[i])
    set bmargin at screen at_y(panel_y[i] + panel_h)
    plot 'points.dat' using (1):($1 == i && $3 >= costs ? $2 : NaN):(1):3: \
             ($2 - 0.36):($2 + 0.36) with boxxyerror fill solid 1 noborder \
             linecolor rgb colour[3], \
         '' using (1):($1 == i && $3 < costs ? $2 : NaN):3:(1): \
             ($2 - 0.36):($2 + 0.36) with boxxyerror fill solid 1 noborder \
             linecolor rgb colour[4], \
         '' using ($4 > 0 ? $4 : NaN):($1 == i ? $2 - 0.45 : NaN):(0):(0.9) \
             with vectors nohead linewidth 2 linecolor rgb ink, \
         '' using ($5 > 0 ? $5 : NaN):($1 == i ? $2 : NaN) with points \
             pointtype 7 pointsize 0.7 linecolor rgb ink, \
         '' using (x_top):($1 == i ? $2 : NaN):(strcol(6)) with labels right \
             font ',10' textcolor rgb ink
}
