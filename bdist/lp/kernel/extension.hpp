// Functions on a few states of a label, extended to all of them; see bdist/lp/extension.py for what that is.
//
// Each function is a task of its own and reads rows of distances that others read too, so threads share
// nothing but a counter. All arithmetic is in doubles. Where the result is to lie on a grid, every bound is
// read a little too small, so that what holds here holds in rationals.

#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "batch.hpp"

namespace bdist {

/// Some rows of a square matrix of distances: `index[i]` is the place of row i in `data`, or -1.
struct Rows {
    View<double> data;
    View<std::int32_t> index;

    int size() const { return static_cast<int>(index.size); }
    const double *row(int i) const {
        return index.data[i] < 0 ? nullptr : data.data + static_cast<std::size_t>(index.data[i]) * index.size;
    }
};

/// d(i, .) and d(., i) for some states i of a label.
struct Bounds {
    Rows out, in;
};

struct Extensions {
    std::vector<std::uint8_t> status;
    std::vector<double> low, high;             // the rest may have any value between the two
    std::vector<std::int64_t> offsets, wanted;  // into the lists below
    std::vector<std::int32_t> places;          // named states, or what is in the way, or rows that are missing
    std::vector<double> values;
    std::vector<std::int32_t> from, to;        // pairs whose distance the function needs
};

/// Multiples of 2^-50, as integers; `alpha` is the privacy parameter times 2^shift, rounded down, or 0.
/// A product above 2 is 2: a function is at most 1, so larger bounds do not bind, and they need not fit.
struct Grid {
    std::int64_t alpha;
    int shift;

    bool wanted() const { return alpha > 0; }
    static double number(std::int64_t x) { return std::ldexp(static_cast<double>(x), -50); }
    static std::int64_t down(double x) { return static_cast<std::int64_t>(std::floor(std::ldexp(x, 50))); }
    std::int64_t times(std::int64_t x) const {
        const __int128 product = (static_cast<__int128>(alpha) * x) >> shift;
        return static_cast<std::int64_t>(std::min(product, static_cast<__int128>(std::int64_t{1} << 51)));
    }
};

enum Status : std::uint8_t { extended = 0, obstructed = 1, rows_missing = 2 };

class Extension {
public:
    Extension(const Bounds &words, const Bounds &known, double alpha, double margin, Grid grid)
        : words_(words), known_(known), alpha_(alpha), margin_(margin), grid_(grid), size_(known.out.size()),
          low_(size_), high_(size_), low_via_(size_), high_via_(size_), f_(size_), on_grid_(size_), named_(size_) {}

    Status status = extended;
    double low = 0.0, high = 1.0;
    std::vector<std::int32_t> places;
    std::vector<double> values;
    std::vector<std::pair<std::int32_t, std::int32_t>> needs;

    void run(const std::int32_t *places_inside, const double *values_inside, int count) {
        inside_ = places_inside;
        f_inside_ = values_inside;
        count_ = count;
        places.clear();
        values.clear();
        needs.clear();
        for (int a = 0; a < count; ++a)
            if (known_.out.row(inside_[a]) == nullptr) places.push_back(inside_[a]);
        if (!places.empty()) {
            status = rows_missing;
            return;
        }
        status = extend_with(words_);
        if (status == obstructed) status = extend_with(known_);
        if (status != extended) return;
        if (grid_.wanted())
            move_to_grid();
        else
            list();
        name();
    }

private:
    static constexpr int most_obstacles_ = 4;

    Status extend_with(const Bounds &bounds) {
        bounds_ = &bounds;
        places.clear();
        start();
        return extend();
    }

    void start() {
        std::fill(low_.begin(), low_.end(), 0.0);
        std::fill(high_.begin(), high_.end(), 1.0);
        std::fill(low_via_.begin(), low_via_.end(), -1);
        std::fill(high_via_.begin(), high_via_.end(), -1);
        std::fill(named_.begin(), named_.end(), std::uint8_t{0});
        for (int a = 0; a < count_; ++a) named_[inside_[a]] = 1;
        for (int a = 0; a < count_; ++a) {
            const double f = f_inside_[a];
            if (f > 0.0) {
                const double *row = bounds_->out.row(inside_[a]);
                for (int k = 0; k < size_; ++k) low_[k] = std::max(low_[k], (f - row[k] + margin_) / alpha_);
            }
            if (f < 1.0) {
                const double *row = bounds_->in.row(inside_[a]);
                for (int k = 0; k < size_; ++k) high_[k] = std::min(high_[k], row[k] - margin_ + alpha_ * f);
            }
        }
        for (int k = 0; k < size_; ++k) {
            low_[k] = std::min(1.0, low_[k]);
            high_[k] = std::max(0.0, high_[k]);
        }
    }

    Status extend() {
        low = 0.0;
        high = 1.0;
        for (int k = 0; k < size_; ++k) {
            if (named_[k]) continue;
            low = std::max(low, low_[k]);
            high = std::min(high, high_[k]);
        }
        if (low <= high) return extended;
        if (obstacles()) return obstructed;
        low = high = busiest();
        return carry();
    }

    /// The number that lies between the bounds of as many outside states as possible.
    double busiest() {
        lows_.clear();
        highs_.clear();
        for (int k = 0; k < size_; ++k) {
            if (named_[k]) continue;
            lows_.push_back(low_[k]);
            highs_.push_back(high_[k]);
        }
        std::sort(lows_.begin(), lows_.end());
        std::sort(highs_.begin(), highs_.end());
        double best = 0.0;
        std::ptrdiff_t most = -1;
        std::size_t below = 0, passed = 0;
        for (std::size_t c = 0; c < lows_.size(); ++c) {
            if (c + 1 < lows_.size() && lows_[c + 1] == lows_[c]) continue;
            below = c + 1;
            while (passed < highs_.size() && highs_[passed] < lows_[c]) ++passed;
            const auto held = static_cast<std::ptrdiff_t>(below) - static_cast<std::ptrdiff_t>(passed);
            if (held > most) {
                most = held;
                best = lows_[c];
            }
        }
        return best;
    }

    /// Bounds of states that are not at the rest bind other outside states; states at the rest bind nobody.
    Status carry() {
        const double rest = low;
        std::vector<std::int32_t> &work = work_;
        work.clear();
        for (int k = 0; k < size_; ++k)
            if (!named_[k] && low_[k] > rest) work.push_back(k);
        while (!work.empty()) {
            const int k = work.back();
            work.pop_back();
            const double *row = bounds_->out.row(k);
            if (row == nullptr) {
                places.push_back(k);
                continue;
            }
            for (int l = 0; l < size_; ++l) {
                const double pushed = std::min(low_[k], (low_[k] - row[l] + margin_) / alpha_);
                if (pushed > low_[l] && l != k && !named_[l]) {
                    low_[l] = pushed;
                    low_via_[l] = k;
                    if (pushed > rest) work.push_back(l);
                }
            }
        }
        for (int k = 0; k < size_; ++k)
            if (!named_[k] && high_[k] < rest) work.push_back(k);
        while (!work.empty()) {
            const int k = work.back();
            work.pop_back();
            const double *row = bounds_->in.row(k);
            if (row == nullptr) {
                places.push_back(k);
                continue;
            }
            for (int l = 0; l < size_; ++l) {
                const double pulled = std::max(high_[k], row[l] - margin_ + alpha_ * high_[k]);
                if (pulled < high_[l] && l != k && !named_[l]) {
                    high_[l] = pulled;
                    high_via_[l] = k;
                    if (pulled < rest) work.push_back(l);
                }
            }
        }
        if (!places.empty()) return rows_missing;
        return obstacles() ? obstructed : extended;
    }

    /// The states in the way most, where bounds exclude each other, with those that the bounds came from.
    bool obstacles() {
        worst_.clear();
        for (int k = 0; k < size_; ++k)
            if (!named_[k] && low_[k] > high_[k]) worst_.emplace_back(high_[k] - low_[k], k);
        if (worst_.empty()) return false;
        const std::size_t kept = std::min<std::size_t>(most_obstacles_, worst_.size());
        std::partial_sort(worst_.begin(), worst_.begin() + static_cast<std::ptrdiff_t>(kept), worst_.end());
        for (std::size_t w = 0; w < kept; ++w) {
            const int first = worst_[w].second;
            for (int k = first; k >= 0; k = low_via_[k]) add_once(k);
            for (int k = first; k >= 0; k = high_via_[k]) add_once(k);
        }
        return true;
    }

    void add_once(int k) {
        if (std::find(places.begin(), places.end(), k) == places.end()) places.push_back(k);
    }

    double rest() const { return low <= 0.0 ? 0.0 : high >= 1.0 ? 1.0 : 0.5 * (low + high); }

    /// Lower everything to the grid until all constraints hold with numbers on it, which integers decide.
    void move_to_grid() {
        list();
        std::int64_t rest = grid_.down(this->rest());
        for (int k = 0; k < size_; ++k)
            on_grid_[k] = named_[k] ? grid_.down(std::min(1.0, std::max(0.0, f_[k]))) : rest;
        for (bool moved = true; moved;) {
            moved = false;
            for (const std::int32_t i : listed_) {
                const double *row = known_.out.row(i);
                const double *back = known_.in.row(i);
                std::int64_t most = on_grid_[i];
                for (int k = 0; k < size_; ++k)
                    if (k != i && row[k] < 1.0) most = std::min(most, grid_.down(row[k]) + grid_.times(on_grid_[k]));
                if (most < on_grid_[i]) {
                    on_grid_[i] = most;
                    moved = true;
                }
                std::int64_t most_rest = rest;
                const std::int64_t allowed = grid_.times(on_grid_[i]);
                for (int k = 0; k < size_; ++k)
                    if (!named_[k] && back[k] < 1.0) most_rest = std::min(most_rest, grid_.down(back[k]) + allowed);
                if (most_rest < rest) {
                    rest = most_rest;
                    for (int k = 0; k < size_; ++k)
                        if (!named_[k]) on_grid_[k] = rest;
                    moved = true;
                }
            }
        }
        for (int k = 0; k < size_; ++k) f_[k] = grid_.number(on_grid_[k]);
        low = high = grid_.number(rest);
    }

    /// The states inside and the exceptions, with the values of all; afterwards `named_` says which they are.
    void list() {
        listed_.assign(inside_, inside_ + count_);
        const double value = rest();
        for (int k = 0; k < size_; ++k) f_[k] = std::min(high_[k], std::max(low_[k], value));
        for (int a = 0; a < count_; ++a) f_[inside_[a]] = f_inside_[a];
        for (int k = 0; k < size_; ++k) {
            if (named_[k] || f_[k] == value) continue;
            listed_.push_back(k);
            named_[k] = 1;
        }
    }

    /// The named states with their values, and the pairs that the words do not cover.
    void name() {
        for (const std::int32_t i : listed_) {
            places.push_back(i);
            values.push_back(f_[i]);
            const double *out = words_.out.row(i), *known_out = known_.out.row(i);
            const double *in = words_.in.row(i), *known_in = known_.in.row(i);
            for (int k = 0; k < size_; ++k) {
                if (k == i) continue;
                const double given = f_[i] - alpha_ * f_[k], taken = f_[k] - alpha_ * f_[i];
                if (given > 0.0 && given > out[k] - tight_ && known_out[k] > out[k] + tight_) needs.emplace_back(i, k);
                if (!named_[k] && taken > 0.0 && taken > in[k] - tight_ && known_in[k] > in[k] + tight_)
                    needs.emplace_back(k, i);
            }
        }
    }

    static constexpr double tight_ = 1e-12;

    const Bounds words_, known_;
    const Bounds *bounds_ = nullptr;
    const double alpha_, margin_;
    const Grid grid_;
    const int size_;
    const std::int32_t *inside_ = nullptr;
    const double *f_inside_ = nullptr;
    int count_ = 0;
    std::vector<double> low_, high_;
    std::vector<std::int32_t> low_via_, high_via_;
    std::vector<double> f_;
    std::vector<std::int64_t> on_grid_;
    std::vector<std::uint8_t> named_;
    std::vector<double> lows_, highs_;
    std::vector<std::int32_t> work_, listed_;
    std::vector<std::pair<double, int>> worst_;
};

/// Extends functions, given one after another by `offsets`, `places` and `values`.
inline Extensions extend(const Bounds &words, const Bounds &known, View<std::int64_t> offsets, View<std::int32_t> places,
                         View<double> values, double alpha, double margin, Grid grid, std::int64_t threads) {
    if (offsets.size == 0 || places.size != values.size ||
        offsets.data[offsets.size - 1] != static_cast<std::int64_t>(places.size))
        throw std::invalid_argument("the lengths of the functions do not fit");
    const int size = known.out.size();
    for (std::size_t a = 0; a < places.size; ++a)
        if (places.data[a] < 0 || places.data[a] >= size) throw std::invalid_argument("a place is not in the label");
    constexpr std::size_t block = 32;
    const std::size_t count = offsets.size - 1;
    for (std::size_t k = 0; k < count; ++k)
        if (offsets.data[k] < 0 || offsets.data[k] > offsets.data[k + 1])
            throw std::invalid_argument("the offsets are not in order");
    std::vector<Status> status(count);
    std::vector<double> low(count), high(count);
    std::vector<std::vector<std::int32_t>> found(count);
    std::vector<std::vector<double>> amounts(count);
    std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> needs(count);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        Extension extension(words, known, alpha, margin, grid);
        for (std::size_t k = next++; k < count; k = next++) {
            const std::int64_t begin = offsets.data[k];
            extension.run(places.data + begin, values.data + begin, static_cast<int>(offsets.data[k + 1] - begin));
            status[k] = extension.status;
            low[k] = extension.low;
            high[k] = extension.high;
            found[k] = extension.places;
            amounts[k] = extension.values;
            needs[k] = extension.needs;
        }
    };
    std::vector<std::thread> helpers;
    try {
        // a thread is worth starting for some dozens of functions
        const auto most = std::min<std::int64_t>(threads, static_cast<std::int64_t>((count + block - 1) / block));
        for (std::int64_t k = 1; k < most; ++k) helpers.emplace_back(work);
    } catch (const std::exception &) {
        // The system gives no more threads; those that there are do the work.
    }
    work();
    for (std::thread &helper : helpers) helper.join();
    Extensions all;
    all.offsets.push_back(0);
    all.wanted.push_back(0);
    for (std::size_t k = 0; k < count; ++k) {
        all.status.push_back(status[k]);
        all.low.push_back(low[k]);
        all.high.push_back(high[k]);
        all.places.insert(all.places.end(), found[k].begin(), found[k].end());
        amounts[k].resize(found[k].size());
        all.values.insert(all.values.end(), amounts[k].begin(), amounts[k].end());
        for (const auto &[i, j] : needs[k]) {
            all.from.push_back(i);
            all.to.push_back(j);
        }
        all.offsets.push_back(static_cast<std::int64_t>(all.places.size()));
        all.wanted.push_back(static_cast<std::int64_t>(all.from.size()));
    }
    return all;
}

}  // namespace bdist
