// The eigenvalues of a symmetric tridiagonal matrix: a short chain of dependent operations, the same on all
// instruction sets.
#pragma once

#include "feature/speed/plan.h"

namespace vq::speed {

struct Tridiagonal {
  float diagonal[kVariables] = {};
  float beside[kVariables - 1] = {};
};

// QR iterations with implicit shifts, until nothing is beside the diagonal or there were 500. Each operation
// is rounded in the order in which it is written.
void iterate(Tridiagonal& form);

}  // namespace vq::speed
