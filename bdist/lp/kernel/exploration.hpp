// The programs of pairs of states, from the rows of a chain.
//
// The objective mu - alpha nu of a pair splits by label, and a label counts only where it has both signs. A
// program is about the states with nonzero coefficients; the pairs among them are named, which gives them a
// number, and explored in turn only if somebody asks. What comes out are arrays, as a batch of directed lifts
// takes them.
//
// Signs are exact though coefficients are floats: every probability p comes with the ranks of p and of alpha p
// among all such numbers, which whoever has them in rationals can sort.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "batch.hpp"

namespace bdist {

/// The rows of a chain: transitions from state i are those from offsets[i] to offsets[i + 1].
struct ChainRows {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> targets;
    std::vector<double> masses;
    std::vector<std::int32_t> ranks;
    std::vector<std::int32_t> skewed_ranks;
    std::vector<std::int32_t> labels;
};

/// The tasks of pairs, one a direction, with their programs; arcs have numbers of pairs, or -1.
struct Explored {
    std::vector<std::int32_t> first, second;  // states of the pairs that were named meanwhile
    std::vector<double> constants;            // of tasks
    std::vector<std::int32_t> counts;         // programs of tasks
    std::vector<std::int32_t> sizes;          // of programs
    std::vector<std::int32_t> inside;         // states, program by program
    std::vector<double> costs;                // of these
    std::vector<std::int32_t> arcs;           // matrices, row by row
};

/// Numbers by two states, in a table that is never more than half full.
class PairNumbers {
public:
    PairNumbers() : keys_(1024, free_), numbers_(1024) {}

    /// The number of a pair; a new pair gets the next one.
    std::int32_t enter(std::uint64_t key, std::int32_t next) {
        if (2 * count_ >= keys_.size()) grow();
        const std::size_t at = find(key);
        if (keys_[at] == free_) {
            keys_[at] = key;
            numbers_[at] = next;
            ++count_;
        }
        return numbers_[at];
    }

private:
    static constexpr std::uint64_t free_ = ~std::uint64_t{0};

    std::size_t find(std::uint64_t key) const {
        std::size_t at = (key * 0x9E3779B97F4A7C15u >> 20) & (keys_.size() - 1);
        while (keys_[at] != free_ && keys_[at] != key) at = (at + 1) & (keys_.size() - 1);
        return at;
    }

    void grow() {
        std::vector<std::uint64_t> keys(2 * keys_.size(), free_);
        std::vector<std::int32_t> numbers(keys.size());
        keys.swap(keys_);
        numbers.swap(numbers_);
        for (std::size_t k = 0; k < keys.size(); ++k)
            if (keys[k] != free_) {
                const std::size_t at = find(keys[k]);
                keys_[at] = keys[k];
                numbers_[at] = numbers[k];
            }
    }

    std::vector<std::uint64_t> keys_;
    std::vector<std::int32_t> numbers_;
    std::size_t count_ = 0;
};

class Supports {
public:
    Supports(ChainRows rows, double alpha, bool ordered)
        : rows_(std::move(rows)), alpha_(alpha), ordered_(ordered), theirs_(rows_.labels.size(), -1) {
        const std::size_t states = rows_.labels.size(), transitions = rows_.targets.size();
        if (rows_.offsets.size() != states + 1 || rows_.offsets.front() != 0 ||
            rows_.offsets.back() != static_cast<std::int64_t>(transitions) || rows_.masses.size() != transitions ||
            rows_.ranks.size() != transitions || rows_.skewed_ranks.size() != transitions)
            throw std::invalid_argument("the arrays of a chain do not fit together");
        for (std::size_t i = 0; i < states; ++i)
            if (rows_.offsets[i] > rows_.offsets[i + 1]) throw std::invalid_argument("offsets must not fall");
        for (const std::int32_t k : rows_.targets)
            if (k < 0 || static_cast<std::size_t>(k) >= states)
                throw std::invalid_argument("a transition leads to a state that is not there");
    }

    /// The numbers of pairs; new pairs are named. -1 for two equal states, or states with different labels.
    std::vector<std::int32_t> name(View<std::int32_t> first, View<std::int32_t> second) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (first.size != second.size) throw std::invalid_argument("each pair has two states");
        for (std::size_t k = 0; k < first.size; ++k)
            for (const std::int32_t i : {first.data[k], second.data[k]})
                if (i < 0 || static_cast<std::size_t>(i) >= rows_.labels.size())
                    throw std::invalid_argument("a pair has a state that is not there");
        std::vector<std::int32_t> numbers;
        for (std::size_t k = 0; k < first.size; ++k) {
            const std::int32_t i = first.data[k], j = second.data[k];
            numbers.push_back(rows_.labels[i] == rows_.labels[j] ? number(i, j) : -1);
        }
        return numbers;
    }

    /// The tasks of some pairs, by number, in their order.
    Explored explore(View<std::int32_t> pairs) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (std::size_t k = 0; k < pairs.size; ++k)
            if (pairs.data[k] < 0 || static_cast<std::size_t>(pairs.data[k]) >= first_.size())
                throw std::invalid_argument("a pair has no name");
        found_ = {};
        const std::size_t named = first_.size();
        for (std::size_t k = 0; k < pairs.size; ++k) {
            const std::int32_t i = first_[pairs.data[k]], j = second_[pairs.data[k]];
            direct(i, j);
            if (!ordered_) direct(j, i);
        }
        found_.first.assign(first_.begin() + static_cast<std::ptrdiff_t>(named), first_.end());
        found_.second.assign(second_.begin() + static_cast<std::ptrdiff_t>(named), second_.end());
        return std::move(found_);
    }

private:
    struct Entry {
        std::int32_t state;
        double cost;
        bool positive;
    };

    std::int32_t number(std::int32_t i, std::int32_t j) {
        if (i == j) return -1;
        if (!ordered_ && i > j) std::swap(i, j);
        const auto next = static_cast<std::int32_t>(first_.size());
        const std::uint64_t key = static_cast<std::uint64_t>(i) * rows_.labels.size() + static_cast<std::uint64_t>(j);
        const std::int32_t found = numbers_.enter(key, next);
        if (found == next) {
            first_.push_back(i);
            second_.push_back(j);
        }
        return found;
    }

    /// The task of a pair in one direction.
    void direct(std::int32_t i, std::int32_t j) {
        const std::int64_t mu = rows_.offsets[i], mu_end = rows_.offsets[i + 1];
        const std::int64_t nu = rows_.offsets[j], nu_end = rows_.offsets[j + 1];
        for (auto& block : blocks_) block.clear();
        used_ = 0;
        for (std::int64_t t = nu; t < nu_end; ++t) theirs_[rows_.targets[t]] = static_cast<std::int32_t>(t - nu);
        for (std::int64_t t = mu; t < mu_end; ++t) {
            const std::int32_t k = rows_.targets[t];
            if (theirs_[k] < 0) {
                put({k, rows_.masses[t], true});
                continue;
            }
            const std::int64_t other = nu + theirs_[k];
            theirs_[k] = -1;  // done with
            if (rows_.ranks[t] != rows_.skewed_ranks[other])
                put({k, rows_.masses[t] - alpha_ * rows_.masses[other], rows_.ranks[t] > rows_.skewed_ranks[other]});
        }
        for (std::int64_t t = nu; t < nu_end; ++t) {
            const std::int32_t k = rows_.targets[t];
            if (theirs_[k] >= 0) put({k, -alpha_ * rows_.masses[t], false});
            theirs_[k] = -1;
        }
        double constant = 0.0;
        std::int32_t programs = 0;
        for (std::size_t b = 0; b < used_; ++b) {
            const std::vector<Entry> &block = blocks_[b];
            bool up = false, down = false;
            double sum = 0.0;
            for (const Entry &entry : block) {
                (entry.positive ? up : down) = true;
                sum += entry.cost;
            }
            if (up && down) {
                ++programs;
                program(block);
            } else if (up) {
                constant += sum;
            }
        }
        found_.constants.push_back(constant);
        found_.counts.push_back(programs);
    }

    /// Add a coefficient to the block of its label; blocks are in the order of their first coefficients.
    void put(Entry entry) {
        const std::int32_t label = rows_.labels[entry.state];
        std::size_t b = 0;
        while (b < used_ && rows_.labels[blocks_[b].front().state] != label) ++b;
        if (b == used_) {
            if (used_ == blocks_.size()) blocks_.emplace_back();
            ++used_;
        }
        blocks_[b].push_back(entry);
    }

    void program(const std::vector<Entry> &block) {
        // numbers are given in the order of combinations, which is that of the rows of the upper triangle
        const std::size_t size = block.size(), begin = found_.arcs.size();
        found_.sizes.push_back(static_cast<std::int32_t>(size));
        found_.arcs.resize(begin + size * size, -1);
        for (std::size_t a = 0; a < size; ++a) {
            found_.inside.push_back(block[a].state);
            found_.costs.push_back(block[a].cost);
            for (std::size_t c = a + 1; c < size; ++c) {
                found_.arcs[begin + a * size + c] = number(block[a].state, block[c].state);
                found_.arcs[begin + c * size + a] = number(block[c].state, block[a].state);
            }
        }
    }

    std::mutex mutex_;  // the callers' threads
    ChainRows rows_;
    double alpha_;
    bool ordered_;
    PairNumbers numbers_;
    std::vector<std::int32_t> first_, second_;
    Explored found_;
    std::vector<std::int32_t> theirs_;        // place of a state in the other row
    std::vector<std::vector<Entry>> blocks_;  // of the task at hand; those from used_ on are spare
    std::size_t used_ = 0;
};

/// Strongly connected components of a graph in the order of their dependencies (Tarjan, without recursion).
struct Components {
    std::vector<std::int32_t> component;  // of each node; a component comes after those that it leads to
    std::vector<std::int32_t> level;      // of each node: one more than the highest of those
    std::vector<std::uint8_t> cyclic;     // of each node: whether a way leads back to it
};

inline Components components(View<std::int64_t> starts, View<std::int32_t> targets) {
    if (starts.size == 0 || starts.data[0] != 0 ||
        starts.data[starts.size - 1] != static_cast<std::int64_t>(targets.size))
        throw std::invalid_argument("the starts do not fit the targets");
    const auto count = static_cast<std::int32_t>(starts.size - 1);
    for (std::int32_t v = 0; v < count; ++v)
        if (starts.data[v] > starts.data[v + 1]) throw std::invalid_argument("starts must not fall");
    for (std::size_t k = 0; k < targets.size; ++k)
        if (targets.data[k] < -1 || targets.data[k] >= count)
            throw std::invalid_argument("an edge leads to a node that is not there");
    Components found{std::vector<std::int32_t>(count, -1), std::vector<std::int32_t>(count, 0),
                     std::vector<std::uint8_t>(count, 0)};
    std::vector<std::int32_t> low(count, 0), path, open;
    std::vector<std::int64_t> next(starts.data, starts.data + count);
    std::int32_t entered = 0, made = 0;
    for (std::int32_t root = 0; root < count; ++root) {
        if (low[root]) continue;
        path.push_back(root);
        while (!path.empty()) {
            const std::int32_t v = path.back();
            if (!low[v]) {  // low is the number of entry, from 1, until something earlier is seen from v
                low[v] = ++entered;
                found.level[v] = entered;  // kept here until the component is closed
                open.push_back(v);
            }
            bool deeper = false;
            while (next[v] < starts.data[v + 1]) {
                const std::int32_t w = targets.data[next[v]];
                if (w >= 0 && !low[w]) {
                    path.push_back(w);
                    deeper = true;
                    break;
                }
                if (w >= 0 && found.component[w] < 0) low[v] = std::min(low[v], low[w]);
                ++next[v];
            }
            if (deeper) continue;
            path.pop_back();
            if (low[v] != found.level[v]) continue;
            std::int32_t level = 0;
            std::size_t first = open.size();
            while (open[--first] != v) {
            }
            for (std::size_t k = first; k < open.size(); ++k) found.component[open[k]] = made;
            bool cyclic = open.size() - first > 1;
            for (std::size_t k = first; k < open.size(); ++k)
                for (std::int64_t e = starts.data[open[k]]; e < starts.data[open[k] + 1]; ++e) {
                    const std::int32_t w = targets.data[e];
                    if (w < 0) continue;
                    if (found.component[w] == made)
                        cyclic = true;
                    else
                        level = std::max(level, found.level[w] + 1);
                }
            for (std::size_t k = first; k < open.size(); ++k) {
                found.level[open[k]] = level;
                found.cyclic[open[k]] = cyclic;
            }
            open.resize(first);
            ++made;
        }
    }
    return found;
}

}  // namespace bdist
