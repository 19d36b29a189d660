"""Which symbols the shared libraries export, as a version script of the linker.

A symbol is API if it is a function, a class or a variable in namespace ktrial, or in one below it, whose name stands in an installed
header. What libktrial-testing needs of libktrial beyond that is exported under a version node of its own, KTRIAL_0_PRIVATE: so the
simulated world runs the very library that ships, and nothing else sees its inside. All the rest is local.
"""

import re

NODE = "KTRIAL_0"
# Nested classes that headers only declare, so that they can be hidden.
HIDDEN = ("Impl",)
# Special symbols of a class (its tables and type information), guards, thunks, and plain nested names.
MANGLED = re.compile(r"^_Z(?:T[VTIS]|GV|Th\w*?_|Tv\w*?_\w*?_)?N[rVK]*[RO]?(?=6ktrial)")


def components(symbol):
    """["ktrial", "sim", "Kernel", "Run"] of a mangled nested name; [] for anything else. An operator ends it as "operator"."""
    match = MANGLED.match(symbol)
    if match is None:
        return []
    names, at = [], match.end()
    while at < len(symbol):
        digits = re.compile(r"\d+").match(symbol, at)
        if digits is None:
            # A constructor, destructor (C1, D0, ...), template arguments and the end of the name say nothing more.
            if symbol[at:at + 1].islower():
                names.append("operator")
            break
        length = int(digits.group(0))
        names.append(symbol[digits.end():digits.end() + length])
        at = digits.end() + length
        while symbol.startswith("B", at):  # ABI tags
            tag = re.compile(r"B(\d+)").match(symbol, at)
            at = tag.end() + int(tag.group(1))
    return names


def words(texts):
    """All identifiers in the code (not the comments) of headers."""
    found = set()
    for text in texts:
        found.update(re.findall(r"[A-Za-z_]\w*", re.sub(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", "", text)))
    return found


def namespaces(texts):
    """Every name that is a namespace in these headers."""
    return {name for text in texts for line in re.findall(r"^namespace ([\w:]+) \{", text, re.M) for name in line.split("::")}


def is_api(symbol, known, spaces):
    names = components(symbol)
    while names and names[0] in spaces:
        names = names[1:]
    return bool(names) and not any(name in HIDDEN for name in names) and (names[0] in known or names[0] == "operator")


def version_script(api, private):
    lines = [f"{NODE} {{", "  global:", *(f"    {symbol};" for symbol in sorted(api)), "  local: *;", "};"]
    if private:
        lines += [f"{NODE}_PRIVATE {{", "  global:", *(f"    {symbol};" for symbol in sorted(private)), f"}} {NODE};"]
    return "\n".join(lines) + "\n"
