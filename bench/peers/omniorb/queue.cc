// omniORB can set the send queue of TCP sockets alone, so the calls that open sockets are wrapped:
// a program's own functions come before those of the C library.
#include <dlfcn.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>

#include "orb.h"

namespace {

int queue = 0;

int with_queue(int socket) {
    if (queue == 0 || socket < 0) return socket;
    if (setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &queue, sizeof queue) != 0 ||
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &queue, sizeof queue) != 0) {
        perror("--socket-queue");
        exit(bench::FAILED);
    }
    return socket;
}

template <class Function>
Function* next(const char* name) {
    void* found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) abort();
    return reinterpret_cast<Function*>(found);
}

}  // namespace

void set_socket_queue(int octets) { queue = octets; }

extern "C" int socket(int domain, int type, int protocol) {
    static auto* const real = next<int(int, int, int)>("socket");
    return with_queue(real(domain, type, protocol));
}

// An accepted Unix-domain socket does not have the queues of the one that listens.
extern "C" int accept(int listening, sockaddr* address, socklen_t* length) {
    static auto* const real = next<int(int, sockaddr*, socklen_t*)>("accept");
    return with_queue(real(listening, address, length));
}
