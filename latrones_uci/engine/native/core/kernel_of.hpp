// The implementation of `Kernel` for one shape of board; each shape is compiled in its own file.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "kernel.hpp"
#include "playouts.hpp"
#include "retrograde.hpp"
#include "search.hpp"

namespace latrones {

template <class S>
class KernelOf : public Kernel {
   public:
    KernelOf(const Ruleset& ruleset, const Weights& weights, int files, int ranks, const Tuning& tuning)
        : rules_(checked(ruleset), files, ranks),
          evaluator_(rules_, checked(weights)),
          endings_(rules_),
          tuning_(checked(tuning)),
          reductions_(tuning_) {}

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
        return evaluator_.hand_written().terms(board, rules_.empty(board));
    }

    void use_net(const std::optional<WireNet>& net) override {
        const BusyGuard guard(busy_);
        evaluator_.use(net ? std::make_unique<const Net<S>>(*net, rules_.geometry) : nullptr);
    }

    int value(const WireBoard& wire_board) const override {
        const Board<S> board = read(wire_board);
        return evaluator_.value(board, rules_.empty(board));
    }

    std::array<std::vector<u16>, 2> net_rows(const WireBoard& wire_board) const override {
        const Board<S> board = read(wire_board);
        return evaluator_.rows(board, rules_.empty(board));
    }

    u64 perft(const WireBoard& board, int depth, bool bulk, const std::function<bool()>& should_stop) const override {
        expect(0 <= depth && depth <= MAX_PLY, "depth");
        MoveStack stack;
        return Perft<S>(rules_, bulk, should_stop).count(read(board), depth, stack);
    }

    PlayoutCounts playouts(const WireBoard& board, const std::vector<u64>& past, u64 games, u64 seed, u64 max_plies,
                           const std::function<bool()>& should_stop) const override {
        return Playouts<S>(rules_, past, should_stop).run(read(board), games, seed, max_plies);
    }

    SearchResult search(const WireBoard& wire_board, const Task& task, Table& table,
                        const Listener& listener) override {
        const Board<S> board = read(wire_board);
        check(task);
        const BusyGuard guard(busy_);
        table.new_search();
        Shared shared{table, task.past};
        std::sort(shared.past.begin(), shared.past.end());
        std::exception_ptr failure;
        std::mutex failure_mutex;
        const bool soldiers_only = rules_.ruleset.soldiers_only();
        const auto work = [&](std::size_t number, std::vector<RootMove>& moves) {
            try {
                Worker& worker = *workers_[number];
                worker.order.new_search();
                worker.stack.clear();
                list(board, worker.stack);
                const std::vector<Move> legal = sorted(worker.stack);
                worker.stack.shrink(0);
                for (const WireMove& move : task.root_moves) moves.push_back({read(move, worker.stack, legal)});
                const auto run = [&]<class Constants>() {
                    const auto searcher = std::make_unique<Searcher<S, Constants>>(
                        rules_, evaluator_, endings_, tuning_, reductions_, worker.order, worker.stack, shared, task,
                        number ? nullptr : &listener);
                    // Half of the helpers start a ply deeper, so that the threads do not all search the same tree.
                    searcher->run(board, moves, 1 + static_cast<int>(number % 2));
                };
                if (task.plain) run.template operator()<PlainTuning>();
                else if (tuning_ != Tuning::usual(soldiers_only)) run.template operator()<Tuning>();
                else if (soldiers_only) run.template operator()<SoldiersTuning>();
                else run.template operator()<UsualTuning>();
            } catch (...) {
                const std::lock_guard<std::mutex> lock(failure_mutex);
                if (!failure) failure = std::current_exception();
                shared.stop = true;
            }
        };
        while (workers_.size() < static_cast<std::size_t>(task.threads))
            workers_.push_back(std::make_unique<Worker>(tuning_));
        std::vector<std::vector<RootMove>> moves(static_cast<std::size_t>(task.threads));
        int threads = task.threads;
        {
            std::vector<std::jthread> helpers;
            shared.start_helpers = [&] {
                helpers.reserve(moves.size());
                try {
                    for (std::size_t number = 1; number < moves.size(); ++number)
                        helpers.emplace_back(work, number, std::ref(moves[number]));
                } catch (const std::exception&) {  // no memory or no right to more: search with these
                    threads = 1 + static_cast<int>(helpers.size());
                }
            };
            work(0, moves[0]);
            shared.stop = true;
        }
        if (failure) std::rethrow_exception(failure);
        // With a limit of the depth, the first thread has searched to it, and others may not.
        const std::size_t winner = task.multipv == 1 && task.depth == MAX_PLY ? winner_of_vote(moves) : 0;
        const MoveStack& paths = workers_[winner]->stack;
        if (winner || shared.nodes != shared.reported_nodes)
            report_totals(moves[winner], task, paths, shared, listener);
        const RootMove& best = moves[winner].front();
        SearchResult result{wire(best.move, paths), std::nullopt, shared.nodes, threads};
        if (best.reported.pv.size() > 1) result.ponder = wire(best.reported.pv[1], paths);
        return result;
    }

    void clear() override {
        const BusyGuard guard(busy_);
        for (auto& worker : workers_) worker->order.clear();
    }

    // ------------------------------------------------------------ endings

    EndingShape ending_shape(const Split& split) const override {
        const auto table = endings_.make(checked(split));
        return {table->index.size(), endings_.width(), static_cast<int>(table->planes.size())};
    }

    void solve_ending(const Split& split, int threads, const EndingProgress& progress) override {
        const BusyGuard guard(busy_);
        expect(1 <= threads && threads <= max_threads, "number of threads");
        Retrograde<S>(rules_, endings_, checked(split), threads, progress).run();
    }

    std::string ending_codes(const Split& split, int plane, u64 begin, u64 end) const override {
        const Codes& codes = plane_of(split, plane);
        expect(begin <= end && end <= endings_.find(split)->index.size(), "range of codes");
        return codes.bytes(begin, end);
    }

    EndingCounts ending_counts(const Split& split, int plane) const override { return plane_of(split, plane).counts(); }

    void load_ending(const Split& split, const std::vector<std::string>& planes) override {
        const BusyGuard guard(busy_);
        auto table = endings_.make(checked(split));
        expect(planes.size() == table->planes.size(), "number of planes");
        const auto bytes = static_cast<std::size_t>(table->index.size()) * static_cast<std::size_t>(endings_.width());
        for (const std::string& codes : planes) expect(codes.size() == bytes, "number of codes");
        endings_.allocate(*table);
        for (std::size_t i = 0; i < planes.size(); ++i) table->planes[i].read(0, planes[i]);
        endings_.add(std::move(table));
    }

    void drop_endings() override {
        const BusyGuard guard(busy_);
        endings_.clear();
    }

    std::optional<EndingValue> ending_value(const WireBoard& board) const override { return endings_.value(read(board)); }

   private:
    using Set = Bits<S::limbs>;
    static constexpr int max_threads = 256, max_in_hand = 99, max_nocapture = 1'000'000, max_weight = 10'000;

    // The state of a thread that is kept between searches.
    struct Worker {
        explicit Worker(const Tuning& tuning) : order(tuning) {}
        MoveOrder<S::cells> order;
        MoveStack stack;
    };

    // Rejects a second search while the kernel is searching.
    struct BusyGuard {
        explicit BusyGuard(std::atomic<bool>& busy_) : busy(busy_) {
            if (busy.exchange(true)) throw std::logic_error("a search of this kernel is running");
        }
        ~BusyGuard() { busy = false; }
        BusyGuard(const BusyGuard&) = delete;
        BusyGuard& operator=(const BusyGuard&) = delete;
        std::atomic<bool>& busy;
    };

    // Reports the final lines with the totals of all threads, after the search stopped inside an iteration.
    void report_totals(const std::vector<RootMove>& moves, const Task& task, const MoveStack& paths, Shared& shared,
                       const Listener& listener) const {
        const std::size_t lines = std::min(static_cast<std::size_t>(task.multipv), moves.size());
        for (std::size_t rank = 0; rank < lines; ++rank)
            if (const RootResult& result = moves[rank].reported; result.depth)
                report(result, rank, rules_.geometry, paths, shared, listener);
    }

    // ------------------------------------------------------------ checking arguments

    static void expect(bool valid, const char* what) {
        if (!valid) throw std::invalid_argument(std::string("invalid ") + what);
    }
    static const Ruleset& checked(const Ruleset& ruleset) {
        expect(ruleset.placement_turn == 1 || ruleset.placement_turn == 2, "placement_turn");
        expect(0 <= ruleset.hand && ruleset.hand <= max_in_hand, "hand of the ruleset");
        return ruleset;
    }
    static void check_weight(int weight, const char* name) {
        expect(-max_weight <= weight && weight <= max_weight, name);
    }
    static void check_weight(const DuxSides& weights, const char* name) {
        for (const int weight : weights) check_weight(weight, name);
    }
    static const Weights& checked(const Weights& weights) {
#define LATRONES_FIELD(type, name) check_weight(weights.name, "weight " #name);
        LATRONES_WEIGHTS(LATRONES_FIELD)
#undef LATRONES_FIELD
        return weights;
    }
    static const Tuning& checked(const Tuning& tuning) {
        for (const TuningField& field : tuning_fields) {
            const int value = tuning.*field.member;
            expect(field.least <= value && value <= field.greatest, field.name);
        }
        return tuning;
    }
    static const Split& checked(const Split& split) {
        for (const Men& men : {split.own, split.opp})
            expect((men.dux == 0 || men.dux == 1) && 0 <= men.soldiers && men.soldiers <= MAX_MEN, "split");
        return split;
    }
    static void check(const Task& task) {
        expect(1 <= task.depth && task.depth <= MAX_PLY, "depth");
        expect(!task.mate || (1 <= *task.mate && *task.mate <= WIN), "mate");
        expect(task.multipv >= 1, "multipv");
        expect(1 <= task.threads && task.threads <= max_threads, "number of threads");
        expect(!task.root_moves.empty(), "root moves: there are none");
    }
    void check(const Board<S>& board) const {
        const Set own = board.own.plain(), opp = board.opp.plain();
        expect((own & opp).none(), "board: two pieces on a square");
        expect((board.bound & ~(own | opp)).none(), "board: bound square without a piece");
        expect(board.own_dux < 0 || (own & ~board.bound).test(board.own_dux), "own_dux");
        expect(board.opp_dux < 0 || (opp & ~board.bound).test(board.opp_dux), "opp_dux");
        expect(0 <= board.nocapture && board.nocapture <= max_nocapture, "nocapture");
        const Hand hand = board.hand;
        expect(hand.packed < 1 << 18 && hand.soldiers(WHITE) <= max_in_hand && hand.soldiers(BLACK) <= max_in_hand,
               "hand");
    }
    // Appends the legal moves.
    void list(const Board<S>& board, MoveStack& stack) const {
        if (!rules_.decided(board)) rules_.moves(board, stack);
    }

    const Codes& plane_of(const Split& split, int plane) const {
        const EndingTable<S>* table = endings_.find(checked(split));
        expect(table, "split: not in memory");
        expect(0 <= plane && static_cast<std::size_t>(plane) < table->planes.size(), "plane");
        return table->planes[static_cast<std::size_t>(plane)];
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
        expect(-1 <= square && square < rules_.geometry.squares(), "square of a dux");
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
        expect(wire.side == WHITE || wire.side == BLACK, "side");
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

    // Reads a move; `legal` are the sorted legal moves, ignoring repetition. A pass may therefore be legal even if
    // `legal` has other moves, because all of them may repeat an arrangement.
    Move read(const WireMove& wire, MoveStack& stack, const std::vector<Move>& legal) const {
        const std::vector<u8>& squares = wire.squares;
        expect(std::all_of(squares.begin(), squares.end(), [&](u8 it) { return it < rules_.geometry.squares(); }),
               "move: square off the board");
        Move move;
        if (wire.kind == WireMove::PATH) {
            Path path;
            expect(2 <= squares.size() && squares.size() <= std::size(path.cell), "length of a move");
            for (const u8 square : squares) path.cell[path.size++] = static_cast<u8>(rules_.geometry.cell_of(square));
            move = stack.path_move(path);
        } else {
            expect(squares.size() == 1, "length of a move");
            move = static_cast<Move>(wire.kind) << 16 | static_cast<Move>(rules_.geometry.cell_of(squares[0]));
        }
        const bool may_pass = move == PASS && rules_.ruleset.no_move == Ending::PASS &&
                              rules_.ruleset.repetition == Repetition::ILLEGAL;
        expect(may_pass || std::binary_search(legal.begin(), legal.end(), move), "move: not legal");
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
    Evaluator<S> evaluator_;
    EndingTables<S> endings_;
    const Tuning tuning_;
    const Reductions reductions_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::atomic<bool> busy_{false};
};

template <class S>
std::unique_ptr<Kernel> make_kernel(const Ruleset& ruleset, const Weights& weights, int files, int ranks,
                                    const Tuning& tuning) {
    return std::make_unique<KernelOf<S>>(ruleset, weights, files, ranks, tuning);
}

}  // namespace latrones
