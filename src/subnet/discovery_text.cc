#include "subnet/discovery_text.h"

#include <fmt/format.h>

#include <iterator>

namespace weft::subnet {
namespace {

std::string id_of(const Node& node) {
  const char kind = node.type == NodeType::kSwitch ? 'S' : (node.type == NodeType::kRouter ? 'R' : 'H');
  return fmt::format("{}-{:016x}", kind, node.guid.value);
}

std::string_view link_of(const Port& port) { return port.link.empty() ? "4xSDR" : std::string_view(port.link); }

class Writer {
 public:
  explicit Writer(const Subnet& subnet) : subnet_(subnet) {}

  std::string write() {
    if (subnet_.manager) {
      add("# Initiated from node {:016x} port {:016x}\n\n", subnet_[subnet_.manager->node].guid.value,
          subnet_.port(*subnet_.manager).guid.value);
    }
    for (const Node& node : subnet_.nodes) {
      add("sysimgguid={:#x}\n", node.system_guid.value);
      if (node.type == NodeType::kSwitch) {
        write_switch(node);
      } else {
        write_adapter(node);
      }
      text_ += "\n";
    }
    return std::move(text_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void write_switch(const Node& node) {
    add("switchguid={:#x}({:x})\n", node.guid.value, node.ports[0].guid.value);
    add("Switch\t{} \"{}\"\t\t# \"{}\" {} port 0 lid {} lmc {}\n", node.ports.size() - 1, id_of(node), node.description,
        node.enhanced_port0 ? "enhanced" : "base", node.ports[0].lid, node.ports[0].lmc);
    for (std::size_t i = 1; i < node.ports.size(); ++i) {
      if (const std::optional<PortPlace>& to = node.ports[i].peer) {
        const Node& peer = subnet_[to->node];
        const bool is_switch = peer.type == NodeType::kSwitch;
        add("[{}]\t\"{}\"[{}]{} \t\t# \"{}\" lid {} {}\n", i, id_of(peer), to->port,
            is_switch ? std::string() : fmt::format("({:x})", peer.ports[to->port].guid.value), peer.description,
            peer.ports[is_switch ? 0 : to->port].lid, link_of(node.ports[i]));
      }
    }
  }

  void write_adapter(const Node& node) {
    const bool is_router = node.type == NodeType::kRouter;
    add("{}guid={:#x}\n", is_router ? "rt" : "ca", node.guid.value);
    add("{}\t{} \"{}\"\t\t# \"{}\"\n", is_router ? "Rt" : "Ca", node.ports.size() - 1, id_of(node), node.description);
    for (std::size_t i = 1; i < node.ports.size(); ++i) {
      if (const std::optional<PortPlace>& to = node.ports[i].peer) {
        const Node& peer = subnet_[to->node];
        const Lid lid = peer.ports[peer.type == NodeType::kSwitch ? 0 : to->port].lid;
        add("[{}]({:x}) \t\"{}\"[{}]\t\t# lid {} lmc {} \"{}\" lid {} {}\n", i, node.ports[i].guid.value, id_of(peer),
            to->port, node.ports[i].lid, node.ports[i].lmc, peer.description, lid, link_of(node.ports[i]));
      }
    }
  }

  const Subnet& subnet_;
  std::string text_;
};

}  // namespace

std::string write_ibnetdiscover(const Subnet& subnet) { return Writer(subnet).write(); }

}  // namespace weft::subnet
