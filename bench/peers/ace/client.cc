// The client of the ACE peer.
#include "common/client.h"

#include <cstdio>
#include <mutex>

#include "wire.h"

namespace {

template <class Transport>
class Link {
public:
    using Stream = typename Transport::Stream;

    Link(const bench::Options& options, const typename Transport::Address& address) {
        // Opened before it is connected, so that the queues can be set.
        if (stream_.open(SOCK_STREAM, Transport::FAMILY, 0, 0) == -1) fail("socket");
        set_queue(stream_, options.socket_queue);
        Transport::tune(stream_);
        typename Transport::Connector connector;
        if (connector.connect(stream_, address) == -1) fail("connect");
    }
    Link(const Link&) = delete;
    ~Link() { stream_.close(); }

    Stream& stream() { return stream_; }
    std::mutex& turn() { return turn_; }

private:
    Stream stream_;
    std::mutex turn_;
};

// Sends a message, and waits for the answer unless it is one-way.
template <class Transport>
class Caller {
public:
    // Threads that share a link take turns.
    Caller(Link<Transport>& link, bool shared) : link_(link), shared_(shared) {}

    void call(Frame& frame, size_t size) {
        std::unique_lock<std::mutex> turn(link_.turn(), std::defer_lock);
        if (shared_) turn.lock();
        send(link_.stream(), frame.message(), sizeof(Header) + size);
        if (!inbox_.next(link_.stream(), reply_)) throw bench::Failure("the server has gone");
    }

    void tell(Frame& frame, size_t size) {
        send(link_.stream(), frame.message(), sizeof(Header) + size);
    }

    const Message& reply() const { return reply_; }

private:
    Link<Transport>& link_;
    bool shared_;
    Inbox<typename Transport::Stream> inbox_;
    Message reply_{};
};

template <class Transport>
class VoidWork {
public:
    VoidWork(Caller<Transport>& caller, Op op) : caller_(caller), op_(op) { frame_.head(op, 0, 0); }

    void first(uint64_t) {}
    void call() { caller_.call(frame_, 0); }
    bool right() const {
        return caller_.reply().header.op == op_ && caller_.reply().header.size == 0;
    }

private:
    Caller<Transport>& caller_;
    Op op_;
    Frame frame_{0};
};

// Elements that lie in the message: made once and sent from there.
template <class Transport, class Rule, class T, Duty DUTY>
class PlainWork {
public:
    PlainWork(Caller<Transport>& caller, Op op, size_t count)
        : caller_(caller), op_(op), count_(count), frame_(count * sizeof(T)) {
        bench::fill<Rule>(elements(), count_);
        frame_.head(op, DUTY == Duty::SINK ? ONEWAY : 0, size());
    }

    void first(uint64_t n) { Rule::first(elements()[0], n); }

    void call() {
        if constexpr (DUTY == Duty::SINK) {
            caller_.tell(frame_, size());
        } else {
            caller_.call(frame_, size());
        }
    }

    bool right() {
        const Message& reply = caller_.reply();
        return reply.header.op == op_ && reply.header.size == size() &&
               bench::all_right<Rule>(elements(), reinterpret_cast<const T*>(reply.body), count_);
    }

    void count(bench::Tally& tally) {
        tally.count(count_, Rule::number(elements()[0]), Rule::number(elements()[count_ - 1]));
    }

private:
    T* elements() { return reinterpret_cast<T*>(frame_.body()); }
    size_t size() const { return count_ * sizeof(T); }

    Caller<Transport>& caller_;
    Op op_;
    size_t count_;
    Frame frame_;
};

// Structs, marshalled and unmarshalled in each call.
template <class Transport, class Rule, class T, Duty DUTY>
class MarshalledWork {
public:
    MarshalledWork(Caller<Transport>& caller, Op op, size_t count)
        : caller_(caller), op_(op), elements_(count), frame_(size()) {
        bench::fill<Rule>(elements_.data(), count);
    }

    void first(uint64_t n) { Rule::first(elements_[0], n); }

    void call() {
        marshaller_.put(frame_, elements_.data(), elements_.size());
        frame_.head(op_, DUTY == Duty::SINK ? ONEWAY : 0, size());
        if constexpr (DUTY == Duty::SINK) {
            caller_.tell(frame_, size());
        } else {
            caller_.call(frame_, size());
            const Message& reply = caller_.reply();
            reply_ = &marshaller_.get(reply.body, reply.header.size);
        }
    }

    bool right() {
        return caller_.reply().header.op == op_ && reply_->size() == elements_.size() &&
               bench::all_right<Rule>(elements_.data(), reply_->data(), elements_.size());
    }

    void count(bench::Tally& tally) {
        tally.count(elements_.size(), Rule::number(elements_.front()),
                    Rule::number(elements_.back()));
    }

private:
    size_t size() const { return elements_.size() * sizeof(T); }

    Caller<Transport>& caller_;
    Op op_;
    std::vector<T> elements_;
    Frame frame_;
    Marshaller<T> marshaller_;
    const std::vector<T>* reply_ = nullptr;
};

template <class Transport>
class Peer {
public:
    Peer(const bench::Options& options, const typename Transport::Address& address)
        : options_(options), address_(address) {}

    void prepare(unsigned threads, bool shared) {
        shared_ = shared;
        for (size_t n = shared ? 1 : threads; links_.size() < n;) {
            links_.push_back(std::make_unique<Link<Transport>>(options_, address_));
            Caller<Transport> caller(*links_.back(), false);
            VoidWork<Transport> work(caller, Op::ping);
            work.call();
            if (!work.right()) throw bench::Failure("the reply to ping is wrong");
        }
    }

    template <class Use>
    void with_calls(const std::string& operation, uint64_t payload, unsigned thread, Use use) {
        Caller<Transport> caller(*links_[shared_ ? 0 : thread], shared_);
        if (operation == "ping") return with_void(caller, Op::ping, use);
        if (operation == "cube_void") return with_void(caller, Op::cube_void, use);
#define BENCH_CALL(NAME, RULE, TYPE, DUTY)                               \
    if constexpr (DUTY != Duty::SINK) {                                  \
        if (operation == #NAME) {                                        \
            return with<RULE, TYPE, DUTY>(caller, Op::NAME, payload, use); \
        }                                                                \
    }
        BENCH_OPERATIONS(BENCH_CALL)
#undef BENCH_CALL
        throw bench::Unsupported("there is no two-way operation " + operation);
    }

    template <class Use>
    void with_sends(const std::string& operation, uint64_t payload, Use use) {
        Caller<Transport> caller(*links_[0], false);
#define BENCH_SEND(NAME, RULE, TYPE, DUTY)                               \
    if constexpr (DUTY == Duty::SINK) {                                  \
        if (operation == #NAME) {                                        \
            return with<RULE, TYPE, DUTY>(caller, Op::NAME, payload, use); \
        }                                                                \
    }
        BENCH_OPERATIONS(BENCH_SEND)
#undef BENCH_SEND
        throw bench::Unsupported("there is no one-way operation " + operation);
    }

    bench::Tally sync() {
        Caller<Transport> caller(*links_[0], false);
        Frame frame(0);
        frame.head(Op::sync, 0, 0);
        caller.call(frame, 0);
        const Message& reply = caller.reply();
        bench::Tally tally;
        if (reply.header.size != sizeof tally) throw bench::Failure("the reply to sync is wrong");
        std::copy_n(reply.body, sizeof tally, reinterpret_cast<char*>(&tally));
        return tally;
    }

    static std::string reason() {
        try {
            throw;
        } catch (const std::exception& error) {
            return error.what();
        }
    }

private:
    template <class Use>
    static void with_void(Caller<Transport>& caller, Op op, Use use) {
        VoidWork<Transport> work(caller, op);
        use(work);
    }

    template <class Rule, class T, Duty DUTY, class Use>
    static void with(Caller<Transport>& caller, Op op, uint64_t payload, Use use) {
        size_t count = is_single(op) ? 1 : bench::length<Rule>(payload);
        if constexpr (Marshal<T>::NEEDED) {
            MarshalledWork<Transport, Rule, T, DUTY> work(caller, op, count);
            use(work);
        } else {
            PlainWork<Transport, Rule, T, DUTY> work(caller, op, count);
            use(work);
        }
    }

    const bench::Options& options_;
    typename Transport::Address address_;
    bool shared_ = false;
    std::vector<std::unique_ptr<Link<Transport>>> links_;
};

template <class Transport>
void serve(const bench::Options& options, const typename Transport::Address& address) {
    Peer<Transport> peer(options, address);
    peer.prepare(1, false);
    bench::ready();
    bench::Client<Peer<Transport>>(peer).serve();
}

}  // namespace

int main(int argc, char** argv) {
    bench::Options options = bench::start(argc, argv, true);
    if (options.dynamic) bench::end(bench::CANNOT, "there is no engine dsi here");
    if (options.address == "collocated") {
        fprintf(stderr, "ace client: it has no objects to be collocated with\n");
        return bench::CANNOT;
    }
    try {
        if (options.unix_sockets) {
            serve<Unix>(options, ACE_UNIX_Addr(options.address.c_str()));
        } else {
            serve<Tcp>(options, ACE_INET_Addr(options.address.c_str(), AF_INET));
        }
    } catch (const std::exception& error) {
        fprintf(stderr, "ace client: %s\n", error.what());
        return bench::FAILED;
    }
    return 0;
}
