# sensitivity.gp - points.dat: row, least, largest, text of both

entry_colour(i) = i == 1 ? colour[4] : colour[3]
set yrange [n_rows:0]
unset ytics
set grid noytics xtics
set border 1
set lmargin at screen at_x(panel_x[1])
set rmargin at screen at_x(panel_x[1] + panel_w)
set tmargin at screen at_y(panel_y[1])
set bmargin at screen at_y(panel_y[1] + panel_h)
# Room for the numbers at the right.
x_top = x_min + (x_max - x_min) * (1 + 92.0 / (panel_w - 92))
set xrange [x_min:x_top]
step = tic_step(x_max - x_min)
set xtics nomirror offset 0, 0.4 format '%.4g' \
    step * ceil(x_min / step), step, x_max
set arrow 1 from base, graph 0 to base, graph 1 nohead linewidth 1.5 \
    linecolor rgb ink
if (even > 0) set arrow 2 from 1, graph 0 to 1, graph 1 nohead dashtype 2 \
    linecolor rgb soft
below(x) = x < base ? x : base
above(x) = x > base ? x : base
plot 'points.dat' using (below($2)):1:(below($2)):(below($3)): \
         ($1 - 0.36):($1 + 0.36) with boxxyerror fill solid 1 noborder \
         linecolor rgb colour[4], \
     '' using (above($3)):1:(above($2)):(above($3)): \
         ($1 - 0.36):($1 + 0.36) with boxxyerror fill solid 1 noborder \
         linecolor rgb colour[3], \
     '' using (x_top):1:(strcol(4)) with labels right font ',10' \
         textcolor rgb ink
