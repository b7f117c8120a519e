# Predicted against measured times, one mark a row; called with
# gnuplot -c fit.gp ROWS.csv TITLE OUT.svg
set terminal svg size 760,560 font 'sans-serif,13' noenhanced background 'white'
set output ARG3
set datafile separator ','
set title ARG2
set logscale xy
stats ARG1 using 5 nooutput
set xrange [STATS_min * 0.8e-6:STATS_max * 1.25e-6]
set yrange [STATS_min * 0.8e-6:STATS_max * 1.25e-6]
set format xy '%.0s %cs'
set xlabel 'measured'
set ylabel 'predicted'
set key outside right top reverse Left
set grid lc rgb '#dddddd'
set size ratio 1
# Cells are in microseconds; the axes are in seconds with prefixes.
part(name, wanted, value) = name eq wanted ? value * 1e-6 : 1/0
plot x lc rgb '#888888' title 'equal', \
     x * 1.2 lc rgb '#888888' dt 2 title '20 % off', \
     x / 1.2 lc rgb '#888888' dt 2 notitle, \
     ARG1 using (part(strcol(4), 'training', column(5))):(column(6) * 1e-6) \
         title 'fitted to' with points pt 6 ps 0.5 lc rgb '#56b4e9', \
     ARG1 using (part(strcol(4), 'held-out', column(5))):(column(6) * 1e-6) \
         title 'held out' with points pt 7 ps 0.5 lc rgb '#d55e00'
