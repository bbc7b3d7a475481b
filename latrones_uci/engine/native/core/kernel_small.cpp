#include "kernel_of.hpp"

namespace latrones {

template std::unique_ptr<Kernel> make_kernel<Small>(const Ruleset&, const Weights&, int, int, const Tuning&);

}  // namespace latrones
