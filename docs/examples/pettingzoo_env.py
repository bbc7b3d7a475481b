"""An environment of PettingZoo (AEC) for every variant. Usage: python3 pettingzoo_env.py [VARIANT [BOARD]]

An action is a square: a move is entered square by square, as it would be clicked, and an agent acts again until its
move is complete. The last action, after those of the squares, ends a move that could go on, or passes.
"""

import sys
from typing import ClassVar

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv

from latrones_uci import Game

PIECES = "SDB"  # soldier, dux, bound soldier; small letters are Black's


class LatronesEnv(AECEnv):
    """Two agents, ``white`` and ``black``; the winner is rewarded with 1, the loser with -1.

    The observation has the planes ``PIECES`` of the agent and of its opponent, the numbers of soldiers and duces that
    both have in hand, the squares that are entered of a move, and whether the agent is to act. A game is truncated
    after ``max_plies`` moves.
    """

    metadata: ClassVar = {"name": "latrones_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, variant="latrones", board=None, max_plies=1000, render_mode=None):
        super().__init__()
        self.variant, self.board, self.max_plies, self.render_mode = variant, board, max_plies, render_mode
        self.possible_agents = ["white", "black"]
        geometry = Game(variant, board).position.geometry
        self.files, self.ranks = geometry.files, geometry.ranks
        self.stop = self.files * self.ranks
        actions = self.stop + 1
        shape = (self.ranks, self.files, 2 * len(PIECES) + 6)
        seen = {"observation": Box(0, 99, shape, np.int8), "action_mask": Box(0, 1, (actions,), np.int8)}
        self.observation_spaces = {agent: Dict(seen) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(actions) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        self.game = Game(self.variant, self.board)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._begin_move()

    def _begin_move(self):
        """List the moves by their squares, and select the agent to move."""
        self.chosen = ()
        self.moves = {move.squares: move for move in self.game.legal_moves()}
        self.agent_selection = self.possible_agents[self.game.position.side]

    def _actions(self):
        """Return the squares that go on with the move, and the last action if what is entered can be the move."""
        size = len(self.chosen)
        following = {squares[size] for squares in self.moves if len(squares) > size and squares[:size] == self.chosen}
        return following | ({self.stop} if self.chosen in self.moves else set())

    def observe(self, agent):
        side, position = self.possible_agents.index(agent), self.game.position
        planes = np.zeros((self.ranks, self.files, 2 * len(PIECES) + 6), np.int8)
        letters = (PIECES + PIECES.lower()) if side == 0 else (PIECES.lower() + PIECES)
        for square in range(self.stop):
            if piece := position.piece_at(square):
                planes[square // self.files, square % self.files, letters.index(piece)] = 1
            planes[square // self.files, square % self.files, -2] = square in self.chosen
        for plane, piece in enumerate("SDsd" if side == 0 else "sdSD", start=2 * len(PIECES)):
            planes[:, :, plane] = position.hand.get(piece, 0)
        acts = agent == self.agent_selection
        planes[:, :, -1] = acts
        mask = np.zeros(self.stop + 1, np.int8)
        if acts:
            mask[list(self._actions())] = 1
        return {"observation": planes, "action_mask": mask}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action not in self._actions():
            raise ValueError(f"action {action}: not legal; expected one of {sorted(map(int, self._actions()))}")
        self._clear_rewards()
        self._cumulative_rewards[agent] = 0
        if action != self.stop:
            self.chosen = (*self.chosen, int(action))
        if action == self.stop or self._actions() == {self.stop}:
            self.game.push(self.moves[self.chosen])
            self._begin_move()
            self._end()
        self._accumulate_rewards()

    def _end(self):
        """Reward the players if the game is over."""
        if (outcome := self.game.outcome()) is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            if outcome.winner is not None:
                self.rewards = {agent: 1 if side == outcome.winner else -1
                                for side, agent in enumerate(self.possible_agents)}
        elif len(self.game.moves) >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)

    def render(self):
        return str(self.game) if self.render_mode == "ansi" else None

    def close(self):
        pass


if __name__ == "__main__":
    env = LatronesEnv(*sys.argv[1:3], render_mode="ansi")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
    print(env.render())
    print(env.game.outcome() or "unfinished")
