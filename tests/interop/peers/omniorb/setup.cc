// Command line and ORB set-up.
#include "peer.h"

#include <omniORB4/omniZIOP.h>
#include <omniORB4/sslContext.h>

namespace {

// TLS 1.2 and nothing newer.
class Tls12 : public sslContext {
public:
    using sslContext::sslContext;

protected:
    void set_supported_versions() override {
        sslContext::set_supported_versions();
        SSL_CTX_set_max_proto_version(get_SSL_CTX(), TLS1_2_VERSION);
    }
};

// Who is trusted and what is shown: ca.pem, and own.pem that holds certificate and key. Both sides
// ask for certificates; that is omniORB's default.
void use_tls(const Options& options) {
    // The ORB keeps the pointers.
    static std::string authorities, own;
    authorities = options.tls + "/ca.pem";
    own = options.tls + "/own.pem";
    if (options.tls12) {
        sslContext::singleton = new Tls12(authorities.c_str(), own.c_str(), "");
        return;
    }
    sslContext::certificate_authority_file = authorities.c_str();
    sslContext::key_file = own.c_str();
    sslContext::key_file_password = "";
}

// Compresses messages of more than 128 octets by zlib.
void compress_all() {
    Compression::CompressorIdLevelList compressors;
    compressors.length(1);
    compressors[0].compressor_id = Compression::COMPRESSORID_ZLIB;
    compressors[0].compression_level = 6;
    CORBA::PolicyList policies;
    policies.length(2);
    policies[0] = omniZIOP::create_compression_id_level_list_policy(compressors);
    policies[1] = omniZIOP::create_compression_low_value_policy(128);
    omniZIOP::setGlobalPolicies(policies);
}

}  // namespace

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
        else if (word == "--tls") options.tls = value();
        else if (word == "--tls12") options.tls12 = true;
        else if (word == "--bidirectional") options.bidirectional = true;
        else if (word == "--compress") options.compress = true;
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
    if (!options.tls.empty()) use_tls(options);
    // A client is also a server: of its callback objects.
    std::string protocol = options.tls.empty() ? "tcp" : "ssl";
    words.push_back("-ORBendPoint");
    words.push_back("giop:" + protocol + ":127.0.0.1:" + (server ? options.port : ""));
    if (options.bidirectional) {
        for (const char* word : {"-ORBofferBiDirectionalGIOP", "1", "-ORBacceptBiDirectionalGIOP",
                                 "1", "-ORBclientTransportRule", "* bidir,tcp",
                                 "-ORBserverTransportRule", "* bidir,tcp"})
            words.push_back(word);
    }
    if (options.compress) {
        for (const char* word : {"-ORBclientTransportRule", "* tcp,ziop", "-ORBserverTransportRule",
                                 "* tcp,ziop"})
            words.push_back(word);
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
    CORBA::ORB_ptr orb = CORBA::ORB_init(count, pointers.data());
    if (options.compress) compress_all();
    return orb;
}

CORBA::Policy_ptr both_directions(CORBA::ORB_ptr orb) {
    CORBA::Any value;
    value <<= BiDirPolicy::BOTH;
    return orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, value);
}

PortableServer::POA_ptr active_root_poa(CORBA::ORB_ptr orb) {
    CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    return poa._retn();
}
