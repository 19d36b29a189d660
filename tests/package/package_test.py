"""The package as a stranger meets it: installed, and built against with plain tools. See run.sh."""

import functools
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from harness import ROOT, Cluster, check, main, run

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ("libktrial0", "libktrial-testing0", "libktrial-dev", "ktrial")
WORK = tempfile.mkdtemp(prefix="ktrial-package-")
JOBS = str(os.cpu_count() or 2)
IS_ROOT = os.geteuid() == 0


def made(pattern):
    found = glob.glob(os.path.join(ROOT, "out", "package", pattern))
    check(len(found) == 1, f"out/package has {len(found)} files {pattern}")
    return found[0]


def work(name):
    folder = os.path.join(WORK, name)
    os.makedirs(folder, exist_ok=True)
    return folder


def prefix():
    """The archive, unpacked where nobody expected it. A path with a space finds what is not quoted."""
    folder = os.path.join(WORK, "another prefix")
    if not os.path.exists(folder):
        unpacked = work("unpacked")
        run(["tar", "-C", unpacked, "-xf", made("*.tar.gz")])
        os.rename(os.path.join(unpacked, os.listdir(unpacked)[0]), folder)
    return folder


@functools.cache
def install():
    """The Debian packages; by anyone but root only into another prefix."""
    if IS_ROOT:
        run(["apt-get", "install", "-y", "-qq", "-o", "DPkg::Lock::Timeout=120", "--no-install-recommends", "--allow-downgrades", "--reinstall",
             *(made(f"{package}_*.deb") for package in PACKAGES)], env={"DEBIAN_FRONTEND": "noninteractive"})


def cmake_options():
    install()
    return [] if IS_ROOT else [f"-DCMAKE_PREFIX_PATH={prefix()}"]


def configure(name, *options, source=HERE, check_status=True):
    return run(["cmake", "-S", source, "-B", os.path.join(WORK, name), *options], check_status=check_status)


@functools.cache
def build_and_test(name, *options):
    configure(name, *options)
    run(["cmake", "--build", os.path.join(WORK, name), "-j", JOBS], timeout=600)
    run(["ctest", "--test-dir", os.path.join(WORK, name), "--output-on-failure"])


def project(name, body):
    """A project of a few lines of CMake around one file; what CMake says of it."""
    folder = work(name)
    shutil.copy(os.path.join(HERE, "one_file.cc"), folder)
    with open(os.path.join(folder, "CMakeLists.txt"), "w", encoding="utf-8") as file:
        file.write(f"cmake_minimum_required(VERSION 3.19)\nproject({name} LANGUAGES CXX)\n{body}\n")
    result = configure(name + "-build", *cmake_options(), source=folder, check_status=False)
    return result.returncode, " ".join((result.stdout + result.stderr).decode().split())


def includes():
    return os.path.join(prefix(), "include")


def compile_text(text, *options):
    return run(["g++", "-fsyntax-only", "-x", "c++", f"-I{includes()}", *options, "-"], stdin=text.encode(), check_status=False)


# --- What is in it ---


def the_debian_packages_install():
    install()
    for package in PACKAGES:
        run(["dpkg", "--verify", package])


def lintian_finds_nothing():
    result = run(["lintian", "--fail-on", "error,warning", "--allow-root", *(made(f"{package}_*.deb") for package in PACKAGES)],
                 timeout=600, check_status=False)
    check(result.returncode == 0, (result.stdout + result.stderr).decode())


def every_header_compiles_alone_and_without_warnings():
    headers = sorted(os.path.relpath(os.path.join(folder, name), includes())
                     for folder, _, names in os.walk(includes()) for name in names)
    check(len(headers) > 40, f"only {len(headers)} headers are installed")
    makefile = "".join(f'all: {number}\n{number}:\n\t@echo \'#include "{header}"\' | $(COMPILE)\n' for number, header in enumerate(headers))
    compile_command = f"g++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror -x c++ '-I{includes()}' -"
    run(["make", "-j", JOBS, "-f", "-", f"COMPILE={compile_command}"], stdin=makefile.encode(), timeout=600)


def only_the_api_is_exported():
    library = os.path.join(prefix(), "lib", "libktrial.so.0")
    lines = run(["nm", "-D", "--defined-only", "--with-symbol-versions", library]).stdout.decode().split("\n")
    named = {line.split()[-1].split("@")[0]: line.split("@")[-1] for line in lines if "@" in line}
    foreign = [name for name in named if name.startswith("_Z") and not re.match(r"_Z(T[VTIS]|Th\w*?_|GV)?N[rVK]*[RO]?6ktrial", name)]
    check(not foreign, f"exported, but not ours: {foreign[:5]}")
    check(any(name.startswith("_ZN6ktrial8Producer6Create") for name in named), "Producer::Create is not exported")
    internal = [name for name, node in named.items() if node == "KTRIAL_0" and re.match(r"_ZNK?6ktrial(6Sender|8Producer4Impl)", name)]
    check(not internal, f"exported, but not API: {internal[:5]}")
    dynamic = run(["readelf", "-d", library]).stdout.decode()
    check("Library soname: [libktrial.so.0]" in dynamic, "the soname is wrong")
    check("boost" not in dynamic, "the producer's library needs the simulator's")


# --- Who runs the program ---


def ktrial(program, *arguments, check_status=True):
    """From an empty folder: nothing of the tree is near."""
    return run([program, *arguments], cwd=work("nowhere"), check_status=check_status)


def the_program_works_with_its_scenarios(program, library):
    check(re.fullmatch(rb"ktrial \d+(\.\d+)+\n", ktrial(program, "--version").stdout), "it does not say its version")
    lines = ktrial(program, "list").stdout.decode().splitlines()
    listed = [line for line in lines if line.startswith(library + "/")]
    in_tree = glob.glob(os.path.join(ROOT, "scenarios", "*", "*.toml"))
    check(len(listed) == len(in_tree), f"{len(listed)} scenarios of {len(in_tree)} are listed: {lines[:3]}")
    for name in ("scenarios/fast/leader_move.toml", f"{library}/fast/leader_move.toml"):
        said = ktrial(program, "run", name).stdout.decode()
        check(said.endswith("PASS\n") and f"{library}/fast/leader_move.toml" in said, said)
    said = ktrial(program, "list", "--symptom", "no such symptom", check_status=False)
    check(said.returncode == 1, f"status {said.returncode} of a symptom that nothing has")


def the_installed_program_works_with_its_scenarios():
    install()
    the_program_works_with_its_scenarios("/usr/bin/ktrial", "/usr/share/ktrial/scenarios")
    files = run(["dpkg", "-L", "ktrial"]).stdout.decode().splitlines()
    check("/usr/share/man/man1/ktrial.1.gz" in files, "there is no manual page")


def the_program_of_the_archive_works_with_its_scenarios():
    the_program_works_with_its_scenarios(os.path.join(prefix(), "bin", "ktrial"), os.path.join(prefix(), "share/ktrial/scenarios"))


def the_program_writes_to_a_real_cluster():
    with Cluster(1) as cluster:
        cluster.topic("lines", 1, 1)
        run([os.path.join(prefix(), "bin", "ktrial"), "produce", "-b", cluster.bootstrap(), "-t", "lines"], stdin=b"one\ntwo\n")
        records = cluster.read("lines", key=True)
    check([value for _, _, value in records] == ["one", "two"], f"the topic holds {records}")


# --- Who builds against it ---


def cmake_builds_and_tests_a_program():
    build_and_test("shared", *cmake_options())
    needed = run(["readelf", "-d", os.path.join(WORK, "shared", "write_orders")]).stdout.decode()
    check("[libktrial.so.0]" in needed and "testing" not in needed, "write_orders is not linked as it should be:\n" + needed)


def cmake_builds_and_tests_it_with_archives():
    build_and_test("static", "-DORDERS_LINK=_static", *cmake_options())
    needed = run(["readelf", "-d", os.path.join(WORK, "static", "order_writer_in_worlds")]).stdout.decode()
    check("libktrial" not in needed, "a shared library of ktrial is needed all the same")


def the_archive_works_below_any_prefix():
    build_and_test("elsewhere", f"-DCMAKE_PREFIX_PATH={prefix()}")
    cache = open(os.path.join(WORK, "elsewhere", "CMakeCache.txt"), encoding="utf-8").read()
    check(f"ktrial_DIR:PATH={prefix()}" in cache, "another ktrial was found")


def pkg_config_suffices():
    install()
    env = {"PKG_CONFIG_PATH": os.path.join(prefix(), "lib", "pkgconfig")} if not IS_ROOT else {}
    program = os.path.join(WORK, "one_file")
    flags = run(["pkg-config", "--cflags", "--libs", "ktrial >= 0.1"], env=env).stdout.decode()
    command = f"g++ -std=c++20 -Wall -Wextra -Werror '{HERE}/one_file.cc' -o '{program}' {flags}"
    run(["sh", "-c", command])
    output = run([program], env={"LD_LIBRARY_PATH": os.path.join(prefix(), "lib")}).stdout.decode()
    check("linger.ms" in output, f"the program says: {output}")


def a_real_cluster_gets_every_order():
    build_and_test("shared", *cmake_options())
    with Cluster(1) as cluster:
        cluster.topic("orders", 6, 1)
        result = run([os.path.join(WORK, "shared", "write_orders"), cluster.bootstrap(), "5000"])
        check(result.stdout == b"5000 written, 0 failed\n", f"it says: {result.stdout.decode()}")
        records = cluster.read("orders", key=True)
    check(sorted(value for _, _, value in records) == sorted(f"order-{number}" for number in range(5000)), "the topic holds other orders")
    partitions = {}
    for partition, key, _ in records:
        partitions.setdefault(key, set()).add(partition)
    check(len(partitions) == 7 and all(len(where) == 1 for where in partitions.values()), "a customer's orders are in several partitions")


# --- What it says to those who cannot ---


def an_older_standard_is_one_clear_error():
    result = compile_text("#include <ktrial/core/producer/producer.h>\n", "-std=c++17")
    errors = [line for line in result.stderr.decode().splitlines() if "error:" in line]
    check(result.returncode != 0 and len(errors) == 2 and "ktrial needs C++20" in errors[0], f"errors: {errors}")


def another_abseil_is_one_clear_error():
    folder = work("abseil/absl/base")
    with open(os.path.join(folder, "config.h"), "w", encoding="utf-8") as file:
        file.write("#define ABSL_LTS_RELEASE_VERSION 20250127\n")
    result = compile_text("#include <ktrial/producer.h>\n", "-std=c++20", f"-I{work('abseil')}")
    errors = [line for line in result.stderr.decode().splitlines() if "error:" in line]
    check(result.returncode != 0 and len(errors) == 2 and "built with abseil 20220623" in errors[0], f"errors: {errors}")


def another_version_is_refused_by_its_number():
    status, text = project("too_new", "find_package(ktrial 9.3 REQUIRED)")
    check(status != 0 and 'compatible with requested version "9.3"' in text and "version: 0.1" in text, text)
    status, text = project("too_old", "find_package(ktrial 0.0.1 REQUIRED)")
    check(status != 0 and 'compatible with requested version "0.0.1"' in text, text)


def an_unknown_component_is_named():
    status, text = project("component", "find_package(ktrial REQUIRED COMPONENTS producer consumer)")
    check(status != 0 and 'ktrial has no component "consumer"; it has producer, producer_static, testing and testing_static' in text, text)


def two_producers_in_one_program_are_refused():
    status, text = project("mixed", "find_package(ktrial REQUIRED)\nadd_executable(one one_file.cc)\n"
                           "target_link_libraries(one ktrial::producer_static ktrial::testing)")
    check(status != 0 and "INTERFACE_ktrial_LINKAGE" in text, text)


def the_debian_packages_go_without_a_trace():
    install()
    run(["dpkg", "--remove", *reversed(PACKAGES)])
    left = glob.glob("/usr/include/ktrial") + glob.glob("/usr/lib/*/*ktrial*") + glob.glob("/usr/lib/*/*/*ktrial*")
    left += glob.glob("/usr/bin/ktrial") + glob.glob("/usr/share/ktrial*") + glob.glob("/usr/share/man/man1/ktrial*")
    check(not left, f"left behind: {left}")


DEBIAN_FIRST = (the_debian_packages_install, the_installed_program_works_with_its_scenarios)
TESTS = (
    lintian_finds_nothing,
    every_header_compiles_alone_and_without_warnings,
    only_the_api_is_exported,
    the_program_of_the_archive_works_with_its_scenarios,
    the_program_writes_to_a_real_cluster,
    cmake_builds_and_tests_a_program,
    cmake_builds_and_tests_it_with_archives,
    the_archive_works_below_any_prefix,
    pkg_config_suffices,
    a_real_cluster_gets_every_order,
    an_older_standard_is_one_clear_error,
    another_abseil_is_one_clear_error,
    another_version_is_refused_by_its_number,
    an_unknown_component_is_named,
    two_producers_in_one_program_are_refused,
)
DEBIAN_LAST = (the_debian_packages_go_without_a_trace,)

if __name__ == "__main__":
    try:
        status = main(DEBIAN_FIRST + TESTS + DEBIAN_LAST if IS_ROOT else TESTS, "tests/package/run.sh")
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
        if install.cache_info().currsize:
            subprocess.run(["dpkg", "--remove", *reversed(PACKAGES)], capture_output=True, check=False)
    sys.exit(status)
