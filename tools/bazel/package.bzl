"""What a package is linked from: the object files of libraries and the flags of the system's libraries behind them."""

def _link_inputs_impl(ctx):
    objects = {}
    flags = {}
    for dep in ctx.attr.deps:
        for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
            for library in linker_input.libraries:
                for object in library.objects or []:
                    objects[object] = None
            for flag in linker_input.user_link_flags:
                flags[flag] = None
    out = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(out, struct(objects = [object.path for object in objects], flags = flags.keys()).to_json())
    return [DefaultInfo(files = depset([out] + objects.keys()))]

# NAME.json: {"objects": paths below the execution root, "flags": ["-lz", ...]}, both without repetition, of all that `deps` need.
# Building it builds the objects.
kt_link_inputs = rule(
    implementation = _link_inputs_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
