// A dual simplex for directed lifts, in doubles:
//
//     maximise  sum c_i f_i   subject to   0 <= f_i <= 1   and   f_i - alpha f_j <= d(i,j).
//
// What it is for. One distance needs these programs by the million, most of them with two to eight variables,
// and again and again with the same costs and a slightly different d. A general solver takes a hundred
// microseconds to be given such a program; this one takes about one to solve it. Nothing that it returns is
// believed: its bases are proposals that exact arithmetic certifies or refuses.
//
// The method is that of bdist/lp/simplex.py. As many constraints as there are variables hold with
// equality, some of them ends of boxes and some arcs; see working_set.hpp. Their multipliers are never
// negative, and so prove an upper bound. A step takes the constraint that the point breaks most, and the one
// that gives way to it is the first whose multiplier reaches zero as that of the new one grows. At first each
// variable is at the end that its cost prefers.
//
// Warm starts. Multipliers depend on the working set and on c, not on d. So the last working set of a program
// is a dual feasible start whatever became of d, and only the point has to be repaired. Mostly it needs no
// repair, and then not even the inverse is built: the point is found by substitution along the tight arcs. An
// exception: a bound of 1 or more says nothing, since f_i <= 1, and such arcs are never tight; where one was,
// start afresh.
//
// Ties. Many tables have many equal entries. Among constraints whose ratios differ by no more than rounding
// the one with the largest pivot gives way. Greedy choices can cycle; after a number of steps that honest
// programs do not reach, the smallest index is taken on both sides (Bland's rule), which cannot.
//
// Trust. When no constraint is broken, the residuals of point and multipliers are computed; where they are
// above the level of rounding, the inverse is built anew and the search goes on. A search that does not end,
// or whose multipliers turn out negative, is repeated from the start, and then by Bland's rule alone; what
// fails even then is reported as failed.
//
// What it costs, for 10 variables with 30 arcs that can bind out of 90, on one core of a server: 3
// microseconds from the start, 0.5 from the last working set. Two variables have a closed form, see pair.hpp.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "pair.hpp"
#include "program.hpp"
#include "working_set.hpp"

namespace bdist {

/// The solver with its scratch memory; one a thread.
class Simplex {
public:
    /// `greedy` is the number of greedy steps a variable before Bland's rule; with 0 there are none.
    explicit Simplex(int greedy = 10) : greedy_(greedy) {}

    /// Makes room for programs of at most `size` variables and `arcs` arcs.
    void reserve(int size, int arcs) {
        set_.reserve(size);
        active_.resize(static_cast<std::size_t>(arcs));
    }

    /// Solves a program, from its last working set if `warm`. Only the outcome `solved` changes the memory.
    /// Requires: reserve() was called with at least these sizes; every number is one of the table.
    Outcome solve(const Program &program, const double *table, bool warm, const Memory &memory) {
        if (is_mixed_pair(program)) return solve_mixed_pair(program, table, memory);
        program_ = &program;
        if (!load(table)) return Outcome::bad_table;
        set_.attach(program, table);
        if (warm) {
            if (set_.substitute(memory) && most_broken().code < 0) {
                set_.store_point(memory);
                return Outcome::solved;
            }
            if (set_.recall(memory) && search(greedy_steps())) {
                set_.store(memory);
                return Outcome::solved;
            }
        }
        for (const int greedy : {greedy_steps(), 0}) {
            set_.start();
            if (search(greedy)) {
                set_.store(memory);
                return Outcome::solved;
            }
        }
        return Outcome::failed;
    }

private:
    struct Active {
        double bound;
        std::int32_t code;
        std::uint16_t from;
        std::uint16_t to;
    };

    struct Broken {
        std::int32_t code;
        double excess;
        double right;
    };

    static constexpr double feasible = 1e-12;    // an excess that counts as none
    static constexpr double rounding = 1e-14;    // a multiplier may get that negative, for costs about 1
    static constexpr double drift = 1e-13;       // residuals above that ask for a new inverse
    static constexpr double acceptable = 1e-11;  // residuals that a new inverse may have
    static constexpr int fresh_steps = 64;       // after so many steps the inverse is built anew

    int greedy_steps() const { return greedy_ * (program_->size + 1); }

    /// Collects the arcs that can bind. False where the table has NaN or a negative number.
    bool load(const double *table) {
        const int first = 2 * program_->size;
        const int count = program_->arc_count;
        int kept = 0;
        bool good = true;
        for (int k = 0; k < count; ++k) {
            const Arc &arc = program_->arcs[k];
            const double bound = table[arc.number];
            good &= bound >= 0.0;
            active_[kept] = {bound, first + k, arc.from, arc.to};
            kept += bound < 1.0 ? 1 : 0;
        }
        active_count_ = kept;
        return good;
    }

    /// Steps until no constraint is broken. False where that fails.
    bool search(int greedy) {
        const int limit = 40 * (program_->size + 1) + 200;
        for (int step = 0; step < limit; ++step) {
            const bool bland = step >= greedy;
            const Broken broken = bland ? first_broken() : most_broken();
            if (broken.code < 0) {
                if (set_.is_accurate(set_.age() > 0 ? drift : acceptable)) return true;
                if (set_.age() == 0 || !set_.refresh()) return false;
                continue;
            }
            int slot = -1;
            if (set_.age() < fresh_steps) {
                set_.combine(broken.code);
                slot = bland ? first_to_give_way() : largest_to_give_way();
            }
            if (slot < 0 || set_.code(slot) == broken.code) {  // without drift some other slot gives way
                if (set_.age() == 0 || !set_.refresh()) return false;
                continue;
            }
            set_.exchange(slot, broken.code, broken.right, broken.excess);
        }
        return false;
    }

    Broken most_broken() const {
        const int size = program_->size;
        const double *point = set_.point();
        Broken found{-1, feasible, 0.0};
        for (int i = 0; i < size; ++i) {
            if (!set_.is_basic(i)) continue;
            if (-point[i] > found.excess) found = {i, -point[i], 0.0};
            if (point[i] - 1.0 > found.excess) found = {size + i, point[i] - 1.0, 1.0};
        }
        const double alpha = program_->alpha;
        const Active *worst = nullptr;
        for (int k = 0; k < active_count_; ++k) {
            const Active &arc = active_[k];
            const double excess = point[arc.from] - alpha * point[arc.to] - arc.bound;
            if (excess > found.excess) {
                found.excess = excess;
                worst = &arc;
            }
        }
        if (worst != nullptr) found = {worst->code, found.excess, worst->bound};
        return found;
    }

    Broken first_broken() const {
        const int size = program_->size;
        const double *point = set_.point();
        for (int i = 0; i < size; ++i) {
            if (!set_.is_basic(i)) continue;
            if (-point[i] > feasible) return {i, -point[i], 0.0};
            if (point[i] - 1.0 > feasible) return {size + i, point[i] - 1.0, 1.0};
        }
        for (int k = 0; k < active_count_; ++k) {
            const Active &arc = active_[k];
            const double excess = point[arc.from] - program_->alpha * point[arc.to] - arc.bound;
            if (excess > feasible) return {arc.code, excess, arc.bound};
        }
        return {-1, 0.0, 0.0};
    }

    /// The largest ratio that brings no multiplier below zero by more than rounding.
    double least_ratio() const {
        const double *y = set_.combination();
        const double *multipliers = set_.multipliers();
        const double slack = rounding * program_->scale;
        double least = std::numeric_limits<double>::infinity();
        for (int s = 0; s < program_->size; ++s) {
            if (y[s] > WorkingSet::least_pivot) {
                const double above = std::max(multipliers[s], 0.0) + slack;
                if (above < least * y[s]) least = above / y[s];
            }
        }
        return least;
    }

    int largest_to_give_way() const {
        const double *y = set_.combination();
        const double *multipliers = set_.multipliers();
        const double least = least_ratio();
        int slot = -1;
        double largest = WorkingSet::least_pivot;
        for (int s = 0; s < program_->size; ++s) {
            if (y[s] > largest && multipliers[s] <= least * y[s]) {
                largest = y[s];
                slot = s;
            }
        }
        return slot;
    }

    int first_to_give_way() const {
        const double *y = set_.combination();
        const double *multipliers = set_.multipliers();
        const double least = least_ratio();
        int slot = -1;
        for (int s = 0; s < program_->size; ++s) {
            if (y[s] > WorkingSet::least_pivot && multipliers[s] <= least * y[s] &&
                (slot < 0 || bland_index(set_.code(s)) < bland_index(set_.code(slot))))
                slot = s;
        }
        return slot;
    }

    std::int32_t bland_index(std::int32_t code) const {
        return program_->is_arc(code) ? code : program_->variable(code);
    }

    int greedy_;
    const Program *program_ = nullptr;
    WorkingSet set_;
    std::vector<Active> active_;
    int active_count_ = 0;
};

}  // namespace bdist
