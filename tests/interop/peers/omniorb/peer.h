// What every file of the omniORB peer includes (it is the precompiled header): the generated
// stubs and the few helpers that client and server share.
#ifndef ZORB_PEER_H
#define ZORB_PEER_H

#include <omniORB4/CORBA.h>
#include <omniORB4/codeSets.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "interop.hh"

// A copy on the heap that is made by assignment: a decimal number that is copied by its constructor
// loses its limits, and omniORB 4.2.5 aborts when it has to send it.
template <class T>
T* fresh(const T& value) {
    std::unique_ptr<T> copy(new T());
    *copy = value;
    return copy.release();
}

// Command line and ORB set-up that client and server have in common (setup.cc).
struct Options {
    std::string first;              // the first argument that is no option
    std::string ior_file;           // --ior-file FILE
    std::string giop = "1.2";       // --giop 1.0|1.1|1.2
    std::string only;               // --only NAME[,NAME...]
    std::string skip;               // --skip NAME[,NAME...]
    std::string port;               // --port N
    bool persistent = false;        // --persistent
    std::string tls;                // --tls FOLDER
    bool tls12 = false;             // --tls12
    bool bidirectional = false;     // --bidirectional
    bool compress = false;          // --compress

    int minor() const { return giop.at(giop.size() - 1) - '0'; }
    static Options parse(int argc, char** argv);
};

// Starts the ORB: UTF-8 natively, GIOP not above `options.giop`, messages of up to 16 MiB; with
// `options.tls` it listens with TLS alone. Other -ORB... arguments of the command line are passed on.
CORBA::ORB_ptr start_orb(const Options& options, int argc, char** argv, bool server);

// The root POA, its manager active.
PortableServer::POA_ptr active_root_poa(CORBA::ORB_ptr orb);

// The policy of POAs whose clients or objects use connections in both directions.
CORBA::Policy_ptr both_directions(CORBA::ORB_ptr orb);

#endif
