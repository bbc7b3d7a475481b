// `Kernel` for one shape of board; each shape is compiled in a file of its own.
#pragma once

#include <exception>
#include <mutex>
#include <thread>

#include "kernel.hpp"
#include "search.hpp"

namespace latrones {

template <class S>
class KernelOf : public Kernel {
   public:
    KernelOf(const Ruleset& ruleset, const Weights& weights, int files, int ranks)
        : rules_(ruleset, files, ranks), evaluation_(rules_, weights) {}

    std::vector<WireMove> moves(const WireBoard& wire_board) const override {
        const Board<S> board = read(wire_board);
        MoveStack stack;
        if (!rules_.decided(board)) rules_.moves(board, stack);
        return wire(stack);
    }

    std::vector<WireMove> tactical_moves(const WireBoard& wire_board) const override {
        const Board<S> board = read(wire_board);
        const Wide<S> empty = rules_.empty(board);
        MoveStack stack;
        rules_.tactical_moves(board, empty, rules_.targets(board, empty), stack);
        return wire(stack);
    }

    WireBoard play(const WireBoard& board, const WireMove& move) const override {
        MoveStack stack;
        return write(rules_.play(read(board), read(move, stack), stack));
    }

    int decided(const WireBoard& board) const override { return rules_.decided(read(board)); }

    Terms evaluate(const WireBoard& wire_board) const override {
        const Board<S> board = read(wire_board);
        return evaluation_.terms(board, rules_.empty(board));
    }

    u64 perft(const WireBoard& board, int depth, bool bulk, const std::function<bool()>& should_stop) const override {
        MoveStack stack;
        return Perft<S>(rules_, bulk, should_stop).count(read(board), depth, stack);
    }

    Outcome search(const WireBoard& wire_board, const std::vector<u64>& game_keys, const Task& task, Table& table,
                   const Listener& listener) override {
        const Board<S> board = read(wire_board);
        table.new_search();
        Shared shared{table, game_keys};
        std::exception_ptr failure;
        std::mutex failing;
        const auto work = [&](std::size_t number, std::vector<Line>& lines) {
            try {
                if (number) shared.begun.wait(false);
                Worker& worker = *workers_[number];
                worker.order.new_search();
                worker.stack.shrink(0);
                for (const WireMove& move : task.root_moves) lines.push_back({read(move, worker.stack), -INFINITE, {}});
                const auto searcher = std::make_unique<Searcher<S>>(rules_, evaluation_, worker.order, worker.stack,
                                                                    shared, task, number ? nullptr : &listener);
                // Half of the helpers begin a ply deeper, so that not all search the same at the same time.
                searcher->run(board, lines, 1 + static_cast<int>(number % 2));
            } catch (...) {
                const std::lock_guard<std::mutex> lock(failing);
                if (!failure) failure = std::current_exception();
                shared.stop = true;
            }
        };
        while (workers_.size() < static_cast<std::size_t>(task.threads)) workers_.push_back(std::make_unique<Worker>());
        std::vector<std::vector<Line>> lines(static_cast<std::size_t>(task.threads));
        {
            std::vector<std::jthread> helpers;
            for (std::size_t number = 1; number < lines.size(); ++number)
                helpers.emplace_back(work, number, std::ref(lines[number]));
            work(0, lines[0]);
            shared.stop = true;
            shared.begin();
        }
        if (failure) std::rethrow_exception(failure);
        const Line& best = lines[0].front();
        Outcome outcome{wire(best.move, workers_[0]->stack), std::nullopt, shared.nodes};
        if (best.pv.size() > 1) outcome.ponder = wire(best.pv[1], workers_[0]->stack);
        return outcome;
    }

    void clear() override {
        for (auto& worker : workers_) worker->order.clear();
    }

   private:
    // What a thread keeps from search to search.
    struct Worker {
        MoveOrder<S::cells> order;
        MoveStack stack;
    };

    int bit_of(int square) const { return square / rules_.geometry.files * (rules_.geometry.files + 1) +
                                          square % rules_.geometry.files; }

    Bits<S::limbs> read(const std::string& squares) const {
        Bits<S::limbs> set;
        for (int square = 0; square < rules_.geometry.squares(); ++square) {
            const std::size_t bit = static_cast<std::size_t>(bit_of(square));
            if (bit / 8 < squares.size() && static_cast<u8>(squares[bit / 8]) >> bit % 8 & 1)
                set.set(rules_.geometry.cell_of(square));
        }
        return set;
    }
    std::string write(const Bits<S::limbs>& set) const {
        const auto bits = static_cast<std::size_t>(rules_.geometry.ranks * (rules_.geometry.files + 1));
        std::string squares((bits + 7) / 8, '\0');
        set.for_each([&](int cell) {
            const auto bit = static_cast<std::size_t>(bit_of(rules_.geometry.square_of(cell)));
            squares[bit / 8] = static_cast<char>(static_cast<u8>(squares[bit / 8]) | 1 << bit % 8);
        });
        return squares;
    }
    short read_dux(int square) const {
        return static_cast<short>(square < 0 ? -1 : rules_.geometry.cell_of(square));
    }
    int write_dux(int cell) const { return cell < 0 ? -1 : rules_.geometry.square_of(cell); }

    Board<S> read(const WireBoard& wire) const {
        Board<S> board;
        board.own = rules_.geometry.widen(read(wire.own));
        board.opp = rules_.geometry.widen(read(wire.opp));
        board.bound = read(wire.bound);
        board.hand.packed = wire.hand;
        board.nocapture = wire.nocapture;
        board.own_dux = read_dux(wire.own_dux);
        board.opp_dux = read_dux(wire.opp_dux);
        board.side = static_cast<u8>(wire.side);
        board.key = rules_.full_key(board);
        return board;
    }
    WireBoard write(const Board<S>& board) const {
        return {.own = write(board.own.plain()), .opp = write(board.opp.plain()), .bound = write(board.bound),
                .own_dux = write_dux(board.own_dux), .opp_dux = write_dux(board.opp_dux), .side = board.side,
                .nocapture = board.nocapture, .hand = board.hand.packed, .key = board.key};
    }

    Move read(const WireMove& wire, MoveStack& stack) const {
        if (wire.kind != WireMove::PATH)
            return static_cast<Move>(wire.kind) << 16 | static_cast<Move>(cell_of_square(wire.squares.at(0)));
        Path path;
        for (u8 square : wire.squares) path.cell[path.size++] = static_cast<u8>(cell_of_square(square));
        return stack.path_move(path);
    }
    int cell_of_square(int square) const { return rules_.geometry.cell_of(square); }

    WireMove wire(Move move, const MoveStack& stack) const {
        return wire_move(rules_.geometry, stack, move);
    }
    std::vector<WireMove> wire(const MoveStack& stack) const {
        std::vector<WireMove> moves;
        for (std::size_t i = 0; i < stack.size(); ++i) moves.push_back(wire(stack[i].move, stack));
        return moves;
    }

    const Rules<S> rules_;
    const Evaluation<S> evaluation_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

template <class S>
std::unique_ptr<Kernel> make_kernel(const Ruleset& ruleset, const Weights& weights, int files, int ranks) {
    return std::make_unique<KernelOf<S>>(ruleset, weights, files, ranks);
}

}  // namespace latrones
