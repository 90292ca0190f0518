// A random stress of the kernel without Python, for sanitizers: sizes, ties, warm starts, threads, wrong
// input; the pairs of random chains, and the components of random graphs.
//
//     kernel_stress ROUNDS SEED
//
// Each round fills equal batches and solves them through a sequence of tables: with one thread, with two, and
// by Bland's rule alone. One thread and two must give equal values, bit for bit; functions and couplings must
// be feasible, and the duality gap nothing but rounding. Chains have all their pairs explored, while another
// thread asks for names; components must be those of a closure. Prints what it did; a failed check prints what
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
#include "exploration.hpp"

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

/// A chain whose masses are small integers, so that these are their own ranks at alpha 1, with ties.
bdist::ChainRows random_rows(std::mt19937 &random, int states) {
    bdist::ChainRows rows;
    rows.offsets.push_back(0);
    for (int i = 0; i < states; ++i) {
        for (int k = 0; k < states; ++k)
            if (random() % 4 == 0) {
                rows.targets.push_back(k);
                rows.ranks.push_back(static_cast<std::int32_t>(random() % 3 + 1));
            }
        rows.offsets.push_back(static_cast<std::int64_t>(rows.targets.size()));
        rows.labels.push_back(static_cast<std::int32_t>(random() % 3));
    }
    rows.masses.assign(rows.ranks.begin(), rows.ranks.end());
    rows.skewed_ranks = rows.ranks;
    return rows;
}

double mass(const bdist::ChainRows &rows, std::int32_t i, int k) {
    for (auto t = rows.offsets[i]; t < rows.offsets[i + 1]; ++t)
        if (rows.targets[t] == k) return rows.masses[t];
    return 0.0;
}

/// The tasks of a chain's pairs against its rows: each difference that is not 0 is in the program of its label,
/// or all of one sign there.
void check_pairs(const bdist::ChainRows &rows, const std::vector<std::int32_t> &first,
                 const std::vector<std::int32_t> &second, const bdist::Explored &found, bool ordered) {
    const int states = static_cast<int>(rows.labels.size());
    std::size_t task = 0, program = 0, variable = 0, cell = 0;
    for (std::size_t pair = 0; pair < first.size(); ++pair)
        for (int side = 0; side < (ordered ? 1 : 2); ++side, ++task) {
            const std::int32_t i = side ? second[pair] : first[pair], j = side ? first[pair] : second[pair];
            double constant = 0.0;
            std::size_t inside = 0, listed = 0;
            for (int label = 0; label < 3; ++label) {
                double up = 0.0, down = 0.0;
                std::size_t count = 0;
                for (int k = 0; k < states; ++k) {
                    if (rows.labels[k] != label) continue;
                    const double c = mass(rows, i, k) - mass(rows, j, k);
                    (c > 0.0 ? up : down) += c;
                    count += c != 0.0;
                }
                if (up > 0.0 && down < 0.0)
                    inside += count;
                else
                    constant += up;
            }
            if (found.constants[task] != constant) fail("a constant is wrong", task);
            for (std::int32_t n = 0; n < found.counts[task]; ++n, ++program) {
                const auto size = static_cast<std::size_t>(found.sizes[program]);
                listed += size;
                for (std::size_t a = 0; a < size; ++a) {
                    const std::int32_t k = found.inside[variable + a];
                    if (found.costs[variable + a] != mass(rows, i, k) - mass(rows, j, k)) fail("a cost is wrong", program);
                    for (std::size_t b = 0; b < size; ++b) {
                        const std::int32_t l = found.inside[variable + b], number = found.arcs[cell + a * size + b];
                        if (a == b ? number != -1 : number < 0) fail("an arc has no pair", program);
                        if (a != b && (ordered ? first[number] != k || second[number] != l
                                               : first[number] != std::min(k, l) || second[number] != std::max(k, l)))
                            fail("an arc has another pair", program);
                    }
                }
                variable += size;
                cell += size * size;
            }
            if (listed != inside) fail("a program has too few states, or too many", task);
        }
    if (variable != found.inside.size() || cell != found.arcs.size()) fail("there are more programs than told", program);
}

/// Explores all pairs of a chain, while another thread names them once more.
std::size_t explore_all(std::mt19937 &random) {
    const int states = 2 + static_cast<int>(random() % 60);
    const bool ordered = random() % 2 == 0;
    const bdist::ChainRows rows = random_rows(random, states);
    bdist::Supports supports(rows, 1.0, ordered);
    std::vector<std::int32_t> left, right, first, second;
    for (int i = 0; i < states; ++i)
        for (int j = 0; j < states; ++j) {
            left.push_back(i);
            right.push_back(j);
            if (rows.labels[i] == rows.labels[j] && (ordered ? i != j : i < j)) {
                first.push_back(i);
                second.push_back(j);
            }
        }
    const std::vector<std::int32_t> numbers = supports.name(view(first), view(second));
    for (std::size_t k = 0; k < numbers.size(); ++k)
        if (numbers[k] != static_cast<std::int32_t>(k)) fail("a pair has another number", k);
    std::vector<std::int32_t> names;
    std::thread onlooker([&] { names = supports.name(view(left), view(right)); });
    const bdist::Explored found = supports.explore(view(numbers));
    onlooker.join();
    if (names != supports.name(view(left), view(right))) fail("a name has changed", 0);
    if (!found.first.empty()) fail("a pair got two names", 0);
    check_pairs(rows, first, second, found, ordered);
    return numbers.size();
}

/// Components against the transitive closure.
void connect(std::mt19937 &random) {
    const int nodes = static_cast<int>(random() % 40);
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> targets;
    std::vector<std::vector<char>> reach(nodes, std::vector<char>(nodes, 0));
    for (int v = 0; v < nodes; ++v) {
        for (unsigned n = random() % 3; n > 0; --n) {
            targets.push_back(static_cast<std::int32_t>(random() % (nodes + 1)) - 1);
            if (targets.back() >= 0) reach[v][targets.back()] = 1;
        }
        starts.push_back(static_cast<std::int64_t>(targets.size()));
    }
    for (int u = 0; u < nodes; ++u)
        for (int v = 0; v < nodes; ++v)
            for (int w = 0; w < nodes; ++w)
                if (reach[v][u] && reach[u][w]) reach[v][w] = 1;
    const bdist::Components found = bdist::components(view(starts), view(targets));
    for (int v = 0; v < nodes; ++v) {
        if ((found.cyclic[v] != 0) != (reach[v][v] != 0)) fail("a circle is none, or there is one", v);
        for (int w = 0; w < nodes; ++w) {
            const bool together = v == w || (reach[v][w] && reach[w][v]);
            if (together != (found.component[v] == found.component[w])) fail("a component is wrong", v);
            if (together && found.level[v] != found.level[w]) fail("a component has two levels", v);
            if (reach[v][w] && !together &&
                (found.component[v] < found.component[w] || found.level[v] <= found.level[w]))
                fail("a component comes before what it leads to", v);
        }
    }
}

void refuse_wrong_chains() {
    const bdist::ChainRows good{{0, 1, 2}, {0, 1}, {1.0, 1.0}, {0, 0}, {0, 0}, {0, 0}};
    const std::vector<std::int32_t> zero{0}, one{1}, two{2}, both{0, 1};
    bdist::ChainRows rows = good;
    rows.targets = {0, 2};
    must_refuse("a target that is not there", [&] { bdist::Supports(rows, 1.0, true); });
    rows = good;
    rows.offsets = {0, 3, 2};
    must_refuse("offsets that fall", [&] { bdist::Supports(rows, 1.0, true); });
    rows = good;
    rows.masses.pop_back();
    must_refuse("too few masses", [&] { bdist::Supports(rows, 1.0, true); });
    bdist::Supports supports(good, 1.0, true);
    must_refuse("a pair of one state", [&] { supports.name(view(zero), view(both)); });
    must_refuse("a pair of no state", [&] { supports.name(view(zero), view(two)); });
    must_refuse("a pair without a name", [&] { supports.explore(view(zero)); });
    const std::vector<std::int64_t> starts{0, 1}, falling{0, 2, 1};
    must_refuse("an edge to nowhere", [&] { bdist::components(view(starts), view(one)); });
    must_refuse("starts that fall", [&] { bdist::components(view(falling), view(zero)); });
    must_refuse("no starts", [&] { bdist::components({nullptr, 0}, view(zero)); });
}

}  // namespace

int main(int count, char **arguments) {
    const long rounds = count > 1 ? std::atol(arguments[1]) : 100;
    std::mt19937 random(count > 2 ? static_cast<std::uint32_t>(std::atol(arguments[2])) : 1U);
    refuse_wrong_input();
    refuse_wrong_chains();
    long solved = 0, explored = 0;
    for (long round = 0; round < rounds; ++round) {
        explored += static_cast<long>(explore_all(random));
        connect(random);
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
    std::printf("%ld rounds, %ld programs solved and checked, %ld pairs explored\n", rounds, solved, explored);
    return 0;
}
