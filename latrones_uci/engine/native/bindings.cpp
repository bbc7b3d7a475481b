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
    fields.take("threat_row", net.threat_row);
    fields.take("dux_sides_row", net.dux_sides_row);
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

// The constants given, and the usual ones of the game.
Tuning tuning_of(const py::dict& dict, const Ruleset& ruleset) {
    Fields fields(dict);
    Tuning tuning = Tuning::usual(ruleset.soldiers_only());
    for (const TuningField& field : tuning_fields) fields.take_if_given(field.name, tuning.*field.member);
    fields.finish();
    return tuning;
}

// Value, value in games of soldiers only, least and greatest value, and what it is, by name.
py::dict describe_tuning() {
    py::dict described;
    const Tuning soldiers_only = Tuning::usual(true);
    for (const TuningField& field : tuning_fields)
        described[field.name] = py::make_tuple(field.value, soldiers_only.*field.member, field.least, field.greatest,
                                               field.what);
    return described;
}

// ---------------------------------------------------------------- boards and moves

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

using BoardTuple = std::tuple<py::bytes, py::bytes, py::bytes, int, int, int, int, u32>;

WireBoard board_of(const BoardTuple& fields) {
    const auto& [own, opp, bound, own_dux, opp_dux, side, nocapture, hand] = fields;
    return {.own = own, .opp = opp, .bound = bound, .own_dux = own_dux, .opp_dux = opp_dux, .side = side,
            .nocapture = nocapture, .hand = hand, .key = 0};
}

BoardTuple fields_of(const WireBoard& board) {
    return {board.own, board.opp, board.bound, board.own_dux, board.opp_dux, board.side, board.nocapture, board.hand};
}

using SplitTuple = std::tuple<int, int, int, int>;

Split split_of(const SplitTuple& fields) {
    const auto& [own_dux, own_soldiers, opp_dux, opp_soldiers] = fields;
    return {{own_dux, own_soldiers}, {opp_dux, opp_soldiers}};
}

// The result of a function that may be stopped; nothing if it was.
template <class Function>
auto unless_stopped(Function&& function) -> std::optional<decltype(function())> {
    const py::gil_scoped_release released;
    try {
        return function();
    } catch (const Stopped&) {
        return std::nullopt;
    }
}

// Appends a 16-bit number, little-endian.
void append(std::string& bytes, u16 number) {
    bytes.push_back(static_cast<char>(number & 255));
    bytes.push_back(static_cast<char>(number >> 8));
}

}  // namespace

// Conversions of arguments and results: between a move and an `int`, and from the tuples of boards and splits.
namespace pybind11::detail {

template <>
struct type_caster<WireMove> {
    PYBIND11_TYPE_CASTER(WireMove, const_name("int"));
    bool load(handle number, bool) {
        if (!isinstance<int_>(number)) return false;
        value = move_of(reinterpret_borrow<int_>(number));
        return true;
    }
    static handle cast(const WireMove& move, return_value_policy, handle) { return number_of(move).release(); }
};

// Loads a value from the tuple that `make` takes.
template <class Value, class Tuple, Value make(const Tuple&)>
struct tuple_loader {
    PYBIND11_TYPE_CASTER(Value, make_caster<Tuple>::name);
    bool load(handle source, bool convert) {
        make_caster<Tuple> fields;
        if (!fields.load(source, convert)) return false;
        value = make(cast_op<Tuple>(std::move(fields)));
        return true;
    }
};

template <>
struct type_caster<WireBoard> : tuple_loader<WireBoard, BoardTuple, board_of> {};
template <>
struct type_caster<Split> : tuple_loader<Split, SplitTuple, split_of> {};

}  // namespace pybind11::detail

PYBIND11_MODULE(_core, module) {
    const auto required = [](const char* name) { return py::arg(name).none(false); };
    module.doc() = "The compiled kernel; see _core.pyi.";
    py::register_local_exception_translator([](std::exception_ptr error) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const std::bad_alloc&) {
            PyErr_SetString(PyExc_MemoryError, "out of memory");
        }
    });
    module.attr("BUILD") = LATRONES_BUILD;
    module.attr("TUNING") = describe_tuning();

    py::class_<Table>(module, "Table")
        .def(py::init([](std::size_t megabytes, int threads) {
                 try {
                     return std::make_unique<Table>(megabytes, threads);
                 } catch (const std::bad_alloc&) {
                     PyErr_Format(PyExc_MemoryError, "cannot allocate %zu MB of hash: out of memory", megabytes);
                     throw py::error_already_set();
                 }
             }),
             py::arg("megabytes"), py::arg("threads") = 1)
        .def("clear", &Table::clear, py::arg("threads") = 1, py::call_guard<py::gil_scoped_release>());

    py::class_<Task>(module, "Task")
        .def(py::init([](std::vector<WireMove> root_moves, std::vector<u64> game_keys, std::vector<u64> past, int depth,
                         std::optional<u64> nodes, std::optional<int> mate, int multipv, int threads, bool endings,
                         int final_men, bool plain) {
                 return Task{std::move(root_moves), std::move(game_keys), std::move(past), depth, nodes, mate, multipv,
                             threads, endings, final_men, plain};
             }),
             py::kw_only(), py::arg("root_moves"), py::arg("game_keys"), py::arg("past"), py::arg("depth"),
             py::arg("nodes") = py::none(), py::arg("mate") = py::none(), py::arg("multipv") = 1,
             py::arg("threads") = 1, py::arg("endings") = false, py::arg("final_men") = 0, py::arg("plain") = false);
    py::class_<SearchInfo>(module, "SearchInfo")
        .def_readonly("depth", &SearchInfo::depth)
        .def_readonly("seldepth", &SearchInfo::seldepth)
        .def_readonly("multipv", &SearchInfo::multipv)
        .def_readonly("score", &SearchInfo::score)
        .def_property_readonly("bound", [](const SearchInfo& info) { return static_cast<int>(info.bound); })
        .def_readonly("nodes", &SearchInfo::nodes)
        .def_readonly("table_hits", &SearchInfo::table_hits)
        .def_readonly("hashfull", &SearchInfo::hashfull)
        .def_readonly("pv", &SearchInfo::pv);
    py::class_<CurrentMove>(module, "CurrentMove")
        .def_readonly("depth", &CurrentMove::depth)
        .def_readonly("move", &CurrentMove::move)
        .def_readonly("number", &CurrentMove::number);
    // Its functions take the interpreter lock, which a search does not hold.
    py::class_<Listener>(module, "Listener")
        .def(py::init<decltype(Listener::info), decltype(Listener::current_move), decltype(Listener::should_stop),
                      decltype(Listener::wants_depth)>(),
             py::kw_only(), required("info"), required("current_move"), required("should_stop"),
             required("wants_depth"));
    py::class_<SearchResult>(module, "SearchResult")
        .def_readonly("move", &SearchResult::move)
        .def_readonly("ponder", &SearchResult::ponder)
        .def_readonly("nodes", &SearchResult::nodes)
        .def_readonly("threads", &SearchResult::threads);

    py::class_<Kernel>(module, "Core")
        .def(py::init([](const py::dict& ruleset, const py::dict& weights, int files, int ranks,
                         const py::dict& tuning) {
                 const Ruleset rules = ruleset_of(ruleset);
                 return Kernel::make(rules, weights_of(weights), files, ranks, tuning_of(tuning, rules));
             }),
             py::arg("ruleset"), py::arg("weights"), py::arg("files"), py::arg("ranks"), py::arg("tuning") = py::dict())
        .def("moves", &Kernel::moves)
        .def("tactical_moves", &Kernel::tactical_moves)
        .def("play",
             [](const Kernel& kernel, const WireBoard& board, const WireMove& move) {
                 const WireBoard after = kernel.play(board, move);
                 return std::pair(fields_of(after), after.key);
             })
        .def("decided", &Kernel::decided)
        .def("evaluate",
             [](const Kernel& kernel, const WireBoard& board) {
                 const Terms terms = kernel.evaluate(board);
                 return std::tuple(terms.material, terms.mobility, terms.threats, terms.dux_safety, terms.bound,
                                   terms.pursuit);
             })
        .def("use_net",
             [](Kernel& kernel, const std::optional<py::dict>& net) {
                 kernel.use_net(net ? std::optional(net_of(*net)) : std::nullopt);
             })
        .def("value", &Kernel::value)
        .def("net_rows",
             [](const Kernel& kernel, const std::vector<WireBoard>& boards) {
                 std::string rows, counts;
                 for (const WireBoard& board : boards)
                     for (const auto& view : kernel.net_rows(board)) {
                         for (const u16 row : view) append(rows, row);
                         append(counts, static_cast<u16>(view.size()));
                     }
                 return std::pair(py::bytes(rows), py::bytes(counts));
             })
        .def("perft",
             [](const Kernel& kernel, const WireBoard& board, int depth, bool bulk,
                const std::function<bool()>& should_stop) {
                 return unless_stopped([&] { return kernel.perft(board, depth, bulk, should_stop); });
             },
             py::arg("board"), py::arg("depth"), py::arg("bulk"), required("should_stop"))
        .def("playouts",
             [](const Kernel& kernel, const WireBoard& board, const std::vector<u64>& past, u64 games, u64 seed,
                u64 max_plies, const std::function<bool()>& should_stop) {
                 return unless_stopped([&] {
                     const auto counts = kernel.playouts(board, past, games, seed, max_plies, should_stop);
                     const auto [black, drawn, white] = counts.results;
                     return std::tuple(white, drawn, black, counts.unfinished, counts.plies);
                 });
             },
             py::arg("board"), py::arg("past"), py::arg("games"), py::arg("seed"), py::arg("max_plies"),
             required("should_stop"))
        .def("search", &Kernel::search, py::arg("board"), py::arg("task"), py::arg("table"), py::arg("listener"),
             py::call_guard<py::gil_scoped_release>())
        .def("clear", &Kernel::clear)
        .def("ending_shape",
             [](const Kernel& kernel, const Split& split) {
                 const EndingShape shape = kernel.ending_shape(split);
                 return std::tuple(shape.size, shape.width, shape.planes);
             })
        .def("solve_ending",
             [](Kernel& kernel, const Split& split, int threads, const EndingProgress& progress) {
                 return unless_stopped([&] { return kernel.solve_ending(split, threads, progress), true; }).has_value();
             },
             py::arg("split"), py::arg("threads"), required("progress"))
        .def("ending_codes",
             [](const Kernel& kernel, const Split& split, int plane, u64 begin, u64 end) {
                 return py::bytes(kernel.ending_codes(split, plane, begin, end));
             })
        .def("ending_counts",
             [](const Kernel& kernel, const Split& split, int plane) {
                 const EndingCounts counts = [&] {
                     const py::gil_scoped_release released;
                     return kernel.ending_counts(split, plane);
                 }();
                 return std::tuple(counts.positions, counts.mover, counts.opponent, counts.longest_mover,
                                   counts.longest_opponent);
             })
        .def("load_ending",
             [](Kernel& kernel, const Split& split, const std::vector<py::bytes>& planes) {
                 kernel.load_ending(split, std::vector<std::string>(planes.begin(), planes.end()));
             })
        .def("drop_endings", &Kernel::drop_endings)
        .def("ending_value", [](const Kernel& kernel, const WireBoard& board) {
            const auto value = kernel.ending_value(board);
            return value ? std::optional(std::tuple(value->outcome, value->plies, value->by_limit)) : std::nullopt;
        });
}
