// SPDX-License-Identifier: MIT
//
// Something for a C++ compiler to chew on while it is recorded: the compiler is the C++ program.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>

int main()
{
    std::regex pattern("a(b|c)*d");
    std::map<std::string, std::function<int(int)>> functions;
    std::unordered_map<int, std::vector<std::string>> table;
    std::vector<int> numbers(100);
    std::mt19937 random;
    std::generate(numbers.begin(), numbers.end(), random);
    std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
    std::cout << std::regex_match("abcd", pattern) << functions.size() << table.size();
}
