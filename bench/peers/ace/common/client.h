// The client's side of PROTOCOL.md. A `Peer` has
//
//   void prepare(unsigned threads, bool shared)      connects; throws Unsupported
//   void with_calls(operation, payload, thread, f)   makes the two-way work and passes it to f
//   void with_sends(operation, payload, f)           the same for one-way calls
//   Tally sync()                                     on the connection of the one-way calls
//   static std::string reason()                      of the exception that is being handled
//
// A work has `first(n)`, which sets element 0, and `call()`, which calls the stub. `right()` looks
// at the last reply and lets go of it; `count(tally)` adds what a sink counts for the call.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "command.h"
#include "program.h"
#include "times.h"

namespace bench {

inline std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\r', ' ');
    return text;
}

template <class Peer>
class Client {
public:
    explicit Client(Peer& peer) : peer_(peer) {}

    // Answers commands until standard input closes.
    void serve() {
        std::ios::sync_with_stdio(false);
        std::string line;
        while (std::getline(std::cin, line)) {
            std::cout << answer(line) << std::endl;
        }
    }

private:
    std::string answer(const std::string& line) {
        try {
            Command command = Command::parse(line);
            return command.flood ? flood(command) : run(command);
        } catch (const Unsupported& error) {
            return "unsupported " + one_line(error.what());
        } catch (...) {
            return "failed " + one_line(Peer::reason());
        }
    }

    std::string run(const Command& command) {
        peer_.prepare(command.threads, command.shared);
        std::vector<Times> times(command.threads);
        std::vector<uint64_t> ends(command.threads);
        std::vector<std::exception_ptr> errors(command.threads);
        std::atomic<bool> failed = false;
        uint64_t begin = 0, cpu = 0;
        std::barrier gate(command.threads, [&]() noexcept {
            cpu = cpu_time();
            begin = now();
        });
        auto body = [&](unsigned thread) {
            bool warmed = false;
            try {
                peer_.with_calls(command.operation, command.payload, thread, [&](auto& work) {
                    uint64_t n = 0;
                    for (; n < command.warm; n++) {
                        work.first(n);
                        work.call();
                        check(work, command, n);
                    }
                    warmed = true;
                    gate.arrive_and_wait();
                    if (!failed) measure(work, command, n, times[thread]);
                });
            } catch (...) {
                errors[thread] = std::current_exception();
                failed = true;
            }
            ends[thread] = now();
            // The others are not kept waiting.
            if (!warmed) gate.arrive_and_wait();
        };
        std::vector<std::jthread> others;
        for (unsigned i = 1; i < command.threads; i++) {
            try {
                others.emplace_back(body, i);
            } catch (const std::system_error&) {
                // The threads that there are must not wait for those that cannot be had.
                failed = true;
                for (unsigned k = i; k < command.threads; k++) gate.arrive_and_drop();
                gate.arrive_and_wait();
                throw;
            }
        }
        body(0);
        others.clear();
        cpu = cpu_time() - cpu;
        for (const std::exception_ptr& error : errors) {
            if (error) std::rethrow_exception(error);
        }
        for (unsigned i = 1; i < command.threads; i++) times[0].add(times[i]);
        uint64_t end = *std::max_element(ends.begin(), ends.end());
        return done(command.calls * command.threads, end - begin, cpu) + " " + times[0].text();
    }

    template <class Work>
    static void measure(Work& work, const Command& command, uint64_t n, Times& times) {
        const uint64_t batch = command.batch;
        for (uint64_t made = 0; made < command.calls; made += batch, n += batch) {
            work.first(n);
            uint64_t begin = now();
            for (uint64_t i = 0; i < batch; i++) work.call();
            uint64_t end = now();
            check(work, command, n);
            times.record(end - begin, batch);
        }
    }

    template <class Work>
    static void check(Work& work, const Command& command, uint64_t n) {
        if (work.right()) return;
        throw Failure("the reply to call " + std::to_string(n) + " of " + command.operation +
                      " is wrong");
    }

    std::string flood(const Command& command) {
        peer_.prepare(1, false);
        std::string answer;
        peer_.with_sends(command.operation, command.payload, [&](auto& work) {
            Tally before = peer_.sync();
            Tally sent;
            uint64_t cpu = cpu_time();
            uint64_t begin = now();
            for (uint64_t n = 0; n < command.calls; n++) {
                work.first(n);
                work.call();
                work.count(sent);
            }
            Tally taken = peer_.sync();
            uint64_t wall = now() - begin;
            cpu = cpu_time() - cpu;
            compare("calls", taken.calls, sent.calls);
            compare("elements", taken.elements, sent.elements);
            compare("sum", taken.sum, sent.sum);
            answer = done(command.calls, wall, cpu) +
                     " server_cpu_ns=" + std::to_string(taken.cpu_ns - before.cpu_ns);
        });
        return answer;
    }

    static void compare(const std::string& what, uint64_t taken, uint64_t sent) {
        if (taken == sent) return;
        throw Failure("the server's tally of " + what + " is " + std::to_string(taken) + ", not " +
                      std::to_string(sent));
    }

    static std::string done(uint64_t calls, uint64_t wall, uint64_t cpu) {
        return "done check=ok calls=" + std::to_string(calls) +
               " wall_ns=" + std::to_string(wall) + " cpu_ns=" + std::to_string(cpu);
    }

    Peer& peer_;
};

}  // namespace bench
