# Simulated over measured time of each row of training systems; called with
# gnuplot -c systems.gp systems.csv systems.svg
# Columns: table, row (quoted, with commas), use, measured, simulated, error.
set encoding utf8
set datafile separator ','
set terminal svg size 420,330 font 'sans-serif,13' noenhanced background 'white'
set output ARG2
# dpro: all tables of that paper
tables = 'ddl-resnet50 horovod2017-16 bcaffe dpro v100-overlap'
colours = '#0072b2 #d55e00 #009e73 #cc79a7 #999999'
set logscale x
set xlabel 'measured'
set ylabel 'simulated / measured' offset 1
set xtics ('100 ms' 100, '300' 300, '1 s' 1000, '3 s' 3000, '10 s' 10000)
set xrange [92:20000]
set yrange [0.65:1.35]
set grid lc rgb '#dddddd'
set border 3
set tics nomirror
set label '15 %' at 19000, 1.17 right
set key bottom right reverse Left samplen 1
is(table, name) = name eq table || name[1:strlen(table) + 1] eq table.'-'
of(table, use, ms) = is(table, strcol(1)) && strcol(3) eq use ? ms : NaN
plot 1 with lines lc rgb '#888888' notitle, \
     1.15 with lines dt 2 lc rgb '#888888' notitle, \
     0.85 with lines dt 2 lc rgb '#888888' notitle, \
     for [i = 5:1:-1] ARG1 every ::1 \
         using (of(word(tables, i), 'held', column(4))):(column(5) / column(4)) \
         with points pt 7 ps 0.5 lc rgb word(colours, i) title word(tables, i), \
     for [i = 1:5] ARG1 every ::1 \
         using (of(word(tables, i), 'fitted', column(4))):(column(5) / column(4)) \
         with points pt 6 ps 0.7 lc rgb word(colours, i) notitle
