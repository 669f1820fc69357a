// SPDX-License-Identifier: MIT
//
// A small net that is trained on one CPU, through libtorch: deep stacks in large libraries, as most
// of what flamefold is for has them.
#include <torch/torch.h>

#include <cstdlib>
#include <iostream>

int main(int argc, char **argv)
{
    torch::manual_seed(1);
    at::set_num_threads(1);
    int steps = argc > 1 ? std::atoi(argv[1]) : 300;
    torch::nn::Sequential net(torch::nn::Linear(64, 128), torch::nn::ReLU(),
                              torch::nn::LayerNorm(torch::nn::LayerNormOptions({128})),
                              torch::nn::Linear(128, 128), torch::nn::GELU(),
                              torch::nn::Linear(128, 10));
    torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(1e-3));
    double sum = 0;
    for (int i = 0; i < steps; i++) {
        torch::Tensor input = torch::randn({32, 64});
        torch::Tensor target = torch::randint(0, 10, {32});
        optimizer.zero_grad();
        torch::Tensor loss = torch::nn::functional::cross_entropy(net->forward(input), target);
        loss.backward();
        optimizer.step();
        sum += loss.item<double>();
    }
    std::cout << sum / steps << "\n";
}
