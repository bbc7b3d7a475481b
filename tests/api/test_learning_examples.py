"""The environments of docs/examples for reinforcement learning pass the tests of their libraries, in every variant."""

from __future__ import annotations

import runpy
import warnings
from types import SimpleNamespace

import pytest

from cases import VARIANTS, position
from folders import EXAMPLES
from latrones_uci import Game

pytestmark = pytest.mark.slow  # the libraries of the dependency group "examples"



def run_example(name: str, library: str, module: str) -> SimpleNamespace:
    """Run an example as a module, and return its names."""
    pytest.importorskip(module, reason=f"no {library}: not installed")
    return SimpleNamespace(**runpy.run_path(str(EXAMPLES / f"{name}.py")))


@pytest.fixture(scope="module")
def pettingzoo() -> SimpleNamespace:
    return run_example("pettingzoo_env", "PettingZoo", "pettingzoo")


@pytest.fixture(scope="module")
def openspiel() -> SimpleNamespace:
    return run_example("openspiel_game", "OpenSpiel", "pyspiel")


@pytest.mark.parametrize("variant", VARIANTS)
def test_pettingzoo(pettingzoo: SimpleNamespace, variant: str) -> None:
    from pettingzoo.test import api_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # recommendations: observations that are no dictionaries, numbered names
        api_test(pettingzoo.LatronesEnv(variant, max_plies=20), num_cycles=50)


@pytest.mark.parametrize("variant", VARIANTS)
def test_openspiel(openspiel: SimpleNamespace, variant: str) -> None:
    import pyspiel

    game = pyspiel.load_game(f"latrones(variant={variant},max_plies=10)")
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False, mask_test=True)


@pytest.mark.parametrize("move", ["d3d5", "d3d5f5"])
def test_a_chain_is_entered_square_by_square(
    pettingzoo: SimpleNamespace, openspiel: SimpleNamespace, move: str
) -> None:
    """It ends where it cannot go on, or by the last action."""
    start = position("schaedler", "1Sss3s/sss1ss1s/2sBsS2/4s1SS/Ss1sSSSS/s1SSbS1S/1sS2S2/sss1ssBs[-] w 0 10")
    env = pettingzoo.LatronesEnv("schaedler")
    state = openspiel.LatronesGame({"variant": "schaedler"}).new_initial_state()
    env.reset()
    env.game, state.game = Game(start), Game(start)
    env._begin_move()
    state.begin_move()
    d3, d5, f5 = map(start.geometry.parse_square, ("d3", "d5", "f5"))
    for action in (d3, d5, env.stop if move == "d3d5" else f5):
        legal = env.observe("white")["action_mask"].nonzero()[0].tolist()
        assert legal == state.legal_actions()
        assert not env.observe("black")["action_mask"].any()
        assert env.agent_selection == "white"
        with pytest.raises(ValueError, match=r"action 0: not legal; expected one of \["):
            env.step(0)
        env.step(action)
        state.apply_action(action)
    assert legal == [f5, env.stop]
    assert env.game.moves == state.game.moves == (move,)
    assert env.agent_selection == "black"
    assert state.current_player() == 1


def test_rewards(pettingzoo: SimpleNamespace, openspiel: SimpleNamespace) -> None:
    won = position("latrones", "3ds3/3S4/2S5/8/8/8/8/4D3 w 0 1")
    env = pettingzoo.LatronesEnv()
    env.reset()
    state = openspiel.LatronesGame().new_initial_state()
    env.game, state.game = Game(won), Game(won)
    env._begin_move()
    state.begin_move()
    for square in map(won.geometry.parse_square, ("c6", "c8")):
        env.step(square)
        state.apply_action(square)
    assert env.rewards == {"white": 1, "black": -1}
    assert all(env.terminations.values())
    assert state.is_terminal()
    assert state.returns() == [1.0, -1.0]
