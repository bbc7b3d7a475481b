#include "kernel_of.hpp"

template std::unique_ptr<latrones::Kernel> latrones::make_kernel<latrones::Large>(const Ruleset&, const Weights&, int, int);
