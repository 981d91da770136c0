// Classic string hashes behind one kernel template: djb2, sdbm, and the ELF object file hash.
struct Djb2 {
    static const unsigned seed = 5381;
    __device__ static unsigned step(unsigned hash, unsigned char c) { return (hash << 5) + hash + c; }
};

struct Sdbm {
    static const unsigned seed = 0;
    __device__ static unsigned step(unsigned hash, unsigned char c) { return c + (hash << 6) + (hash << 16) - hash; }
};

struct Elf {
    static const unsigned seed = 0;
    __device__ static unsigned step(unsigned hash, unsigned char c) {
        hash = (hash << 4) + c;
        unsigned high = hash & 0xf0000000u;
        if (high) hash ^= high >> 24;
        return hash & ~high;
    }
};

template <typename Hash>
__device__ unsigned hash_of(const unsigned char *text, int begin, int end) {
    unsigned hash = Hash::seed;
    while (begin < end) hash = Hash::step(hash, text[begin++]);
    return hash;
}

extern "C" __global__ void string_hash(const unsigned char *text, const int *offsets, unsigned *djb2, unsigned *sdbm,
                                       unsigned *elf, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        djb2[i] = hash_of<Djb2>(text, offsets[i], offsets[i + 1]);
        sdbm[i] = hash_of<Sdbm>(text, offsets[i], offsets[i + 1]);
        elf[i] = hash_of<Elf>(text, offsets[i], offsets[i + 1]);
    }
}
