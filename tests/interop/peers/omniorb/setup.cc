// Command line and ORB set-up.
#include "peer.h"

Options Options::parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i];
        auto value = [&]() -> std::string {
            if (i + 1 >= argc) throw std::runtime_error(word + " needs a value");
            return argv[++i];
        };
        if (word == "--ior-file") options.ior_file = value();
        else if (word == "--giop") options.giop = value();
        else if (word == "--only") options.only = value();
        else if (word == "--skip") options.skip = value();
        else if (word == "--port") options.port = value();
        else if (word == "--persistent") options.persistent = true;
        else if (word.rfind("-ORB", 0) == 0) value();  // start_orb passes it on
        else if (word.rfind("--", 0) == 0) throw std::runtime_error("unknown option " + word);
        else options.first = word;
    }
    if (options.giop != "1.0" && options.giop != "1.1" && options.giop != "1.2")
        throw std::runtime_error("--giop is 1.0, 1.1 or 1.2");
    if (options.persistent && options.port.empty())
        throw std::runtime_error("--persistent needs --port");
    return options;
}

CORBA::ORB_ptr start_orb(const Options& options, int argc, char** argv, bool server) {
    // With GIOP 1.0 as the highest version omniORB builds its anys in Latin-1, which has to be
    // the native code set then: with another it cannot put a string into an any.
    std::string native = options.minor() == 0 ? "ISO-8859-1" : "UTF-8";
    std::vector<std::string> words = {
        argv[0],
        "-ORBnativeCharCodeSet", native,
        "-ORBmaxGIOPVersion", options.giop,
        "-ORBgiopMaxMsgSize", "16777216",
    };
    if (server) {
        words.push_back("-ORBendPoint");
        words.push_back("giop:tcp:127.0.0.1:" + options.port);
    } else {
        // A client is also a server: of its callback objects.
        words.push_back("-ORBendPoint");
        words.push_back("giop:tcp:127.0.0.1:");
    }
    for (int i = 1; i + 1 < argc; i++) {
        if (std::string(argv[i]).rfind("-ORB", 0) != 0) continue;
        words.push_back(argv[i]);
        words.push_back(argv[++i]);
    }
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(&word[0]);
    int count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    return CORBA::ORB_init(count, pointers.data());
}

PortableServer::POA_ptr active_root_poa(CORBA::ORB_ptr orb) {
    CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    return poa._retn();
}
