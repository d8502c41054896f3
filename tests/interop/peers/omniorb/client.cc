// The test client:
// client REF [--giop 1.0|1.1|1.2] [--only NAME,...] [--skip NAME,...] [-ORB...]
//
// REF is a stringified reference of the test object, or "@FILE" that holds one. Prints one line
// for each check and the totals; the exit status is 0 when no check failed.
#include "run.h"
#include "samples.h"
#include "things.h"

#include <fstream>
#include <iostream>

namespace {

std::string read_reference(const std::string& argument) {
    if (argument.empty()) throw std::runtime_error("no reference given");
    if (argument[0] != '@') return argument;
    std::ifstream in(argument.substr(1));
    std::string text;
    if (!(in >> text)) throw std::runtime_error("cannot read " + argument.substr(1));
    return text;
}

int run_checks(int argc, char** argv) {
    Options options = Options::parse(argc, argv);
    std::string reference = read_reference(options.first);
    CORBA::ORB_var orb = start_orb(options, argc, argv, false);
    samples::use_orb(orb);
    things::register_factories(orb);
    PortableServer::POA_var poa = active_root_poa(orb);
    if (options.bidirectional) {
        CORBA::PolicyList policies;
        policies.length(2);
        policies[0] = poa->create_implicit_activation_policy(PortableServer::IMPLICIT_ACTIVATION);
        policies[1] = both_directions(orb);
        PortableServer::POAManager_var manager = poa->the_POAManager();
        poa = poa->create_POA("Callbacks", manager, policies);
    }
    CORBA::Object_var object = orb->string_to_object(reference.c_str());
    Interop::Suite_var suite = Interop::Suite::_narrow(object);
    if (CORBA::is_nil(suite)) throw std::runtime_error("the reference is not of a Suite");

    Run run(options, orb, poa, suite);
    for (auto group : {check_protocol, check_basics, check_records, check_arrays, check_lists,
                       check_unions, check_recursion, check_names, check_faults,
                       check_attributes, check_events, check_refs, check_callbacks, check_anys,
                       check_decimals, check_long_doubles, check_types, check_wide_types,
                       check_contexts, check_dynamic, check_values, check_valuetypes, check_load})
        group(run);
    int status = run.finish();
    orb->destroy();
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run_checks(argc, argv);
    } catch (const CORBA::SystemException& e) {
        std::cerr << "client: " << e._name() << " minor 0x" << std::hex << e.minor() << "\n";
    } catch (const std::exception& e) {
        std::cerr << "client: " << e.what() << "\n";
    }
    return 2;
}
