#include "cli/commands/program.h"

int main(int argc, char** argv) {
  return vq::cli::run_program(argc, argv, vq::cli::run_command);
}
