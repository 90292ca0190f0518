// Dense linear systems of a few hundred unknowns, on the thread that asks.
//
// The libraries behind NumPy start threads for them, which cost more than the solution where cores are busy.

#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "batch.hpp"

namespace bdist {

/// The solution of a square system, row by row, by elimination with row pivots; nothing where it is singular.
inline std::vector<double> solve_dense(View<double> rows, View<double> right) {
    const std::size_t n = right.size;
    if (rows.size != n * n) throw std::invalid_argument("the matrix does not fit the right-hand side");
    std::vector<double> a(rows.data, rows.data + rows.size), x(right.data, right.data + n);
    std::vector<std::size_t> order(n);
    for (std::size_t k = 0; k < n; ++k) order[k] = k;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::fabs(a[order[i] * n + k]) > std::fabs(a[order[best] * n + k])) best = i;
        std::swap(order[k], order[best]);
        const double *pivot = &a[order[k] * n];
        if (pivot[k] == 0.0 || !std::isfinite(pivot[k])) return {};
        for (std::size_t i = k + 1; i < n; ++i) {
            double *row = &a[order[i] * n];
            if (row[k] == 0.0) continue;  // most are, at the beginning
            const double factor = row[k] / pivot[k];
            for (std::size_t j = k + 1; j < n; ++j) row[j] -= factor * pivot[j];
            x[order[i]] -= factor * x[order[k]];
        }
    }
    std::vector<double> solution(n);
    for (std::size_t k = n; k-- > 0;) {
        const double *row = &a[order[k] * n];
        double sum = x[order[k]];
        for (std::size_t j = k + 1; j < n; ++j) sum -= row[j] * solution[j];
        solution[k] = sum / row[k];
    }
    return solution;
}

}  // namespace bdist
