// Python's view of the batch: arrays in, arrays out, and nothing else.
//
// Arrays are taken as they are or refused with a TypeError. A silent conversion would hide an int64 that does
// not fit, or copy a table at every call. All work is done without the interpreter lock; results are vectors
// that an array then owns.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "dense.hpp"
#include "exploration.hpp"
#include "extension.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <typename T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
using Output = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <typename T>
bdist::View<T> view(const Input<T> &array) {
    return {array.data(), array.size()};
}

template <typename T>
Output<T> array(std::vector<T> &&values) {
    auto *kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept,
                            [](void *pointer) noexcept { delete static_cast<std::vector<T> *>(pointer); });
    return Output<T>(kept->data(), {kept->size()}, owner);
}

template <typename T>
std::vector<T> copied(const Input<T> &array) {
    return {array.data(), array.data() + array.size()};
}

/// Runs a function without the interpreter lock.
template <typename Function>
auto unlocked(Function &&function) {
    const nb::gil_scoped_release release;
    return function();
}

std::string compiler() {
#if defined(__clang__)
    const std::string name =
        "Clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#elif defined(__GNUC__)
    const std::string name = "GCC " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#elif defined(_MSC_VER)
    const std::string name = "MSVC " + std::to_string(_MSC_VER);
#else
    const std::string name = "a C++ compiler";
#endif
    return name + ", nanobind " + std::to_string(NB_VERSION_MAJOR) + "." + std::to_string(NB_VERSION_MINOR);
}

}  // namespace

NB_MODULE(_kernel, module) {
    nb::set_leak_warnings(false);  // an object alive at exit is the user's business
    module.doc() = "Batches of directed lifts in floating point; see bdist/lp/batch.py.";
    module.attr("COMPILER") = compiler();

    nb::class_<bdist::Batch>(module, "Batch")
        .def(nb::init<double>(), "alpha"_a)
        .def("__len__", [](const bdist::Batch &batch) { return unlocked([&] { return batch.size(); }); })
        .def(
            "append",
            [](bdist::Batch &batch, const Input<std::int32_t> &sizes, const Input<double> &costs,
               const Input<std::int32_t> &arcs) {
                unlocked([&] { batch.append(view(sizes), view(costs), view(arcs)); });
            },
            "sizes"_a.noconvert(), "costs"_a.noconvert(), "arcs"_a.noconvert())
        .def(
            "solve",
            [](bdist::Batch &batch, const Input<std::int32_t> &programs, const Input<double> &table,
               std::int64_t threads) {
                return array(unlocked([&] { return batch.solve(view(programs), view(table), threads); }));
            },
            "programs"_a.noconvert(), "table"_a.noconvert(), "threads"_a)
        .def(
            "functions",
            [](const bdist::Batch &batch, const Input<std::int32_t> &programs) {
                return array(unlocked([&] { return batch.functions(view(programs)); }));
            },
            "programs"_a.noconvert())
        .def(
            "couplings",
            [](const bdist::Batch &batch, const Input<std::int32_t> &programs) {
                bdist::Couplings found = unlocked([&] { return batch.couplings(view(programs)); });
                return nb::make_tuple(array(std::move(found.offsets)), array(std::move(found.arcs)),
                                      array(std::move(found.weights)), array(std::move(found.caps)));
            },
            "programs"_a.noconvert())
        .def(
            "bases",
            [](const bdist::Batch &batch, const Input<std::int32_t> &programs) {
                bdist::Bases found = unlocked([&] { return batch.bases(view(programs)); });
                return nb::make_tuple(array(std::move(found.places)), array(std::move(found.offsets)),
                                      array(std::move(found.tight)));
            },
            "programs"_a.noconvert());

    nb::class_<bdist::Supports>(module, "Supports")
        .def(
            "__init__",
            [](bdist::Supports *self, const Input<std::int64_t> &offsets, const Input<std::int32_t> &targets,
               const Input<double> &masses, const Input<std::int32_t> &ranks,
               const Input<std::int32_t> &skewed_ranks, const Input<std::int32_t> &labels, double alpha,
               bool ordered) {
                new (self) bdist::Supports({copied(offsets), copied(targets), copied(masses), copied(ranks),
                                            copied(skewed_ranks), copied(labels)},
                                           alpha, ordered);
            },
            "offsets"_a.noconvert(), "targets"_a.noconvert(), "masses"_a.noconvert(), "ranks"_a.noconvert(),
            "skewed_ranks"_a.noconvert(), "labels"_a.noconvert(), "alpha"_a, "ordered"_a)
        .def(
            "name",
            [](bdist::Supports &supports, const Input<std::int32_t> &first, const Input<std::int32_t> &second) {
                return array(unlocked([&] { return supports.name(view(first), view(second)); }));
            },
            "first"_a.noconvert(), "second"_a.noconvert())
        .def(
            "explore",
            [](bdist::Supports &supports, const Input<std::int32_t> &pairs) {
                bdist::Explored found = unlocked([&] { return supports.explore(view(pairs)); });
                return nb::make_tuple(array(std::move(found.constants)), array(std::move(found.counts)),
                                      array(std::move(found.sizes)), array(std::move(found.inside)),
                                      array(std::move(found.costs)), array(std::move(found.arcs)),
                                      array(std::move(found.first)), array(std::move(found.second)));
            },
            "pairs"_a.noconvert());

    module.def(
        "solve_dense",
        [](const Input<double> &rows, const Input<double> &right) {
            return array(unlocked([&] { return bdist::solve_dense(view(rows), view(right)); }));
        },
        "rows"_a.noconvert(), "right"_a.noconvert());

    module.def(
        "components",
        [](const Input<std::int64_t> &starts, const Input<std::int32_t> &targets) {
            bdist::Components found = unlocked([&] { return bdist::components(view(starts), view(targets)); });
            return nb::make_tuple(array(std::move(found.component)), array(std::move(found.level)),
                                  array(std::move(found.cyclic)));
        },
        "starts"_a.noconvert(), "targets"_a.noconvert());

    module.def(
        "extend",
        [](const Input<double> &words, const Input<double> &words_in, const Input<double> &known,
           const Input<double> &known_in, const Input<std::int32_t> &index, const Input<std::int64_t> &offsets,
           const Input<std::int32_t> &places, const Input<double> &values, double alpha, double margin,
           std::int64_t grid_alpha, int grid_shift, std::int64_t threads) {
            if (grid_alpha < 0 || grid_shift < 0 || grid_shift > 62)
                throw std::invalid_argument("a grid needs alpha times a power of two");
            bdist::Extensions found = unlocked([&] {
                const auto rows = [&](const Input<double> &data) {
                    if (index.size() == 0 || data.size() % index.size() != 0)
                        throw std::invalid_argument("the rows do not have the length of the index");
                    const auto most = static_cast<std::int64_t>(data.size() / index.size());
                    for (std::size_t k = 0; k < index.size(); ++k)
                        if (index.data()[k] < -1 || index.data()[k] >= most)
                            throw std::invalid_argument("the index names a row that is not there");
                    return bdist::Rows{view(data), view(index)};
                };
                return bdist::extend({rows(words), rows(words_in)}, {rows(known), rows(known_in)}, view(offsets),
                                     view(places), view(values), alpha, margin,
                                     bdist::Grid{grid_alpha, grid_shift}, threads);
            });
            return nb::make_tuple(array(std::move(found.status)), array(std::move(found.low)),
                                  array(std::move(found.high)), array(std::move(found.offsets)),
                                  array(std::move(found.places)), array(std::move(found.values)),
                                  array(std::move(found.wanted)), array(std::move(found.from)),
                                  array(std::move(found.to)));
        },
        "words"_a.noconvert(), "words_in"_a.noconvert(), "known"_a.noconvert(), "known_in"_a.noconvert(),
        "index"_a.noconvert(), "offsets"_a.noconvert(), "places"_a.noconvert(), "values"_a.noconvert(), "alpha"_a,
        "margin"_a, "grid_alpha"_a, "grid_shift"_a, "threads"_a);
}
