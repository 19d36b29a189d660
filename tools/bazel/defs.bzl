"""The rules of every C++ target here: all warnings are errors, visibility is private, tests are small."""

KT_COPTS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wnon-virtual-dtor",
    "-Woverloaded-virtual",
    "-Wno-missing-field-initializers",  # designated initialisers leave defaults out on purpose
]

# Only archives: a shared library, which nothing here links, would compile every file a second time.
def kt_cc_library(name, copts = [], **kwargs):
    native.cc_library(name = name, copts = KT_COPTS + copts, linkstatic = True, **kwargs)

def kt_cc_binary(name, copts = [], **kwargs):
    native.cc_binary(name = name, copts = KT_COPTS + copts, **kwargs)

def kt_cc_test(name, copts = [], size = "small", deps = [], **kwargs):
    native.cc_test(name = name, copts = KT_COPTS + copts, size = size, deps = deps + ["@system//:gtest_main"], **kwargs)
