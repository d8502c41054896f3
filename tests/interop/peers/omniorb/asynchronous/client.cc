// A client that does not wait for its calls: their results go to reply handlers, or are polled.
//
//   asynchronous REF HANDLER
//
// REF is a stringified reference of the test object; HANDLER is one of a handler of another process, which gets results
// as well: its operation raise_system() returns when it has got those of two calls. Prints as the other client does: a
// line for each check, and how many passed and failed.
#include "asynchronous.hh"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <iostream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

using namespace Interop;

// How long a result may take.
const std::chrono::seconds LIMIT(300);

// What the handlers have got, on threads of the ORB.
class Told {
public:
    void add(const std::string& text) {
        std::lock_guard<std::mutex> lock(mutex_);
        texts_.push_back(text);
        added_.notify_one();
    }

    std::string next() {
        std::unique_lock<std::mutex> lock(mutex_);
        if (!added_.wait_for(lock, LIMIT, [this] { return !texts_.empty(); }))
            throw std::runtime_error("the handler is not called");
        std::string text = texts_.front();
        texts_.pop_front();
        return text;
    }

private:
    std::mutex mutex_;
    std::condition_variable added_;
    std::deque<std::string> texts_;
};

Told told;
int passed = 0, failed = 0;

template <class... Parts> std::string text(const Parts&... parts) {
    std::ostringstream text;
    const char* between = "";
    ((text << between << parts, between = " "), ...);
    return text.str();
}

std::string described(const Reason& e) { return text("Reason", e.why, e.code); }

std::string described(const CORBA::SystemException& e) {
    return text(e._name(), e.minor(), int(e.completed()));
}

void tell_exception(Messaging::ExceptionHolder* holder) {
    try {
        holder->raise_exception();
        told.add("no exception");
    } catch (const Reason& e) {
        told.add(described(e));
    } catch (const CORBA::SystemException& e) {
        told.add(described(e));
    }
}

struct BasicsHandler : POA_Interop::AMI_BasicsHandler {
    void nothing() override { told.add("nothing"); }
    void nothing_excep(Messaging::ExceptionHolder* holder) override { tell_exception(holder); }
    void mixed(CORBA::Long result, CORBA::Double b, CORBA::Short c, CORBA::LongLong size,
               CORBA::Boolean flip) override {
        told.add(text("mixed", result, b, c, size, int(flip)));
    }
    void mixed_excep(Messaging::ExceptionHolder* holder) override { tell_exception(holder); }
};

struct FaultsHandler : POA_Interop::AMI_FaultsHandler {
    void divide(CORBA::Long quotient, CORBA::Long rest) override {
        told.add(text("divide", quotient, rest));
    }
    void divide_excep(Messaging::ExceptionHolder* holder) override { tell_exception(holder); }
    void raise_system() override { told.add("raise_system"); }
    void raise_system_excep(Messaging::ExceptionHolder* holder) override {
        tell_exception(holder);
    }
};

struct SettingsHandler : POA_Interop::AMI_SettingsHandler {
    void get_number(CORBA::Long number) override { told.add(text("number", number)); }
    void get_number_excep(Messaging::ExceptionHolder* holder) override { tell_exception(holder); }
    void set_number() override { told.add("set"); }
    void set_number_excep(Messaging::ExceptionHolder* holder) override { tell_exception(holder); }
};

void same(const std::string& found, const std::string& expected) {
    if (found != expected) throw std::runtime_error("got " + found + ", not " + expected);
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
        story = described(e);
    } catch (const CORBA::Exception& e) {
        story = e._name();
    }
    failed++;
    std::cout << "FAIL " << name << ": " << story << std::endl;
}

void check_handlers(Suite_ptr suite) {
    Basics_var basics = suite->basic_types();
    Faults_var faults = suite->fault_tests();
    // The adapter has the other reference to each.
    PortableServer::Servant_var<BasicsHandler> for_basics(new BasicsHandler);
    PortableServer::Servant_var<FaultsHandler> for_faults(new FaultsHandler);
    PortableServer::Servant_var<SettingsHandler> for_settings(new SettingsHandler);
    AMI_BasicsHandler_var basics_handler = for_basics->_this();
    AMI_FaultsHandler_var faults_handler = for_faults->_this();
    AMI_SettingsHandler_var settings_handler = for_settings->_this();
    check("handlers/nothing", [&] {
        basics->sendc_nothing(basics_handler);
        same(told.next(), "nothing");
    });
    check("handlers/results", [&] {
        basics->sendc_mixed(basics_handler, 7, -3, "abcde", true);
        same(told.next(), "mixed 42 10.5 3 5 0");
    });
    check("handlers/user_exception", [&] {
        faults->sendc_divide(faults_handler, 9, 0);
        same(told.next(), "Reason division by zero 9");
    });
    check("handlers/system_exception", [&] {
        faults->sendc_raise_system(faults_handler, "NO_PERMISSION", 7, 1);
        same(told.next(), "NO_PERMISSION 7 1");
    });
    check("handlers/attributes", [&] {
        Settings_var settings = suite->new_settings("asynchronous");
        settings->sendc_set_number(settings_handler, 11);
        same(told.next(), "set");
        settings->sendc_get_number(settings_handler);
        same(told.next(), "number 11");
    });
    check("handlers/many", [&] {
        // They may end in any order.
        std::deque<std::string> expected, found;
        for (CORBA::Long a = 0; a < 200; a++) {
            faults->sendc_divide(faults_handler, a, 3);
            expected.push_back(text("divide", a / 3, a % 3));
        }
        for (size_t i = 0; i < expected.size(); i++) found.push_back(told.next());
        std::sort(expected.begin(), expected.end());
        std::sort(found.begin(), found.end());
        if (found != expected) throw std::runtime_error("wrong results");
    });
}

void check_pollers(Suite_ptr suite) {
    Faults_var faults = suite->fault_tests();
    const CORBA::ULong limit = CORBA::ULong(std::chrono::milliseconds(LIMIT).count());
    CORBA::Long quotient = 0, rest = 0;
    check("pollers/results", [&] {
        AMI_FaultsPoller_var first = faults->sendp_divide(17, 5);
        AMI_FaultsPoller_var second = faults->sendp_divide(9, 3);
        second->divide(limit, quotient, rest);
        same(text(quotient, rest), "3 0");
        first->divide(limit, quotient, rest);
        same(text(quotient, rest), "3 2");
    });
    check("pollers/user_exception", [&] {
        AMI_FaultsPoller_var poller = faults->sendp_divide(9, 0);
        try {
            poller->divide(limit, quotient, rest);
            throw std::runtime_error("nothing was raised");
        } catch (const Reason& e) {
            same(described(e), "Reason division by zero 9");
        }
    });
}

void check_passed_handler(Suite_ptr suite, CORBA::Object_ptr object) {
    Faults_var faults = suite->fault_tests();
    check("handlers/passed", [&] {
        // Its type has another repository id: omniidl omits the prefix from those of handlers.
        AMI_FaultsHandler_var handler = AMI_FaultsHandler::_unchecked_narrow(object);
        faults->sendc_divide(handler, 17, 3);
        faults->sendc_divide(handler, 18, 4);
        handler->raise_system();
    });
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const char* options[][2] = {{"endPoint", "giop:tcp:127.0.0.1:"}, {nullptr, nullptr}};
        CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", options);
        if (argc != 3) throw std::runtime_error("two references are needed");
        CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
        PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
        PortableServer::POAManager_var manager = poa->the_POAManager();
        manager->activate();
        object = orb->string_to_object(argv[1]);
        Suite_var suite = Suite::_narrow(object);
        if (CORBA::is_nil(suite)) throw std::runtime_error("the reference is not of a Suite");
        check_handlers(suite);
        check_pollers(suite);
        object = orb->string_to_object(argv[2]);
        check_passed_handler(suite, object);
        suite = Suite::_nil();
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
