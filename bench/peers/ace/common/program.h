// What every C++ peer does around its calls: the command line, clocks, the end of its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace bench {

struct Options {
    std::string address;         // of a client only
    bool unix_sockets = false;   // --transport uiop
    std::string path;            // --path
    int cpu = -1;                // --cpu; -1: anywhere
    unsigned connections = 128;  // --connections
    int socket_queue = 0;        // --socket-queue, in octets; 0: the system's
    bool dynamic = false;        // --engine dsi: a servant without a skeleton
};

// Exit statuses.
constexpr int FAILED = 1;
constexpr int USAGE = 2;
constexpr int CANNOT = 3;

// The program cannot do what it was asked for.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// It was tried and went wrong.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Reads the command line, pins the process and raises its limit of open files. Ends the program
// when the arguments are wrong.
Options start(int argc, char** argv, bool client);

// The monotonic clock, and the processor time of the whole process, in nanoseconds.
uint64_t now();
uint64_t cpu_time();

// Prints "ready WHAT", or "ready" alone.
void ready(const std::string& what = "");

// Returns when standard input is closed.
void wait_for_end_of_input();

// What a sink has taken; see bench.idl.
struct Tally {
    uint32_t calls = 0;
    uint64_t elements = 0;
    uint64_t sum = 0;
    uint64_t cpu_ns = 0;

    void count(uint64_t length, uint64_t first, uint64_t last) {
        calls++;
        elements += length;
        sum += first + last;
    }

    // The tally until now; the next begins from nothing.
    Tally take() {
        Tally taken = *this;
        taken.cpu_ns = cpu_time();
        *this = Tally();
        return taken;
    }
};

}  // namespace bench
