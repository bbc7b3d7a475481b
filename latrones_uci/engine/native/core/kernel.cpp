#include "kernel.hpp"

#include <stdexcept>

namespace latrones {

extern template std::unique_ptr<Kernel> make_kernel<Small>(const Ruleset&, const Weights&, int, int, const Tuning&);
extern template std::unique_ptr<Kernel> make_kernel<Broad>(const Ruleset&, const Weights&, int, int, const Tuning&);
extern template std::unique_ptr<Kernel> make_kernel<Tall>(const Ruleset&, const Weights&, int, int, const Tuning&);
extern template std::unique_ptr<Kernel> make_kernel<Large>(const Ruleset&, const Weights&, int, int, const Tuning&);

std::unique_ptr<Kernel> Kernel::make(const Ruleset& ruleset, const Weights& weights, int files, int ranks,
                                     const Tuning& tuning) {
    if (files < 1 || ranks < 1 || files > 16 || ranks > 16)
        throw std::invalid_argument("invalid board size " + std::to_string(files) + "x" + std::to_string(ranks));
    const bool narrow = files <= 8, low = ranks <= 8;
    if (narrow && low) return make_kernel<Small>(ruleset, weights, files, ranks, tuning);
    if (low) return make_kernel<Broad>(ruleset, weights, files, ranks, tuning);
    if (narrow) return make_kernel<Tall>(ruleset, weights, files, ranks, tuning);
    return make_kernel<Large>(ruleset, weights, files, ranks, tuning);
}

}  // namespace latrones
