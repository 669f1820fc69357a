#include <cstdio>
#include <cstdlib>
#include <vector>
#include <map>
#include <string>
#include <algorithm>
#include <functional>
struct Point { double x, y; double norm() const { return x*x + y*y; } };
static inline double twice(double v) { return v * 2 + 1; }
template <int N> struct Deep { static inline __attribute__((always_inline)) double go(double v) { return Deep<N-1>::go(v * 1.0001) + N; } };
template <> struct Deep<0> { static inline double go(double v) { return v / 3; } };
namespace { double hidden(const Point &p) { return twice(p.norm()); } }
__attribute__((noinline)) double work(const std::vector<Point> &v) {
    double s = 0;
    for (const auto &p : v) s += hidden(p) + Deep<12>::go(p.x);
    return s;
}
__attribute__((noinline)) double sorted(std::vector<Point> v) {
    std::sort(v.begin(), v.end(), [](const Point &a, const Point &b) { return a.norm() < b.norm(); });
    std::map<std::string, double> m;
    for (size_t i = 0; i < v.size(); i++) m[std::to_string(i % 100)] += v[i].x;
    double s = 0;
    for (auto &kv : m) s += kv.second * kv.first.size();
    return s;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    std::vector<Point> v;
    for (int i = 0; i < 20000; i++) v.push_back({rand() / 1e6, rand() / 1e6});
    double s = 0;
    for (int i = 0; i < n; i++) s += work(v) + sorted(v);
    printf("%g\n", s);
}
