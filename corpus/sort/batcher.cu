// Batcher's odd-even merge sort of records, ordered by grade (best first), then by age, then by number.
struct Student {
    int grade, age, number;
};

__device__ bool precedes(const Student &a, const Student &b) {
    if (a.grade != b.grade) return a.grade > b.grade;
    if (a.age != b.age) return a.age < b.age;
    return a.number < b.number;
}

__global__ void sort_students(Student *students, int n) {
    for (int p = 1; p < n; p *= 2) {
        for (int k = p; k >= 1; k /= 2) {
            // Comparators (j, j + k) where j runs over every other group of k, inside groups of 2p.
            for (int j = threadIdx.x; j + k < n; j += blockDim.x) {
                int from = j - k % p;
                if (from < 0 || from / k % 2 != 0 || j / (2 * p) != (j + k) / (2 * p)) continue;
                Student a = students[j], b = students[j + k];
                if (precedes(b, a)) {
                    students[j] = b;
                    students[j + k] = a;
                }
            }
            __syncthreads();
        }
    }
}
