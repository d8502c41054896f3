// The values of PROTOCOL.md, by rule: how elements are made, compared, cubed and numbered. The
// element types themselves belong to each peer: its structs have the IDL's member names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bench {

// The unsigned arithmetic makes it modulo two to the power of the type's bits.
template <class T>
constexpr T cube(T x) {
    auto u = static_cast<uint32_t>(x);
    return static_cast<T>(u * u * u);
}

// Scalars: every rule says how to compute element i and, by the count of calls n, element 0.
struct Scalar {
    template <class T>
    static bool right(const T& sent, const T& reply) {
        return sent == reply;
    }
    template <class T>
    static uint64_t number(const T& element) {
        return static_cast<uint64_t>(element);
    }
};

struct Octets : Scalar {
    static constexpr size_t SIZE = 1;
    template <class T> static void set(T& e, uint64_t i) { e = static_cast<T>(i % 251); }
    template <class T> static void first(T& e, uint64_t n) { e = static_cast<T>(n % 256); }
};

struct Chars : Scalar {
    static constexpr size_t SIZE = 1;
    template <class T> static void set(T& e, uint64_t i) { e = static_cast<T>('A' + i % 26); }
    template <class T> static void first(T& e, uint64_t n) { set(e, n); }
};

struct Shorts : Scalar {
    static constexpr size_t SIZE = 2;
    template <class T> static void set(T& e, uint64_t i) { e = static_cast<T>(i % 32768); }
    template <class T> static void first(T& e, uint64_t n) { set(e, n); }
};

struct Longs : Scalar {
    static constexpr size_t SIZE = 4;
    template <class T> static void set(T& e, uint64_t i) { e = static_cast<T>(i); }
    template <class T> static void first(T& e, uint64_t n) { set(e, n); }
};

struct Doubles : Scalar {
    static constexpr size_t SIZE = 8;
    template <class T> static void set(T& e, uint64_t i) { e = static_cast<T>(i) / 4.0; }
    template <class T> static void first(T& e, uint64_t n) { e = static_cast<T>(n); }
};

struct Structs {
    static constexpr size_t SIZE = 24;
    template <class T>
    static void set(T& e, uint64_t i) {
        Shorts::set(e.s, i);
        Chars::set(e.c, i);
        Longs::set(e.l, i);
        e.o = static_cast<decltype(e.o)>(i % 256);
        Doubles::set(e.d, i);
    }
    template <class T>
    static void first(T& e, uint64_t n) {
        Longs::set(e.l, n);
    }
    template <class T>
    static bool right(const T& sent, const T& reply) {
        return sent.s == reply.s && sent.c == reply.c && sent.l == reply.l && sent.o == reply.o &&
               sent.d == reply.d;
    }
    template <class T>
    static uint64_t number(const T& element) {
        return static_cast<uint64_t>(element.l);
    }
};

struct Padded : Structs {
    static constexpr size_t SIZE = 32;
    template <class T>
    static void set(T& e, uint64_t i) {
        Structs::set(e, i);
        for (unsigned k = 0; k < 8; k++) e.p[k] = static_cast<uint8_t>(k);
    }
};

// Numbers to be cubed.
template <size_t N>
struct Numbers {
    static constexpr size_t SIZE = N;
    template <class T> static void set(T& e, uint64_t i) { e = static_cast<T>(i % 101); }
    template <class T> static void first(T& e, uint64_t n) { set(e, n); }
    template <class T> static T cubed(const T& e) { return cube(e); }
    template <class T>
    static bool right(const T& sent, const T& reply) {
        return reply == cube(sent);
    }
};

struct CubeStructs {
    static constexpr size_t SIZE = 12;
    template <class T>
    static void set(T& e, uint64_t i) {
        Numbers<1>::set(e.o, i);
        Numbers<4>::set(e.l, i);
        Numbers<2>::set(e.s, i);
    }
    template <class T> static void first(T& e, uint64_t n) { set(e, n); }
    template <class T>
    static T cubed(const T& e) {
        T result = e;
        result.o = cube(e.o);
        result.l = cube(e.l);
        result.s = cube(e.s);
        return result;
    }
    template <class T>
    static bool right(const T& sent, const T& reply) {
        return reply.o == cube(sent.o) && reply.l == cube(sent.l) && reply.s == cube(sent.s);
    }
};

// How many elements a payload has.
template <class Rule>
size_t length(uint64_t payload) {
    return payload > Rule::SIZE ? static_cast<size_t>(payload / Rule::SIZE) : 1;
}

template <class Rule, class T>
void fill(T* elements, size_t count) {
    for (size_t i = 0; i < count; i++) Rule::set(elements[i], i);
}

template <class Rule, class T>
bool all_right(const T* sent, const T* reply, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!Rule::right(sent[i], reply[i])) return false;
    }
    return true;
}

template <class Rule, class T>
void cube_all(T* elements, size_t count) {
    for (size_t i = 0; i < count; i++) elements[i] = Rule::cubed(elements[i]);
}

}  // namespace bench
