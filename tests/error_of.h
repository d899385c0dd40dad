// error_of.h - the Error that f() throws; the test case fails if it throws none.
#pragma once
#include <burin/error.h>
#include <doctest/doctest.h>

template <class F>
burin::Error error_of(F f) {
    try {
        f();
    } catch (const burin::Error& e) {
        return e;
    }
    FAIL("no Error was thrown");
    return burin::Error(burin::ErrorKind::Internal, "", "");
}
