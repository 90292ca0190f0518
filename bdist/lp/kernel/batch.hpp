// Many directed lifts at once: where they are kept, what is checked, and how threads share them.
//
// Everything lives in a few long arrays, so that a batch of a million programs is a dozen allocations and a
// solve allocates nothing a program. Programs have nothing in common but the table, which is only read: each
// thread takes the next block of programs from a counter and writes to their own entries. What a program's
// answer is depends on its own data, its own memory and the table, so it is the same, bit for bit, for every
// number of threads. A pool of threads that is kept would save some ten microseconds a call; a call with few
// programs does not start any.
//
// Wrong input is refused with std::invalid_argument before anything is changed, with one exception: NaN and
// negative numbers of the table are found when they are read, so that a solve of few programs does not cost a
// walk through a long table; other programs of that call may have been solved by then.

#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "program.hpp"
#include "simplex.hpp"

namespace bdist {

template <typename T>
struct View {
    const T *data;
    std::size_t size;
};

/// The positive multipliers of programs: those of arcs, by position in the matrix, and of caps, by variable.
struct Couplings {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> arcs;
    std::vector<double> weights;
    std::vector<double> caps;
};

/// The bases of programs: 0 lower, 1 upper or 2 basic for every variable, and the tight arcs by position.
struct Bases {
    std::vector<std::uint8_t> places;
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> tight;
};

class Batch {
public:
    static constexpr std::int32_t most_variables = 1024;

    /// `greedy` is for tests: see Simplex.
    explicit Batch(double alpha, int greedy = 10) : alpha_(alpha), greedy_(greedy) {
        if (!(alpha >= 1.0) || !std::isfinite(alpha))
            throw std::invalid_argument("alpha must be a finite number and at least 1");
    }

    std::size_t size() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return entries_.size();
    }

    void append(View<std::int32_t> sizes, View<double> costs, View<std::int32_t> numbers) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const std::vector<std::int32_t> counts(sizes.data, sizes.data + sizes.size);
        check_lengths(counts, costs.size, numbers.size);
        if (entries_.size() + counts.size() > std::numeric_limits<std::int32_t>::max())
            throw std::invalid_argument("a batch holds at most 2^31 - 1 programs");
        std::vector<Entry> entries;
        std::vector<Arc> arcs;
        entries.reserve(counts.size());
        std::size_t first = costs_.size();
        std::size_t cost = 0;
        std::size_t cell = 0;
        for (const std::int32_t size : counts) {
            Entry entry{first, arcs_.size() + arcs.size(), size, 0, -1, 1.0, false};
            first += static_cast<std::size_t>(size);
            for (std::int32_t i = 0; i < size; ++i, ++cost) {
                if (!std::isfinite(costs.data[cost])) throw std::invalid_argument("a cost is not finite");
                entry.scale = std::max(entry.scale, std::fabs(costs.data[cost]));
                for (std::int32_t j = 0; j < size; ++j, ++cell) {
                    const std::int32_t number = numbers.data[cell];
                    if (number < -1) throw std::invalid_argument("an arc has a number below -1");
                    if (number < 0) continue;
                    if (i == j) throw std::invalid_argument("an arc from a variable to itself must be -1");
                    arcs.push_back({number, static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)});
                    entry.largest_number = std::max(entry.largest_number, number);
                    ++entry.arc_count;
                }
            }
            entries.push_back(entry);
        }
        make_room(entries.size(), cost, arcs.size());
        entries_.insert(entries_.end(), entries.begin(), entries.end());
        arcs_.insert(arcs_.end(), arcs.begin(), arcs.end());
        costs_.insert(costs_.end(), costs.data, costs.data + cost);
        working_.resize(first);
        order_.resize(first);
        points_.resize(first);
        multipliers_.resize(first);
        marks_.resize(entries_.size(), 0);
    }

    /// The optimal values; NaN where the solver failed.
    std::vector<double> solve(View<std::int32_t> programs, View<double> table, std::int64_t threads) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (threads < 1) throw std::invalid_argument("the number of threads must be at least 1");
        const std::vector<std::int32_t> chosen = checked(programs);
        check_for_solving(chosen, table.size);
        std::vector<double> values(chosen.size());
        std::vector<Simplex> solvers(workers_for(chosen, threads), Simplex(greedy_));
        reserve(solvers, chosen);
        std::atomic<std::size_t> next{0};
        std::atomic<bool> bad{false};
        const auto work = [&](Simplex &solver) {
            for (;;) {
                const std::size_t begin = next.fetch_add(block);
                if (begin >= chosen.size()) return;
                const std::size_t end = std::min(begin + block, chosen.size());
                for (std::size_t k = begin; k < end; ++k) {
                    const Outcome outcome = solve_one(solver, chosen[k], table.data, values[k]);
                    if (outcome == Outcome::bad_table) bad = true;
                }
            }
        };
        std::vector<std::thread> helpers;
        helpers.reserve(solvers.size());
        try {
            for (std::size_t k = 1; k < solvers.size(); ++k) helpers.emplace_back(work, std::ref(solvers[k]));
        } catch (const std::exception &) {
            // The system gives no more threads; those that there are do the work.
        }
        work(solvers[0]);
        for (std::thread &helper : helpers) helper.join();
        if (bad)
            throw std::invalid_argument("the table has NaN or a negative number where a program reads it");
        return values;
    }

    /// The optimal functions, one after another.
    std::vector<double> functions(View<std::int32_t> programs) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::vector<double> found;
        for (const std::int32_t number : solved(programs)) {
            const Entry &entry = entries_[number];
            const auto begin = points_.begin() + static_cast<std::ptrdiff_t>(entry.first);
            found.insert(found.end(), begin, begin + entry.size);
        }
        return found;
    }

    Couplings couplings(View<std::int32_t> programs) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        Couplings found;
        found.offsets.push_back(0);
        std::vector<std::pair<std::int32_t, double>> arcs;
        for (const std::int32_t number : solved(programs)) {
            const Program program = program_of(entries_[number]);
            arcs.clear();
            for (int i = 0; i < program.size; ++i) {
                const std::int32_t code = working_[entries_[number].first + i];
                const double multiplier = multipliers_[entries_[number].first + i];
                const bool upper = !program.is_arc(code) && !program.is_lower(code);
                found.caps.push_back(upper ? multiplier : 0.0);
                if (program.is_arc(code) && multiplier > 0.0)
                    arcs.emplace_back(position(program, code), multiplier);
            }
            std::sort(arcs.begin(), arcs.end());
            for (const auto &[place, weight] : arcs) {
                found.arcs.push_back(place);
                found.weights.push_back(weight);
            }
            found.offsets.push_back(static_cast<std::int64_t>(found.arcs.size()));
        }
        return found;
    }

    Bases bases(View<std::int32_t> programs) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        Bases found;
        found.offsets.push_back(0);
        for (const std::int32_t number : solved(programs)) {
            const Program program = program_of(entries_[number]);
            const std::size_t begin = found.tight.size();
            for (int i = 0; i < program.size; ++i) {
                const std::int32_t code = working_[entries_[number].first + i];
                found.places.push_back(program.is_arc(code) ? 2 : program.is_lower(code) ? 0 : 1);
                if (program.is_arc(code)) found.tight.push_back(position(program, code));
            }
            std::sort(found.tight.begin() + static_cast<std::ptrdiff_t>(begin), found.tight.end());
            found.offsets.push_back(static_cast<std::int64_t>(found.tight.size()));
        }
        return found;
    }

private:
    struct Entry {
        std::size_t first;  // of its variables
        std::size_t first_arc;
        std::int32_t size;
        std::int32_t arc_count;
        std::int32_t largest_number;
        double scale;
        bool solved;
    };

    static constexpr std::size_t block = 32;  // programs that a thread takes at a time

    static void check_lengths(const std::vector<std::int32_t> &sizes, std::size_t costs,
                              std::size_t numbers) {
        std::size_t variables = 0;
        std::size_t cells = 0;
        for (const std::int32_t size : sizes) {
            if (size < 1 || size > most_variables)
                throw std::invalid_argument("a size is not between 1 and " + std::to_string(most_variables));
            variables += static_cast<std::size_t>(size);
            cells += static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
        }
        if (costs != variables)
            throw std::invalid_argument("there are " + std::to_string(costs) +
                                        " costs, and the sizes add up to " + std::to_string(variables));
        if (numbers != cells)
            throw std::invalid_argument("there are " + std::to_string(numbers) +
                                        " arcs, and the squares of the sizes add up to " +
                                        std::to_string(cells));
    }

    /// Room for so many more, so that nothing can fail half-way.
    void make_room(std::size_t programs, std::size_t variables, std::size_t arcs) {
        grow(entries_, programs);
        grow(marks_, programs);
        grow(arcs_, arcs);
        grow(costs_, variables);
        grow(working_, variables);
        grow(order_, variables);
        grow(points_, variables);
        grow(multipliers_, variables);
    }

    template <typename T>
    static void grow(std::vector<T> &items, std::size_t more) {
        const std::size_t wanted = items.size() + more;
        if (wanted > items.capacity()) items.reserve(std::max(wanted, 2 * items.capacity()));
    }

    /// A copy of program numbers, all of them there.
    std::vector<std::int32_t> checked(View<std::int32_t> programs) const {
        std::vector<std::int32_t> chosen(programs.data, programs.data + programs.size);
        for (const std::int32_t number : chosen) {
            if (number < 0 || static_cast<std::size_t>(number) >= entries_.size())
                throw std::invalid_argument("there is no program " + std::to_string(number) +
                                            " in a batch of " + std::to_string(entries_.size()));
        }
        return chosen;
    }

    std::vector<std::int32_t> solved(View<std::int32_t> programs) const {
        std::vector<std::int32_t> chosen = checked(programs);
        for (const std::int32_t number : chosen) {
            if (!entries_[number].solved)
                throw std::invalid_argument("program " + std::to_string(number) + " has no solution yet");
        }
        return chosen;
    }

    /// No program twice, since two threads could have it, and no number beyond the table.
    void check_for_solving(const std::vector<std::int32_t> &chosen, std::size_t table_length) {
        ++mark_;
        for (const std::int32_t number : chosen) {
            if (marks_[number] == mark_)
                throw std::invalid_argument("program " + std::to_string(number) + " is asked for twice");
            marks_[number] = mark_;
            const std::int32_t largest = entries_[number].largest_number;
            if (largest >= 0 && static_cast<std::size_t>(largest) >= table_length)
                throw std::invalid_argument("program " + std::to_string(number) + " reads entry " +
                                            std::to_string(largest) + " of a table of " +
                                            std::to_string(table_length));
        }
    }

    static std::size_t workers_for(const std::vector<std::int32_t> &chosen, std::int64_t threads) {
        const std::size_t blocks = (chosen.size() + block - 1) / block;
        return std::max<std::size_t>(1, std::min<std::size_t>(static_cast<std::size_t>(threads), blocks));
    }

    void reserve(std::vector<Simplex> &solvers, const std::vector<std::int32_t> &chosen) const {
        int size = 0;
        int arcs = 0;
        for (const std::int32_t number : chosen) {
            size = std::max(size, static_cast<int>(entries_[number].size));
            arcs = std::max(arcs, static_cast<int>(entries_[number].arc_count));
        }
        for (Simplex &solver : solvers) solver.reserve(size, arcs);
    }

    Program program_of(const Entry &entry) const {
        return {entry.size, entry.arc_count, costs_.data() + entry.first, arcs_.data() + entry.first_arc,
                alpha_,     entry.scale};
    }

    Outcome solve_one(Simplex &solver, std::int32_t number, const double *table, double &value) {
        Entry &entry = entries_[number];
        const Program program = program_of(entry);
        const Memory memory{&working_[entry.first], &order_[entry.first], &points_[entry.first],
                            &multipliers_[entry.first]};
        const Outcome outcome = solver.solve(program, table, entry.solved, memory);
        value = std::numeric_limits<double>::quiet_NaN();
        if (outcome == Outcome::bad_table) return outcome;  // the last solution stays
        entry.solved = outcome == Outcome::solved;
        if (entry.solved) {
            double sum = 0.0;
            for (int i = 0; i < program.size; ++i) sum += program.costs[i] * memory.point[i];
            value = std::max(sum, 0.0);  // f = 0 is feasible
        }
        return outcome;
    }

    static std::int32_t position(const Program &program, std::int32_t code) {
        const Arc &arc = program.arc(code);
        return arc.from * program.size + arc.to;
    }

    mutable std::mutex mutex_;  // the callers' threads; a solve lets other Python threads run
    double alpha_;
    int greedy_;
    std::vector<Entry> entries_;
    std::vector<Arc> arcs_;
    std::vector<double> costs_;
    std::vector<std::int32_t> working_, order_;
    std::vector<double> points_, multipliers_;
    std::vector<std::uint64_t> marks_;  // the last solve that asked for a program
    std::uint64_t mark_ = 0;
};

}  // namespace bdist
