# From tools/pages.cpp and tools/pages_*.cpp to a C++ file: the c++ blocks of the pages of errors, a lambda each.
BEGIN {
    print "#include <burin/burin.h>\n#include <burin/dlpack.h>\n"
    print "#include <cstdio>\n#include <cstdlib>\n#include <fstream>\n"
    print "#include \"programs/c_plus_plus_pages.h\"\n"
    print "using namespace burin;\n"
    print "const std::vector<PageOfCode> pages_of_code{"
}
function close_block() { if (open) print "    }},"; open = 0 }
/c_plus_plus_names = R"\(/ { in_names = 1; sub(/.*R"\(/, "") }
in_names && /^\)";/ { in_names = 0 }
in_names { names = names "        " $0 "\n"; next }
/^== / { close_block(); id = $2; next }
/^-- / {
    close_block()
    instead = $2 == "instead"
    open = $(2 + instead) == "c++"
    if (open) printf "    {\"%s\", %s, [] {\n%s", id, instead ? "true" : "false", names
    next
}
/^\)";/ { close_block() }
open { print "        " $0 }
END { print "};" }
