// The test server: server --ior-file F [--giop V] [--port N [--persistent]] [-ORB...]
//
// Writes the reference of the test object to F and runs until `shutdown` or the end of stdin.
#include "samples.h"
#include "servants.h"
#include "things.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>

using namespace Interop;

namespace {

class SuiteServant : public POA_Interop::Suite {
public:
    explicit SuiteServant(World& world)
        : world_(world),
          basics_(world.add<Basics>("basics", new_basics())),
          texts_(world.add<Texts>("texts", new_texts())),
          wides_(world.add<Wides>("wides", new_wides())),
          records_(world.add<Records>("records", new_records())),
          lists_(world.add<Lists>("lists", new_lists())),
          arrays_(world.add<Arrays>("arrays", new_arrays())),
          unions_(world.add<Unions>("unions", new_unions())),
          recursion_(world.add<Recursion>("recursion", new_recursion())),
          names_(world.add<Names>("names", new_names())),
          macros_(world.add<Macros>("macros", new_macros())),
          faults_(world.add<Faults>("faults", new_faults())),
          guarded_(world.add<Guarded>("guarded", new_guarded())),
          refs_(world.add<Refs>("refs", new_refs(world))),
          anys_(world.add<Anys>("anys", new_anys())),
          constants_(world.add<Constants>("constants", new_constants())),
          decimals_(world.add<Decimals>("decimals", new_decimals())),
          long_doubles_(world.add<LongDoubles>("long_doubles", new_long_doubles())),
          types_(world.add<Types>("types", new_types())),
          wide_types_(world.add<WideTypes>("wide_types", new_wide_types())),
          dynamic_(world.add<Dynamic>("dynamic", new_dynamic(world))),
          contexts_(world.add<Contexts>("contexts", new_contexts(world))),
          valued_(world.add<Valued>("valued", new_valued(world))) {}

    char* peer() override { return CORBA::string_dup("omniORB"); }
    Basics_ptr basic_types() override { return Basics::_duplicate(basics_); }
    Texts_ptr text_types() override { return Texts::_duplicate(texts_); }
    Wides_ptr wide_types() override { return Wides::_duplicate(wides_); }
    Records_ptr record_types() override { return Records::_duplicate(records_); }
    Lists_ptr list_types() override { return Lists::_duplicate(lists_); }
    Arrays_ptr array_types() override { return Arrays::_duplicate(arrays_); }
    Unions_ptr union_types() override { return Unions::_duplicate(unions_); }
    Recursion_ptr recursive_types() override { return Recursion::_duplicate(recursion_); }
    Names_ptr name_tests() override { return Names::_duplicate(names_); }
    Macros_ptr macro_tests() override { return Macros::_duplicate(macros_); }
    Faults_ptr fault_tests() override { return Faults::_duplicate(faults_); }
    Guarded_ptr guarded_attributes() override { return Guarded::_duplicate(guarded_); }
    Refs_ptr reference_tests() override { return Refs::_duplicate(refs_); }
    Anys_ptr any_tests() override { return Anys::_duplicate(anys_); }
    Constants_ptr constant_tests() override { return Constants::_duplicate(constants_); }

    Decimals_ptr decimal_types() override { return Decimals::_duplicate(decimals_); }
    LongDoubles_ptr long_double_types() override { return LongDoubles::_duplicate(long_doubles_); }
    Types_ptr type_tests() override { return Types::_duplicate(types_); }
    WideTypes_ptr wide_text_types() override { return WideTypes::_duplicate(wide_types_); }
    Dynamic_ptr dynamic_tests() override { return Dynamic::_duplicate(dynamic_); }
    Contexts_ptr context_tests() override { return Contexts::_duplicate(contexts_); }
    Valued_ptr valued_tests() override { return Valued::_duplicate(valued_); }

    Settings_ptr new_settings(const char* label) override {
        return world_.add<Settings>(world_.fresh_id("settings"), ::new_settings(world_, label));
    }
    Events_ptr new_events() override {
        return world_.add<Events>(world_.fresh_id("events"), ::new_events());
    }
    // An upcall must not wait for the end of all upcalls.
    void shutdown() override { world_.orb()->shutdown(false); }

private:
    World& world_;
    Basics_var basics_;
    Texts_var texts_;
    Wides_var wides_;
    Records_var records_;
    Lists_var lists_;
    Arrays_var arrays_;
    Unions_var unions_;
    Recursion_var recursion_;
    Names_var names_;
    Macros_var macros_;
    Faults_var faults_;
    Guarded_var guarded_;
    Refs_var refs_;
    Anys_var anys_;
    Constants_var constants_;
    Decimals_var decimals_;
    LongDoubles_var long_doubles_;
    Types_var types_;
    WideTypes_var wide_types_;
    Dynamic_var dynamic_;
    Contexts_var contexts_;
    Valued_var valued_;
};

PortableServer::POA_ptr create_poa(CORBA::ORB_ptr orb, PortableServer::POA_ptr root,
                                   const Options& options) {
    CORBA::PolicyList policies;
    policies.length(2);
    policies[0] = root->create_lifespan_policy(options.persistent ? PortableServer::PERSISTENT
                                                                  : PortableServer::TRANSIENT);
    policies[1] = root->create_id_assignment_policy(PortableServer::USER_ID);
    if (options.bidirectional) {
        policies.length(3);
        policies[2] = both_directions(orb);
    }
    PortableServer::POAManager_var manager = root->the_POAManager();
    return root->create_POA("Interop", manager, policies);
}

// A reader never sees half a reference: the file appears with its whole contents.
void write_atomically(const std::string& path, const char* text) {
    std::string temporary = path + ".tmp";
    {
        std::ofstream out(temporary);
        out << text << "\n";
        if (!out) throw std::runtime_error("cannot write " + temporary);
    }
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
        throw std::runtime_error("cannot rename to " + path);
}

int serve(int argc, char** argv) {
    Options options = Options::parse(argc, argv);
    if (options.ior_file.empty()) throw std::runtime_error("--ior-file is needed");
    CORBA::ORB_var orb = start_orb(options, argc, argv, true);
    samples::use_orb(orb);
    things::register_factories(orb);
    PortableServer::POA_var root = active_root_poa(orb);
    PortableServer::POA_var poa = create_poa(orb, root, options);

    World world(orb, poa);
    Suite_var suite = world.add<Suite>("suite", new SuiteServant(world));
    CORBA::String_var ior = orb->object_to_string(suite);
    write_atomically(options.ior_file, ior);

    std::thread([orb] {
        std::string line;
        while (std::getline(std::cin, line)) {}
        try {
            orb->shutdown(false);
        } catch (const CORBA::SystemException&) {
            // `shutdown` has come first.
        }
    }).detach();
    orb->run();
    // The thread on stdin may still be reading, and holds its lock then: leave without waiting.
    std::fflush(stdout);
    std::_Exit(0);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return serve(argc, argv);
    } catch (const CORBA::SystemException& e) {
        std::cerr << "server: " << e._name() << " minor " << std::hex << e.minor() << "\n";
    } catch (const std::exception& e) {
        std::cerr << "server: " << e.what() << "\n";
    }
    return 2;
}
