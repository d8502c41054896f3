// Equality of IDL values: the C++ mapping has none, so two values are the same when their CDR
// encodings are. And the echo checks built on it: one for each parameter passing rule.
#pragma once

#include "run.h"
#include "samples.h"

template <class T>
void encode(cdrStream& stream, const T& value) { value >>= stream; }
inline void encode(cdrStream& stream, CORBA::Boolean value) { stream.marshalBoolean(value); }
// char is the same type as octet here.
inline void encode(cdrStream& stream, CORBA::Octet value) { stream.marshalOctet(value); }
inline void encode(cdrStream& stream, CORBA::WChar value) { CORBA::ULong(value) >>= stream; }
// A result is a copy without limits (see `fresh`).
template <CORBA::UShort digits, CORBA::UShort scale>
void encode(cdrStream& stream, const _omni_Fixed<digits, scale>& value) {
    _omni_Fixed<digits, scale> copy;
    copy = value;
    copy >>= stream;
}
template <class T, size_t N>
void encode(cdrStream& stream, const T (&array)[N]) {
    for (const T& item : array) encode(stream, item);
}

template <class T>
bool same(const T& a, const T& b) {
    cdrMemoryStream streams[] = {cdrMemoryStream(0, true), cdrMemoryStream(0, true)};
    const T* values[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        using omni::omniCodeSet;
        streams[i].TCS_C(omniCodeSet::getTCS_C(omniCodeSet::ID_UTF_8, {1, 2}));
        streams[i].TCS_W(omniCodeSet::getTCS_W(omniCodeSet::ID_UTF_16, {1, 2}));
        encode(streams[i], *values[i]);
    }
    return streams[0].bufSize() == streams[1].bufSize() &&
           memcmp(streams[0].bufPtr(), streams[1].bufPtr(), streams[0].bufSize()) == 0;
}

// TypeCodes, and anys with them, have more than one encoding (samples.cc, check_types.cc).
inline bool same(const CORBA::Any& a, const CORBA::Any& b) { return samples::same_any(a, b); }
bool same(const Interop::Data::TypeSeq& a, const Interop::Data::TypeSeq& b);
bool same(const Interop::Data::AnySeq& a, const Interop::Data::AnySeq& b);
bool same(const Interop::Data::AnyPair& a, const Interop::Data::AnyPair& b);
bool same(const Interop::Data::Described& a, const Interop::Data::Described& b);
bool same(const Interop::Data::Variant& a, const Interop::Data::Variant& b);

template <class T>
void require_echo(const T& result, const T& b_after, const T& c, const T& a, const T& b_before) {
    require(same(result, a), "the result is not a");
    require(same(b_after, a), "the inout parameter is not a");
    require(same(c, b_before), "the out parameter is not the old b");
}

// The values, copied by assignment (see `fresh`).
template <class T>
std::deque<T> assigned(const std::deque<T>& values) {
    std::deque<T> copies(values.size());
    std::copy(values.begin(), values.end(), copies.begin());
    return copies;
}

// Calls `operation(a, b, c)` with every value as a and its successor as b. Results by value.
template <class T, class Operation>
void echo_values(Run& run, const char* name, const std::deque<T>& given, Operation operation) {
    std::deque<T> values = assigned(given);
    run.check(name, [&] {
        for (size_t i = 0; i < values.size(); i++) {
            const T& a = values[i];
            const T& b_before = values[(i + 1) % values.size()];
            T b = T(), c = T();
            b = b_before;
            T result = operation(a, b, c);
            require_echo(result, b, c, a, b_before);
        }
    });
}

// The same for types whose results come as pointers.
template <class T, class Operation>
void echo_variables(Run& run, const char* name, const std::deque<T>& given,
                    Operation operation) {
    std::deque<T> values = assigned(given);
    run.check(name, [&] {
        for (size_t i = 0; i < values.size(); i++) {
            const T& a = values[i];
            const T& b_before = values[(i + 1) % values.size()];
            T b;
            b = b_before;
            T* c = nullptr;
            std::unique_ptr<T> result(operation(a, b, c)), out(c);
            require(out != nullptr, "no out parameter");
            require_echo(*result, b, *out, a, b_before);
        }
    });
}

// The same for strings: `Char` is char or wide, `Owner` the matching String_var.
template <class Owner, class Char, class Operation>
void echo_texts(Run& run, int minor, const char* name,
                const std::vector<std::basic_string<Char>>& values, Operation operation) {
    run.check_from(minor, name, [&] {
        for (size_t i = 0; i < values.size(); i++) {
            const auto& a = values[i];
            const auto& b_before = values[(i + 1) % values.size()];
            Owner b(b_before.c_str()), c, result;
            result = operation(a.c_str(), b, c);
            require(static_cast<const Char*>(result) == a, "the result is not a");
            require(static_cast<const Char*>(b) == a, "the inout parameter is not a");
            require(static_cast<const Char*>(c) == b_before, "the out parameter is not the old b");
        }
    });
}

// The same for arrays: T is the array type, Helper its generated copy helper. For arrays of
// variable size the callee allocates the out parameter, for others the caller does.
template <class T, class Helper, bool variable, class Operation>
void echo_arrays(Run& run, const char* name, const std::vector<const T*>& values,
                 Operation operation) {
    using Slice = std::remove_extent_t<T>;
    using Owner = std::unique_ptr<Slice, void (*)(Slice*)>;
    auto whole = [](const Slice* slice) -> const T& { return *reinterpret_cast<const T*>(slice); };
    run.check(name, [&] {
        for (size_t i = 0; i < values.size(); i++) {
            const T& a = *values[i];
            const T& b_before = *values[(i + 1) % values.size()];
            Owner b(Helper::dup(b_before), Helper::free);
            Slice* out = variable ? nullptr : Helper::alloc();
            Owner result(operation(a, b.get(), out), Helper::free);
            Owner c(out, Helper::free);
            require_echo(whole(result.get()), whole(b.get()), whole(c.get()), a, b_before);
        }
    });
}

// The operation to check, as the templates above take it.
#define CALL(OBJECT, OPERATION) \
    [&](auto&& a, auto&& b, auto&& c) { return OBJECT->OPERATION(a, b, c); }
#define CALL_TEXT(OBJECT, OPERATION) \
    [&](auto* a, auto& b, auto& c) { return OBJECT->OPERATION(a, b.inout(), c.out()); }
