// A command of the harness.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct Command {
    bool flood = false;
    std::string operation;
    uint64_t payload = 0;
    uint64_t calls = 0;
    uint64_t warm = 0;
    uint64_t batch = 1;
    unsigned threads = 1;
    bool shared = false;

    // Throws Failure when the line is no command.
    static Command parse(const std::string& line);
};

}  // namespace bench
