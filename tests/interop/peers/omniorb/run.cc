// Reporting of checks.
#include "run.h"

#include <chrono>
#include <iostream>
#include <sstream>
#include <thread>

Run::Run(const Options& options, CORBA::ORB_ptr orb, PortableServer::POA_ptr poa,
         Interop::Suite_ptr suite)
    : options_(options),
      orb_(CORBA::ORB::_duplicate(orb)),
      poa_(PortableServer::POA::_duplicate(poa)),
      suite_(Interop::Suite::_duplicate(suite)) {
    CORBA::String_var peer = suite_->peer();
    server_ = peer;
}

// Whether a comma-separated list has the check's name or its group: "lists" means "lists/octets"
// too.
static bool lists(const std::string& names, const std::string& check) {
    std::istringstream in(names);
    for (std::string name; std::getline(in, name, ',');)
        if (name == check || check.rfind(name + "/", 0) == 0) return true;
    return false;
}

bool Run::selected(const std::string& name) {
    if (!options_.only.empty() && !lists(options_.only, name)) return false;
    if (!lists(options_.skip, name)) return true;
    std::cout << "skip " << name << ": as asked" << std::endl;
    skipped_++;
    return false;
}

void await(const std::function<bool()>& arrived) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!arrived()) {
        require(std::chrono::steady_clock::now() < deadline, "the oneway did not arrive");
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

static std::string describe(const CORBA::SystemException& e) {
    static const char* const completed[] = {"yes", "no", "maybe"};
    std::ostringstream text;
    text << e._name() << " minor 0x" << std::hex << e.minor() << " completed "
         << completed[e.completed() % 3];
    if (const char* minor = e.NP_minorString()) text << " (" << minor << ")";
    return text.str();
}

void Run::check(const std::string& name, const std::function<void()>& body) {
    if (!selected(name)) return;
    try {
        body();
    } catch (const Failure& e) {
        return report_failure(name, e.what());
    } catch (const CORBA::SystemException& e) {
        return report_failure(name, describe(e));
    } catch (const CORBA::Exception& e) {
        return report_failure(name, std::string("raised ") + e._name());
    } catch (const std::exception& e) {
        return report_failure(name, e.what());
    }
    if (std::string reason = known(name); !reason.empty()) {
        std::cout << "FAIL " << name << ": passed, and should not: " << reason << std::endl;
        failed_++;
        return;
    }
    std::cout << "ok " << name << std::endl;
    passed_++;
}

void Run::check_from(int minor, const std::string& name, const std::function<void()>& body) {
    from_ = minor;
    check(name, body);
    from_ = 0;
}

std::string Run::known(const std::string& name) const {
    const char* listed = known_reason(name, server_, minor());
    if (listed) return listed;
    return minor() < from_ ? "omniORB does this from GIOP 1." + std::to_string(from_) + " on" : "";
}

void Run::report_failure(const std::string& name, const std::string& reason) {
    if (std::string known = this->known(name); !known.empty()) {
        std::cout << "known " << name << ": " << known << " [" << reason << "]" << std::endl;
        known_++;
        return;
    }
    std::cout << "FAIL " << name << ": " << reason << std::endl;
    failed_++;
}

int Run::finish() {
    if (known_ + skipped_ > 0)
        std::cout << known_ << " known, " << skipped_ << " skipped" << std::endl;
    std::cout << passed_ << " passed, " << failed_ << " failed" << std::endl;
    return failed_ == 0 && passed_ > 0 ? 0 : 1;
}
