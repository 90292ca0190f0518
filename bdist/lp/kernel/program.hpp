// The data of one directed lift and of its last solution; see simplex.hpp for the problem and the method.

#pragma once

#include <cstdint>

namespace bdist {

/// A constraint f_from - alpha f_to <= table[number].
struct Arc {
    std::int32_t number;
    std::uint16_t from;
    std::uint16_t to;
};

/// One program. `scale` is the largest absolute cost, and at least 1.
struct Program {
    int size;
    int arc_count;
    const double *costs;
    const Arc *arcs;
    double alpha;
    double scale;

    static constexpr double negligible = 1e-13;  ///< a smaller multiplier, over scale, is reported as zero

    // Constraints have codes: i is the lower end of variable i, size + i its upper end, 2 size + k its arc k.
    bool is_arc(std::int32_t code) const { return code >= 2 * size; }
    bool is_lower(std::int32_t code) const { return code < size; }
    int variable(std::int32_t end) const { return end < size ? end : end - size; }
    const Arc &arc(std::int32_t code) const { return arcs[code - 2 * size]; }
};

/// The last solution of a program, `size` entries each.
///
/// The n constraints that hold with equality are listed by variable: `working[i]` is an end of variable i,
/// or, where i is basic, an arc, each arc once. `order` begins with basic variables in an order in which each
/// is determined by its arc and those before; a -1 ends it early. Basic variables that are not in it are
/// those on cycles of tight arcs and what hangs on them.
struct Memory {
    std::int32_t *working;
    std::int32_t *order;
    double *point;        ///< f, by variable
    double *multipliers;  ///< of working[i]
};

enum class Outcome : std::uint8_t { solved, failed, bad_table };

}  // namespace bdist
