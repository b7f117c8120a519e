# sram_fsm.gp - points.dat: panel, column, row, value, 1 when light, text

# Cividis, which grows lighter evenly for everybody.
set palette defined (0 '#00204c', 1 '#213d6b', 2 '#555b6c', 3 '#7b7a77', \
                     4 '#a59c74', 5 '#d3c064', 6 '#ffe945')
set cbrange [value_min:value_max]
set colorbox user horizontal origin at_x(panel_x[1]), at_y(scale_y + 10) \
    size at_x(260), 10.0 / height
set cbtics scale 0.5 font ',10' offset 0, 0.5 textcolor rgb soft \
    step_of((value_max - value_min) / 5.0)
set xrange [-0.5:n_x - 0.5]
set yrange [-0.5:n_y - 0.5]
unset xtics
unset ytics
unset grid
unset border
do for [i = 1:n_panels] {
    set lmargin at screen at_x(panel_x[i])
    set rmargin at screen at_x(panel_x[i] + panel_w)
    set tmargin at screen at_y(panel_y[i])
    set bmargin at screen at_y(panel_y[i] + panel_h)
    plot 'points.dat' using ($1 == i ? $2 : NaN):3:($2 - 0.48):($2 + 0.48): \
             ($3 - 0.47):($3 + 0.47):4 with boxxyerror fill solid 1 noborder \
             linecolor palette, \
         '' using ($1 == i ? $2 : NaN):3:(strcol(6)): \
             ($5 == 1 ? 0x000000 : 0xffffff) with labels font ',10' \
             textcolor rgb variable
    unset colorbox
}
