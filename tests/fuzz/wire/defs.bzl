"""Fuzz targets: libFuzzer programs that only --config=fuzz builds."""

load("//tools/bazel:defs.bzl", "kt_cc_binary")

def kt_fuzz_target(name, srcs, deps, **kwargs):
    kt_cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = deps,
        **kwargs
    )

def kt_message_fuzz_targets(messages):
    """One target for each message of the codec, named fuzz_<Message>."""
    for message in messages:
        kt_fuzz_target(
            name = "fuzz_" + message,
            srcs = ["message_fuzz.cc"],
            local_defines = ["KT_FUZZ_MESSAGE=" + message],
            deps = [
                "//core/wire:codec",
                "//core/wire:gather_bytes",
                "//core/wire:messages",
                "@system//:absl_status",
            ],
        )
