// Work with values whose types are known at run time: dynamic calls, anys as octets, and values
// gone through leaf by leaf.
#pragma once

#include <bench.hh>
#include <omniORB4/dynAny.h>

#include <memory>
#include <string>

#include "common/elements.h"
#include "common/program.h"

// Throws what a request has brought instead of a result.
void check(CORBA::Request_ptr request);

// How the current part of a sequence is set, and read.
void put(DynamicAny::DynSequence_ptr all, CORBA::Octet value);
void put(DynamicAny::DynSequence_ptr all, CORBA::Long value);
void put(DynamicAny::DynSequence_ptr all, CORBA::Double value);
void put(DynamicAny::DynSequence_ptr all, const Bench::BinStruct& value);
void take(DynamicAny::DynSequence_ptr all, CORBA::Octet& value);
void take(DynamicAny::DynSequence_ptr all, CORBA::Long& value);
void take(DynamicAny::DynSequence_ptr all, CORBA::Double& value);
void take(DynamicAny::DynSequence_ptr all, Bench::BinStruct& value);

template <class Sequence>
Sequence filled(auto rule, uint64_t payload) {
    using Rule = decltype(rule);
    Sequence sequence;
    sequence.length(CORBA::ULong(bench::length<Rule>(payload)));
    bench::fill<Rule>(sequence.get_buffer(), sequence.length());
    return sequence;
}

template <class Rule, class Sequence>
bool same(const Sequence& sent, const Sequence& got) {
    return got.length() == sent.length() &&
           bench::all_right<Rule>(sent.get_buffer(), got.get_buffer(), sent.length());
}

// A dynamic call that echoes its argument: from a typed value to a typed value.
template <class Rule, class Sequence>
class DiiWork {
public:
    DiiWork(Bench::Suite_ptr suite, const char* operation, CORBA::TypeCode_ptr type, uint64_t payload)
        : suite_(suite), operation_(operation), type_(type), sent_(filled<Sequence>(Rule(), payload)) {}

    void first(uint64_t n) { Rule::first(sent_[0], n); }
    void call() {
        got_ = nullptr;
        request_ = suite_->_request(operation_);
        request_->add_in_arg("data") <<= sent_;
        request_->set_return_type(type_);
        request_->invoke();
        check(request_);
        if (!(request_->return_value() >>= got_)) throw bench::Failure("the any is of another type");
    }
    // The request has the memory of the reply.
    bool right() const { return same<Rule>(sent_, *got_); }

private:
    Bench::Suite_ptr suite_;
    const char* operation_;
    CORBA::TypeCode_ptr type_;
    Sequence sent_;
    CORBA::Request_var request_;
    const Sequence* got_ = nullptr;
};

// A value that becomes octets and an any again by its TypeCode.
template <class Rule, class Sequence>
class CodecWork {
public:
    CodecWork(CORBA::TypeCode_ptr type, uint64_t payload)
        : type_(type), sent_(filled<Sequence>(Rule(), payload)) {}

    void first(uint64_t n) { Rule::first(sent_[0], n); }
    void call() {
        CORBA::Any any;
        any <<= sent_;
        cdrMemoryStream octets;
        any.NP_marshalDataOnly(octets);
        again_ = std::make_unique<CORBA::Any>(type_, nullptr);
        again_->NP_unmarshalDataOnly(octets);
        if (!(*again_ >>= got_)) throw bench::Failure("the any is of another type");
    }
    bool right() const { return same<Rule>(sent_, *got_); }

private:
    CORBA::TypeCode_ptr type_;
    Sequence sent_;
    std::unique_ptr<CORBA::Any> again_;
    const Sequence* got_ = nullptr;
};

// A value put together leaf by leaf, made an any, and taken apart leaf by leaf.
template <class Rule, class Sequence>
class LeavesWork {
public:
    LeavesWork(DynamicAny::DynAnyFactory_ptr factory, CORBA::TypeCode_ptr type, uint64_t payload)
        : factory_(factory), type_(type), sent_(filled<Sequence>(Rule(), payload)) {}

    void first(uint64_t n) { Rule::first(sent_[0], n); }
    void call() {
        const Sequence& sent = sent_;
        const CORBA::ULong length = sent.length();
        DynamicAny::DynAny_var made_any = factory_->create_dyn_any_from_type_code(type_);
        DynamicAny::DynSequence_var made = DynamicAny::DynSequence::_narrow(made_any);
        made->set_length(length);
        for (CORBA::ULong i = 0; i < length; i++) {
            put(made, sent[i]);
            made->next();
        }
        CORBA::Any_var any = made->to_any();
        made->destroy();

        DynamicAny::DynAny_var taken_any = factory_->create_dyn_any(any);
        DynamicAny::DynSequence_var taken = DynamicAny::DynSequence::_narrow(taken_any);
        got_.length(taken->get_length());
        auto* elements = got_.get_buffer();
        for (CORBA::ULong i = 0; i < got_.length(); i++) {
            take(taken, elements[i]);
            taken->next();
        }
        taken->destroy();
    }
    bool right() const { return same<Rule>(sent_, got_); }

private:
    DynamicAny::DynAnyFactory_ptr factory_;
    CORBA::TypeCode_ptr type_;
    Sequence sent_;
    Sequence got_;
};
