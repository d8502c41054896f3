// Servants without skeletons. `Contexts` is one of them because only they see contexts.
#include "servants.h"

using namespace Interop;

namespace {

// The arguments of a request, taken one after the other.
class Arguments {
public:
    explicit Arguments(CORBA::ORB_ptr orb) { orb->create_list(0, list_); }

    Arguments& expect(CORBA::TypeCode_ptr type, CORBA::Flags mode = CORBA::ARG_IN) {
        CORBA::Any typed;
        typed.replace(type, nullptr);
        list_->add_value("", typed, mode);
        return *this;
    }
    // The request frees the list, but the values are needed as long as this lives.
    Arguments& take(CORBA::ServerRequest_ptr request) {
        CORBA::NVList_ptr list = CORBA::NVList::_duplicate(list_);
        request->arguments(list);
        return *this;
    }
    CORBA::Any& operator[](CORBA::ULong index) { return *list_->item(index)->value(); }

private:
    CORBA::NVList_var list_;
};

template <class T>
CORBA::Any any(T value) {
    CORBA::Any holder;
    holder <<= value;
    return holder;
}

std::string text(const CORBA::Any& any) {
    const char* text = nullptr;
    if (!(any >>= text)) throw CORBA::MARSHAL(0, CORBA::COMPLETED_NO);
    return text;
}

CORBA::Long number(const CORBA::Any& any) {
    CORBA::Long number = 0;
    if (!(any >>= number)) throw CORBA::MARSHAL(0, CORBA::COMPLETED_NO);
    return number;
}

class DynamicServant : public PortableServer::DynamicImplementation {
public:
    explicit DynamicServant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}

    char* _primary_interface(const PortableServer::ObjectId&, PortableServer::POA_ptr) override {
        return CORBA::string_dup(Interop::Dynamic::_PD_repoId);
    }

    void invoke(CORBA::ServerRequest_ptr request) override {
        std::string operation = request->operation();
        Arguments arguments(orb_);
        if (operation == "add") {
            arguments.expect(CORBA::_tc_long).expect(CORBA::_tc_long).take(request);
            request->set_result(any(CORBA::Long(number(arguments[0]) + number(arguments[1]))));
        } else if (operation == "echo_person") {
            echo(request, Data::_tc_Person);
        } else if (operation == "echo_any") {
            echo(request, CORBA::_tc_any);
        } else if (operation == "fail") {
            arguments.expect(CORBA::_tc_string).take(request);
            fail(request, text(arguments[0]));
        } else if (operation == "note") {
            arguments.expect(CORBA::_tc_long).take(request);
            std::lock_guard<std::mutex> guard(mutex_);
            notes_ += number(arguments[0]);
        } else if (operation == "_get_notes") {
            arguments.take(request);
            std::lock_guard<std::mutex> guard(mutex_);
            request->set_result(any(notes_));
        } else if (operation == "_get_title") {
            arguments.take(request);
            std::lock_guard<std::mutex> guard(mutex_);
            request->set_result(any(title_.c_str()));
        } else if (operation == "_set_title") {
            arguments.expect(CORBA::_tc_string).take(request);
            std::lock_guard<std::mutex> guard(mutex_);
            title_ = text(arguments[0]);
        } else {
            throw CORBA::BAD_OPERATION(0, CORBA::COMPLETED_NO);
        }
    }

private:
    // T echo_T(in T a, inout T b, out T c)
    void echo(CORBA::ServerRequest_ptr request, CORBA::TypeCode_ptr type) {
        Arguments arguments(orb_);
        arguments.expect(type).expect(type, CORBA::ARG_INOUT).expect(type, CORBA::ARG_OUT);
        arguments.take(request);
        arguments[2] = arguments[1];
        arguments[1] = arguments[0];
        request->set_result(arguments[0]);
    }

    static void fail(CORBA::ServerRequest_ptr request, const std::string& why) {
        if (why == "system") throw CORBA::NO_PERMISSION(7, CORBA::COMPLETED_NO);
        CORBA::Any exception;
        if (why.empty()) exception <<= Empty();
        else exception <<= Reason(why.c_str(), CORBA::Long(why.size()));
        request->set_exception(exception);
    }

    CORBA::ORB_var orb_;
    std::mutex mutex_;
    CORBA::Long notes_ = 0;
    std::string title_;
};

class ContextsServant : public PortableServer::DynamicImplementation {
public:
    explicit ContextsServant(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}

    char* _primary_interface(const PortableServer::ObjectId&, PortableServer::POA_ptr) override {
        return CORBA::string_dup(Interop::Contexts::_PD_repoId);
    }

    void invoke(CORBA::ServerRequest_ptr request) override {
        std::string operation = request->operation();
        Arguments arguments(orb_);
        arguments.expect(CORBA::_tc_string).take(request);
        std::string argument = text(arguments[0]);
        if (operation == "property")
            request->set_result(any(property(request->ctx(), argument).c_str()));
        else if (operation == "none")
            request->set_result(arguments[0]);
        else
            throw CORBA::BAD_OPERATION(0, CORBA::COMPLETED_NO);
    }

private:
    static std::string property(CORBA::Context_ptr context, const std::string& name) {
        if (CORBA::is_nil(context)) return "";
        try {
            CORBA::NVList_var found;
            context->get_values("", 0, name.c_str(), found.out());
            return text(*found->item(0)->value());
        } catch (const CORBA::BAD_CONTEXT&) {
            return "";  // no such property
        }
    }

    CORBA::ORB_var orb_;
};

}  // namespace

PortableServer::Servant new_dynamic(World& world) { return new DynamicServant(world.orb()); }
PortableServer::Servant new_contexts(World& world) { return new ContextsServant(world.orb()); }
