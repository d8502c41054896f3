// The times of calls: a histogram with 256 buckets to the power of two, see PROTOCOL.md.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

constexpr uint64_t LONGEST_TIME = uint64_t(1) << 40;

constexpr size_t bucket(uint64_t time) {
    time = std::min(time, LONGEST_TIME);
    int k = std::max(0, int(std::bit_width(time)) - 9);
    return 256 * size_t(k) + size_t(time >> k);
}
static_assert(bucket(0) == 0 && bucket(511) == 511 && bucket(512) == 512 && bucket(513) == 512);
static_assert(bucket(514) == 513 && bucket(1023) == 767 && bucket(1024) == 768);
static_assert(bucket(15000) == 1748 && bucket(1000000) == 3304);

class Times {
public:
    // So many calls that took so long together.
    void record(uint64_t together, uint64_t calls) {
        const uint64_t time = together / calls;
        counts_[bucket(time)]++;
        sum_ += together;
        min_ = std::min(min_, time);
        max_ = std::max(max_, time);
    }

    void add(const Times& other) {
        for (size_t i = 0; i < counts_.size(); i++) counts_[i] += other.counts_[i];
        sum_ += other.sum_;
        min_ = std::min(min_, other.min_);
        max_ = std::max(max_, other.max_);
    }

    // As the keys of an answer.
    std::string text() const {
        std::string text = "sum_ns=" + std::to_string(sum_) + " min_ns=" + std::to_string(min_) +
                           " max_ns=" + std::to_string(max_) + " hist=";
        const char* between = "";
        for (size_t i = 0; i < counts_.size(); i++) {
            if (counts_[i] == 0) continue;
            text += between + std::to_string(i) + ":" + std::to_string(counts_[i]);
            between = ",";
        }
        return text;
    }

private:
    std::vector<uint64_t> counts_ = std::vector<uint64_t>(bucket(LONGEST_TIME) + 1);
    uint64_t sum_ = 0;
    uint64_t min_ = UINT64_MAX;
    uint64_t max_ = 0;
};

}  // namespace bench
