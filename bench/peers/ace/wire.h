// Messages over ACE's blocking streams.
#pragma once

#include <ace/LSOCK_Acceptor.h>
#include <ace/LSOCK_Connector.h>
#include <ace/LSOCK_Stream.h>
#include <ace/SOCK_Acceptor.h>
#include <ace/SOCK_Connector.h>
#include <ace/SOCK_Stream.h>

#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "common/program.h"
#include "types.h"

struct Header {
    char magic[4];
    Op op;
    uint8_t flags;
    uint16_t zero;
    uint32_t size;
};
static_assert(sizeof(Header) == 12);

constexpr uint8_t ONEWAY = 1;
constexpr size_t MAX_BODY = 64 << 20;

[[noreturn]] inline void fail(const std::string& what) {
    throw bench::Failure(what + ": " + strerror(errno));
}

// What there is of each transport.
struct Tcp {
    using Stream = ACE_SOCK_Stream;
    using Acceptor = ACE_SOCK_Acceptor;
    using Connector = ACE_SOCK_Connector;
    using Address = ACE_INET_Addr;
    static constexpr int FAMILY = AF_INET;

    static void tune(Stream& stream) {
        int on = 1;
        if (stream.set_option(IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == -1) fail("TCP_NODELAY");
    }
};

struct Unix {
    using Stream = ACE_LSOCK_Stream;
    using Acceptor = ACE_LSOCK_Acceptor;
    using Connector = ACE_LSOCK_Connector;
    using Address = ACE_UNIX_Addr;
    static constexpr int FAMILY = AF_UNIX;

    static void tune(Stream&) {}
};

template <class Socket>
void set_queue(Socket& socket, int octets) {
    if (octets == 0) return;
    if (socket.set_option(SOL_SOCKET, SO_SNDBUF, &octets, sizeof octets) == -1 ||
        socket.set_option(SOL_SOCKET, SO_RCVBUF, &octets, sizeof octets) == -1) {
        fail("--socket-queue");
    }
}

// Memory for one message: the body is aligned for every type and for CDR streams, and the header
// is right before it.
class Frame {
public:
    explicit Frame(size_t room) { reserve(room); }

    // Makes room for a body of so many octets; keeps the first `keep` octets of the message.
    void reserve(size_t room, size_t keep = 0) {
        if (memory_ && room <= room_) return;
        Memory memory(new (ALIGNMENT) char[BODY + room]);
        if (keep > 0) std::copy_n(message(), keep, memory.get() + BODY - sizeof(Header));
        memory_ = std::move(memory);
        room_ = room;
    }

    size_t room() const { return room_; }
    char* body() { return memory_.get() + BODY; }
    char* message() { return body() - sizeof(Header); }

    // Writes the header of a message whose body is there.
    void head(Op op, uint8_t flags, size_t size) {
        Header header = {{'Z', 'R', 'A', 'W'}, op, flags, 0, uint32_t(size)};
        std::copy_n(reinterpret_cast<const char*>(&header), sizeof header, message());
    }

private:
    static constexpr size_t BODY = 16;
    static constexpr std::align_val_t ALIGNMENT{16};
    struct Free {
        void operator()(char* memory) const { operator delete[](memory, ALIGNMENT); }
    };
    using Memory = std::unique_ptr<char[], Free>;

    Memory memory_;
    size_t room_ = 0;
};

// The sequences that are marshalled member by member.
template <class T>
class Marshaller {
public:
    void put(Frame& frame, const T* elements, size_t count) {
        ACE_OutputCDR out(frame.body(), frame.room());
        for (size_t i = 0; i < count; i++) {
            if (!Marshal<T>::put(out, elements[i])) throw bench::Failure("cannot marshal");
        }
        if (out.begin()->cont() != nullptr) throw bench::Failure("the frame is too small");
    }

    std::vector<T>& get(const char* body, size_t size) {
        elements_.resize(size / sizeof(T));
        ACE_InputCDR in(body, size);
        for (T& element : elements_) {
            if (!Marshal<T>::get(in, element)) throw bench::Failure("cannot unmarshal");
        }
        return elements_;
    }

private:
    std::vector<T> elements_;
};

struct Message {
    Header header;
    char* body;
};

// Reads messages: as much at once as there is, up to the size of the last message.
template <class Stream>
class Inbox {
public:
    // False when the other side has closed the connection.
    bool next(Stream& stream, Message& message) {
        size_t have = end_ - begin_;
        if (have < sizeof(Header) || have < size()) {
            // The rest of what was read goes to the front, where the body is aligned.
            if (begin_ > 0) std::memmove(frame_.message(), frame_.message() + begin_, have);
            begin_ = 0;
            end_ = have;
            if (!read(stream, sizeof(Header))) return false;
            if (size() - sizeof(Header) > MAX_BODY) throw bench::Failure("the message is too long");
            frame_.reserve(size() - sizeof(Header), end_);
            if (!read(stream, size())) return false;
        }
        char* at = frame_.message() + begin_;
        std::copy_n(at, sizeof(Header), reinterpret_cast<char*>(&message.header));
        if (std::memcmp(message.header.magic, "ZRAW", 4) != 0) throw bench::Failure("no message");
        message.body = at + sizeof(Header);
        begin_ += sizeof(Header) + message.header.size;
        return true;
    }

private:
    // Of the message that begins at begin_, of which the header is there.
    size_t size() {
        Header header;
        std::copy_n(frame_.message() + begin_, sizeof header, reinterpret_cast<char*>(&header));
        return sizeof header + header.size;
    }

    // Reads until so many octets are there.
    bool read(Stream& stream, size_t wanted) {
        while (end_ < wanted) {
            size_t room = sizeof(Header) + frame_.room();
            ssize_t got = stream.recv(frame_.message() + end_, room - end_);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) fail("recv");
            if (got == 0) return false;
            end_ += size_t(got);
        }
        return true;
    }

    Frame frame_{(64 << 10) - sizeof(Header)};
    size_t begin_ = 0;
    size_t end_ = 0;
};

template <class Stream>
void send(Stream& stream, const char* message, size_t size) {
    if (stream.send_n(message, size) != ssize_t(size)) fail("send");
}
