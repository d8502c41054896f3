// The server of the random tests: random --ior-file F
//
// It knows the types of its arguments only from their TypeCodes. It writes its reference to F and runs until the
// end of stdin.
#include "random.hh"

#include <omniORB4/omniORB.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

DynamicAny::DynAnyFactory_var factory;

CORBA::TypeCode_ptr resolved(CORBA::TypeCode_ptr type) {
    CORBA::TypeCode_var current = CORBA::TypeCode::_duplicate(type);
    while (current->kind() == CORBA::tk_alias) current = current->content_type();
    return current._retn();
}

template <class Bits, class Number> void bits(std::ostream& out, Number number) {
    Bits value;
    static_assert(sizeof value == sizeof number, "the same size");
    std::memcpy(&value, &number, sizeof value);
    out << "0x" << std::hex << value << std::dec;
}

void describe(std::ostream& out, DynamicAny::DynAny_ptr value);

template <class Parts> void list(std::ostream& out, const Parts& parts) {
    out << '[';
    for (CORBA::ULong i = 0; i < parts.length(); i++) {
        if (i > 0) out << ' ';
        describe(out, parts[i]);
    }
    out << ']';
}

void describe_any(std::ostream& out, const CORBA::Any& any) {
    CORBA::TypeCode_var type = any.type();
    out << "any " << type->kind() << ' ';
    DynamicAny::DynAny_var value = factory->create_dyn_any(any);
    describe(out, value);
    value->destroy();
}

void describe_union(std::ostream& out, DynamicAny::DynUnion_ptr value) {
    DynamicAny::DynAny_var discriminator = value->get_discriminator();
    out << '(';
    describe(out, discriminator);
    if (!value->has_no_active_member()) {
        CORBA::String_var name = value->member_name();
        DynamicAny::DynAny_var member = value->member();
        out << ' ' << name << '=';
        describe(out, member);
    }
    out << ')';
}

void describe(std::ostream& out, DynamicAny::DynAny_ptr value) {
    CORBA::TypeCode_var declared = value->type();
    CORBA::TypeCode_var type = resolved(declared);
    switch (type->kind()) {
    case CORBA::tk_short: out << value->get_short(); break;
    case CORBA::tk_ushort: out << value->get_ushort(); break;
    case CORBA::tk_long: out << value->get_long(); break;
    case CORBA::tk_ulong: out << value->get_ulong(); break;
    case CORBA::tk_longlong: out << value->get_longlong(); break;
    case CORBA::tk_ulonglong: out << value->get_ulonglong(); break;
    case CORBA::tk_float: bits<CORBA::ULong>(out, value->get_float()); break;
    case CORBA::tk_double: bits<CORBA::ULongLong>(out, value->get_double()); break;
    case CORBA::tk_boolean: out << (value->get_boolean() ? 1 : 0); break;
    case CORBA::tk_octet: out << static_cast<unsigned>(value->get_octet()); break;
    case CORBA::tk_char: out << static_cast<unsigned>(static_cast<unsigned char>(value->get_char())); break;
    case CORBA::tk_wchar: out << static_cast<unsigned long>(value->get_wchar()); break;
    case CORBA::tk_string: {
        CORBA::String_var text = value->get_string();
        out << '"' << std::hex;
        for (const char* each = text; *each != 0; each++) out << static_cast<unsigned>(static_cast<unsigned char>(*each)) << '.';
        out << std::dec << '"';
        break;
    }
    case CORBA::tk_wstring: {
        CORBA::WString_var text = value->get_wstring();
        out << "L\"" << std::hex;
        for (const CORBA::WChar* each = text; *each != 0; each++) out << static_cast<unsigned long>(*each) << '.';
        out << std::dec << '"';
        break;
    }
    case CORBA::tk_fixed: {
        DynamicAny::DynFixed_var fixed = DynamicAny::DynFixed::_narrow(value);
        CORBA::String_var digits = fixed->get_value();
        std::string text(digits);
        // Zeros at the end of a fraction are left out.
        if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
        if (!text.empty() && text.back() == '.') text.pop_back();
        out << text;
        break;
    }
    case CORBA::tk_any: {
        CORBA::Any_var inner = value->get_any();
        describe_any(out, inner);
        break;
    }
    case CORBA::tk_enum: {
        DynamicAny::DynEnum_var item = DynamicAny::DynEnum::_narrow(value);
        CORBA::String_var name = item->get_as_string();
        out << name;
        break;
    }
    case CORBA::tk_struct: {
        DynamicAny::DynStruct_var item = DynamicAny::DynStruct::_narrow(value);
        DynamicAny::NameDynAnyPairSeq_var members = item->get_members_as_dyn_any();
        out << '{';
        for (CORBA::ULong i = 0; i < members->length(); i++) {
            if (i > 0) out << ' ';
            out << members[i].id << '=';
            describe(out, members[i].value);
        }
        out << '}';
        break;
    }
    case CORBA::tk_union: {
        DynamicAny::DynUnion_var item = DynamicAny::DynUnion::_narrow(value);
        describe_union(out, item);
        break;
    }
    case CORBA::tk_sequence: {
        DynamicAny::DynSequence_var item = DynamicAny::DynSequence::_narrow(value);
        DynamicAny::DynAnySeq_var elements = item->get_elements_as_dyn_any();
        list(out, elements.in());
        break;
    }
    case CORBA::tk_array: {
        DynamicAny::DynArray_var item = DynamicAny::DynArray::_narrow(value);
        DynamicAny::DynAnySeq_var elements = item->get_elements_as_dyn_any();
        list(out, elements.in());
        break;
    }
    default: out << "a type of kind " << type->kind();
    }
}

class Mirror : public POA_Random::Mirror {
public:
    char* describe(const CORBA::Any& value) override {
        std::ostringstream out;
        describe_any(out, value);
        return CORBA::string_dup(out.str().c_str());
    }
    CORBA::Any* echo(const CORBA::Any& value) override { return new CORBA::Any(value); }
};

// A reader never sees half a reference: the file appears with its whole contents.
void write(const std::string& path, const char* text) {
    std::string temporary = path + ".tmp";
    {
        std::ofstream out(temporary);
        out << text << "\n";
        if (!out) throw std::runtime_error("cannot write " + temporary);
    }
    if (std::rename(temporary.c_str(), path.c_str()) != 0) throw std::runtime_error("cannot rename");
}

void serve(const std::string& file) {
    const char* words[] = {"random", "-ORBnativeCharCodeSet", "UTF-8", "-ORBgiopMaxMsgSize", "16777216",
                           "-ORBendPoint", "giop:tcp:127.0.0.1:"};
    int count = sizeof words / sizeof *words;
    CORBA::ORB_var orb = CORBA::ORB_init(count, const_cast<char**>(words));
    CORBA::Object_var object = orb->resolve_initial_references("DynAnyFactory");
    factory = DynamicAny::DynAnyFactory::_narrow(object);
    object = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    PortableServer::Servant_var<Mirror> mirror = new Mirror;
    PortableServer::ObjectId_var id = poa->activate_object(mirror);
    object = poa->id_to_reference(id);
    CORBA::String_var reference = orb->object_to_string(object);
    write(file, reference);
    std::string line;
    while (std::getline(std::cin, line)) {
    }
    orb->destroy();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 3 || std::strcmp(argv[1], "--ior-file") != 0) throw std::runtime_error("usage: random --ior-file F");
        serve(argv[2]);
        return 0;
    } catch (const CORBA::Exception& e) {
        std::cerr << "random: " << e._name() << std::endl;
    } catch (const std::exception& e) {
        std::cerr << "random: " << e.what() << std::endl;
    }
    return 1;
}
