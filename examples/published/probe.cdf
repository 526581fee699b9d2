# Every message has 512 bytes.
512 100
