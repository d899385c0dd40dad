# From a page to a program: its ```cpp blocks, the first one outside main, each other one a scope in it.
/^```cpp$/ { inside = 1; if (blocks++ == 1) print "int main() {"; if (blocks > 1) print "{"; next }
/^```$/ { if (inside && blocks > 1) print "}"; inside = 0; next }
inside
END { print "}" }
