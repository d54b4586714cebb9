/* The C++ library's, those of shared_ptr, and the guard of a local static variable; its headers
 * beside CUDA's names. */
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>
using namespace std;
static std::vector<int> &table()
{
    static std::vector<int> numbers(5, 1);
    return numbers;
}

template <class T> static void check()
{
    std::atomic<T> value{0};
    value += 3, value -= 1, value |= 4, value ^= 1, value &= (T)-1;
    T expected = 5;
    EXPECT(value.load() == 7 && value.exchange(1) == 7);
    EXPECT(!value.compare_exchange_strong(expected, 7) && expected == 1);
    EXPECT(value.compare_exchange_strong(expected, 7) && value == 7);
}

int main()
{
    auto p = std::make_shared<int>(3), q = p;
    EXPECT(*q == 3 && p.use_count() == 2 && max(0, min(1, 0)) == 0);
    EXPECT(table().size() == 5);
    check<signed char>(), check<unsigned short>(), check<int>(), check<long long>();
}
