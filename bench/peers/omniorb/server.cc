// The server of the omniORB peer.
#include <unistd.h>

#include <cstdio>

#include "orb.h"

int main(int argc, char** argv) {
    bench::Options options = bench::start(argc, argv, false);
    set_socket_queue(options.socket_queue);
    try {
        CORBA::ORB_var orb = start_server_orb(options);
        Bench::Suite_var suite =
            options.dynamic ? activate_dynamic_suite(orb) : activate_suite(orb, Echoes::BORROW);
        CORBA::String_var reference = orb->object_to_string(suite);
        bench::ready(reference.in());
        bench::wait_for_end_of_input();
        orb->destroy();
        if (options.unix_sockets) unlink(options.path.c_str());
    } catch (const CORBA::Exception& error) {
        fprintf(stderr, "omniorb server: %s\n", error._name());
        return bench::FAILED;
    }
    return 0;
}
