// The servants of the test server. Each factory returns a new servant; BEHAVIOUR.md says what
// they do.
#pragma once

#include "peer.h"

// Where objects live: one POA with user ids, so that references survive a restart when the POA
// is persistent.
class World {
public:
    World(CORBA::ORB_ptr orb, PortableServer::POA_ptr poa)
        : orb_(CORBA::ORB::_duplicate(orb)), poa_(PortableServer::POA::_duplicate(poa)) {}

    CORBA::ORB_ptr orb() { return orb_; }
    PortableServer::POA_ptr poa() { return poa_; }

    // Activates the servant under this id, gives it to the POA, and returns its reference.
    template <class Interface>
    typename Interface::_ptr_type add(const std::string& id, PortableServer::Servant servant) {
        PortableServer::ObjectId_var oid = PortableServer::string_to_ObjectId(id.c_str());
        poa_->activate_object_with_id(oid, servant);
        servant->_remove_ref();
        CORBA::Object_var object = poa_->id_to_reference(oid);
        return Interface::_narrow(object);
    }

    // An id that no other object has: "prefix-N".
    std::string fresh_id(const std::string& prefix) {
        std::lock_guard<std::mutex> guard(mutex_);
        return prefix + "-" + std::to_string(++last_);
    }

private:
    CORBA::ORB_var orb_;
    PortableServer::POA_var poa_;
    std::mutex mutex_;
    unsigned last_ = 0;
};

// servants_data.cc
PortableServer::Servant new_basics();
PortableServer::Servant new_texts();
PortableServer::Servant new_wides();
PortableServer::Servant new_records();
PortableServer::Servant new_lists();
PortableServer::Servant new_arrays();

// servants_unions.cc
PortableServer::Servant new_unions();
PortableServer::Servant new_recursion();
PortableServer::Servant new_names();
PortableServer::Servant new_macros();
PortableServer::Servant new_constants();

// servants_state.cc
PortableServer::Servant new_faults();
PortableServer::Servant new_guarded();
PortableServer::Servant new_settings(World& world, const std::string& label);
PortableServer::Servant new_events();

// servants_refs.cc
PortableServer::Servant new_refs(World& world);
PortableServer::Servant new_anys();

// servants_types.cc
PortableServer::Servant new_decimals();
PortableServer::Servant new_long_doubles();
PortableServer::Servant new_types();
PortableServer::Servant new_wide_types();

// servants_values.cc
PortableServer::Servant new_valued(World& world);

// servants_dynamic.cc
PortableServer::Servant new_dynamic(World& world);
PortableServer::Servant new_contexts(World& world);
