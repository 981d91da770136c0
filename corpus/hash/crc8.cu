// CRC-8 with polynomial x^8 + x^2 + x + 1, bit by bit, in 8-bit arithmetic.
extern "C" __global__ void crc8(const unsigned char *data, int length, unsigned char *out, int packets) {
    int packet = blockIdx.x * blockDim.x + threadIdx.x;
    if (packet >= packets) return;
    unsigned char crc = 0;
    for (int i = 0; i < length; i++) {
        crc ^= data[packet * length + i];
        for (int bit = 0; bit < 8; bit++) {
            if (crc & 0x80)
                crc = (unsigned char)(crc << 1) ^ 0x07;
            else
                crc <<= 1;
        }
    }
    out[packet] = crc;
}
