// The run of a client's checks: names them, filters them, reports them, counts them.
#pragma once

#include "peer.h"

// A check's own complaint.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Fails the check with `what` unless `holds`.
inline void require(bool holds, const std::string& what) {
    if (!holds) throw Failure(what);
}

// A oneway has no reply: waits for its effect.
void await(const std::function<bool()>& arrived);

class Run {
public:
    Run(const Options& options, CORBA::ORB_ptr orb, PortableServer::POA_ptr poa,
        Interop::Suite_ptr suite);

    // Runs the body and prints "ok NAME", "FAIL NAME: reason" or, for a failure listed in
    // known.cc, "known NAME: reason".
    void check(const std::string& name, const std::function<void()>& body);
    // The same of a check that fails in a GIOP version below 1.`minor`: it is known to, then.
    void check_from(int minor, const std::string& name, const std::function<void()>& body);
    // From here on all checks are such, until another version is given: 0 for none.
    void from(int minor) { from_ = minor; }
    // Prints the totals; returns the exit status.
    int finish();

    int minor() const { return options_.minor(); }
    const Options& options() const { return options_; }
    CORBA::ORB_ptr orb() { return orb_; }
    PortableServer::POA_ptr poa() { return poa_; }
    Interop::Suite_ptr suite() { return suite_; }
    // Which ORB the server is: what `Suite::peer` said.
    const std::string& server() const { return server_; }

private:
    bool selected(const std::string& name);
    void report_failure(const std::string& name, const std::string& reason);
    // Why this check fails, as is known; empty if it passes.
    std::string known(const std::string& name) const;

    Options options_;
    CORBA::ORB_var orb_;
    PortableServer::POA_var poa_;
    Interop::Suite_var suite_;
    std::string server_;
    int from_ = 0;
    int passed_ = 0, failed_ = 0, known_ = 0, skipped_ = 0;
};

// Why this check cannot pass against this server, or nullptr (known.cc, PEERS.md).
const char* known_reason(const std::string& check, const std::string& server, int minor);

// The checks, by file.
void check_basics(Run& run);
void check_records(Run& run);
void check_lists(Run& run);
void check_arrays(Run& run);
void check_unions(Run& run);
void check_recursion(Run& run);
void check_names(Run& run);
void check_faults(Run& run);
void check_attributes(Run& run);
void check_events(Run& run);
void check_refs(Run& run);
void check_callbacks(Run& run);
void check_anys(Run& run);
void check_protocol(Run& run);
void check_decimals(Run& run);
void check_long_doubles(Run& run);
void check_types(Run& run);
void check_wide_types(Run& run);
void check_contexts(Run& run);
void check_dynamic(Run& run);
void check_values(Run& run);
void check_valuetypes(Run& run);
void check_load(Run& run);
