#include "command.h"

#include <charconv>
#include <sstream>

#include "program.h"

namespace bench {
namespace {

uint64_t number(const std::string& name, const std::string& text, uint64_t least, uint64_t most) {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end || value < least || value > most) {
        throw Failure(name + " has to be a number from " + std::to_string(least) + " to " +
                      std::to_string(most));
    }
    return value;
}

}  // namespace

Command Command::parse(const std::string& line) {
    std::istringstream words(line);
    std::string kind, payload, calls, word;
    Command command;
    words >> kind >> command.operation >> payload >> calls;
    if (kind != "run" && kind != "flood") throw Failure("there is no command '" + kind + "'");
    command.flood = kind == "flood";
    command.payload = number("PAYLOAD", payload, 0, 64 << 20);
    command.calls = number("CALLS", calls, 1, UINT32_MAX);
    while (words >> word) {
        size_t at = std::min(word.find('='), word.size());
        std::string key = word.substr(0, at);
        std::string value = word.substr(std::min(at + 1, word.size()));
        if (command.flood) throw Failure("flood has no keys");
        if (key == "warm") {
            command.warm = number(key, value, 0, UINT32_MAX);
        } else if (key == "batch") {
            command.batch = number(key, value, 1, command.calls);
        } else if (key == "threads") {
            command.threads = unsigned(number(key, value, 1, 4096));
        } else if (key == "shared") {
            command.shared = number(key, value, 0, 1) == 1;
        } else {
            throw Unsupported("run has no key '" + key + "'");
        }
    }
    if (command.calls % command.batch != 0) throw Failure("CALLS is no multiple of batch");
    return command;
}

}  // namespace bench
