#include "program.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {
namespace {

[[noreturn]] void end(int status, const std::string& why) {
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
    exit(status);
}

long number(const std::string& option, const char* text, long least) {
    char* rest = nullptr;
    errno = 0;
    long value = strtol(text, &rest, 10);
    if (errno != 0 || rest == text || *rest != '\0' || value < least || value > INT32_MAX) {
        end(USAGE, option + " has to be a number from " + std::to_string(least) + " on");
    }
    return value;
}

// Allows so many connections and what else is open; false when the system does not.
bool allow_files(unsigned connections) {
    rlimit limit;
    rlim_t wanted = rlim_t(connections) + 64;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return true;
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == wanted;
}

uint64_t read_clock(clockid_t id) {
    timespec time;
    clock_gettime(id, &time);
    return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

}  // namespace

Options start(int argc, char** argv, bool client) {
    Options options;
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i];
        if (client && word.rfind("--", 0) != 0 && options.address.empty()) {
            options.address = word;
            continue;
        }
        if (i + 1 == argc) end(USAGE, word + " is unknown or needs a value");
        const char* value = argv[++i];
        if (word == "--transport") {
            options.unix_sockets = strcmp(value, "uiop") == 0;
            if (!options.unix_sockets && strcmp(value, "iiop") != 0) {
                end(CANNOT, std::string("there is no transport ") + value + " here");
            }
        } else if (word == "--path" && !client) {
            options.path = value;
        } else if (word == "--cpu") {
            options.cpu = int(number(word, value, 0));
        } else if (word == "--connections" && !client) {
            options.connections = unsigned(number(word, value, 1));
        } else if (word == "--socket-queue") {
            options.socket_queue = int(number(word, value, 1));
        } else if (word == "--engine") {
            if (strcmp(value, "dsi") != 0) end(CANNOT, std::string("there is no engine ") + value + " here");
            options.dynamic = true;
        } else {
            end(USAGE, "unknown option " + word);
        }
    }
    if (client && options.address.empty()) end(USAGE, "the server's address is missing");
    if (!client && options.unix_sockets && options.path.empty()) {
        end(USAGE, "--transport uiop needs --path");
    }
    if (options.cpu >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        if (options.cpu < CPU_SETSIZE) CPU_SET(unsigned(options.cpu), &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0) {
            end(FAILED, "--cpu " + std::to_string(options.cpu) + ": " + strerror(errno));
        }
    }
    // A client's threads may have a connection each: it gets what it can.
    if (!allow_files(client ? 4096 : options.connections) && !client) {
        end(CANNOT, "--connections: not enough open files are allowed, see ulimit -n");
    }
    return options;
}

uint64_t now() { return read_clock(CLOCK_MONOTONIC); }

uint64_t cpu_time() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

void ready(const std::string& what) {
    printf(what.empty() ? "ready\n" : "ready %s\n", what.c_str());
    fflush(stdout);
}

void wait_for_end_of_input() {
    char buffer[256];
    for (;;) {
        ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
        if (got == 0 || (got < 0 && errno != EINTR)) return;
    }
}

}  // namespace bench
