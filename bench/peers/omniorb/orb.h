// The ORB of a peer, tuned, and the servant.
#pragma once

#include <bench.hh>

#include "common/elements.h"
#include "common/program.h"

// Which connections a client's threads use.
enum class Connections { OWN, SHARED };

// Starts the ORB. After it is destroyed, another may be started.
CORBA::ORB_ptr start_server_orb(const bench::Options& options);
CORBA::ORB_ptr start_client_orb(Connections connections);

// Whether a sequence is copied to be echoed.
enum class Echoes { BORROW, COPY };

// Activates the one object and its POA.
Bench::Suite_ptr activate_suite(CORBA::ORB_ptr orb, Echoes echoes);

// Activates an object without a skeleton instead, which has only `ping`, `sync`, and the echoes of sequences.
Bench::Suite_ptr activate_dynamic_suite(CORBA::ORB_ptr orb);

// Makes every socket that is opened from now on have queues of so many octets; 0: the system's.
void set_socket_queue(int octets);
