# Panels of lines with bands; called with gnuplot -c grids.gp PAPER-GRID.grid PLOT.svg
# The file is a script that sets the names `panels` and `series`, the words `quantity`
# and `position`, and $data with an index for each panel and series, whose columns
# are position, value, least and most.
set encoding utf8
load ARG1
columns = 3
lines = (|panels| + columns - 1) / columns
set terminal svg size 900, 60 + 230 * lines font 'sans-serif,12' noenhanced background 'white'
set output ARG2
array colours[6] = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9']
set multiplot layout lines, columns
set border 3
set tics nomirror scale 0.5
set logscale x 2
set xlabel position
set ylabel quantity
set yrange [0:*]
set style fill transparent solid 0.2 noborder
do for [p = 1:|panels|] {
    set title panels[p]
    if (p == 1) { set key top left Left reverse samplen 1 } else { unset key }
    plot for [s = 1:|series|] $data index (p - 1) * |series| + s - 1 using 1:3:4 \
             with filledcurves lc rgb colours[s] notitle, \
         for [s = 1:|series|] $data index (p - 1) * |series| + s - 1 using 1:2 \
             with linespoints pt 7 ps 0.4 lw 2 lc rgb colours[s] title series[s]
}
unset multiplot
