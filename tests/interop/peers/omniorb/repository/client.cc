// A client of an interface repository, with the stubs of it that come with omniORB.
//
//   repository OBJECT -ORBInitRef InterfaceRepository=REFERENCE
//
// OBJECT is the test object; the repository has its IDL and may be written to. Prints as the other
// client does: a line for each check, and how many passed and failed.
#include <omniORB4/CORBA.h>

#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

CORBA::Repository_var repository;
CORBA::Object_var object;
int passed = 0, failed = 0;

template <class A, class B> void same(const char* what, const A& found, const B& expected) {
    if (found == expected) return;
    std::ostringstream story;
    story << what << " is " << found << ", not " << expected;
    throw std::runtime_error(story.str());
}

template <class T> T* present(T* reference) {
    if (CORBA::is_nil(reference)) throw std::runtime_error("a reference is nil");
    return reference;
}

void check(const char* name, const std::function<void()>& run) {
    std::string story;
    try {
        run();
        passed++;
        std::cout << "ok " << name << std::endl;
        return;
    } catch (const std::exception& e) {
        story = e.what();
    } catch (const CORBA::SystemException& e) {
        std::ostringstream words;
        words << e._name() << " " << std::hex << e.minor();
        story = words.str();
    } catch (const CORBA::Exception& e) {
        story = e._name();
    }
    failed++;
    std::cout << "FAIL " << name << ": " << story << std::endl;
}

// The definition of a scoped name, as one of these.
template <class Def> typename Def::_ptr_type named(const char* name) {
    CORBA::Contained_var found = present(repository->lookup(name));
    return present(Def::_narrow(found));
}

CORBA::IDLType_ptr primitive(CORBA::PrimitiveKind kind) {
    return CORBA::IDLType::_duplicate(present(repository->get_primitive(kind)));
}

void kinds() {
    same("the repository's kind", repository->def_kind(), CORBA::dk_Repository);
    CORBA::InterfaceDef_var basics = named<CORBA::InterfaceDef>("Interop::Basics");
    same("the interface's kind", basics->def_kind(), CORBA::dk_Interface);
    CORBA::StructDef_var none = CORBA::StructDef::_narrow(basics);
    same("that it is a struct", CORBA::is_nil(none), true);
}

void lookup_id() {
    CORBA::Contained_var suite = present(repository->lookup_id("IDL:zorb.test/Interop/Suite:1.0"));
    CORBA::String_var name = suite->absolute_name();
    same("its name", std::string(name), "::Interop::Suite");
    CORBA::Contained_var none = repository->lookup_id("IDL:zorb.test/Nothing:1.0");
    same("nothing", CORBA::is_nil(none), true);
}

void describe_interface() {
    CORBA::InterfaceDef_var basics = named<CORBA::InterfaceDef>("Interop::Basics");
    CORBA::InterfaceDef::FullInterfaceDescription_var full = basics->describe_interface();
    same("its name", std::string(full->name), "Basics");
    for (CORBA::ULong i = 0; i < full->operations.length(); i++) {
        const CORBA::OperationDescription& operation = full->operations[i];
        if (std::string(operation.name) != "mixed") continue;
        same("the kind of its result", operation.result->kind(), CORBA::tk_long);
        same("its parameters", operation.parameters.length(), 6u);
        same("the mode of b", operation.parameters[1].mode, CORBA::PARAM_OUT);
        same("the type of c", operation.parameters[2].type->kind(), CORBA::tk_short);
        CORBA::PrimitiveDef_var text = CORBA::PrimitiveDef::_narrow(operation.parameters[3].type_def);
        same("the definition of d's type", present(text.in())->kind(), CORBA::pk_string);
        return;
    }
    throw std::runtime_error("there is no operation mixed");
}

void attributes() {
    CORBA::InterfaceDef_var suite = named<CORBA::InterfaceDef>("Interop::Suite");
    CORBA::InterfaceDef::FullInterfaceDescription_var full = suite->describe_interface();
    same("the first attribute", std::string(full->attributes[0].name), "peer");
    same("its mode", full->attributes[0].mode, CORBA::ATTR_READONLY);
    same("the type of the second", std::string(full->attributes[1].type->id()),
         "IDL:zorb.test/Interop/Basics:1.0");
}

void describe_contents() {
    CORBA::Contained_var found = present(repository->lookup("Interop::Data"));
    CORBA::ModuleDef_var module = present(CORBA::ModuleDef::_narrow(found));
    CORBA::ContainedSeq_var contents = module->contents(CORBA::dk_all, true);
    CORBA::Container::DescriptionSeq_var described =
        module->describe_contents(CORBA::dk_all, true, -1);
    same("the number of descriptions", described->length(), contents->length());
    CORBA::ULong structs = 0;
    for (CORBA::ULong i = 0; i < described->length(); i++) {
        if (described[i].kind != CORBA::dk_Struct) continue;
        const CORBA::TypeDescription* type;
        if (!(described[i].value >>= type)) throw std::runtime_error("no TypeDescription");
        CORBA::String_var name = described[i].contained_object->name();
        same("a name", std::string(type->name), std::string(name));
        same("a type", type->type->kind(), CORBA::tk_struct);
        structs++;
    }
    same("that there are structs", structs > 0, true);
    CORBA::Container::DescriptionSeq_var few = module->describe_contents(CORBA::dk_all, true, 2);
    same("the number asked for", few->length(), 2u);
}

void members() {
    CORBA::StructDef_var person = named<CORBA::StructDef>("Interop::Data::Person");
    CORBA::StructMemberSeq_var members = person->members();
    same("the first member", std::string(members[0].name), "name");
    CORBA::TypeCode_var type = person->type();
    same("how many there are", members->length(), type->member_count());
    CORBA::ContainedSeq_var found =
        repository->lookup_name("Person", -1, CORBA::dk_Struct, true);
    same("how many have the name", found->length(), 1u);
}

// Its server knows the repository.
void get_interface() {
    CORBA::InterfaceDef_var interface = present(object->_get_interface());
    CORBA::String_var id = interface->id();
    same("its id", std::string(id), "IDL:zorb.test/Interop/Suite:1.0");
    same("that it is an object", interface->is_a("IDL:omg.org/CORBA/Object:1.0"), true);
}

void changes() {
    CORBA::IDLType_var number = primitive(CORBA::pk_long);
    CORBA::ModuleDef_var module = repository->create_module("IDL:Made:1.0", "Made", "1.0");
    CORBA::StructMemberSeq members;
    CORBA::StructDef_var node = module->create_struct("IDL:Made/Node:1.0", "Node", "1.0", members);
    CORBA::SequenceDef_var nodes = repository->create_sequence(0, node);
    members.length(2);
    members[0].name = "number";
    members[0].type = CORBA::TypeCode::_duplicate(CORBA::_tc_void);
    members[0].type_def = CORBA::IDLType::_duplicate(number);
    members[1].name = "kids";
    members[1].type = CORBA::TypeCode::_duplicate(CORBA::_tc_void);
    members[1].type_def = CORBA::IDLType::_duplicate(nodes);
    node->members(members);
    CORBA::TypeCode_var type = node->type();
    CORBA::TypeCode_var kids = type->member_type(1);
    CORBA::TypeCode_var kid = kids->content_type();
    same("that it leads back to itself", kid->equal(type), true);
    node->name("Knot");
    type = node->type();
    same("its new name", std::string(type->name()), "Knot");
    node->move(repository, "Moved", "2.0");
    CORBA::String_var name = node->absolute_name();
    same("its new place", std::string(name), "::Moved");
    node->destroy();
    module->destroy();
    CORBA::Contained_var gone = repository->lookup_id("IDL:Made/Node:1.0");
    same("that it is gone", CORBA::is_nil(gone), true);
}

void refusals() {
    try {
        repository->create_module("IDL:zorb.test/Interop/Data:1.0", "Other", "1.0");
        throw std::runtime_error("an id was taken twice");
    } catch (const CORBA::BAD_PARAM& e) {
        same("the minor code", e.minor(), 0x4f4d0000u | 2);
    }
    CORBA::StructDef_var person = named<CORBA::StructDef>("Interop::Data::Person");
    try {
        person->destroy();
        throw std::runtime_error("what others need was destroyed");
    } catch (const CORBA::BAD_INV_ORDER& e) {
        same("the minor code", e.minor(), 0x4f4d0000u | 1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
        if (argc != 2) throw std::runtime_error("one reference is needed");
        object = present(orb->string_to_object(argv[1]));
        CORBA::Object_var found = orb->resolve_initial_references("InterfaceRepository");
        repository = present(CORBA::Repository::_narrow(found));
        check("kinds", kinds);
        check("lookup_id", lookup_id);
        check("describe_interface", describe_interface);
        check("attributes", attributes);
        check("describe_contents", describe_contents);
        check("members", members);
        check("get_interface", get_interface);
        check("changes", changes);
        check("refusals", refusals);
        orb->destroy();
    } catch (const CORBA::Exception& e) {
        std::cerr << e._name() << std::endl;
        return 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << std::endl;
        return 1;
    }
    std::cout << passed << " passed, " << failed << " failed" << std::endl;
    return failed != 0;
}
