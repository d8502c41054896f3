"""A back end of omniidl: the types of the main file as text, as types.rs defines it.

omniidl -p FOLDER -b typecodes FILE prints one line for each type that has a name.
"""

from omniidl import idlast, idltype

BASIC = {
    idltype.tk_short: "short", idltype.tk_long: "long", idltype.tk_ushort: "ushort",
    idltype.tk_ulong: "ulong", idltype.tk_float: "float", idltype.tk_double: "double",
    idltype.tk_boolean: "boolean", idltype.tk_char: "char", idltype.tk_octet: "octet",
    idltype.tk_any: "any", idltype.tk_longlong: "longlong", idltype.tk_ulonglong: "ulonglong",
    idltype.tk_wchar: "wchar",
}


def of(type_, sizes=()):
    if sizes:
        return "array(%s %d)" % (of(type_, sizes[1:]), sizes[0])
    kind = type_.kind()
    if kind in BASIC:
        return BASIC[kind]
    if kind == idltype.tk_string:
        return "string(%d)" % type_.bound()
    if kind == idltype.tk_wstring:
        return "wstring(%d)" % type_.bound()
    if kind == idltype.tk_fixed:
        return "fixed(%d %d)" % (type_.digits(), type_.scale())
    if kind == idltype.tk_sequence:
        return "sequence(%s %d)" % (of(type_.seqType()), type_.bound())
    return type_.decl().repoId()


def members(node):
    return [
        "%s=%s" % (each.identifier(), of(member.memberType(), each.sizes()))
        for member in node.members()
        for each in member.declarators()
    ]


def label(each, switch):
    if each.default():
        return "default"
    value = each.value()
    kind = switch.unalias().kind()
    if kind == idltype.tk_enum:
        enumerators = switch.unalias().decl().enumerators()
        return str([one.scopedName() for one in enumerators].index(value.scopedName()))
    if kind in (idltype.tk_char, idltype.tk_wchar):
        return str(ord(value) if isinstance(value, str) else value)
    return str(int(value))


def cases(node):
    return [
        "%s:%s=%s" % (
            label(each, node.switchType()),
            case.declarator().identifier(),
            of(case.caseType(), case.declarator().sizes()),
        )
        for case in node.cases()
        for each in case.labels()
    ]


def tell(node, kind, parts, name=None):
    name = name or node
    print(" ".join(["::" + "::".join(name.scopedName()), kind, name.repoId(), name.identifier()] + parts))


def visit(nodes):
    for node in nodes:
        if isinstance(node, idlast.Module):
            visit(node.definitions())
        elif isinstance(node, idlast.Interface):
            visit(node.declarations())
        elif isinstance(node, idlast.Struct):
            tell(node, "struct", members(node))
        elif isinstance(node, idlast.Exception):
            tell(node, "exception", members(node))
        elif isinstance(node, idlast.Union):
            tell(node, "union", [of(node.switchType())] + cases(node))
        elif isinstance(node, idlast.Enum):
            tell(node, "enum", [each.identifier() for each in node.enumerators()])
        elif isinstance(node, idlast.Typedef):
            for each in node.declarators():
                tell(node, "alias", [of(node.aliasType(), each.sizes())], each)


def run(tree, args):
    visit(tree.declarations())
