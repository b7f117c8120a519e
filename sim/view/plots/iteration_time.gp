# iteration_time.gp - points.dat: panel, row, compute, all, text of all

entry_colour(i) = i == 1 ? colour[1] : colour[2]
set yrange [n_rows:0]
unset ytics
set grid noytics xtics
set border 1
do for [i = 1:n_panels] {
    set lmargin at screen at_x(panel_x[i])
    set rmargin at screen at_x(panel_x[i] + panel_w)
    set tmargin at screen at_y(panel_y[i])
    set bmargin at screen at_y(panel_y[i] + panel_h)
    # Room for the number behind the longest bar.
    set xrange [0:x_max[i] * (1 + 44.0 / (panel_w - 44))]
    set xtics nomirror tic_step(x_max[i]) offset 0, 0.4
    plot 'points.dat' using (0):($1 == i ? $2 : NaN):(0):3:($2 - 0.36): \
             ($2 + 0.36) with boxxyerror fill solid 1 noborder \
             linecolor rgb colour[1], \
         '' using 3:($1 == i ? $2 : NaN):3:4:($2 - 0.36):($2 + 0.36) \
             with boxxyerror fill solid 1 noborder linecolor rgb colour[2], \
         '' using 4:($1 == i ? $2 : NaN):(strcol(5)) with labels left \
             offset 0.3, 0 font ',10' textcolor rgb ink
}
