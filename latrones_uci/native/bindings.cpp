// The Python bindings of the library: they only convert values. `_core.pyi` documents them.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "core/kernel.hpp"

namespace py = pybind11;
using namespace latrones;

namespace {

// ---------------------------------------------------------------- rulesets

// Takes values out of a dictionary by their keys; in the end none may be left.
class Fields {
   public:
    explicit Fields(const py::dict& dict) : rest_(dict.attr("copy")()) {}

    template <class Value>
    void take(const char* key, Value& value) {
        if constexpr (std::is_enum_v<Value>) {
            const auto text = py::cast<std::string>(pop(key));
            if (!parse_value(text, value)) throw py::value_error(std::string(key) + ": unknown value '" + text + "'");
        } else {
            value = py::cast<Value>(pop(key));
        }
    }
    // Leaves the value as it is if the key is missing.
    template <class Value>
    void take_if_given(const char* key, Value& value) {
        if (rest_.contains(key)) take(key, value);
    }
    void finish() const {
        for (const auto& [key, value] : rest_)
            throw py::value_error("unknown key '" + py::cast<std::string>(key) + "'");
    }

   private:
    py::object pop(const char* key) {
        if (!rest_.contains(key)) throw py::value_error("missing key '" + std::string(key) + "'");
        return rest_.attr("pop")(key);
    }
    py::dict rest_;
};

Ruleset ruleset_of(const py::dict& dict) {
    Fields fields(dict);
    const Ruleset ruleset = read_ruleset(fields);
    fields.finish();
    return ruleset;
}

Weights weights_of(const py::dict& dict) {
    Fields fields(dict);
    const Weights weights = read_weights(fields);
    fields.finish();
    return weights;
}

WireNet net_of(const py::dict& dict) {
    Fields fields(dict);
    WireNet net;
    fields.take("hidden", net.hidden);
    fields.take("clip", net.clip);
    fields.take("multiplier", net.multiplier);
    fields.take("dux_row", net.dux_row);
    fields.take("bound_row", net.bound_row);
    fields.take("hand_row", net.hand_row);
    fields.take("hand", net.hand);
    fields.take("hand_dux_row", net.hand_dux_row);
    fields.take("limits", net.limits);
    fields.take("places", net.places);
    fields.take("turns", net.turns);
    fields.take("weights", net.weights);
    fields.take("biases", net.biases);
    fields.take("outputs", net.outputs);
    fields.take("output_biases", net.output_biases);
    fields.take("least_men", net.least_men);
    fields.finish();
    return net;
}

Tuning tuning_of(const py::dict& dict) {
    Fields fields(dict);
    Tuning tuning;
    for (const TuningField& field : tuning_fields) fields.take_if_given(field.name, tuning.*field.member);
    fields.finish();
    return tuning;
}

// Value, least and greatest value, and what it is, by name.
py::dict describe_tuning() {
    py::dict described;
    for (const TuningField& field : tuning_fields)
        described[field.name] = py::make_tuple(field.value, field.least, field.greatest, field.what);
    return described;
}

// ---------------------------------------------------------------- boards and moves

using BoardTuple = std::tuple<py::bytes, py::bytes, py::bytes, int, int, int, int, u32>;

WireBoard board_of(const BoardTuple& t) {
    return {.own = std::get<0>(t), .opp = std::get<1>(t), .bound = std::get<2>(t), .own_dux = std::get<3>(t),
            .opp_dux = std::get<4>(t), .side = std::get<5>(t), .nocapture = std::get<6>(t), .hand = std::get<7>(t),
            .key = 0};
}

// A move is a number, as described in `latrones_uci.game.encoding`.
WireMove move_of(const py::int_& number) {
    const py::object length = number.attr("bit_length")();
    const auto bytes_needed = (py::cast<std::size_t>(length) + 7) / 8;
    const py::object packed = number.attr("to_bytes")(std::max(bytes_needed, std::size_t{2}), "little");
    const auto bytes = py::cast<std::string>(packed);
    const auto* begin = reinterpret_cast<const u8*>(bytes.data());
    WireMove move;
    if (bytes.size() == 3) {
        if (begin[2] > WireMove::PASSED || begin[1]) throw py::value_error("invalid move: unknown kind");
        move.kind = static_cast<WireMove::Kind>(begin[2]);
        move.squares.assign(begin, begin + 1);
    } else {
        if (bytes.size() > 3 && bytes.back() != '\1')
            throw py::value_error("invalid move: path without a 1 above its squares");
        move.squares.assign(begin, begin + (bytes.size() == 2 ? 2 : bytes.size() - 1));
    }
    return move;
}

py::int_ number_of(const WireMove& move) {
    const auto& squares = move.squares;
    if (move.kind != WireMove::PATH) return py::int_(static_cast<int>(move.kind) << 16 | squares[0]);
    if (squares.size() == 2) return py::int_(squares[0] | squares[1] << 8);
    std::string bytes(squares.begin(), squares.end());
    bytes.push_back('\1');
    return py::module_::import("builtins").attr("int").attr("from_bytes")(py::bytes(bytes), "little");
}

std::vector<py::int_> numbers_of(const std::vector<WireMove>& moves) {
    std::vector<py::int_> numbers;
    for (const WireMove& move : moves) numbers.push_back(number_of(move));
    return numbers;
}

// A Python function that can be called while the search does not hold the interpreter lock.
template <class Result, class... Arguments>
auto guarded(const py::function& function) {
    return [function = &function](Arguments... arguments) -> Result {
        const py::gil_scoped_acquire holding;
        if constexpr (std::is_void_v<Result>) (*function)(arguments...);
        else return py::cast<Result>((*function)(arguments...));
    };
}

// ---------------------------------------------------------------- the kernel

class Core {
   public:
    Core(const py::dict& ruleset, const py::dict& weights, int files, int ranks, const py::dict& tuning)
        : kernel_(Kernel::make(ruleset_of(ruleset), weights_of(weights), files, ranks, tuning_of(tuning))) {}

    std::vector<py::int_> moves(const BoardTuple& board) const { return numbers_of(kernel_->moves(board_of(board))); }
    std::vector<py::int_> tactical_moves(const BoardTuple& board) const {
        return numbers_of(kernel_->tactical_moves(board_of(board)));
    }
    std::tuple<BoardTuple, u64> play(const BoardTuple& board, const py::int_& move) const {
        const WireBoard after = kernel_->play(board_of(board), move_of(move));
        return {BoardTuple(py::bytes(after.own), py::bytes(after.opp), py::bytes(after.bound), after.own_dux,
                           after.opp_dux, after.side, after.nocapture, after.hand),
                after.key};
    }
    int decided(const BoardTuple& board) const { return kernel_->decided(board_of(board)); }
    std::tuple<int, int, int, int, int, int> evaluate(const BoardTuple& board) const {
        const Terms t = kernel_->evaluate(board_of(board));
        return {t.material, t.mobility, t.threats, t.dux_safety, t.bound, t.pursuit};
    }
    void use_net(const std::optional<py::dict>& net) {
        kernel_->use_net(net ? std::optional(net_of(*net)) : std::nullopt);
    }
    int value(const BoardTuple& board) const { return kernel_->value(board_of(board)); }
    std::optional<u64> perft(const BoardTuple& board, int depth, bool bulk, const py::function& should_stop) const {
        const WireBoard wire = board_of(board);
        const py::gil_scoped_release released;
        try {
            return kernel_->perft(wire, depth, bulk, guarded<bool>(should_stop));
        } catch (const Stopped&) {
            return std::nullopt;
        }
    }

    py::tuple search(const BoardTuple& board, const std::vector<u64>& game_keys, const std::vector<u64>& past,
                     const std::vector<py::int_>& root_moves, int depth, std::optional<u64> nodes,
                     std::optional<int> mate, int multipv, int threads,
                     u32 techniques, bool endings, Table& table, const py::function& info, const py::function& current_move,
                     const py::function& should_stop, const py::function& wants_depth) {
        const WireBoard wire = board_of(board);
        Task task{.root_moves = {}, .depth = depth, .nodes = nodes, .mate = mate, .multipv = multipv,
                  .threads = threads, .techniques = techniques, .endings = endings};
        for (const py::int_& move : root_moves) task.root_moves.push_back(move_of(move));
        const Listener listener{
            .info =
                [&](const SearchInfo& i) {
                    const py::gil_scoped_acquire holding;
                    info(i.depth, i.seldepth, i.multipv, i.score, static_cast<int>(i.bound), i.nodes, i.hashfull,
                         i.table_hits, numbers_of(i.pv));
                },
            .current_move =
                [&](const CurrentMove& m) {
                    const py::gil_scoped_acquire holding;
                    current_move(m.depth, number_of(m.move), m.number);
                },
            .should_stop = guarded<bool>(should_stop),
            .wants_depth = guarded<bool, int, bool, int>(wants_depth),
        };
        SearchResult result;
        {
            const py::gil_scoped_release released;
            result = kernel_->search(wire, game_keys, past, task, table, listener);
        }
        const py::object ponder = result.ponder ? py::object(number_of(*result.ponder)) : py::object(py::none());
        return py::make_tuple(number_of(result.move), ponder, result.nodes, result.threads);
    }

    void clear() { kernel_->clear(); }

    using SplitTuple = std::tuple<int, int, int, int>;

    std::tuple<u64, int, int> ending_shape(const SplitTuple& split) const {
        const EndingShape shape = kernel_->ending_shape(split_of(split));
        return {shape.size, shape.width, shape.planes};
    }
    bool solve_ending(const SplitTuple& split, int threads, const py::function& progress) {
        const py::gil_scoped_release released;
        try {
            kernel_->solve_ending(split_of(split), threads, guarded<bool, int, u64, u64>(progress));
        } catch (const Stopped&) {
            return false;
        }
        return true;
    }
    py::bytes ending_codes(const SplitTuple& split, int plane, u64 begin, u64 end) const {
        return kernel_->ending_codes(split_of(split), plane, begin, end);
    }
    std::tuple<u64, u64, u64, int, int> ending_counts(const SplitTuple& split, int plane) const {
        const EndingCounts counts = kernel_->ending_counts(split_of(split), plane);
        return {counts.positions, counts.mover, counts.opponent, counts.longest_mover, counts.longest_opponent};
    }
    void load_ending(const SplitTuple& split, const std::vector<py::bytes>& planes) {
        std::vector<std::string> codes;
        for (const py::bytes& plane : planes) codes.push_back(plane);
        kernel_->load_ending(split_of(split), codes);
    }
    void drop_endings() { kernel_->drop_endings(); }
    std::optional<std::tuple<int, int, bool>> ending_value(const BoardTuple& board) const {
        const auto value = kernel_->ending_value(board_of(board));
        if (!value) return std::nullopt;
        return std::tuple{value->outcome, value->plies, value->by_limit};
    }

   private:
    static Split split_of(const SplitTuple& split) {
        return {{std::get<0>(split), std::get<1>(split)}, {std::get<2>(split), std::get<3>(split)}};
    }

    std::unique_ptr<Kernel> kernel_;
};

}  // namespace

PYBIND11_MODULE(_core, module) {
    module.doc() = "The compiled kernel; see _core.pyi.";
    module.attr("BUILD") = LATRONES_BUILD;
    module.attr("TECHNIQUES") = std::map<std::string, u32>{
        {"deeper-entries", DEEPER_ENTRIES}, {"mate-distance", MATE_DISTANCE},   {"dux-extension", DUX_EXTENSION},
        {"reverse-futility", REVERSE_FUTILITY}, {"null-move", NULL_MOVE},       {"late-reduction", LATE_REDUCTION},
        {"late-pruning", LATE_PRUNING},     {"futility", FUTILITY},             {"razoring", RAZORING},
        {"probcut", PROBCUT},               {"internal-reduction", INTERNAL_REDUCTION},
        {"singular-extension", SINGULAR_EXTENSION}, {"history-pruning", HISTORY_PRUNING},
        {"correction-history", CORRECTION_HISTORY}, {"table-evaluation", TABLE_EVALUATION},
        {"quiescence-entries", QUIESCENCE_ENTRIES}, {"delta-pruning", DELTA_PRUNING},
        {"root-reduction", ROOT_REDUCTION}, {"quiescence-limit", QUIESCENCE_LIMIT},
    };
    module.attr("TUNING") = describe_tuning();
    py::class_<Table>(module, "Table")
        .def(py::init<std::size_t>(), py::arg("megabytes"))
        .def("clear", &Table::clear);
    py::class_<Core>(module, "Core")
        .def(py::init<const py::dict&, const py::dict&, int, int, const py::dict&>(), py::arg("ruleset"),
             py::arg("weights"), py::arg("files"), py::arg("ranks"), py::arg("tuning") = py::dict())
        .def("moves", &Core::moves)
        .def("tactical_moves", &Core::tactical_moves)
        .def("play", &Core::play)
        .def("decided", &Core::decided)
        .def("evaluate", &Core::evaluate)
        .def("use_net", &Core::use_net)
        .def("value", &Core::value)
        .def("perft", &Core::perft)
        .def("search", &Core::search)
        .def("clear", &Core::clear)
        .def("ending_shape", &Core::ending_shape)
        .def("solve_ending", &Core::solve_ending)
        .def("ending_codes", &Core::ending_codes)
        .def("ending_counts", &Core::ending_counts)
        .def("load_ending", &Core::load_ending)
        .def("drop_endings", &Core::drop_endings)
        .def("ending_value", &Core::ending_value);
}
