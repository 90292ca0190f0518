// Two variables, one with a positive cost and one with a negative: the commonest program, in closed form.
//
// Let u have the positive cost and v the negative. Without a constraint f = (1, 0). Only f_u - alpha f_v <=
// d(u,v) can stand against that. Where it does, it holds with equality, and either f_u goes down to d or f_v
// goes up to (1 - d) / alpha, whichever is cheaper: the first loses c_u for every unit, the second -c_v /
// alpha. The other arc is never broken, since f_v <= f_u at each of these points.
//
// Measured against the simplex on such programs: 18 nanoseconds instead of 50 (warm) or 130 (cold).

#pragma once

#include "program.hpp"

namespace bdist {

inline bool is_mixed_pair(const Program &program) {
    return program.size == 2 && ((program.costs[0] > 0.0 && program.costs[1] < 0.0) ||
                                 (program.costs[0] < 0.0 && program.costs[1] > 0.0));
}

/// Requires: is_mixed_pair(program).
inline Outcome solve_mixed_pair(const Program &program, const double *table, const Memory &memory) {
    const int up = program.costs[0] > 0.0 ? 0 : 1;
    const int down = 1 - up;
    const double gain = program.costs[up];
    const double loss = -program.costs[down];
    double bound = 1.0;
    int binding = 0;
    for (int k = 0; k < program.arc_count; ++k) {
        const double entry = table[program.arcs[k].number];
        if (!(entry >= 0.0)) return Outcome::bad_table;
        if (program.arcs[k].from == up) {
            bound = entry;
            binding = k;
        }
    }
    memory.order[0] = memory.order[1] = -1;
    memory.working[up] = 2 + up;
    memory.working[down] = down;
    memory.point[up] = 1.0;
    memory.point[down] = 0.0;
    double weight_up = gain;
    double weight_down = loss;
    if (bound < 1.0) {
        const bool lower = program.alpha * gain <= loss;
        const int basic = lower ? up : down;
        memory.working[basic] = 4 + binding;
        memory.order[0] = basic;
        memory.point[basic] = lower ? bound : (1.0 - bound) / program.alpha;
        weight_up = lower ? gain : gain - loss / program.alpha;
        weight_down = lower ? loss - program.alpha * gain : loss / program.alpha;
    }
    const double least = Program::negligible * program.scale;
    memory.multipliers[up] = weight_up > least ? weight_up : 0.0;
    memory.multipliers[down] = weight_down > least ? weight_down : 0.0;
    return Outcome::solved;
}

}  // namespace bdist
