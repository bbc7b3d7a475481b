"""What ``help`` prints."""

HELP = """\
latrones-uci plays Latrones and its family over standard input and output. protocol.md is the whole contract.
  uci | ugi                              greet the engine in either dialect; it lists its options
  setoption name N [value V]             set an option, for example: setoption name UCI_Variant value latrones
  isready                                answered by readyok, also during a search
  ucinewgame (newgame, uginewgame)       forget the game before
  position startpos|fen F [moves M ...]  set up a position, for example: position startpos moves d1d5
  go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
     [mate N] [infinite] [ponder] [searchmoves M ...]
                                         search; ends with bestmove (p1time, p2time, p1inc, p2inc also serve)
  go perft N                             count the sequences of N plies, by first move
  stop | ponderhit                       end the search; the move pondered on was played
  query p1turn|gameover|result           questions of the UGI dialect
  d | eval                               show the position, its evaluation
  bench [depth]                          search fixed positions: the node count is the engine's signature
  debug on|off                           explain more
  help | quit"""
