// The cube root that ADM's figures are made with.
#pragma once

namespace vq::adm {

// x to the power of the float nearest to 1/3, as glibc 2.28 and later and musl compute powf() of them, bit by bit,
// whatever C library this runs on. That is not always the float nearest to the true power. 0 gives 0, what is negative
// or not a number NaN.
float cube_root(float x);

}  // namespace vq::adm
