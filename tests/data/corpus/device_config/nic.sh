# nic: h/nic0
ip link set dev eth0 mtu 4140
mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0
mlnx_qos -i eth0 --dscp2prio set,26,3
echo 1 > /sys/class/net/eth0/ecn/roce_np/enable/3
