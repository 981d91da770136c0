// CRC-16/CCITT-FALSE (most significant bit first) and CRC-16/MODBUS (least significant bit first).
__global__ void crc16(const unsigned char *data, const int *offsets, unsigned short *ccitt, unsigned short *modbus,
                      int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned short high = 0xffff, low = 0xffff;
    for (int k = offsets[i]; k < offsets[i + 1]; k++) {
        high ^= (unsigned short)(data[k] << 8);
        low ^= data[k];
#pragma unroll 1
        for (int bit = 0; bit < 8; bit++) {
            high = high & 0x8000 ? (unsigned short)(high << 1) ^ 0x1021 : high << 1;
            low = low & 1 ? (low >> 1) ^ 0xa001 : low >> 1;
        }
    }
    ccitt[i] = high;
    modbus[i] = low;
}
