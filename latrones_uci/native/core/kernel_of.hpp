// `Kernel` for one shape of board; each shape is compiled in a file of its own.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "kernel.hpp"
#include "search.hpp"

namespace latrones {

template <class S>
class KernelOf : public Kernel {
   public:
    KernelOf(const Ruleset& ruleset, const Weights& weights, int files, int ranks)
        : rules_(checked(ruleset), files, ranks), evaluation_(rules_, checked(weights)) {}

    std::vector<WireMove> moves(const WireBoard& wire_board) const override {
        MoveStack stack;
        list(read(wire_board), stack);
        return wire(stack);
    }

    std::vector<WireMove> tactical_moves(const WireBoard& wire_board) const override {
        const Board<S> board = read(wire_board);
        const Wide<S> empty = rules_.empty(board);
        MoveStack stack;
        rules_.tactical_moves(board, empty, rules_.targets(board, empty), stack);
        return wire(stack);
    }

    WireBoard play(const WireBoard& wire_board, const WireMove& wire_move) const override {
        const Board<S> board = read(wire_board);
        MoveStack stack;
        list(board, stack);
        return write(rules_.play(board, read(wire_move, stack, sorted(stack)), stack));
    }

    int decided(const WireBoard& board) const override { return rules_.decided(read(board)); }

    Terms evaluate(const WireBoard& wire_board) const override {
        const Board<S> board = read(wire_board);
        return evaluation_.terms(board, rules_.empty(board));
    }

    u64 perft(const WireBoard& board, int depth, bool bulk, const std::function<bool()>& should_stop) const override {
        expect(0 <= depth && depth <= MAX_PLY, "the depth");
        MoveStack stack;
        return Perft<S>(rules_, bulk, should_stop).count(read(board), depth, stack);
    }

    Outcome search(const WireBoard& wire_board, const std::vector<u64>& game_keys, const Task& task, Table& table,
                   const Listener& listener) override {
        const Board<S> board = read(wire_board);
        check(task);
        const Alone alone(busy_);
        table.new_search();
        Shared shared{table, game_keys};
        std::exception_ptr failure;
        std::mutex failing;
        const auto work = [&](std::size_t number, std::vector<Line>& lines) {
            try {
                if (number) shared.begun.wait(false);
                Worker& worker = *workers_[number];
                worker.order.new_search();
                worker.stack.clear();
                list(board, worker.stack);
                const std::vector<Move> legal = sorted(worker.stack);
                worker.stack.shrink(0);
                for (const WireMove& move : task.root_moves)
                    lines.push_back({read(move, worker.stack, legal), -INFINITE, {}});
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
        const Alone alone(busy_);
        for (auto& worker : workers_) worker->order.clear();
    }

   private:
    using Set = Bits<S::limbs>;
    static constexpr int most_threads = 256, most_in_hand = 99, most_nocapture = 1'000'000, most_weight = 10'000;

    // What a thread keeps from search to search.
    struct Worker {
        MoveOrder<S::cells> order;
        MoveStack stack;
    };

    // Keeps a second search from a kernel that is searching.
    struct Alone {
        explicit Alone(std::atomic<bool>& busy_) : busy(busy_) {
            if (busy.exchange(true)) throw std::logic_error("a search of this kernel is running");
        }
        ~Alone() { busy = false; }
        Alone(const Alone&) = delete;
        Alone& operator=(const Alone&) = delete;
        std::atomic<bool>& busy;
    };

    // ------------------------------------------------------------ what is handed over, none of which is trusted

    static void expect(bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(std::string(what) + " cannot be");
    }
    static const Ruleset& checked(const Ruleset& ruleset) {
        expect(ruleset.placement_turn == 1 || ruleset.placement_turn == 2, "the placement_turn");
        return ruleset;
    }
    static const Weights& checked(const Weights& w) {
        const auto bearable = [](int weight) { return -most_weight <= weight && weight <= most_weight; };
        const std::array single{w.soldier, w.ordinary_dux, w.bound, w.slide, w.step, w.threat, w.edge, w.pursued_edge,
                                w.pursuit};
        expect(std::ranges::all_of(single, bearable) && std::ranges::all_of(w.dux_sides, bearable), "a weight");
        return w;
    }
    static void check(const Task& task) {
        expect(1 <= task.depth && task.depth <= MAX_PLY, "the depth");
        expect(!task.mate || (1 <= *task.mate && *task.mate <= WIN), "the mate");
        expect(task.multipv >= 1, "the multipv");
        expect(1 <= task.threads && task.threads <= most_threads, "the number of threads");
        expect(!task.root_moves.empty(), "a search without moves");
    }
    void check(const Board<S>& board) const {
        const Set own = board.own.plain(), opp = board.opp.plain();
        expect((own & opp).none(), "two men on a square");
        expect((board.bound & ~(own | opp)).none(), "bound squares without a man");
        expect(board.own_dux < 0 || (own & ~board.bound).test(board.own_dux), "the own_dux");
        expect(board.opp_dux < 0 || (opp & ~board.bound).test(board.opp_dux), "the opp_dux");
        expect(0 <= board.nocapture && board.nocapture <= most_nocapture, "the nocapture");
        const Hand hand = board.hand;
        expect(hand.packed < 1 << 18 && hand.soldiers(WHITE) <= most_in_hand && hand.soldiers(BLACK) <= most_in_hand,
               "the hand");
    }
    // Appends the legal moves.
    void list(const Board<S>& board, MoveStack& stack) const {
        if (!rules_.decided(board)) rules_.moves(board, stack);
    }

    static std::vector<Move> sorted(const MoveStack& stack) {
        std::vector<Move> moves;
        for (std::size_t i = 0; i < stack.size(); ++i) moves.push_back(stack[i].move);
        std::sort(moves.begin(), moves.end());
        return moves;
    }

    int bit_of(int square) const { return square / rules_.geometry.files * (rules_.geometry.files + 1) +
                                          square % rules_.geometry.files; }

    Set read(const std::string& squares) const {
        Set set;
        for (int square = 0; square < rules_.geometry.squares(); ++square) {
            const std::size_t bit = static_cast<std::size_t>(bit_of(square));
            if (bit / 8 < squares.size() && static_cast<u8>(squares[bit / 8]) >> bit % 8 & 1)
                set.set(rules_.geometry.cell_of(square));
        }
        return set;
    }
    std::string write(const Set& set) const {
        const auto bits = static_cast<std::size_t>(rules_.geometry.ranks * (rules_.geometry.files + 1));
        std::string squares((bits + 7) / 8, '\0');
        set.for_each([&](int cell) {
            const auto bit = static_cast<std::size_t>(bit_of(rules_.geometry.square_of(cell)));
            squares[bit / 8] = static_cast<char>(static_cast<u8>(squares[bit / 8]) | 1 << bit % 8);
        });
        return squares;
    }
    short read_dux(int square) const {
        expect(-1 <= square && square < rules_.geometry.squares(), "the square of a dux");
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
        expect(wire.side == WHITE || wire.side == BLACK, "the side");
        board.side = static_cast<u8>(wire.side);
        check(board);
        board.key = rules_.full_key(board);
        return board;
    }
    WireBoard write(const Board<S>& board) const {
        return {.own = write(board.own.plain()), .opp = write(board.opp.plain()), .bound = write(board.bound),
                .own_dux = write_dux(board.own_dux), .opp_dux = write_dux(board.opp_dux), .side = board.side,
                .nocapture = board.nocapture, .hand = board.hand.packed, .key = board.key};
    }

    // A move that is among the legal ones, which are sorted.
    Move read(const WireMove& wire, MoveStack& stack, const std::vector<Move>& legal) const {
        const std::vector<u8>& squares = wire.squares;
        expect(std::all_of(squares.begin(), squares.end(), [&](u8 it) { return it < rules_.geometry.squares(); }),
               "a square of a move");
        Move move;
        if (wire.kind == WireMove::PATH) {
            Path path;
            expect(2 <= squares.size() && squares.size() <= std::size(path.cell), "the length of a move");
            for (const u8 square : squares) path.cell[path.size++] = static_cast<u8>(rules_.geometry.cell_of(square));
            move = stack.path_move(path);
        } else {
            expect(squares.size() == 1, "the length of a move");
            move = static_cast<Move>(wire.kind) << 16 | static_cast<Move>(rules_.geometry.cell_of(squares[0]));
        }
        expect(std::binary_search(legal.begin(), legal.end(), move), "a move that is not legal");
        return move;
    }

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
    std::atomic<bool> busy_{false};
};

template <class S>
std::unique_ptr<Kernel> make_kernel(const Ruleset& ruleset, const Weights& weights, int files, int ranks) {
    return std::make_unique<KernelOf<S>>(ruleset, weights, files, ranks);
}

}  // namespace latrones
