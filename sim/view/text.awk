# Makes a C file of a text, FOLDER/a-b.gp: const char text_a_b_gp[], so that
# the program finds it wherever it was moved to.  Lines of scripts of a page lose
# their indentation, which would be sent for nothing.

NR == 1 {
    name = FILENAME
    sub(/.*\//, "", name)
    gsub(/[^A-Za-z0-9]/, "_", name)
    print "extern const char text_" name "[];"
    print "const char text_" name "[] ="
}
FILENAME ~ /\.js$/ { sub(/^ +/, "") }
{
    gsub(/[\\"]/, "\\\\&")
    print "\"" $0 "\\n\""
}
END { print ";" }
