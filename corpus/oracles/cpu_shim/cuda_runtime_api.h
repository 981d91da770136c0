// cuda_cpu.h is included before the source and declares it all.
