"""A game of OpenSpiel for every variant. Usage: python3 openspiel_game.py [VARIANT [BOARD]]

``pyspiel.load_game("latrones(variant=bell,board=8x7)")`` loads it after this module is imported. An action is a square:
a move is entered square by square, as it would be clicked, and a player acts again until its move is complete. The last
action, after those of the squares, ends a move that could go on, or passes. A game of ``max_plies`` moves is a draw.
"""

import random
import sys

import numpy as np
import pyspiel

from latrones_uci import Game, Position

LETTERS = "SDBsdb"  # soldier, dux and bound soldier of White, then of Black
MOST_SQUARES = 257  # of a move, with the action that ends it

TYPE = pyspiel.GameType(
    short_name="latrones",
    long_name="Latrones and its variants",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"variant": "latrones", "board": "", "max_plies": 1000},
)


class LatronesGame(pyspiel.Game):
    def __init__(self, params=None):
        given = TYPE.parameter_specification | (params or {})
        self.start = Position.start(given["variant"], given["board"] or None)
        self.max_plies = given["max_plies"]
        geometry = self.start.geometry
        info = pyspiel.GameInfo(
            num_distinct_actions=geometry.files * geometry.ranks + 1, max_chance_outcomes=0, num_players=2,
            min_utility=-1.0, max_utility=1.0, utility_sum=0.0, max_game_length=self.max_plies * MOST_SQUARES,
        )
        super().__init__(TYPE, info, params or {})

    def new_initial_state(self, state=None):
        return LatronesState(self)

    def make_py_observer(self, iig_obs_type=None, params=None):
        return Observer(self.start.geometry)


class LatronesState(pyspiel.State):
    def __init__(self, game):
        super().__init__(game)
        self.game, self.max_plies = Game(game.start), game.max_plies
        self.stop = game.num_distinct_actions() - 1
        self.begin_move()

    def begin_move(self):
        """List the moves by their squares."""
        self.outcome = self.game.outcome()
        self.chosen = ()
        self.moves = {move.squares: move for move in self.game.legal_moves()}

    def current_player(self):
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else self.game.position.side

    def _legal_actions(self, player):
        size = len(self.chosen)
        following = {squares[size] for squares in self.moves if len(squares) > size and squares[:size] == self.chosen}
        return sorted(following | ({self.stop} if self.chosen in self.moves else set()))

    def _apply_action(self, action):
        if action != self.stop:
            self.chosen = (*self.chosen, action)
        if action == self.stop or self._legal_actions(None) == [self.stop]:
            self.game.push(self.moves[self.chosen])
            self.begin_move()

    def _action_to_string(self, player, action):
        return "stop" if action == self.stop else self.game.position.geometry.square_name(action)

    def is_terminal(self):
        return self.outcome is not None or len(self.game.moves) >= self.max_plies

    def returns(self):
        if self.outcome is None or self.outcome.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.outcome.winner == 0 else [-1.0, 1.0]

    def __str__(self):
        return f"{self.game}\n{' '.join(self._action_to_string(None, square) for square in self.chosen)}"


class Observer:
    """Planes of the pieces, of the numbers in hand, of the squares entered, and of the player to act."""

    def __init__(self, geometry):
        self.files = geometry.files
        shape = (len(LETTERS) + 6, geometry.ranks, geometry.files)
        self.tensor = np.zeros(np.prod(shape), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state, player):
        planes, position = self.dict["observation"], state.game.position
        planes.fill(0)
        for square in range(state.stop):
            if piece := position.piece_at(square):
                planes[LETTERS.index(piece), square // self.files, square % self.files] = 1
        for plane, piece in enumerate("SDsd", start=len(LETTERS)):
            planes[plane] = position.hand.get(piece, 0)
        for square in state.chosen:
            planes[-2, square // self.files, square % self.files] = 1
        planes[-1] = position.side

    def string_from(self, state, player):
        return str(state)


pyspiel.register_game(TYPE, LatronesGame)

if __name__ == "__main__":
    words = ",".join(f"{name}={value}" for name, value in zip(("variant", "board"), sys.argv[1:], strict=False))
    state = pyspiel.load_game(f"latrones({words})").new_initial_state()
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))
    print(state)
    print(state.returns())
