// A random stress of the kernel without Python, for sanitizers: sizes, ties, warm starts, threads, wrong
// input.
//
//     kernel_stress ROUNDS SEED
//
// Each round fills equal batches and solves them through a sequence of tables: with one thread, with two, and
// by Bland's rule alone. One thread and two must give equal values, bit for bit; functions and couplings must
// be feasible, and the duality gap nothing but rounding. Prints what it did; a failed check prints what
// failed and exits with 1.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "batch.hpp"

namespace {

using bdist::Batch;
using bdist::View;

constexpr double tolerance = 1e-9;

struct Family {
    double alpha;
    std::vector<std::int32_t> sizes;
    std::vector<double> costs;
    std::vector<std::int32_t> arcs;
    std::vector<double> table;
};

template <typename T>
View<T> view(const std::vector<T> &items) {
    return {items.data(), items.size()};
}

[[noreturn]] void fail(const char *what, std::size_t program) {
    std::printf("kernel_stress: %s, program %zu\n", what, program);
    std::exit(1);
}

/// Tables with few distinct entries, zeros and ones among them, or with none alike.
double entry(std::mt19937 &random, bool tied) {
    static const double few[] = {0.0, 0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.0};
    return tied ? few[random() % 8] : std::uniform_real_distribution<double>(0.0, 1.3)(random);
}

Family random_family(std::mt19937 &random) {
    static const double alphas[] = {1.0, 1.0002, 1.1, 2.0, 20.0, 22026.0};
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    Family family;
    family.alpha = alphas[random() % 6];
    const bool tied = random() % 2 == 0;
    const int most = random() % 8 == 0 ? 40 : 10;
    for (int k = 0; k < 300; ++k) family.table.push_back(entry(random, tied));
    for (int k = 0; k < 80; ++k) {
        const int size = 1 + static_cast<int>(random() % most);
        family.sizes.push_back(size);
        for (int i = 0; i < size; ++i) {
            const double cost = unit(random) - family.alpha * unit(random);
            family.costs.push_back(tied ? std::round(4.0 * cost) / 4.0 : cost);
            for (int j = 0; j < size; ++j)
                family.arcs.push_back(i == j || random() % 8 == 0 ? -1 : static_cast<int>(random() % 300));
        }
    }
    return family;
}

void disturb(std::vector<double> &table, std::mt19937 &random) {
    std::normal_distribution<double> noise(0.0, 0.05);
    const bool tied = random() % 3 == 0;
    for (double &bound : table) {
        if (tied && random() % 4 == 0)
            bound = entry(random, true);
        else if (!tied)
            bound = std::max(0.0, bound + noise(random));
    }
}

/// Weak duality: a feasible function and a feasible coupling of equal value are both optimal.
void check(const Family &family, const Batch &batch, const std::vector<std::int32_t> &programs,
           const std::vector<double> &values) {
    const std::vector<double> f = batch.functions(view(programs));
    const bdist::Couplings coupling = batch.couplings(view(programs));
    std::size_t variable = 0;
    std::size_t cell = 0;
    for (std::size_t k = 0; k < family.sizes.size(); ++k) {
        const auto size = static_cast<std::size_t>(family.sizes[k]);
        std::vector<double> covered(size, 0.0);
        double value = 0.0;
        double cost = 0.0;
        for (std::size_t i = 0; i < size; ++i) {
            const double x = f[variable + i];
            if (!(x >= 0.0 && x <= 1.0)) fail("a function leaves the box", k);
            value += x * family.costs[variable + i];
            covered[i] += coupling.caps[variable + i];
            cost += coupling.caps[variable + i];
            for (std::size_t j = 0; j < size; ++j) {
                const std::int32_t number = family.arcs[cell + i * size + j];
                if (number >= 0 && x - family.alpha * f[variable + j] > family.table[number] + tolerance)
                    fail("a function breaks an arc", k);
            }
        }
        for (auto w = coupling.offsets[k]; w < coupling.offsets[k + 1]; ++w) {
            const auto position = static_cast<std::size_t>(coupling.arcs[w]);
            const double weight = coupling.weights[w];
            covered[position / size] += weight;
            covered[position % size] -= family.alpha * weight;
            cost += weight * family.table[family.arcs[cell + position]];
        }
        const double slack = tolerance * family.alpha;
        for (std::size_t i = 0; i < size; ++i)
            if (covered[i] < family.costs[variable + i] - slack) fail("a coupling does not cover a cost", k);
        if (std::fabs(value - cost) > slack || std::fabs(std::max(value, 0.0) - values[k]) > slack)
            fail("function and coupling disagree", k);
        variable += size;
        cell += size * size;
    }
}

template <typename Call>
void must_refuse(const char *what, Call call) {
    try {
        call();
    } catch (const std::invalid_argument &) {
        return;
    }
    fail(what, 0);
}

void refuse_wrong_input() {
    Batch batch(2.0);
    const std::vector<std::int32_t> one{1}, two{2}, none, negative{-2, -1, -1, -1}, loop{0, -1, -1, -1};
    const std::vector<std::int32_t> twice{0, 0}, beyond{1}, arcs{-1, 5, -1, -1};
    const std::vector<double> costs{1.0, -1.0}, nan{std::nan(""), 0.0}, table{0.5}, bad(6, -1.0),
        good(6, 0.5);
    must_refuse("a small alpha", [] { Batch(0.5); });
    must_refuse("alpha NaN", [] { Batch(std::nan("")); });
    must_refuse("too many costs", [&] { batch.append(view(one), view(costs), view(one)); });
    must_refuse("too few arcs", [&] { batch.append(view(two), view(costs), view(one)); });
    must_refuse("no variables", [&] { batch.append(view(twice), view(costs), view(one)); });
    must_refuse("cost NaN", [&] { batch.append(view(two), view(nan), view(arcs)); });
    must_refuse("a negative arc", [&] { batch.append(view(two), view(costs), view(negative)); });
    must_refuse("a loop", [&] { batch.append(view(two), view(costs), view(loop)); });
    batch.append(view(two), view(costs), view(arcs));
    must_refuse("no such program", [&] { batch.solve(view(beyond), view(table), 1); });
    must_refuse("no thread", [&] { batch.solve(view(none), view(table), 0); });
    must_refuse("a short table", [&] { batch.solve({twice.data(), 1}, view(table), 1); });
    must_refuse("a bad table", [&] { batch.solve({twice.data(), 1}, view(bad), 1); });
    must_refuse("a program twice", [&] { batch.solve(view(twice), view(good), 1); });
    must_refuse("functions before a solve", [&] { batch.functions({twice.data(), 1}); });
}

}  // namespace

int main(int count, char **arguments) {
    const long rounds = count > 1 ? std::atol(arguments[1]) : 100;
    std::mt19937 random(count > 2 ? static_cast<std::uint32_t>(std::atol(arguments[2])) : 1U);
    refuse_wrong_input();
    long solved = 0;
    for (long round = 0; round < rounds; ++round) {
        Family family = random_family(random);
        Batch single(family.alpha);
        Batch shared(family.alpha);
        Batch careful(family.alpha, 0);
        for (Batch *batch : {&single, &shared, &careful})
            batch->append(view(family.sizes), view(family.costs), view(family.arcs));
        std::vector<std::int32_t> programs(family.sizes.size());
        for (std::size_t k = 0; k < programs.size(); ++k) programs[k] = static_cast<std::int32_t>(k);
        for (int turn = 0; turn < 6; ++turn) {
            const std::vector<double> values = single.solve(view(programs), view(family.table), 1);
            std::thread onlooker([&] {  // waits for its turn, and sees a whole state
                if (turn > 0) shared.functions(view(programs));
            });
            const std::vector<double> same = shared.solve(view(programs), view(family.table), 2);
            onlooker.join();
            if (std::memcmp(values.data(), same.data(), values.size() * sizeof(double)) != 0)
                fail("two threads give another value", 0);
            for (std::size_t k = 0; k < values.size(); ++k)
                if (std::isnan(values[k])) fail("a program failed", k);
            check(family, shared, programs, same);
            check(family, careful, programs, careful.solve(view(programs), view(family.table), 1));
            solved += static_cast<long>(values.size());
            disturb(family.table, random);
        }
    }
    std::printf("%ld rounds, %ld programs solved and checked\n", rounds, solved);
    return 0;
}
