"""Play any variant against any engine in a window; you play White.

Usage: python3 board.py [VARIANT [ENGINE ...]]
"""

import re
import subprocess
import sys
import tkinter


class Engine:
    def __init__(self, command, variant):
        self.process = subprocess.Popen(command, text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("uci", "uciok")
        self.ask(f"setoption name UCI_Variant value {variant}\nisready", "readyok")

    def ask(self, commands, last):
        """Send commands and return the output up to the line that begins with `last`."""
        print(commands, file=self.process.stdin)
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if line.startswith("info string error"):
                sys.exit(line)
            if line.startswith(last):
                return lines
        sys.exit("The engine has exited.")


class Board(tkinter.Canvas):
    def __init__(self, engine):
        super().__init__(background="wheat", highlightthickness=0)
        self.engine, self.moves, self.clicks = engine, [], []
        self.bind("<Button-1>", self.click)
        self.pack()
        self.play()

    def play(self, *moves):
        """Add moves to the game, show the new position, and let the engine answer if Black is to move."""
        self.moves, self.clicks = [*self.moves, *moves], []
        lines = self.engine.ask(f"position startpos moves {' '.join(self.moves)}\nd", "Result:")
        state = dict(line.split(":") for line in lines if ":" in line)
        pieces, side = state["Fen"].split()[:2]
        self.legal = state["Moves"].split() if side == "w" else []
        self.rows = re.sub(r"\d+", lambda empty: "." * int(empty[0]), pieces.split("[")[0]).split("/")
        hand = pieces.partition("[")[2].strip("]")
        self.master.title(f"{' '.join(moves)}  result:{state['Result']}  in hand: {hand}")
        self.draw()
        if side == "b" and state["Moves"]:
            self.after(20, lambda: self.play(self.engine.ask("go movetime 500", "bestmove")[-1].split()[1]))

    def draw(self):
        self.delete("all")
        self.config(width=64 * len(self.rows[0]), height=64 * len(self.rows))
        for row, pieces in enumerate(self.rows):
            for file, piece in enumerate(pieces):
                x, y, square = 64 * file, 64 * row, f"{chr(97 + file)}{len(self.rows) - row}"
                self.create_rectangle(x, y, x + 64, y + 64, fill="gold" if square in self.clicks else "")
                if piece != ".":
                    self.create_oval(x + 8, y + 8, x + 56, y + 56, fill="white" if piece.isupper() else "tomato")
                    self.create_text(x + 32, y + 32, text={"D": "dux", "B": "bound"}.get(piece.upper(), ""))

    def click(self, event):
        """Enter a move by clicking its squares. If it could continue, click its last square again to finish it."""
        square = f"{chr(97 + event.x // 64)}{len(self.rows) - event.y // 64}"
        again = self.clicks[-1:] == [square]
        clicks = self.clicks if again else [*self.clicks, square]
        squares = {move: re.findall(r"[a-p]\d+", move) for move in self.legal}
        fitting = [move for move in self.legal if squares[move][: len(clicks)] == clicks]
        if squares.get(fitting[0] if fitting else "") == clicks and (again or len(fitting) == 1):
            self.play(fitting[0])
        else:
            self.clicks = clicks if fitting and not again else []
            self.draw()


variant, *command = sys.argv[1:] or ["latrones"]
Board(Engine(command or ["latrones-uci"], variant)).mainloop()
