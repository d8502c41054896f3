// bench.idl for a program that has no IDL compiler: types, operations, and the wire.
//
// A message is that of the bare program (PROTOCOL.md): 12 octets of header and the elements as
// they lie in memory. Structs are marshalled member by member with ACE's CDR streams, aligned so
// that the octets are the same. Sequences of basic types go out of the memory that they are in.
#pragma once

#include <ace/CDR_Stream.h>

#include <cstdint>

#include "common/elements.h"

struct BinStruct {
    int16_t s;
    char c;
    int32_t l;
    uint8_t o;
    double d;
};

struct PaddedStruct : BinStruct {
    uint8_t p[8];
};

struct CubeStruct {
    uint8_t o;
    int32_t l;
    int16_t s;
};

static_assert(sizeof(BinStruct) == 24 && sizeof(PaddedStruct) == 32 && sizeof(CubeStruct) == 12);

enum class Duty { ECHO_BACK, CUBE, SINK };

// NAME, rule, element type, duty; a number that is single has a sequence's row with one element.
#define BENCH_OPERATIONS(X)                                          \
    X(echo_octets, bench::Octets, uint8_t, Duty::ECHO_BACK)          \
    X(echo_longs, bench::Longs, int32_t, Duty::ECHO_BACK)            \
    X(echo_doubles, bench::Doubles, double, Duty::ECHO_BACK)         \
    X(echo_structs, bench::Structs, BinStruct, Duty::ECHO_BACK)      \
    X(cube_octet, bench::Numbers<1>, uint8_t, Duty::CUBE)            \
    X(cube_long, bench::Numbers<4>, int32_t, Duty::CUBE)             \
    X(cube_struct, bench::CubeStructs, CubeStruct, Duty::CUBE)       \
    X(cube_octets, bench::Numbers<1>, uint8_t, Duty::CUBE)           \
    X(cube_shorts, bench::Numbers<2>, int16_t, Duty::CUBE)           \
    X(cube_longs, bench::Numbers<4>, int32_t, Duty::CUBE)            \
    X(cube_structs, bench::CubeStructs, CubeStruct, Duty::CUBE)      \
    X(send_shorts, bench::Shorts, int16_t, Duty::SINK)               \
    X(send_chars, bench::Chars, char, Duty::SINK)                    \
    X(send_longs, bench::Longs, int32_t, Duty::SINK)                 \
    X(send_octets, bench::Octets, uint8_t, Duty::SINK)               \
    X(send_doubles, bench::Doubles, double, Duty::SINK)              \
    X(send_structs, bench::Structs, BinStruct, Duty::SINK)           \
    X(send_padded, bench::Padded, PaddedStruct, Duty::SINK)

enum class Op : uint8_t {
    ping,
    cube_void,
#define BENCH_NAME(NAME, RULE, TYPE, DUTY) NAME,
    BENCH_OPERATIONS(BENCH_NAME)
#undef BENCH_NAME
    sync
};

// Whether the operation takes one element, whatever the payload.
constexpr bool is_single(Op op) {
    return op == Op::cube_octet || op == Op::cube_long || op == Op::cube_struct;
}

// How a struct is marshalled; basic types are not.
template <class T>
struct Marshal {
    static constexpr bool NEEDED = false;
};

template <>
struct Marshal<BinStruct> {
    static constexpr bool NEEDED = true;
    static bool put(ACE_OutputCDR& out, const BinStruct& e) {
        return out.write_short(e.s) && out.write_char(e.c) && out.write_long(e.l) &&
               out.write_octet(e.o) && out.write_double(e.d);
    }
    static bool get(ACE_InputCDR& in, BinStruct& e) {
        return in.read_short(e.s) && in.read_char(e.c) && in.read_long(e.l) &&
               in.read_octet(e.o) && in.read_double(e.d);
    }
};

template <>
struct Marshal<PaddedStruct> {
    static constexpr bool NEEDED = true;
    static bool put(ACE_OutputCDR& out, const PaddedStruct& e) {
        return Marshal<BinStruct>::put(out, e) && out.write_octet_array(e.p, 8);
    }
    static bool get(ACE_InputCDR& in, PaddedStruct& e) {
        return Marshal<BinStruct>::get(in, e) && in.read_octet_array(e.p, 8);
    }
};

template <>
struct Marshal<CubeStruct> {
    static constexpr bool NEEDED = true;
    // In memory it ends with two octets of padding.
    static bool put(ACE_OutputCDR& out, const CubeStruct& e) {
        return out.write_octet(e.o) && out.write_long(e.l) && out.write_short(e.s) &&
               out.align_write_ptr(4) == 0;
    }
    static bool get(ACE_InputCDR& in, CubeStruct& e) {
        return in.read_octet(e.o) && in.read_long(e.l) && in.read_short(e.s) &&
               in.align_read_ptr(4) == 0;
    }
};
