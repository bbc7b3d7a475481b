#include "table.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tuning.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace latrones {

namespace {

// An entry in 64 bits: move 16, score 16, evaluation 16, depth 8, bound 2, age 6.
u64 pack(MoveHint move, int score, int evaluation, int depth, Bound bound, u8 age) {
    return u64{move} | u64{static_cast<u16>(score)} << 16 | u64{static_cast<u16>(evaluation)} << 32 |
           static_cast<u64>(depth) << 48 | u64{bound} << 56 | u64{age} << 58;
}
int depth_of(u64 data) { return static_cast<int>(data >> 48 & 255); }
Bound bound_of(u64 data) { return static_cast<Bound>(data >> 56 & 3); }
u8 age_of(u64 data) { return static_cast<u8>(data >> 58); }
MoveHint move_of(u64 data) { return static_cast<MoveHint>(data); }

}  // namespace

std::size_t Table::checked(std::size_t megabytes) {
    if (!megabytes) throw std::invalid_argument("a table of 0 megabytes");
    if (megabytes > std::numeric_limits<std::size_t>::max() / 2 / megabyte) throw std::bad_alloc();
    return megabytes;
}

Table::Table(std::size_t megabytes, int threads)
    : count_(checked(megabytes) * megabyte / sizeof(Line)),
      lines_(static_cast<Line*>(::operator new(megabytes * megabyte, std::align_val_t{alignment}))) {
#ifdef __linux__
    // Huge pages avoid most TLB misses. Without them, small pages work as well.
    (void)madvise(lines_.get(), megabytes * megabyte, MADV_HUGEPAGE);
#endif
    clear(threads);
}

void Table::clear(int threads) {
    const std::size_t parts = std::clamp(threads, 1, std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
    const auto clear_part = [&](std::size_t part) {
        const std::size_t begin = count_ / parts * part, end = part + 1 < parts ? begin + count_ / parts : count_;
        std::uninitialized_value_construct_n(lines_.get() + begin, end - begin);
    };
    std::vector<std::jthread> helpers;
    std::size_t part = 1;
    try {
        for (; part < parts; ++part) helpers.emplace_back(clear_part, part);
    } catch (const std::exception&) {  // no memory or no right to more threads
    }
    for (; part < parts; ++part) clear_part(part);
    clear_part(0);
    age_ = 0;
}

bool Table::probe(u64 key, Entry& entry) const {
    for (const Slot& slot : line(key).slot) {
        const u64 data = slot.data.load(std::memory_order_relaxed);
        if ((slot.check.load(std::memory_order_relaxed) ^ data) != key || bound_of(data) == NONE_BOUND) continue;
        entry = {move_of(data), static_cast<short>(data >> 16), static_cast<short>(data >> 32),
                 static_cast<u8>(depth_of(data)), bound_of(data)};
        return true;
    }
    return false;
}

void Table::store(u64 key, MoveHint move, int score, int evaluation, int depth, Bound bound) {
    Slot* chosen = nullptr;
    int least = 1 << 20;
    for (Slot& slot : line(key).slot) {
        const u64 data = slot.data.load(std::memory_order_relaxed);
        if ((slot.check.load(std::memory_order_relaxed) ^ data) == key && bound_of(data) != NONE_BOUND) {
            // Keep a much deeper result of this search instead of a shallow bound.
            if (bound != EXACT && age_of(data) == age_ && depth_of(data) > depth + tune::table_keep_margin) return;
            if (!move) move = move_of(data);
            chosen = &slot;
            break;
        }
        const int old = (age_ - age_of(data)) & 63;
        const int worth = bound_of(data) == NONE_BOUND ? -(1 << 10) : depth_of(data) - tune::table_age_penalty * old;
        if (worth < least) {
            least = worth;
            chosen = &slot;
        }
    }
    const u64 data = pack(move, score, evaluation, depth, bound, age_);
    chosen->data.store(data, std::memory_order_relaxed);
    chosen->check.store(key ^ data, std::memory_order_relaxed);
}

int Table::hashfull() const {
    constexpr std::size_t sample = 1000;
    const std::size_t lines = std::min(count_, sample / slots);
    int full = 0;
    for (std::size_t i = 0; i < lines; ++i)
        for (const Slot& slot : lines_.get()[i].slot) {
            const u64 data = slot.data.load(std::memory_order_relaxed);
            full += bound_of(data) != NONE_BOUND && age_of(data) == age_;
        }
    return static_cast<int>(static_cast<std::size_t>(full) * 1000 / (lines * slots));
}

}  // namespace latrones
