// Colours and bytes.
__global__ void invert(unsigned char *bytes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bytes[i] = 255 - bytes[i];
}

__global__ void brighten(const unsigned char *in, unsigned char *out, int by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int value = in[i] + by;
    out[i] = value < 0 ? 0 : value > 255 ? 255 : value;
}

__global__ void to_rgb565(const uchar4 *in, unsigned short *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 c = in[i];
    out[i] = (c.x >> 3) << 11 | (c.y >> 2) << 5 | c.z >> 3;
}

__global__ void from_rgb565(const unsigned short *in, uchar4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned r = in[i] >> 11, g = in[i] >> 5 & 63, b = in[i] & 31;
    out[i] = make_uchar4(r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2, 255);
}

__device__ unsigned char mix(unsigned char over, unsigned char under, unsigned char alpha) {
    return (over * alpha + under * (255 - alpha) + 127) / 255;
}

__global__ void blend(const uchar4 *over, const uchar4 *under, uchar4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 a = over[i], b = under[i];
    out[i] = make_uchar4(mix(a.x, b.x, a.w), mix(a.y, b.y, a.w), mix(a.z, b.z, a.w), b.w);
}

// Hue in 0..1535, saturation and value in 0..255.
__global__ void to_hsv(const uchar3 *in, ushort3 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = in[i].x, g = in[i].y, b = in[i].z;
    int high = max(r, max(g, b)), chroma = high - min(r, min(g, b)), hue = 0;
    if (chroma) {
        if (high == r) hue = (g - b) * 256 / chroma;
        else if (high == g) hue = 512 + (b - r) * 256 / chroma;
        else hue = 1024 + (r - g) * 256 / chroma;
        if (hue < 0) hue += 1536;
    }
    out[i].x = hue;
    out[i].y = high ? chroma * 255 / high : 0;
    out[i].z = high;
}

__constant__ unsigned char palette[16] = {0, 3, 8, 15, 24, 35, 48, 63, 80, 99, 120, 143, 168, 195, 224, 255};

__global__ void look_up_palette(const unsigned char *nibbles, unsigned char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = palette[nibbles[i / 2] >> 4 * (i % 2) & 15];
}
