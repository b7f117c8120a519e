# utilisation.gp - points.dat: panel, time, SMs that compute, those and the ones
# that drive communication; marks.dat: panel, time, links.  In per cent; a panel
# without a range has no run.

colour[1] = '#9ecae9'
colour[2] = '#f0c36d'
colour[3] = '#c8430a'
mark[3] = 0

set ytics nomirror 50
set xtics nomirror offset 0, 0.4
set border 3
set yrange [0:100]
do for [i = 1:n_panels] {
    if (x_max[i] == 0) { continue }
    set lmargin at screen at_x(panel_x[i])
    set rmargin at screen at_x(panel_x[i] + panel_w)
    set tmargin at screen at_y(panel_y[i])
    set bmargin at screen at_y(panel_y[i] + panel_h)
    set xrange [0:x_max[i]]
    set xtics tic_step(x_max[i])
    plot 'points.dat' using ($1 == i ? $2 : NaN):4 with filledcurves \
             y1=0 linecolor rgb colour_of(2), \
         '' using ($1 == i ? $2 : NaN):3 with filledcurves y1=0 \
             linecolor rgb colour_of(1), \
         'marks.dat' using ($1 == i ? $2 : NaN):3 with lines \
             linewidth 1.2 linecolor rgb colour_of(3)
}
