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
}
