// The linear algebra under the simplex: n constraints with equality, and the inverse of their matrix.
//
// Let B have the rows of the working set, one a slot: -e_i for the lower end of a variable, e_i for the
// upper, e_i - alpha e_j for an arc. Then f = B^-1 h is the point and lambda = B^-T c are the multipliers.
//
// Why an explicit inverse. Every row of B has one or two entries, so the combination y = B^-T row of another
// such row is the sum of two rows of the inverse. An exchange of one constraint changes the inverse by a
// matrix of rank one, and since its columns are sparse most rows of it stay as they are. At n = 10 this is
// cheaper than solving two systems a step with any factorisation.
//
// Building it. The tight arcs form a graph on the basic variables. Where a variable hangs on determined ones
// by one arc, it is determined, and its row of the inverse is a multiple of another row: `order` lists such
// variables, and they cost n operations each. What is left are components with a cycle; there, elimination
// with partial pivoting. With alpha = 1 cycles are singular, so there are none.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "program.hpp"

namespace bdist {

class WorkingSet {
public:
    static constexpr double least_pivot = 1e-11;     ///< smaller entries of a combination count as zero
    static constexpr double dual_tolerance = 1e-11;  ///< how negative a multiplier may be, for costs about 1

    void reserve(int size) {
        const std::size_t width = padded(size);
        inverse_.resize(width * static_cast<std::size_t>(size));
        for (auto *numbers : {&combination_, &multipliers_, &listed_, &point_, &right_})
            numbers->resize(width);
        for (auto *codes : {&code_, &owned_, &order_, &waiting_}) codes->resize(width);
        for (auto *flags : {&basic_, &known_}) flags->resize(width);
    }

    void attach(const Program &program, const double *table) {
        program_ = &program;
        table_ = table;
        size_ = program.size;
        width_ = padded(size_);
    }

    const double *point() const { return point_.data(); }
    const double *combination() const { return combination_.data(); }
    const double *multipliers() const { return multipliers_.data(); }
    std::int32_t code(int slot) const { return code_[slot]; }
    bool is_basic(int variable) const { return basic_[variable] != 0; }
    int age() const { return age_; }  ///< exchanges since the inverse was built

    /// Every variable at the end that its cost prefers: dual feasible whatever the table.
    void start() {
        clear();
        for (int i = 0; i < size_; ++i) {
            const bool up = program_->costs[i] > 0.0;
            code_[i] = up ? size_ + i : i;
            basic_[i] = 0;
            row(i)[i] = up ? 1.0 : -1.0;
            point_[i] = right_[i] = up ? 1.0 : 0.0;
            multipliers_[i] = std::fabs(program_->costs[i]);
        }
    }

    /// The point of a remembered working set, without the inverse. False where some arc cannot bind any more,
    /// or some variable is on a cycle; then nothing is known.
    bool substitute(const Memory &memory) {
        int basics = 0;
        for (int i = 0; i < size_; ++i) {
            const std::int32_t code = memory.working[i];
            basic_[i] = program_->is_arc(code);
            basics += basic_[i];
            point_[i] = program_->is_lower(code) ? 0.0 : 1.0;
        }
        const double alpha = program_->alpha;
        for (int k = 0; k < basics; ++k) {
            const int i = memory.order[k];
            if (i < 0) return false;
            const Arc &tight = program_->arc(memory.working[i]);
            const double bound = table_[tight.number];
            if (!(bound < 1.0)) return false;
            point_[i] =
                tight.from == i ? bound + alpha * point_[tight.to] : (point_[tight.from] - bound) / alpha;
        }
        return true;
    }

    /// The remembered working set with its inverse. False where some arc cannot bind any more, or on failure.
    bool recall(const Memory &memory) {
        for (int i = 0; i < size_; ++i) {
            const std::int32_t code = memory.working[i];
            if (program_->is_arc(code) && !(table_[program_->arc(code).number] < 1.0)) return false;
            owned_[i] = code;
            order_[i] = memory.order[i];
            basic_[i] = program_->is_arc(code);
        }
        return build();
    }

    /// The inverse, the point and the multipliers afresh. False where the matrix is singular, or where a
    /// multiplier is negative beyond rounding.
    bool refresh() {
        arrange();
        return build();
    }

    /// Sets the combination y of the working set's rows that is the row of a constraint.
    void combine(std::int32_t code) {
        double *__restrict y = combination_.data();
        if (!program_->is_arc(code)) {
            const double sign = program_->is_lower(code) ? -1.0 : 1.0;
            const double *entries = row(program_->variable(code));
            for (std::size_t s = 0; s < width_; s += 2) {
                y[s] = sign * entries[s];
                y[s + 1] = sign * entries[s + 1];
            }
            return;
        }
        const double alpha = program_->alpha;
        const double *from = row(program_->arc(code).from);
        const double *to = row(program_->arc(code).to);
        for (std::size_t s = 0; s < width_; s += 2) {
            y[s] = from[s] - alpha * to[s];
            y[s + 1] = from[s + 1] - alpha * to[s + 1];
        }
    }

    /// Puts the constraint that was combined into a slot. `excess` is by how much the point breaks it.
    void exchange(int slot, std::int32_t code, double right, double excess) {
        const double pivot = combination_[slot];
        const double ratio = std::max(multipliers_[slot], 0.0) / pivot;
        if (ratio > 0.0)
            for (int s = 0; s < size_; ++s) multipliers_[s] -= ratio * combination_[s];
        multipliers_[slot] = ratio;
        update(slot, excess / pivot);
        if (!program_->is_arc(code_[slot])) basic_[program_->variable(code_[slot])] = 1;
        code_[slot] = code;
        right_[slot] = right;
        if (!program_->is_arc(code)) {
            basic_[program_->variable(code)] = 0;
            point_[program_->variable(code)] = right;
        }
        ++age_;
    }

    /// Whether point and multipliers solve their systems up to `tolerance`, and no multiplier is negative.
    bool is_accurate(double tolerance) {
        double *__restrict rest = combination_.data();
        std::copy_n(program_->costs, size_, rest);
        bool good = true;  // and not a running maximum, which would lose a NaN
        for (int s = 0; s < size_; ++s) {
            const double multiplier = multipliers_[s];
            double left;
            if (program_->is_arc(code_[s])) {
                const Arc &tight = program_->arc(code_[s]);
                left = point_[tight.from] - program_->alpha * point_[tight.to];
                rest[tight.from] -= multiplier;
                rest[tight.to] += program_->alpha * multiplier;
            } else {
                const int i = program_->variable(code_[s]);
                left = point_[i];
                rest[i] += program_->is_lower(code_[s]) ? multiplier : -multiplier;
            }
            good &= std::fabs(right_[s] - left) <= tolerance;
            good &= multiplier >= -dual_tolerance * program_->scale;
        }
        for (int i = 0; i < size_; ++i) good &= std::fabs(rest[i]) <= tolerance * program_->scale;
        return good;
    }

    void store_point(const Memory &memory) const {
        for (int i = 0; i < size_; ++i) memory.point[i] = std::min(std::max(point_[i], 0.0), 1.0);
    }

    /// Remembers everything. Where it can be, the point is computed anew by substitution: then it depends on
    /// the working set and the table alone, to the last bit, and not on the way there.
    void store(const Memory &memory) {
        arrange();
        for (int i = 0; i < size_; ++i) {
            memory.working[i] = owned_[i];
            memory.order[i] = order_[i];
            const double multiplier = listed_[i];
            memory.multipliers[i] = multiplier > Program::negligible * program_->scale ? multiplier : 0.0;
        }
        store_point(memory);
        if (substitute(memory)) store_point(memory);
    }

private:
    static std::size_t padded(int size) { return (static_cast<std::size_t>(size) + 1) / 2 * 2; }
    double *row(int i) { return inverse_.data() + static_cast<std::size_t>(i) * width_; }

    void clear() {
        std::fill_n(inverse_.begin(), width_ * static_cast<std::size_t>(size_), 0.0);
        age_ = 0;
    }

    /// Lists the working set by variable, as Memory does.
    void arrange() {
        int waiting = 0;
        for (int s = 0; s < size_; ++s) {
            if (program_->is_arc(code_[s]))
                waiting_[waiting++] = s;
            else
                own(program_->variable(code_[s]), s);
        }
        for (int i = 0; i < size_; ++i) {
            known_[i] = !basic_[i];
            order_[i] = -1;
        }
        int ordered = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (int k = 0; k < waiting;) {
                const int slot = waiting_[k];
                const Arc &tight = program_->arc(code_[slot]);
                if (known_[tight.from] == known_[tight.to]) {
                    ++k;
                    continue;
                }
                const int i = known_[tight.from] ? tight.to : tight.from;
                own(i, slot);
                order_[ordered++] = i;
                waiting_[k] = waiting_[--waiting];
                moved = true;
            }
        }
        for (int i = 0; waiting > 0 && i < size_; ++i)
            if (!known_[i]) own(i, waiting_[--waiting]);
    }

    void own(int variable, int slot) {
        owned_[variable] = code_[slot];
        listed_[variable] = multipliers_[slot];
        known_[variable] = 1;
    }

    /// Everything from owned_, order_ and basic_.
    bool build() {
        clear();
        for (int i = 0; i < size_; ++i) {
            const double sign = program_->is_lower(owned_[i]) ? -1.0 : 1.0;
            row(i)[i] = sign;  // of a basic variable: 1, for the time being
            right_[i] = sign > 0.0 ? 1.0 : 0.0;
            code_[i] = basic_[i] ? -1 : owned_[i];
            multipliers_[i] = basic_[i] ? 0.0 : sign * program_->costs[i];
            point_[i] = right_[i];
        }
        for (int k = 0; k < size_ && order_[k] >= 0; ++k) hang(order_[k]);
        for (int i = 0; i < size_; ++i)
            if (basic_[i] && !seat(i)) return false;
        for (int i = 0; i < size_; ++i) {
            if (!basic_[i]) continue;
            const double *entries = row(i);
            double value = 0.0;
            for (int s = 0; s < size_; ++s) {
                value += entries[s] * right_[s];
                multipliers_[s] += entries[s] * program_->costs[i];
            }
            point_[i] = value;
        }
        for (int s = 0; s < size_; ++s)
            if (!(multipliers_[s] >= -dual_tolerance * program_->scale)) return false;
        return true;
    }

    /// The row of a variable that its arc determines from a row that is there.
    void hang(int variable) {
        const std::int32_t code = owned_[variable];
        const Arc &tight = program_->arc(code);
        const bool above = tight.from == variable;
        const double factor = above ? program_->alpha : 1.0 / program_->alpha;
        const double *other = row(above ? tight.to : tight.from);
        double *__restrict entries = row(variable);
        for (std::size_t s = 0; s < width_; s += 2) {
            entries[s] = factor * other[s];
            entries[s + 1] = factor * other[s + 1];
        }
        entries[variable] = above ? 1.0 : -factor;
        code_[variable] = code;
        right_[variable] = table_[tight.number];
    }

    /// Finds a slot for the arc of a variable that is on a cycle, or does nothing where it has one.
    bool seat(int variable) {
        const std::int32_t code = owned_[variable];
        if (code_[variable] == code) return true;
        combine(code);
        int slot = -1;
        double largest = least_pivot;
        for (int s = 0; s < size_; ++s) {
            if (code_[s] < 0 && std::fabs(combination_[s]) > largest) {
                largest = std::fabs(combination_[s]);
                slot = s;
            }
        }
        if (slot < 0) return false;
        update(slot, 0.0);
        code_[slot] = code;
        right_[slot] = table_[program_->arc(code).number];
        return true;
    }

    /// Replaces the row of B in a slot by the one that was combined; the point moves by -shift times the old
    /// column. The combination is used up.
    void update(int slot, double shift) {
        double *__restrict y = combination_.data();
        const double reciprocal = 1.0 / y[slot];
        for (std::size_t s = 0; s < width_; s += 2) {
            y[s] *= reciprocal;
            y[s + 1] *= reciprocal;
        }
        for (int i = 0; i < size_; ++i) {
            double *__restrict entries = row(i);
            const double entry = entries[slot];
            if (entry == 0.0) continue;
            point_[i] -= shift * entry;
            for (std::size_t s = 0; s < width_; s += 2) {
                entries[s] -= entry * y[s];
                entries[s + 1] -= entry * y[s + 1];
            }
            entries[slot] = entry * reciprocal;
        }
    }

    const Program *program_ = nullptr;
    const double *table_ = nullptr;
    int size_ = 0;
    int age_ = 0;
    std::size_t width_ = 0;            // of a row of the inverse: the size, made even
    std::vector<double> inverse_;      // B^-1, a row a variable, a column a slot
    std::vector<double> combination_;  // y
    std::vector<double> multipliers_;  // lambda, by slot
    std::vector<double> point_;        // f
    std::vector<double> right_;        // h, by slot
    std::vector<std::int32_t> code_;   // the constraint in every slot
    std::vector<std::uint8_t> basic_;  // of a variable: neither of its ends is in the working set
    std::vector<std::int32_t> owned_, order_, waiting_;
    std::vector<std::uint8_t> known_;
    std::vector<double> listed_;
};

}  // namespace bdist
