// The server of the ACE peer: a thread for each connection.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

#include "wire.h"

namespace {

template <class Transport>
class Connection {
    using Stream = typename Transport::Stream;

public:
    explicit Connection(Stream stream) : stream_(stream) {}

    void serve() {
        try {
            Message message;
            while (inbox_.next(stream_, message)) handle(message);
        } catch (const std::exception& error) {
            fprintf(stderr, "ace server: %s\n", error.what());
        }
        stream_.close();
    }

private:
    void handle(const Message& message) {
        switch (message.header.op) {
        case Op::ping:
        case Op::cube_void:
            echo(message);
            break;
#define BENCH_CASE(NAME, RULE, TYPE, DUTY)      \
    case Op::NAME:                              \
        take<RULE, TYPE, DUTY>(message);        \
        break;
            BENCH_OPERATIONS(BENCH_CASE)
#undef BENCH_CASE
        case Op::sync: {
            bench::Tally taken = tally_.take();
            std::copy_n(reinterpret_cast<const char*>(&taken), sizeof taken, out_.body());
            reply(message, sizeof taken);
            break;
        }
        default:
            throw bench::Failure("there is no such operation");
        }
    }

    template <class Rule, class T, Duty DUTY>
    void take(const Message& message) {
        const size_t size = message.header.size;
        if (size == 0 || size % sizeof(T) != 0) throw bench::Failure("no elements");
        if constexpr (Marshal<T>::NEEDED) {
            static thread_local Marshaller<T> marshaller;
            std::vector<T>& elements = marshaller.get(aligned(message), size);
            if constexpr (DUTY == Duty::SINK) {
                tally_.count(elements.size(), Rule::number(elements.front()),
                             Rule::number(elements.back()));
            } else {
                if constexpr (DUTY == Duty::CUBE) {
                    bench::cube_all<Rule>(elements.data(), elements.size());
                }
                out_.reserve(size);
                marshaller.put(out_, elements.data(), elements.size());
                reply(message, size);
            }
        } else if constexpr (DUTY == Duty::SINK) {
            // Pipelined messages are not aligned.
            T first, last;
            std::memcpy(&first, message.body, sizeof(T));
            std::memcpy(&last, message.body + size - sizeof(T), sizeof(T));
            tally_.count(size / sizeof(T), Rule::number(first), Rule::number(last));
        } else {
            if constexpr (DUTY == Duty::CUBE) {
                bench::cube_all<Rule>(reinterpret_cast<T*>(aligned(message)), size / sizeof(T));
            }
            echo(message);
        }
    }

    // The body, moved when another message before it has left it where CDR cannot read it.
    char* aligned(const Message& message) {
        if (reinterpret_cast<uintptr_t>(message.body) % 8 == 0) return message.body;
        moved_.reserve(message.header.size);
        std::memcpy(moved_.body(), message.body, message.header.size);
        return moved_.body();
    }

    // Sends back what was received, from where it was received.
    void echo(const Message& message) {
        send(stream_, message.body - sizeof(Header), sizeof(Header) + message.header.size);
    }

    void reply(const Message& message, size_t size) {
        out_.head(message.header.op, 0, size);
        send(stream_, out_.message(), sizeof(Header) + size);
    }

    Stream stream_;
    Inbox<Stream> inbox_;
    Frame out_{4096};
    Frame moved_{4096};
    bench::Tally tally_;
};

template <class Transport>
void accept_all(typename Transport::Acceptor acceptor) {
    for (;;) {
        typename Transport::Stream stream;
        if (acceptor.accept(stream) == -1) {
            // Out of descriptors: one may be closed soon.
            if (errno == EMFILE || errno == ENFILE) std::this_thread::yield();
            continue;
        }
        std::thread([stream]() mutable {
            try {
                Transport::tune(stream);
                Connection<Transport>(stream).serve();
            } catch (const std::exception& error) {
                fprintf(stderr, "ace server: %s\n", error.what());
                stream.close();
            }
        }).detach();
    }
}

template <class Transport>
void serve(const bench::Options& options, const typename Transport::Address& address) {
    typename Transport::Acceptor acceptor;
    const int backlog = int(options.connections);
    if (acceptor.open(address, 0, Transport::FAMILY, backlog) == -1) fail("listen");
    // Nobody knows the address yet: no connection is made before.
    set_queue(acceptor, options.socket_queue);
    if constexpr (std::is_same_v<Transport, Tcp>) {
        ACE_INET_Addr bound;
        if (acceptor.get_local_addr(bound) == -1) fail("getsockname");
        bench::ready("127.0.0.1:" + std::to_string(bound.get_port_number()));
    } else {
        bench::ready(options.path);
    }
    std::thread(accept_all<Transport>, acceptor).detach();
    bench::wait_for_end_of_input();
    if (options.unix_sockets) unlink(options.path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    bench::Options options = bench::start(argc, argv, false);
    if (options.dynamic) bench::end(bench::CANNOT, "there is no engine dsi here");
    try {
        if (options.unix_sockets) {
            serve<Unix>(options, ACE_UNIX_Addr(options.path.c_str()));
        } else {
            serve<Tcp>(options, ACE_INET_Addr(u_short(0), "127.0.0.1", AF_INET));
        }
    } catch (const std::exception& error) {
        fprintf(stderr, "ace server: %s\n", error.what());
        return bench::FAILED;
    }
    // Threads are still reading: no destructors.
    fflush(nullptr);
    _exit(0);
}
