// The echo operations of the servants, one macro for each parameter passing rule of the C++
// mapping: the result is a, b becomes a, c becomes the old b.
#pragma once

// Basic types and enumerations: by value.
#define ECHO_VALUE(T, NAME) \
    T NAME(T a, T& b, T& c) override { c = b; b = a; return a; }

// Structs and unions of fixed size.
#define ECHO_FIXED(T, NAME) \
    T NAME(const T& a, T& b, T& c) override { c = b; b = a; return a; }

// Structs and unions of variable size, and sequences.
#define ECHO_VARIABLE(T, NAME) \
    T* NAME(const T& a, T& b, T##_out c) override { \
        c = fresh<T>(b); \
        b = a; \
        return fresh<T>(a); \
    }

// Strings: c takes over the memory of the old b.
#define ECHO_STRING(NAME) \
    char* NAME(const char* a, char*& b, CORBA::String_out c) override { \
        c = b; \
        b = CORBA::string_dup(a); \
        return CORBA::string_dup(a); \
    }
#define ECHO_WSTRING(NAME) \
    CORBA::WChar* NAME(const CORBA::WChar* a, CORBA::WChar*& b, CORBA::WString_out c) override { \
        c = b; \
        b = CORBA::wstring_dup(a); \
        return CORBA::wstring_dup(a); \
    }

// Arrays of fixed and of variable size.
#define ECHO_ARRAY(T, NAME) \
    T##_slice* NAME(const T a, T b, T c) override { \
        T##_copy(c, b); \
        T##_copy(b, a); \
        return T##_dup(a); \
    }
#define ECHO_VARIABLE_ARRAY(T, NAME) \
    T##_slice* NAME(const T a, T b, T##_out c) override { \
        c = T##_dup(b); \
        T##_copy(b, a); \
        return T##_dup(a); \
    }

// Object references: c takes over the old b.
#define ECHO_REFERENCE(T, NAME) \
    T##_ptr NAME(T##_ptr a, T##_ptr& b, T##_out c) override { \
        c = b; \
        b = T::_duplicate(a); \
        return T::_duplicate(a); \
    }
