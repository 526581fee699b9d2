-- Ultra Ethernet Transport for Wireshark: TSS, PDS and SES over UDP port 4793, and directly on IP (protocol 253, one of
-- those for experiments, with an entropy header).
--
--   tshark -X lua_script:uet.lua -r capture.pcapng
--   or link this file into Wireshark's personal plugin folder.
--
-- Does nothing in a Wireshark that knows UET itself. Layouts and their sources: src/wire/uet/ of weft.

local known, built_in = pcall(Dissector.get, "uet")
if known and built_in then
  return
end

local UDP_PORT = 4793
local IP_PROTOCOL = 253
local CRC_SIZE = 4
local ICV_SIZE = 16

local uet = Proto("uet", "Ultra Ethernet Transport")
local uet_native = Proto("uet_native", "Ultra Ethernet Transport, directly on IP")

local PDS_TYPES = {[1] = "TSS", [2] = "RUD request", [3] = "ROD request", [4] = "RUDI request", [5] = "RUDI response",
  [6] = "UUD request", [7] = "ACK", [8] = "ACK_CC", [9] = "ACK_CCX", [10] = "NACK", [11] = "control",
  [12] = "NACK_CCX", [13] = "RUD_CC request", [14] = "ROD_CC request"}
local NEXT_HEADERS = {[0] = "none", [1] = "small request", [2] = "medium request", [3] = "standard request",
  [4] = "response", [5] = "response with data", [6] = "small response with data"}
local CONTROL_TYPES = {[0] = "no operation", [1] = "ACK request", [2] = "clear", [3] = "clear request", [4] = "close",
  [5] = "close request", [6] = "probe", [7] = "credit", [8] = "credit request", [9] = "negotiation"}
local ACK_REQUESTS = {[0] = "none", [1] = "clear", [2] = "close", [3] = "reserved"}
local CC_TYPES = {[0] = "NSCC", [1] = "credit"}
local NACK_CODES = {[1] = "trimmed", [2] = "trimmed at the last hop", [3] = "trimmed ACK with data",
  [4] = "no PDC available", [5] = "no congestion context available", [6] = "no PSN bitmap available",
  [7] = "no packet buffer available", [8] = "no room for a guaranteed response",
  [9] = "no SES message state available", [10] = "no resource available", [11] = "PSN outside the window",
  [13] = "out of order on a ROD context", [14] = "invalid destination PDC", [15] = "header does not match the PDC",
  [16] = "PDC is closing", [17] = "PDC is closing in error", [18] = "packet was not received",
  [19] = "guaranteed response is not available", [20] = "ACK has data", [21] = "invalid SYN",
  [22] = "delivery mode does not match the PDC", [23] = "new start PSN", [24] = "received, SES is still processing",
  [25] = "unexpected event", [26] = "receiver infers loss", [253] = "experimental, normal",
  [254] = "experimental, PDC error", [255] = "experimental, fatal"}
local SES_OPCODES = {[0] = "no operation", [1] = "write", [2] = "read", [3] = "atomic", [4] = "fetching atomic",
  [5] = "send", [6] = "rendezvous send", [7] = "datagram send", [8] = "deferrable send", [9] = "tagged send",
  [10] = "rendezvous tagged send", [11] = "deferrable tagged send", [12] = "ready to restart",
  [13] = "tagged send atomic", [14] = "tagged send fetching atomic", [15] = "message error", [16] = "sync write",
  [17] = "sync atomic"}
local SES_RESPONSES = {[0] = "default response", [1] = "response", [2] = "response with data", [3] = "no response"}

local f = {}
local all = {}
local function define(name, kind, label, ...)
  f[name] = ProtoField[kind]("uet." .. name, label, ...)
  table.insert(all, f[name])
end

-- ProtoField.bool takes the width of its mask where the others take a base and names.
local function flag(name, label, mask) define(name, "bool", label, 8, nil, mask) end
local function part(name, kind, label, mask, names) define(name, kind, label, base.DEC, names, mask) end

define("entropy", "uint16", "Entropy", base.DEC)
define("entropy.reserved", "uint16", "Reserved", base.HEX)

part("tss.type", "uint8", "Type", 0xF8, PDS_TYPES)
flag("tss.sp", "Source identifier present", 0x04)
flag("tss.reserved", "Reserved", 0x02)
flag("tss.an", "Association", 0x01)
define("tss.sdi", "uint24", "Secure domain", base.HEX)
define("tss.ssi", "uint32", "Source identifier", base.HEX)
define("tss.epoch", "uint16", "Epoch", base.DEC)
define("tss.tsc", "bytes", "Counter")
define("tss.icv", "bytes", "Integrity check value")

part("pds.type", "uint16", "Type", 0xF800, PDS_TYPES)
part("pds.nh", "uint16", "Next header", 0x0780, NEXT_HEADERS)
part("pds.ctl_type", "uint16", "Control type", 0x0780, CONTROL_TYPES)
define("pds.flags", "uint16", "Flags", base.HEX, nil, 0x007F)
flag("pds.flags.epsn", "Expected PSN follows", 0x40)
flag("pds.flags.m", "ECN marked", 0x20)
flag("pds.flags.isrod", "ROD", 0x20)
flag("pds.flags.retx", "Retransmitted", 0x10)
flag("pds.flags.ar", "ACK request", 0x08)
flag("pds.flags.p", "Probe", 0x08)
flag("pds.flags.nt", "Of RUDI", 0x08)
flag("pds.flags.syn", "SYN", 0x04)
part("pds.flags.req", "uint8", "Request", 0x06, ACK_REQUESTS)
define("pds.clear_psn_offset", "int16", "Clear PSN, from the PSN", base.DEC)
define("pds.psn", "uint32", "PSN", base.DEC)
define("pds.spdcid", "uint16", "Source PDC", base.DEC)
define("pds.dpdcid", "uint16", "Destination PDC", base.DEC)
define("pds.use_rsv_pdc", "bool", "Reserved PDC", 16, nil, 0x8000)
part("pds.psn_offset", "uint16", "PSN, from the start PSN", 0x0FFF)
define("pds.ccc_id", "uint8", "Congestion context", base.DEC)
define("pds.credit_target", "uint24", "Credit target", base.DEC)
define("pds.ack_psn_offset", "int16", "ACK PSN, from the cumulative PSN", base.DEC)
define("pds.probe_opaque", "uint16", "Probe opaque", base.HEX)
define("pds.cack_psn", "uint32", "Cumulative PSN", base.DEC)
define("pds.expected_psn", "uint32", "Expected PSN", base.DEC)
part("pds.cc_type", "uint8", "Congestion control type", 0xF0, CC_TYPES)
part("pds.cc_flags", "uint8", "Congestion control flags", 0x0F)
define("pds.mpr", "uint8", "Maximum PSN range", base.DEC)
define("pds.sack_psn_offset", "int16", "SACK base PSN, from the cumulative PSN", base.DEC)
define("pds.sack_bitmap", "uint64", "SACK bitmap", base.HEX)
define("pds.cc_state", "uint64", "Congestion control state", base.HEX)
define("pds.service_time", "uint16", "Service time", base.DEC)
flag("pds.restore_cwnd", "Restore window", 0x80)
part("pds.rcv_cwnd_pend", "uint8", "Receiver's window penalty", 0x7F)
define("pds.rcvd_bytes", "uint24", "Received bytes", base.DEC)
define("pds.credit", "uint24", "Credit", base.DEC)
define("pds.ooo_count", "uint16", "Out of order", base.DEC)
define("pds.ccx_state", "bytes", "Extended congestion control state")
define("pds.nack_code", "uint8", "Code", base.HEX, NACK_CODES)
define("pds.vendor_code", "uint8", "Vendor code", base.HEX)
define("pds.nack_psn", "uint32", "PSN", base.DEC)
define("pds.payload", "uint32", "Payload", base.DEC)
define("pds.pkt_id", "uint32", "Packet id", base.DEC)

part("ses.opcode", "uint8", "Opcode", 0x3F, SES_OPCODES)
part("ses.ver", "uint8", "Version", 0xC0)
flag("ses.dc", "Delivery complete", 0x20)
flag("ses.ie", "Initiator error", 0x10)
flag("ses.rel", "Relative addressing", 0x08)
flag("ses.hd", "Header data", 0x04)
flag("ses.eom", "End of message", 0x02)
flag("ses.som", "Start of message", 0x01)
define("ses.msg_id", "uint16", "Message id", base.DEC)
part("ses.req_len14", "uint16", "Request length", 0x3FFF)
define("ses.req_len", "uint32", "Request length", base.DEC)
define("ses.ri_gen", "uint8", "Index generation", base.DEC)
define("ses.job_id", "uint24", "Job", base.HEX)
part("ses.pid_on_fep", "uint16", "PID", 0x0FFF)
part("ses.res_index", "uint16", "Resource index", 0x0FFF)
define("ses.buf_off", "uint64", "Buffer offset", base.HEX)
define("ses.restart_token", "uint64", "Restart token", base.HEX)
define("ses.hdr_data", "uint64", "Header data", base.HEX)
define("ses.initiator", "uint32", "Initiator", base.DEC)
define("ses.mem_key", "uint64", "Memory key or match bits", base.HEX)
part("ses.payload_len", "uint16", "Payload length", 0x3FFF)
define("ses.msg_off", "uint32", "Message offset", base.DEC)
part("ses.list", "uint8", "List", 0xC0, {[0] = "expected", [1] = "overflow"})
part("ses.rsp_opcode", "uint8", "Opcode", 0x3F, SES_RESPONSES)
part("ses.return_code", "uint8", "Return code", 0x3F)
define("ses.mod_len", "uint32", "Modified length", base.DEC)
define("ses.read_msg_id", "uint16", "Message id of the request", base.DEC)
define("ses.orig_psn", "uint32", "PSN of the request", base.DEC)
define("ses.group", "uint16", "Synchronization group", base.DEC)
define("ses.count", "uint16", "Synchronization count", base.DEC)
define("ses.amo", "uint8", "Atomic operation", base.HEX)
define("ses.amo_type", "uint8", "Atomic type", base.HEX)
define("ses.amo_ctrl", "uint8", "Semantic control", base.HEX)
define("ses.compare", "bytes", "Compare value")
define("ses.swap", "bytes", "Swap value")
define("ses.eager_len", "uint32", "Eager length", base.DEC)
define("ses.read_gen", "uint8", "Read index generation", base.DEC)
define("ses.read_pid", "uint24", "Read PID", base.DEC, nil, 0xFFF000)
define("ses.read_index", "uint24", "Read resource index", base.DEC, nil, 0x000FFF)
define("ses.read_offset", "uint64", "Read offset", base.HEX)
define("ses.read_key", "uint64", "Read memory key", base.HEX)

define("crc", "uint32", "CRC", base.HEX)
uet.fields = all

local short = ProtoExpert.new("uet.short", "Packet is cut short", expert.group.MALFORMED, expert.severity.ERROR)
uet.experts = {short}

-- Walks through a buffer: each call takes the next bytes, for one field or several that share them.
local function cursor(tvb, tree, at)
  local self = {at = at}
  function self.take(size, ...)
    local range = tvb(self.at, size)
    for _, name in ipairs({...}) do
      tree:add(f[name], range)
    end
    self.at = self.at + size
    return range
  end
  function self.peek(size, ...)
    local range = self.take(size, ...)
    self.at = self.at - size
    return range
  end
  function self.skip(size) self.at = self.at + size end
  return self
end

local function target(c)
  c.take(1, "ses.ri_gen")
  c.take(3, "ses.job_id")
  c.take(2, "ses.pid_on_fep")
  c.take(2, "ses.res_index")
end

local function operation(c)
  local opcode = c.take(1, "ses.opcode"):bitfield(2, 6)
  local flags = c.take(1, "ses.ver", "ses.dc", "ses.ie", "ses.rel", "ses.hd", "ses.eom", "ses.som"):uint()
  return opcode, flags
end

local function has_bit(value, mask) return math.floor(value / mask) % 2 == 1 end

local function extensions(c, opcode)
  if opcode == 16 or opcode == 17 then
    c.take(2, "ses.group")
    c.take(2, "ses.count")
  end
  if opcode == 3 or opcode == 4 or opcode == 13 or opcode == 14 or opcode == 17 then
    local amo = c.take(1, "ses.amo"):uint()
    c.take(1, "ses.amo_type")
    c.take(1, "ses.amo_ctrl")
    c.skip(1)
    if amo >= 0x0D and amo <= 0x13 then
      c.take(16, "ses.compare")
      c.take(16, "ses.swap")
    end
  end
  if opcode == 6 or opcode == 10 then
    c.take(4, "ses.eager_len")
    c.take(1, "ses.read_gen")
    c.take(3, "ses.read_pid", "ses.read_index")
    c.take(8, "ses.read_offset")
    c.take(8, "ses.read_key")
  end
end

local function standard_request(c)
  local opcode, flags = operation(c)
  c.take(2, "ses.msg_id")
  target(c)
  c.take(8, (opcode == 8 or opcode == 11) and "ses.restart_token" or "ses.buf_off")
  c.take(4, "ses.initiator")
  c.take(8, opcode == 12 and "ses.restart_token" or "ses.mem_key")
  if has_bit(flags, 1) then
    c.take(8, "ses.hdr_data")
  else
    c.skip(2)
    c.take(2, "ses.payload_len")
    c.take(4, "ses.msg_off")
  end
  c.take(4, "ses.req_len")
  extensions(c, opcode)
  return SES_OPCODES[opcode]
end

local function short_request(c, medium)
  local opcode, flags = operation(c)
  c.take(2, "ses.req_len14")
  target(c)
  if medium then
    c.take(8, has_bit(flags, 4) and "ses.hdr_data" or "ses.buf_off")
    c.take(4, "ses.initiator")
    c.take(8, "ses.mem_key")
  else
    c.take(8, "ses.buf_off")
  end
  extensions(c, opcode)
  return SES_OPCODES[opcode]
end

local function response(c, next_header)
  local opcode = c.take(1, "ses.list", "ses.rsp_opcode"):bitfield(2, 6)
  c.take(1, "ses.ver", "ses.return_code")
  if next_header == 6 then
    c.take(2, "ses.payload_len")
    c.skip(1)
    c.take(3, "ses.job_id")
    c.take(4, "ses.orig_psn")
    return SES_RESPONSES[opcode]
  end
  c.take(2, "ses.msg_id")
  if next_header == 4 then
    c.take(1, "ses.ri_gen")
    c.take(3, "ses.job_id")
    c.take(4, "ses.mod_len")
  else
    c.skip(1)
    c.take(3, "ses.job_id")
    c.take(2, "ses.read_msg_id")
    c.take(2, "ses.payload_len")
    c.take(4, "ses.mod_len")
    c.take(4, "ses.msg_off")
  end
  return SES_RESPONSES[opcode]
end

-- Returns where the payload begins and what the header says.
local function dissect_ses(tvb, tree, at, next_header)
  if next_header == 0 or next_header > 6 then
    return at, nil
  end
  local ses_tree = tree:add(tvb(at), "SES " .. NEXT_HEADERS[next_header])
  local c = cursor(tvb, ses_tree, at)
  local name
  if next_header == 3 then
    name = standard_request(c)
  elseif next_header <= 2 then
    name = short_request(c, next_header == 2)
  else
    name = response(c, next_header)
  end
  ses_tree:set_len(c.at - at)
  return c.at, name
end

local function request(c, type, flags)
  c.take(2, "pds.clear_psn_offset")
  c.take(4, "pds.psn")
  c.take(2, "pds.spdcid")
  if has_bit(flags, 4) then
    c.take(2, "pds.use_rsv_pdc", "pds.psn_offset")
  else
    c.take(2, "pds.dpdcid")
  end
  if type >= 13 then
    c.take(1, "pds.ccc_id")
    c.take(3, "pds.credit_target")
  end
end

local function cc_state(c, cc_type)
  c.peek(8, "pds.cc_state")
  if cc_type == 0 then
    c.take(2, "pds.service_time")
    c.take(1, "pds.restore_cwnd", "pds.rcv_cwnd_pend")
    c.take(3, "pds.rcvd_bytes")
  elseif cc_type == 1 then
    c.take(3, "pds.credit")
    c.skip(3)
  else
    c.skip(8)
    return
  end
  c.take(2, "pds.ooo_count")
end

local function ack(c, type, flags)
  c.take(2, has_bit(flags, 8) and "pds.probe_opaque" or "pds.ack_psn_offset")
  c.take(4, "pds.cack_psn")
  c.take(2, "pds.spdcid")
  c.take(2, "pds.dpdcid")
  if type == 7 then
    if has_bit(flags, 64) then
      c.take(4, "pds.expected_psn")
    end
    return
  end
  local cc_type = c.take(1, "pds.cc_type", "pds.cc_flags"):bitfield(0, 4)
  c.take(1, "pds.mpr")
  c.take(2, "pds.sack_psn_offset")
  c.take(8, "pds.sack_bitmap")
  if type == 9 then
    c.take(16, "pds.ccx_state")
  else
    cc_state(c, cc_type)
  end
end

local function nack(c, type)
  c.take(1, "pds.nack_code")
  c.take(1, "pds.vendor_code")
  c.take(4, "pds.nack_psn")
  c.take(2, "pds.spdcid")
  c.take(2, "pds.dpdcid")
  c.take(4, "pds.payload")
  if type == 12 then
    c.take(16, "pds.ccx_state")
  end
end

local function control(c, flags)
  c.take(2, "pds.probe_opaque")
  c.take(4, "pds.psn")
  c.take(2, "pds.spdcid")
  if has_bit(flags, 4) then
    c.take(2, "pds.use_rsv_pdc", "pds.psn_offset")
  else
    c.take(2, "pds.dpdcid")
  end
  c.take(4, "pds.payload")
end

-- Flags of each type of packet, in the second byte of the prologue.
local REQUEST_FLAGS = {"pds.flags.retx", "pds.flags.ar", "pds.flags.syn"}
local ACK_FLAGS = {"pds.flags.epsn", "pds.flags.m", "pds.flags.retx", "pds.flags.p", "pds.flags.req"}
local NACK_FLAGS = {"pds.flags.m", "pds.flags.retx", "pds.flags.nt"}
local CONTROL_FLAGS = {"pds.flags.isrod", "pds.flags.retx", "pds.flags.ar", "pds.flags.syn"}
local RUDI_FLAGS = {"pds.flags.m", "pds.flags.retx"}
local FLAGS = {[2] = REQUEST_FLAGS, [3] = REQUEST_FLAGS, [13] = REQUEST_FLAGS, [14] = REQUEST_FLAGS, [4] = RUDI_FLAGS,
  [5] = RUDI_FLAGS, [7] = ACK_FLAGS, [8] = ACK_FLAGS, [9] = ACK_FLAGS, [10] = NACK_FLAGS, [12] = NACK_FLAGS,
  [11] = CONTROL_FLAGS}

-- Returns where the payload begins.
local function dissect_pds(tvb, pinfo, tree, at)
  local word = tvb(at, 2):uint()
  local type = math.floor(word / 2048)
  local next_header = math.floor(word / 128) % 16
  local flags = word % 128
  local name = PDS_TYPES[type] or "reserved"
  local pds_tree = tree:add(tvb(at), "PDS " .. name)
  local c = cursor(tvb, pds_tree, at)
  c.take(2, "pds.type", type == 11 and "pds.ctl_type" or "pds.nh", "pds.flags")
  for _, flag_name in ipairs(FLAGS[type] or {}) do
    pds_tree:add(f[flag_name], tvb(at + 1, 1))
  end
  if type == 2 or type == 3 or type == 13 or type == 14 then
    request(c, type, flags)
  elseif type == 4 or type == 5 then
    c.skip(2)
    c.take(4, "pds.pkt_id")
  elseif type == 6 then
    c.skip(2)
  elseif type >= 7 and type <= 9 then
    ack(c, type, flags)
  elseif type == 10 or type == 12 then
    nack(c, type)
  elseif type == 11 then
    control(c, flags)
    next_header = 0
    name = name .. " (" .. (CONTROL_TYPES[math.floor(word / 128) % 16] or "reserved") .. ")"
  else
    next_header = 0
  end
  pds_tree:set_len(c.at - at)
  local behind, operation_name = dissect_ses(tvb, tree, c.at, next_header)
  pinfo.cols.info = operation_name and (name .. ", " .. operation_name) or name
  return behind
end

-- Returns where the ciphertext begins.
local function dissect_tss(tvb, pinfo, tree, at)
  local tss_tree = tree:add(tvb(at), "TSS")
  local c = cursor(tvb, tss_tree, at)
  local first = c.take(1, "tss.type", "tss.sp", "tss.reserved", "tss.an"):uint()
  c.take(3, "tss.sdi")
  if has_bit(first, 4) then
    c.take(4, "tss.ssi")
  end
  c.take(2, "tss.epoch")
  c.take(6, "tss.tsc")
  tss_tree:set_len(c.at - at)
  pinfo.cols.info = "TSS"
  return c.at
end

local function dissect(tvb, pinfo, root, native)
  pinfo.cols.protocol = "UET"
  local tree = root:add(uet, tvb())
  local at = 0
  local ok, message = pcall(function()
    if native then
      tree:add(f["entropy"], tvb(0, 2))
      tree:add(f["entropy.reserved"], tvb(2, 2))
      at = 4
    end
    local secured = tvb(at, 1):bitfield(0, 5) == 1
    local check = secured and ICV_SIZE or CRC_SIZE
    local body = tvb(0, tvb:len() - check):tvb()
    local behind = secured and dissect_tss(body, pinfo, tree, at) or dissect_pds(body, pinfo, tree, at)
    if behind < body:len() then
      Dissector.get("data"):call(body(behind):tvb(), pinfo, tree)
    end
    if secured then
      tree:add(f["tss.icv"], tvb(body:len(), check))
    else
      tree:add_le(f["crc"], tvb(body:len(), check))
    end
  end)
  if not ok then
    tree:add_proto_expert_info(short, "Packet is cut short: " .. tostring(message))
  end
  return tvb:len()
end

function uet.dissector(tvb, pinfo, root) return dissect(tvb, pinfo, root, false) end
function uet_native.dissector(tvb, pinfo, root) return dissect(tvb, pinfo, root, true) end

DissectorTable.get("udp.port"):add(UDP_PORT, uet)
DissectorTable.get("ip.proto"):add(IP_PROTOCOL, uet_native)
